//! Several bodies in one answer.

use super::{Seen, tool};
use serde_json::{Value, json};

const MIXED: &str = "Multipart/Mixed; boundary=\"b\"";

/// The message of some parts, each a head and a body.
fn message(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut message = b"preamble\r\n".to_vec();
    for (head, body) in parts {
        let head = head.replace('\n', "\r\n");
        message.extend_from_slice(&[b"--b\r\n", head.as_bytes(), b"\r\n\r\n", body, b"\r\n"].concat());
    }
    message.extend_from_slice(b"--b--\r\nepilogue");
    message
}

fn shaped(parts: &[(&str, &[u8])]) -> Seen {
    tool().answer(200, Some(MIXED), &message(parts))
}

fn items(parts: &[(&str, &[u8])]) -> Vec<Value> {
    let seen = shaped(parts);
    assert!(!seen.shaped.is_error, "{seen:?}");
    seen.items
}

fn reason(parts: &[(&str, &[u8])]) -> String {
    let seen = shaped(parts);
    assert_eq!(seen.failure().0, "multipart");
    let start = "The answer is not a multipart message that can be read: ";
    seen.texts[0].strip_prefix(start).unwrap().to_owned()
}

#[test]
fn each_part_is_an_item_in_its_place() {
    let items = items(&[
        ("Content-Type: text/plain", b"one"),
        ("content-type: image/png", b"\x89PNG"),
        ("Content-Type: audio/wav", b"RIFF"),
        ("Content-Type: application/pdf", b"%PDF"),
        ("Content-Type: application/json", b"{\"a\":1}"),
        ("X-Other: y", b"no type"),
    ]);
    let expected = json!([
        {"type": "text", "text": "one"},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource", "resource":
            {"uri": "answer:get_order#4", "mimeType": "application/pdf", "blob": "JVBERg=="}},
        {"type": "text", "text": "{\"a\":1}"},
        {"type": "text", "text": "no type"},
    ]);
    assert_eq!(Value::Array(items), expected);
}

#[test]
fn a_part_with_a_location_is_a_resource() {
    let items = items(&[
        ("Content-Type: text/plain; charset=iso-8859-1\nContent-Location: test://one", b"caf\xe9"),
        ("Content-Type: image/png\nContent-Location: /two.png", b"\x89PNG"),
        ("Content-Location: test://three", b"three"),
        ("Content-Location: \"odd\"", b"four"),
    ]);
    let expected = json!([
        {"type": "resource", "resource": {"uri": "test://one", "mimeType": "text/plain", "text": "café"}},
        {"type": "resource", "resource":
            {"uri": "answer:get_order/two.png", "mimeType": "image/png", "blob": "iVBORw=="}},
        {"type": "resource", "resource": {"uri": "test://three", "mimeType": "text/plain", "text": "three"}},
        {"type": "text", "text": "four"},
    ]);
    assert_eq!(Value::Array(items), expected);
}

#[test]
fn transfer_encodings_are_undone() {
    let items = items(&[
        ("Content-Transfer-Encoding: base64", b"Y2Fm\r\nw6k="),
        ("Content-Transfer-Encoding: Base64\nContent-Type: image/png", b"iVBORw"),
        ("Content-Transfer-Encoding: 8bit", "é".as_bytes()),
        ("Content-Transfer-Encoding: 7BIT", b"a"),
        ("Content-Transfer-Encoding: binary\nContent-Type: text/plain", b"\xff"),
    ]);
    let text = |index: usize| items[index]["text"].as_str();
    assert_eq!((text(0), text(2), text(3)), (Some("café"), Some("é"), Some("a")));
    assert_eq!(items[1]["data"], "iVBORw==");
    assert_eq!(items[4]["resource"]["blob"], "/w==");
}

#[test]
fn what_cannot_be_read_is_said_with_the_raw_answer() {
    assert_eq!(
        reason(&[("Content-Transfer-Encoding: quoted-printable", b"a")]),
        "part 1 has an unknown transfer encoding: quoted-printable"
    );
    assert_eq!(
        reason(&[("A: b", b""), ("Content-Transfer-Encoding: base64", b"a!")]),
        "part 2 is not base64"
    );
    assert_eq!(
        reason(&[("Content-Type: multipart/alternative; boundary=c", b"")]),
        "part 1 is a multipart message itself"
    );
    assert_eq!(reason(&[("no head", b"")]), "part 1 has no valid header fields");

    let seen = tool().answer(200, Some(MIXED), b"--b\r\n\r\ncut");
    let words =
        "The answer is not a multipart message that can be read: the last boundary is missing".to_owned();
    assert_eq!(seen.failure(), ("multipart", vec![&*words, "--b\r\n\r\ncut"]));
    assert_eq!(seen.shaped.failure.unwrap().to_string(), "multipart: the last boundary is missing");
    let seen = tool().answer(200, Some("multipart/mixed"), b"\xff");
    assert_eq!(seen.texts.len(), 1, "{seen:?}");
}

#[test]
fn a_failure_leaves_no_items_behind() {
    let seen = shaped(&[("Content-Type: audio/wav", b"RIFF"), ("Content-Transfer-Encoding: x", b"a")]);
    assert_eq!((seen.items.len(), seen.has_audio()), (2, false), "{seen:?}");
    assert!(seen.members.starts_with(r#""content":[{"type":"text","text":"The answer is not"#));
}

#[test]
fn the_limit_of_text_is_that_of_all_parts() {
    let body = message(&[("A: b", b"abc"), ("Content-Location: a:b", b"def"), ("A: b", b"ghi")]);
    let seen = tool().max_text(4).answer(200, Some(MIXED), &body);
    let note = |limit: u32| format!("\n… (cut: the response has 3 bytes, at most {limit} are shown)");
    assert_eq!(seen.items[0]["text"], "abc");
    assert_eq!(seen.items[1]["resource"]["text"], format!("d{}", note(1)));
    assert_eq!(seen.items[2]["text"], note(0));
}

#[test]
fn old_callers_get_no_audio_of_parts() {
    let body = message(&[("Content-Type: audio/wav", b"RIFF")]);
    let seen = tool().limits(|limits| limits.audio = false).answer(200, Some(MIXED), &body);
    assert_eq!(seen.items[0]["resource"]["uri"], "answer:get_order#1");
    assert!(!seen.has_audio());
}

#[test]
fn other_multiparts_and_failures_are_text() {
    let body = message(&[("A: b", b"abc")]);
    let text = std::str::from_utf8(&body).unwrap();
    assert_eq!(tool().answer(200, Some("multipart/related; boundary=b"), &body).text(), text);
    let seen = tool().answer(404, Some(MIXED), &body);
    assert_eq!(seen.text(), format!("The upstream answered 404 Not Found.\n{text}"));
    let seen = tool().select(&["a"]).answer(200, Some(MIXED), &body);
    assert_eq!(seen.failure().0, "select");
}
