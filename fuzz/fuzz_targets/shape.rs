//! Whatever an upstream answers, the members of the result are JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::json::Scanner;
use mcp_bundle::plan::Contents;
use mcp_bundle::shape::{Answer, Limits, Scratch, shape};
use mcp_bundle::template::Ambient;
use mcpc::check::{MemoryFiles, check_files};
use std::cell::RefCell;
use std::sync::LazyLock;

/// Tools without and with a need for text.
const SPEC: &str = r#"
[[tool]]
name = "plain"
description = "Gives back what the upstream answers."
method = "GET"
endpoint = "https://api.example.com/a"

[[tool]]
name = "selected"
description = "Gives back a part of what the upstream answers."
method = "GET"
endpoint = "https://api.example.com/b"
select = ["a", "b[].c"]
output_schema = { type = "object" }

[[tool]]
name = "rendered"
description = "Says what the upstream answers."
method = "GET"
endpoint = "https://api.example.com/c"
response_template = "{{ .a }}"
error_template = "{{ .error }}"
"#;

const TYPES: [Option<&str>; 12] = [
    None,
    Some("application/json"),
    Some("application/json; charset=utf-16"),
    Some("text/plain; charset=iso-8859-1"),
    Some("text/html; charset=shift_jis"),
    Some("text/plain; charset=iso-2022-jp"),
    Some("image/png"),
    Some("audio/wav"),
    Some("application/octet-stream"),
    Some("multipart/mixed; boundary=b"),
    Some("multipart/mixed; boundary=\"-\""),
    Some("multipart/mixed"),
];

static CONTENTS: LazyLock<Contents> =
    LazyLock::new(|| check_files(&MemoryFiles::one("fuzz.toml", SPEC)).contents.expect("the spec is right"));
static MATCHERS: LazyLock<Matchers> = LazyLock::new(|| Matchers::new(&CONTENTS));

thread_local! {
    /// Kept, so that what one answer leaves behind is part of the search.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

fuzz_target!(|bytes: &[u8]| {
    let [tool, kind, flags, rest @ ..] = bytes else { return };
    let (line, body) = rest.split_at(rest.iter().position(|byte| *byte == b'\n').unwrap_or_default());
    let line = std::str::from_utf8(line).ok();
    let answer = Answer {
        status: if flags & 1 == 0 { 200 } else { 404 },
        // Beyond the known types, the first line is one.
        content_type: TYPES.get(usize::from(*kind) % (TYPES.len() + 1)).copied().unwrap_or(line),
        content_location: line.filter(|_| flags & 2 == 0),
        message: (flags & 64 != 0).then_some(1),
        body: body.strip_prefix(b"\n").unwrap_or(body),
    };
    let plan = &CONTENTS.tools[usize::from(*tool) % CONTENTS.tools.len()];
    let limits = Limits { text: 64 << (flags >> 4), audio: flags & 4 == 0, ..Limits::default() };
    let ambient = Ambient { now_ms: 1_700_000_000_000, seed: 7 };
    let mut out = vec![b'{'];
    SCRATCH.with_borrow_mut(|scratch| {
        shape(&CONTENTS, &MATCHERS, plan, &answer, &ambient, &limits, scratch, &mut (), &mut out)
    });
    out.push(b'}');
    let text = std::str::from_utf8(&out).expect("a result is text");
    assert!(limits.audio || !text.starts_with(r#"{"content":[{"type":"audio""#));
    assert!(!text.contains('\n'));
    let mut scanner = Scanner::of_text(text, 128);
    scanner.value().and_then(|_| scanner.finish()).expect("a result is JSON");
});
