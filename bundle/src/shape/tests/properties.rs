//! What holds for any answer. That a result is valid JSON is checked wherever one is read.

use super::selections::{any_paths, any_value};
use super::{Tool, tool};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::json;

fn any_body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        ".{0,64}".prop_map(String::into_bytes),
        any_value().prop_map(|value| value.to_string().into_bytes()),
        (any_value(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(value, at, byte)| {
            let mut body = serde_json::to_vec_pretty(&value).unwrap();
            let at = at.index(body.len());
            body[at] = byte;
            body
        }),
    ]
}

/// A message whose parts hold what any body may hold, sometimes broken somewhere.
fn any_multipart() -> impl Strategy<Value = Vec<u8>> {
    let header = prop_oneof![
        any_type().prop_map(|kind| format!("Content-Type: {kind}")),
        Just("Content-Transfer-Encoding: base64".to_owned()),
        Just("Content-Transfer-Encoding: 8bit".to_owned()),
        "[ -~]{0,12}".prop_map(|location| format!("Content-Location: {location}")),
        Just("Content-Location: https://a.example/x".to_owned()),
    ];
    let body = prop_oneof![any_body(), "[A-Za-z0-9+/=\r\n]{0,24}".prop_map(String::into_bytes)];
    let part = (prop::collection::vec(header, 0..4), body);
    let broken = prop::option::weighted(0.2, (any::<prop::sample::Index>(), any::<u8>()));
    (prop::collection::vec(part, 0..5), broken).prop_map(|(parts, broken)| {
        let mut message = Vec::new();
        for (headers, body) in parts {
            message.extend_from_slice(b"--b\r\n");
            headers.iter().for_each(|header| message.extend_from_slice(format!("{header}\r\n").as_bytes()));
            message.extend_from_slice(&[b"\r\n", &*body, b"\r\n"].concat());
        }
        message.extend_from_slice(b"--b--\r\n");
        if let Some((at, byte)) = broken {
            let at = at.index(message.len());
            message[at] = byte;
        }
        message
    })
}

fn any_type() -> impl Strategy<Value = String> {
    let known = [
        "image/png",
        "audio/wav",
        "application/pdf",
        "application/octet-stream",
        "text/plain",
        "text/plain; charset=iso-8859-1",
        "text/html; charset=shift_jis",
        "application/json; charset=utf-16",
        "multipart/mixed; boundary=b",
        "multipart/mixed",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "[a-z]{0,5}/[ -~]{0,12}",
        1 => ".{0,80}",
    ]
}

fn any_tool() -> impl Strategy<Value = (bool, bool, bool, bool, Option<u32>, Vec<String>)> {
    let limit = prop::option::of(0..40u32);
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), limit, any_paths())
}

proptest! {
    #[test]
    fn any_answer_becomes_a_result(
        body in prop_oneof![any_body(), any_multipart()],
        status in prop_oneof![Just(200u16), 200..300u16, any::<u16>()],
        content_type in prop::option::of(any_type()),
        location in prop::option::of(".{0,40}"),
        audio in any::<bool>(),
        (select, schema, template, error_template, limit, paths) in any_tool(),
    ) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut described = tool();
        let with = |tool: Tool, wanted: bool, change: &dyn Fn(Tool) -> Tool| if wanted { change(tool) } else { tool };
        described = with(described, select, &|tool| tool.select(&paths));
        described = with(described, schema, &|tool| tool.schema(json!({"type": ["object", "array"]})));
        described = with(described, template, &Tool::broken_template);
        described = with(described, error_template, &Tool::broken_error_template);
        described = with(described, limit.is_some(), &|tool| tool.max_text(limit.unwrap()));
        described = with(described, location.is_some(), &|tool| tool.location(location.as_deref().unwrap()));
        described = described.limits(|limits| limits.audio = audio);
        let seen = described.answer(status, content_type.as_deref(), &body);
        prop_assert!(!seen.items.is_empty());
        prop_assert!(audio || !seen.has_audio());
        prop_assert!(seen.shaped.is_error || (200..300).contains(&status));
        prop_assert_eq!(seen.structured.is_some(), schema && !seen.shaped.is_error);
    }

    #[test]
    fn any_multipart_becomes_a_result(
        body in any_multipart(),
        audio in any::<bool>(),
        limit in prop::option::of(0..40u32),
    ) {
        let described = tool().limits(|limits| limits.audio = audio);
        let described = match limit { Some(limit) => described.max_text(limit), None => described };
        let seen = described.answer(200, Some("multipart/mixed; boundary=b"), &body);
        let is_multipart_failure = seen.shaped.failure.as_ref().is_some_and(|f| f.name() == "multipart");
        prop_assert_eq!(seen.shaped.is_error, is_multipart_failure);
    }

    #[test]
    fn any_bytes_can_be_carried(body in prop::collection::vec(any::<u8>(), 1..200), image in any::<bool>()) {
        let seen = tool().answer(200, Some(if image { "image/gif" } else { "application/zip" }), &body);
        let data = if image { &seen.items[0]["data"] } else { &seen.items[0]["resource"]["blob"] };
        prop_assert_eq!(STANDARD.decode(data.as_str().unwrap()).unwrap(), body);
    }

    #[test]
    fn any_text_goes_through_unchanged(body in ".{1,200}") {
        prop_assert_eq!(tool().text(&body), body);
    }

    #[test]
    fn a_cut_text_is_the_start_of_the_answer(body in ".{1,60}", limit in 0..60u32) {
        let text = tool().max_text(limit).text(&body);
        let shown = text.rsplit_once("\n… (cut").map_or(text.as_str(), |(shown, _)| shown);
        prop_assert!(body.starts_with(shown));
        prop_assert!(shown.len() == body.len() || (shown.len() <= limit as usize && shown.len() + 4 > limit as usize));
    }

    #[test]
    fn structured_content_is_the_same_value(value in any_value(), pretty in any::<bool>()) {
        let body = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        prop_assert_eq!(tool().schema(json!({})).ok(&body).structured, Some(value));
    }
}
