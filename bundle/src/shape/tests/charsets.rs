//! Text in other charsets than UTF-8.

use super::tool;
use serde_json::json;

const LATIN: &str = "application/json; charset=ISO-8859-1";

#[test]
fn text_is_decoded() {
    for (content_type, body, text) in [
        (LATIN, b"{\"a\":\"caf\xe9\"}".as_slice(), "{\"a\":\"café\"}"),
        ("text/html; charset=windows-1252", b"\x93a\x94", "“a”"),
        ("text/plain; charset=\"shift_jis\"", b"\x93\xfa\x96\x7b", "日本"),
        ("text/plain; charset=utf-16", b"\xff\xfea\0", "a"),
        ("text/plain; charset=utf-8", b"\xfe\xff\0a", "a"),
        ("text/plain; charset=iso-8859-1", b"\xef\xbb\xbf\xc3\xa9", "\u{feff}é"),
        ("text/plain; charset=x-unknown", b"\xc3\xa9", "é"),
    ] {
        let seen = tool().answer(200, Some(content_type), body);
        assert_eq!((seen.text(), seen.shaped.is_error), (text, false), "{content_type}");
    }
}

#[test]
fn select_and_schemas_see_decoded_text() {
    let schema = json!({"properties": {"a": {"const": "é"}}});
    let seen = tool().select(&["a"]).schema(schema).answer(200, Some(LATIN), b"{\"a\":\"\xe9\",\"b\":1}");
    assert_eq!(seen.text(), r#"{"a":"é"}"#);
    assert_eq!(seen.structured, Some(json!({"a": "é"})));
}

#[test]
fn a_raw_answer_is_decoded() {
    let seen = tool().broken_template().answer(200, Some(LATIN), b"\xe9");
    assert_eq!(seen.texts[1], "é");
}

#[test]
fn errors_are_decoded() {
    let seen = tool().answer(404, Some(LATIN), b"caf\xe9");
    assert_eq!(seen.text(), "The upstream answered 404 Not Found.\ncafé");
    let seen = tool().broken_error_template().answer(404, Some(LATIN), b"caf\xe9");
    assert_eq!(seen.failure().0, "template_render");
    assert_eq!(seen.texts[1], "café");
}

#[test]
fn limits_count_decoded_bytes() {
    let seen = tool().max_text(3).answer(200, Some(LATIN), b"\xe9\xe9");
    assert_eq!(seen.text(), "é\n… (cut: the response has 4 bytes, at most 3 are shown)");
}
