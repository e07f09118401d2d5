//! What holds for any answer. That a result is valid JSON is checked wherever one is read.

use super::selections::{any_paths, any_value};
use super::{Tool, tool};
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

fn any_tool() -> impl Strategy<Value = (bool, bool, bool, bool, Option<u32>, Vec<String>)> {
    let limit = prop::option::of(0..40u32);
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), limit, any_paths())
}

proptest! {
    #[test]
    fn any_answer_becomes_a_result(
        body in any_body(),
        status in prop_oneof![Just(200u16), 200..300u16, any::<u16>()],
        content_type in prop::option::of(prop_oneof![Just("image/png".to_owned()), ".{0,80}"]),
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
        let seen = described.answer(status, content_type.as_deref(), &body);
        prop_assert!(!seen.texts.is_empty());
        prop_assert!(seen.shaped.is_error || (200..300).contains(&status));
        prop_assert_eq!(seen.structured.is_some(), schema && !seen.shaped.is_error);
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
