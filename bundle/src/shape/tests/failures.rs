//! Answers that become failures, and what they say.

use super::tool;
use crate::shape::ShapeFailure;
use serde_json::json;

#[test]
fn other_statuses_are_failures() {
    for (status, text) in [
        (100, "The upstream answered 100 Continue."),
        (199, "The upstream answered 199."),
        (302, "The upstream answered 302 Found, which is not followed."),
        (399, "The upstream answered 399, which is not followed."),
        (304, "The upstream answered 304 Not Modified."),
        (404, "The upstream answered 404 Not Found."),
        (429, "The upstream answered 429 Too Many Requests."),
        (503, "The upstream answered 503 Service Unavailable."),
        (599, "The upstream answered 599."),
        (0, "The upstream answered 0."),
    ] {
        let seen = tool().schema(json!({})).answer(status, None, b"");
        assert_eq!(seen.failure(), ("upstream_status", vec![text]));
        assert_eq!(seen.shaped.failure, Some(ShapeFailure::Status(status)));
    }
}

#[test]
fn a_body_that_is_text_follows_the_status() {
    let body = r#"{"error":"no such order"}"#;
    for content_type in
        [None, Some("application/json"), Some("text/html; charset=utf-8"), Some("image/svg+xml")]
    {
        let seen = tool().select(&["id"]).answer(404, content_type, body.as_bytes());
        assert_eq!(seen.text(), format!("The upstream answered 404 Not Found.\n{body}"));
    }
}

#[test]
fn a_body_that_is_not_text_is_described() {
    for (content_type, body, what) in [
        (Some("image/png"), b"ascii".as_slice(), "content type image/png, 5 bytes"),
        (Some("Application/Octet-Stream; x=y"), b"a", "content type Application/Octet-Stream; x=y, 1 bytes"),
        (None, b"\xff\xfa", "no content type, 2 bytes"),
        (Some("text/plain"), b"a\0b", "content type text/plain, 3 bytes"),
        (Some("a\nb"), b"\xff", "content type a\u{fffd}b, 1 bytes"),
    ] {
        let expected =
            format!("The upstream answered 500 Internal Server Error.\nIts body is not text ({what}).");
        assert_eq!(tool().answer(500, content_type, body).text(), expected);
    }
    let seen = tool().broken_error_template().answer(500, None, b"\xff");
    assert_eq!(seen.failure().0, "upstream_status", "there is nothing to render");
}

#[test]
fn a_long_body_is_cut_between_characters() {
    let body = format!("a{}", "é".repeat(5000));
    let seen = tool().answer(500, None, body.as_bytes());
    let shown = format!("\na{}… (1810 more bytes)", "é".repeat(4095));
    assert!(seen.text().ends_with(&shown), "{}", seen.text());
    let seen = tool().max_text(2).answer(500, None, "aéb".as_bytes());
    assert_eq!(seen.text(), "The upstream answered 500 Internal Server Error.\na… (3 more bytes)");
}

#[test]
fn a_template_that_fails_gives_the_reason_and_the_raw_answer() {
    let body = "{ \"a\": 1 }";
    let reason = "The answer could not be rendered: response_template of `get_order`: the bundle does not have the template";
    let seen = tool().select(&["b"]).schema(json!({})).broken_template().ok(body);
    assert_eq!(seen.failure(), ("template_render", vec![reason, body]));
    let seen = tool().broken_template().max_text(3).ok(body);
    let cut = "{ \"\n… (cut: the response has 10 bytes, at most 3 are shown)";
    assert_eq!(seen.failure(), ("template_render", vec![reason, cut]));
    assert_eq!(tool().broken_template().ok("").failure(), ("template_render", vec![reason]));
}

#[test]
fn an_error_template_that_fails_gives_status_reason_and_raw_answer() {
    let seen = tool().broken_error_template().answer(404, None, b"{}");
    let words = "The upstream answered 404 Not Found.\nThe answer could not be rendered: \
                 error_template of `get_order`: the bundle does not have the template";
    assert_eq!(seen.failure(), ("template_render", vec![words, "{}"]));
    let long = "x".repeat(9000);
    let seen = tool().broken_error_template().answer(404, None, long.as_bytes());
    assert!(seen.texts[1].starts_with(long.get(..8192).unwrap()) && seen.texts[1].len() < 8300);
}

#[test]
fn an_error_template_with_nothing_to_say_leaves_it_to_the_status() {
    for body in ["{}", "<html>", ""] {
        let seen = tool().silent_templates().answer(502, None, body.as_bytes());
        let text = format!("The upstream answered 502 Bad Gateway.\n{body}");
        assert_eq!(seen.failure(), ("upstream_status", vec![text.trim_end()]));
    }
}

#[test]
fn an_answer_that_breaks_its_promise_is_a_failure() {
    let schema = json!({
        "type": "object",
        "required": ["id"],
        "properties": {"id": {}, "items": {"items": {"type": "integer"}}},
        "additionalProperties": false
    });
    let start = "The answer is not what `output_schema` of `get_order` promises: ";
    for (body, problems) in [
        (r#"{"id":1,"items":["secret"]}"#, "`items[0]`: the value is not of type \"integer\""),
        ("{}", "`id` is required"),
        ("[]", "the value is not of type \"object\""),
        ("{\"id\":1} x", "not valid JSON: unexpected text after the value at byte 9"),
        ("<html>", "not valid JSON: expected a value at byte 0"),
        (r#"{"id":1,"id":2}"#, "member `id` occurs twice"),
        (r#"{"id":1e999}"#, "number 1e999 is out of range"),
    ] {
        let seen = tool().schema(schema.clone()).ok(body);
        assert_eq!(seen.failure(), ("output_schema", vec![&*format!("{start}{problems}"), body]));
        assert_eq!(seen.structured, None);
    }
    let seen = tool().schema(schema).answer(204, None, b"");
    assert_eq!(seen.failure(), ("output_schema", vec![&*format!("{start}it is empty")]));
}

#[test]
fn only_a_few_problems_are_reported() {
    let seen = tool().schema(json!({"items": {"type": "string"}})).ok("[1,2,3,4,5,6,7]");
    let text = &seen.texts[0];
    assert!(text.contains("`[4]`") && !text.contains("`[5]`") && text.ends_with("; and more"), "{text}");
    let long = format!(r#"{{"{0}":1,"{0}":2}}"#, "é".repeat(10_000));
    let seen = tool().schema(json!({})).max_text(10).ok(&long);
    assert!(seen.texts[0].len() < 2000, "{}", seen.texts[0].len());
}

#[test]
fn an_invalid_schema_is_a_failure() {
    let seen = tool().schema(json!({"type": "strnig"})).ok("{}");
    assert_eq!(seen.failure().0, "output_schema");
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}{}", "[".repeat(5), "]".repeat(5));
    for (depth, fails) in [(5, false), (4, true)] {
        let limited = || tool().limits(|limits| limits.depth = depth);
        assert_eq!(limited().schema(json!({})).ok(&deep).shaped.is_error, fails);
        assert_eq!(limited().select(&["[]"]).ok(&deep).shaped.is_error, fails);
        assert!(!limited().ok(&deep).shaped.is_error, "text is passed on whatever it holds");
    }
}

#[test]
fn bytes_that_are_not_text_are_a_failure() {
    let seen = tool().broken_template().answer(200, Some("image/png"), b"\x89PNG");
    let text = "The answer is not text (content type image/png, 4 bytes).";
    assert_eq!(seen.failure(), ("not_text", vec![text]));
    let seen = tool().schema(json!({})).answer(200, None, b"\"\xff\"");
    assert_eq!(seen.failure(), ("not_text", vec!["The answer is not text (no content type, 3 bytes)."]));
}

#[test]
fn an_answer_beyond_the_limit_is_a_failure() {
    assert_eq!(tool().max_response(3).text("abc"), "abc");
    for (status, phrase) in [(200, "200 OK"), (500, "500 Internal Server Error")] {
        let seen = tool().max_response(2).answer(status, None, b"abc");
        let text = format!(
            "The upstream answered {phrase} with more than 2 bytes, the most that `get_order` takes. Ask for less."
        );
        assert_eq!(seen.failure(), ("response_too_large", vec![&*text]));
    }
}

#[test]
fn failures_read_well_in_a_log() {
    let log = |seen: super::Seen| seen.shaped.failure.unwrap().to_string();
    assert_eq!(log(tool().answer(404, None, b"x")), "the upstream answered 404 Not Found");
    assert_eq!(
        log(tool().broken_template().ok("1")),
        "response_template: the bundle does not have the template"
    );
    assert_eq!(log(tool().select(&["a"]).ok("[]")), "select: no path leads into an array");
    assert_eq!(log(tool().schema(json!(false)).ok("")), "output_schema: it is empty");
}
