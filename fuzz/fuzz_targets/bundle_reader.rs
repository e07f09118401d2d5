//! Arbitrary bytes are refused or read, and what is read can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::{Limits, Request, Scratch, Values, bind};
use mcp_bundle::format::{self, Trust};
use mcp_bundle::matchers::Matchers;

fuzz_target!(|bytes: &[u8]| {
    let Ok(bundle) = format::read(bytes, &Trust::Any) else { return };
    let contents = &bundle.contents;
    let matchers = Matchers::new(contents);
    let variables: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let values = Values { variables: &variables, tenant_id: None, principal_sub: None };
    for tool in &contents.tools {
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let _ = bind(contents, &matchers, tool, b"{}", &values, &Limits::default(), &mut scratch, &mut request);
    }
});
