//! Arbitrary bytes are refused or read, and what is read can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, Binder, Limits, PreparedTools, Request, Scratch, Values};
use mcp_bundle::format::{self, Trust};
use mcp_bundle::template::{Ambient, Destination, render_text};

const LIMITS: mcp_bundle::template::Limits = mcp_bundle::template::Limits {
    steps: 3000,
    iterations: 300,
    output: 2000,
    values: 500,
    text: 4000,
    depth: 16,
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(bundle) = format::read(bytes, &Trust::Any) else { return };
    let contents = &bundle.contents;
    let matchers = Matchers::new(contents);
    let variables: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let limits = Limits::default();
    let prepared = PreparedTools::new(contents, &variables, &limits);
    for tool in &contents.tools {
        let (scratch, mut request) = (&mut Scratch::default(), Request::default());
        let tool = prepared.find(contents.strings.get(tool.name)).expect("each tool is prepared");
        let mut binder = Binder { contents, matchers: &matchers, limits: &limits, scratch };
        let _ = binder.bind(tool, &Arguments::EMPTY, &Values::default(), &mut request);
    }
    for program in contents.templates.programs.iter().filter(|program| program.place == Destination::Text) {
        let (mut scratch, mut out) = (Default::default(), Vec::new());
        let data = r#"{"a":[1,"x",{"b":null}],"b":{"c":-0.5}}"#;
        let _ = render_text(
            contents,
            program,
            data,
            &Ambient::default(),
            &LIMITS,
            &mut scratch,
            &mut (),
            &mut out,
        );
    }
});
