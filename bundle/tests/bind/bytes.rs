//! Bodies with bytes in them: parts, and one argument in base64.

use crate::built::Built;
use crate::support::tool;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use mcp_bundle::bind::{ProblemKind, Request};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

fn upload() -> Built {
    tool("POST", "/files")
        .body("multipart")
        .with("body", "file", json!({"type": "string", "file": true, "required": true}))
        .with("body", "more", json!({"type": "array", "items": {"type": "string"}, "file": true}))
        .with("body", "note", json!({"type": ["string", "null"]}))
        .with("body", "tags", json!({"type": "array"}))
        .with("body", "all", json!({"type": "array", "style": "json"}))
        .with("body", "place", json!({"type": "object"}))
        .with("body", "count", json!({"type": "integer", "default": 1}))
        .fixed("body", "key", "k ${KEY}")
        .build()
}

fn raw() -> Built {
    let check = json!({"type": "string", "sensitive": true});
    tool("PUT", "/raw").body("bytes:data").with("body", "data", check).build()
}

fn sent(tool: &Built, arguments: &str) -> Request {
    let mut request = Request::new();
    tool.bind(arguments.as_bytes(), &mut request).unwrap_or_else(|error| panic!("{error}"));
    request
}

/// Names and contents, as another reader takes them apart.
fn parts(request: &Request) -> Vec<(String, Vec<u8>)> {
    let boundary = request.headers().find(|(name, _)| *name == "content-type").unwrap().1;
    let boundary = boundary.strip_prefix("multipart/form-data; boundary=").unwrap();
    assert!(boundary.len() == 32 && boundary.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    let (first, next) = (format!("--{boundary}\r\n"), format!("\r\n--{boundary}"));
    let body = request.body().unwrap();
    let mut rest = match body.strip_prefix(first.as_bytes()) {
        Some(rest) => rest,
        None => {
            assert_eq!(body, format!("--{boundary}--\r\n").as_bytes());
            return Vec::new();
        }
    };
    let mut parts = Vec::new();
    loop {
        let end = rest.windows(next.len()).position(|window| window == next.as_bytes()).unwrap();
        let head = rest.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let name = std::str::from_utf8(&rest[..head]).unwrap();
        let name = name.strip_prefix("Content-Disposition: form-data; name=\"").unwrap();
        parts.push((name.trim_end_matches('"').to_owned(), rest[head + 4..end].to_vec()));
        rest = &rest[end + next.len()..];
        if rest == b"--\r\n" {
            return parts;
        }
        rest = rest.strip_prefix(b"\r\n").unwrap();
    }
}

fn part(name: &str, content: &[u8]) -> (String, Vec<u8>) {
    (name.to_owned(), content.to_vec())
}

#[test]
fn each_kind_of_value_becomes_its_parts() {
    let arguments = r#"{"file": "\/\/79AA\u003d=", "more": ["YQ==", "Yg"], "note": "é\n\"", "tags": ["a", 2, {"x": [1]}],
        "all": [1, 2], "place": {"lat": 1.50}}"#;
    let expected = [
        part("key", b"k s3cret"),
        part("all", b"[1, 2]"),
        part("count", b"1"),
        part("file", b"\xff\xfe\xfd\x00"),
        part("more", b"a"),
        part("more", b"b"),
        part("note", "é\n\"".as_bytes()),
        part("place", br#"{"lat": 1.50}"#),
        part("tags", b"a"),
        part("tags", b"2"),
        part("tags", br#"{"x": [1]}"#),
    ];
    assert_eq!(parts(&sent(&upload(), arguments)), expected);
}

#[test]
fn what_is_absent_or_null_is_no_part() {
    let names: Vec<String> = parts(&sent(&upload(), r#"{"file": "", "note": null, "tags": []}"#))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["key", "count", "file"]);
    let empty = tool("POST", "/").body("multipart").with("body", "a", json!({"type": "string"})).build();
    assert_eq!(parts(&sent(&empty, "{}")), []);
}

#[test]
fn the_same_call_is_the_same_request_and_another_one_has_another_boundary() {
    let (tool, arguments) = (upload(), r#"{"file": "YQ=="}"#);
    assert_eq!(sent(&tool, arguments), sent(&tool, &format!(" {arguments}\n")));
    let boundary = |arguments: &str| {
        let request = sent(&tool, arguments);
        request.headers().last().map(|(_, value)| value.to_owned()).unwrap()
    };
    assert_ne!(boundary(arguments), boundary(r#"{"file": "Yg=="}"#));
}

#[test]
fn what_is_not_base64_is_refused() {
    let tool = upload();
    for bad in ["a", "a b=", "YQ==\\n", "data:text/plain;base64,YQ==", "YQ=a", "é", "Y-_8", "=", "YR=="] {
        let (kind, message) = tool.problem(&format!(r#"{{"file": "{bad}"}}"#));
        assert_eq!(kind, ProblemKind::Format, "{bad}");
        assert!(message.starts_with("`file` must be bytes in base64"), "{message}");
    }
    let (_, message) = tool.problem(r#"{"file": "YQ==", "more": ["YQ==", "?"]}"#);
    assert!(message.starts_with("`more[1]` must be bytes in base64"), "{message}");
    let error = tool.error(r#"{"file": "?", "more": ["YQ==", "?"]}"#);
    assert_eq!(error.problems.len(), 2, "all problems are told");
    assert_eq!(raw().problem(r#"{"data": "?secret?"}"#).0, ProblemKind::Format);
}

#[test]
fn one_argument_is_the_body_as_bytes() {
    let request = sent(&raw(), r#"{"data": "/wAK"}"#);
    assert_eq!(request.body(), Some(&b"\xff\x00\n"[..]));
    let headers: Vec<_> = request.headers().collect();
    assert_eq!(headers, [("content-type", "application/octet-stream")]);
    assert_eq!(sent(&raw(), r#"{"data": ""}"#).body(), Some(&b""[..]));
    assert_eq!(sent(&raw(), "{}").body(), None);
}

#[test]
fn many_small_parts_do_not_outgrow_the_limit() {
    let mut tool = upload();
    tool.limits.body = 10_000;
    let tags = vec!["1"; 50_000].join(",");
    let (kind, _) = tool.problem(&format!(r#"{{"file": "", "tags": [{tags}]}}"#));
    assert_eq!(kind, ProblemKind::TooLarge);
    let file = "A".repeat(20_000);
    assert_eq!(tool.problem(&format!(r#"{{"file": "{file}"}}"#)).0, ProblemKind::TooLarge);
}

proptest! {
    #[test]
    fn any_bytes_come_out_as_they_went_in(file in vec(any::<u8>(), 0..80), more in vec(vec(any::<u8>(), 0..8), 0..4), note in ".{0,20}") {
        let more_in: Vec<String> = more.iter().map(|bytes| STANDARD_NO_PAD.encode(bytes)).collect();
        let arguments = json!({"file": STANDARD.encode(&file), "more": more_in, "note": note});
        let mut expected = vec![part("key", b"k s3cret"), part("count", b"1"), part("file", &file)];
        expected.extend(more.iter().map(|bytes| part("more", bytes)));
        expected.push(part("note", note.as_bytes()));
        prop_assert_eq!(parts(&sent(&upload(), &arguments.to_string())), expected);
    }

    /// Text that looks like parts is text.
    #[test]
    fn contents_cannot_become_parts(note in "(\r\n|--|mcp-|[0-9a-f]{0,28}|Content-Disposition: form-data; name=\"x\"){0,12}") {
        let arguments = json!({"file": STANDARD.encode(&note), "note": note});
        let found = parts(&sent(&upload(), &arguments.to_string()));
        prop_assert_eq!(found.len(), 4);
        prop_assert_eq!(&found[3].1, note.as_bytes());
    }
}
