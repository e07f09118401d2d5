//! Whatever the arguments, a bound request keeps its shape.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::{Limits, Request, Scratch, Values, bind};
use mcp_bundle::matchers::Matchers;
use mcp_bundle::plan::Contents;
use mcpc::check::{MemoryFiles, check_files};
use std::sync::OnceLock;

const SPEC: &str = r#"
[[tool]]
name = "t"
description = "A tool with an argument in every position."
method = "POST"
endpoint = "https://api.example.com/a/{p}/b/{list}"
parameters = [
  { name = "p", required = true, position = "path" },
  { name = "list", type = "array", required = true, position = "path", style = "comma", items = { type = "string" } },
  { name = "q", type = "object", position = "query", style = "deep" },
  { name = "h", position = "header", wire_name = "x-h" },
  { name = "c", position = "cookie" },
  { name = "b", type = "object", wire_name = "x.y" },
  { name = "n", type = "number", minimum = -1.5, maximum = 1e30 },
]
"#;

fn contents() -> &'static Contents {
    static CONTENTS: OnceLock<Contents> = OnceLock::new();
    CONTENTS.get_or_init(|| check_files(&MemoryFiles::one("spec.toml", SPEC)).contents.expect("the spec is clean"))
}

fuzz_target!(|arguments: &[u8]| {
    let contents = contents();
    let matchers = Matchers::new(contents);
    let values = Values::default();
    let (mut scratch, mut request) = (Scratch::default(), Request::default());
    let (_, tool) = contents.tool("t").expect("the tool is there");
    if bind(contents, &matchers, tool, arguments, &values, &Limits::default(), &mut scratch, &mut request).is_err() {
        return;
    }
    let url = request.url(contents, tool);
    let path = url.strip_prefix("https://api.example.com/").expect("the host never changes");
    let path = path.split('?').next().unwrap_or_default();
    assert_eq!(path.split('/').count(), 4, "{url}");
    for (name, value) in request.headers() {
        assert!(!name.contains(['\r', '\n', ':']) && !value.contains(['\r', '\n', '\0']));
    }
    // The scanner of the arguments is our own; the body's validity is judged by another.
    assert!(request.body().is_none_or(|body| mcp_bundle::schema::parse_strict(body, 128).is_ok()));
});
