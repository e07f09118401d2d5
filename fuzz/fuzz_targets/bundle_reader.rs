//! Arbitrary bytes are refused or read, and what is read can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Limits, Request, Scratch, Values, bind};
use mcp_bundle::format::{self, Trust};
use mcp_bundle::template::{Ambient, Place, render_text};

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
    let values = Values { variables: &variables, ..Values::default() };
    for tool in &contents.tools {
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let _ =
            bind(contents, &matchers, tool, b"{}", &values, &Limits::default(), &mut scratch, &mut request);
    }
    for program in contents.templates.programs.iter().filter(|program| program.place == Place::Text) {
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
