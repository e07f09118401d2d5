//! The same specs give the same bytes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::Workplace;
use mcp_bundle::format;
use mcpc::check::{Input, MemoryFiles, check};

const FIRST: &str = r#"
[upstream.api]
url = "https://api.example.com/v1"
headers = { b = "${B}", a = "${A}" }

[[tool]]
name = "zebra"
description = "A tool whose name sorts last."
upstream = "api"
method = "POST"
endpoint = "/z"
parameters = [{ name = "z" }, { name = "a", type = "object", properties = { y = { type = "string" }, x = { type = "integer" } } }]

[[tool]]
name = "ant"
description = "A tool whose name sorts first."
upstream = "api"
method = "GET"
endpoint = "/a"
"#;

const SECOND: &str = r#"
[[tool]]
name = "middle"
description = "A tool of another file."
method = "GET"
endpoint = "https://other.example.com/m"
input_schema = { type = "object", properties = { q = { type = "string", minLength = 1 } }, allOf = [{ required = ["q"] }] }
parameters = [{ name = "q", position = "query" }]
"#;

fn bytes(names: [&str; 2], prefix: &str) -> Vec<u8> {
    let mut files = MemoryFiles::default();
    for name in names {
        files.add(&format!("{prefix}{name}"), if name == "first.toml" { FIRST } else { SECOND });
    }
    let specs = names.map(|name| format!("{prefix}{name}")).to_vec();
    let input = Input { specs, ..Input::default() };
    let report = check(&input, &files);
    let messages: Vec<&str> = report.diagnostics.iter().map(|d| d.message.as_str()).collect();
    format::write(&report.contents.unwrap_or_else(|| panic!("{messages:?}"))).unwrap()
}

#[test]
fn neither_order_nor_place_of_the_files_matters() {
    let reference = bytes(["first.toml", "second.toml"], "");
    assert!(bytes(["second.toml", "first.toml"], "") == reference);
    assert!(bytes(["first.toml", "second.toml"], "/somewhere/else/") == reference);
}

#[test]
fn two_builds_in_two_folders_are_equal_and_signed_alike() {
    let (one, other) = (Workplace::new(), Workplace::new());
    one.write("specs/first.toml", FIRST);
    one.write("specs/second.toml", SECOND);
    other.write("deep/down/second.toml", SECOND);
    other.write("deep/first.toml", FIRST);
    assert_eq!(one.run(&["keygen", "-o", "key"]).code, 0);
    other.write("key", one.read("key"));
    assert_eq!(one.run(&["build", "specs", "-o", "x.mcpk", "--sign", "key"]).code, 0);
    assert_eq!(
        other.run(&["build", "deep/down", "deep/first.toml", "-o", "x.mcpk", "--sign", "key"]).code,
        0
    );
    assert!(one.read("x.mcpk") == other.read("x.mcpk"));
}

#[test]
fn tools_are_sorted_by_name() {
    let bundle = format::read(&bytes(["first.toml", "second.toml"], ""), &format::Trust::Any).unwrap();
    let contents = &bundle.contents;
    let names: Vec<&str> = contents.tools.iter().map(|tool| contents.strings.get(tool.name)).collect();
    assert_eq!(names, ["ant", "middle", "zebra"]);
    assert_eq!(contents.variable_names().collect::<Vec<_>>(), ["A", "B"]);
}
