//! Answers that become good results.

use super::{Tool, plan, tool};
use crate::bind::matchers::Matchers;
use crate::plan::{Contents, ResponsePlan};
use crate::shape::{Answer, Limits, Scratch, respond, shape};
use crate::strings::StrId;
use crate::template::Ambient;
use serde_json::{Value, json};

#[test]
fn an_answer_is_passed_on_byte_for_byte() {
    for body in [
        r#"{"id":1.50,"name":"\u00e9","x":[ ]}"#,
        "{ \"a\" :\n\t1e400 }\r\n",
        "not JSON at all, \"quoted\" \\ and \u{0}\u{1f}\u{7f}\u{2028}😀",
        "\u{feff}{}",
        " ",
        "{\"a\":1,\"a\":2}",
    ] {
        assert_eq!(tool().text(body), body);
    }
}

#[test]
fn members_keep_their_order() {
    let object = json!({"type": "object"});
    let members = |seen: super::Seen| seen.members;
    assert_eq!(
        members(tool().schema(object).ok(r#"{"a":1}"#)),
        r#""content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}"#
    );
    assert_eq!(members(tool().ok("a")), r#""content":[{"type":"text","text":"a"}]"#);
    assert_eq!(
        members(tool().answer(404, None, b"")),
        r#""content":[{"type":"text","text":"The upstream answered 404 Not Found."}],"isError":true"#
    );
}

#[test]
fn no_content_is_said_in_words() {
    for (status, text) in [
        (204, "The call succeeded (204 No Content, without content)."),
        (200, "The call succeeded (200 OK, without content)."),
        (299, "The call succeeded (299, without content)."),
    ] {
        for tool in [tool(), tool().select(&["a"])] {
            let seen = tool.answer(status, None, b"");
            assert_eq!((seen.text(), seen.shaped.is_error), (text, false));
        }
    }
}

#[test]
fn structured_content_is_the_answer() {
    let object = || tool().schema(json!({"type": "object", "required": ["a"]}));
    let seen = object().ok("\u{feff}{\"a\": 1.0,\r\n\t\"b\": \"x \\n y\"}\n");
    assert_eq!(seen.structured, Some(json!({"a": 1.0, "b": "x \n y"})));
    assert_eq!(seen.text(), "\u{feff}{\"a\": 1.0,\r\n\t\"b\": \"x \\n y\"}\n");
    assert!(seen.members.ends_with(r#","structuredContent":{"a":1.0,"b":"x \n y"}"#), "{}", seen.members);

    let seen = object().ok(r#" {"a": 12345678901234567890.50} "#);
    let kept = r#","structuredContent": {"a": 12345678901234567890.50} "#;
    assert!(seen.members.ends_with(kept), "digits and spaces stay: {}", seen.members);
}

#[test]
fn structured_content_may_be_any_value() {
    for body in ["[1]", "null", "true", "\"a\"", "-1.50"] {
        let seen = tool().schema(json!({})).ok(body);
        assert_eq!(seen.structured.unwrap(), serde_json::from_str::<Value>(body).unwrap());
        assert!(!seen.shaped.structured.unwrap().is_object);
    }
    let seen = tool().schema(json!({"type": ["object", "null"]})).answer(204, None, b"");
    assert_eq!(seen.structured, Some(Value::Null));
}

#[test]
fn structured_content_is_what_was_selected() {
    let schema = json!({"required": ["a"], "properties": {"a": {}}, "additionalProperties": false});
    let seen = tool().select(&["a"]).schema(schema).ok("{\"secret\": 1,\n \"a\": [1, 2]}");
    assert_eq!(seen.text(), r#"{"a":[1,2]}"#);
    assert_eq!(seen.structured, Some(json!({"a": [1, 2]})));
}

#[test]
fn structured_content_is_whole_where_the_text_is_cut() {
    let seen = tool().schema(json!({})).max_text(3).ok(r#"["abc"]"#);
    assert_eq!(seen.text(), "[\"a\n… (cut: the response has 7 bytes, at most 3 are shown)");
    assert_eq!(seen.structured, Some(json!(["abc"])));
}

#[test]
fn long_texts_are_cut_between_characters() {
    let cut = |limit: u32| tool().max_text(limit).text("aé😀b");
    let note = |shown: &str, limit: u32| {
        format!("{shown}\n… (cut: the response has 8 bytes, at most {limit} are shown)")
    };
    assert_eq!(cut(8), "aé😀b");
    assert_eq!(cut(7), note("aé😀", 7));
    for limit in 3..7 {
        assert_eq!(cut(limit), note("aé", limit));
    }
    assert_eq!(cut(2), note("a", 2));
    assert_eq!(cut(0), note("", 0));
}

#[test]
fn the_smaller_limit_wins() {
    for (edge, own) in [(2, 3), (3, 2)] {
        let text = tool().max_text(own).limits(|limits| limits.text = edge).text("abcd");
        assert!(text.starts_with("ab\n… (cut"), "{text}");
    }
    let selected = tool().select(&["a"]).max_text(5).text(r#"{"a":1,"b":2}"#);
    assert_eq!(selected, "{\"a\":\n… (cut: the response has 7 bytes, at most 5 are shown)");
}

#[test]
fn a_template_takes_the_place_of_the_answer() {
    for body in ["{\"a\":1}", ""] {
        let seen = tool().silent_templates().schema(json!({})).ok(body);
        assert_eq!((seen.text(), seen.structured.is_some(), seen.shaped.is_error), ("", true, false));
    }
}

#[test]
fn fixed_answers_ignore_what_came() {
    let seen = tool().respond("Monday to Friday, \"9 to 17\".").answer(500, None, b"\xff");
    assert_eq!((seen.text(), seen.shaped.is_error), ("Monday to Friday, \"9 to 17\".", false));
    let seen = tool().respond(r#"{"open":true}"#).schema(json!({"type": "object"})).ok("");
    assert_eq!(seen.structured, Some(json!({"open": true})));
    let seen = tool().respond("closed").schema(json!({"type": "object"})).ok("");
    assert_eq!(seen.failure().0, "output_schema");
    assert_eq!(seen.texts[1], "closed");
}

#[test]
fn only_fixed_answers_are_fixed() {
    let contents = Contents::default();
    let tool = plan(StrId(0), None, ResponsePlan::default());
    let (matchers, limits, mut out) = (Matchers::new(&contents), Limits::default(), Vec::new());
    assert_eq!(respond(&contents, &matchers, &tool, &limits, &mut out), None);
    assert!(out.is_empty());
}

#[test]
fn a_scratch_carries_nothing_over() {
    let Tool { strings, response, limits, .. } = tool().select(&["a[].b"]);
    let contents = Contents { strings: strings.finish(), ..Contents::default() };
    let (matchers, tool) = (Matchers::new(&contents), plan(StrId(0), None, response));
    let ambient = Ambient { now_ms: 0, seed: 0 };
    let mut scratch = Scratch::default();
    let mut shaped = |body: &str| {
        let mut out = Vec::new();
        let answer = Answer {
            status: 200,
            content_type: None,
            content_location: None,
            message: None,
            body: body.as_bytes(),
        };
        shape(&contents, &matchers, &tool, &answer, &ambient, &limits, &mut scratch, &mut (), &mut out);
        String::from_utf8(out).unwrap()
    };
    let first = shaped(r#"{"a":[{"b":1}]}"#);
    assert_eq!(first, r#""content":[{"type":"text","text":"{\"a\":[{\"b\":1}]}"}]"#);
    assert!(shaped(r#"{"a":[{"b":1"#).contains("isError"));
    assert_eq!(shaped(r#"{"a":[{"b":1}]}"#), first);
}
