//! Schemas of all sorts are walked, in bounded time.

use super::*;
use crate::language::json::Json;
use proptest::prelude::*;

fn json(text: &str) -> Json {
    fn convert(value: serde_json::Value) -> Json {
        match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(value) => Json::Bool(value),
            serde_json::Value::Number(number) => Json::Number(number.to_string()),
            serde_json::Value::String(text) => Json::String(text),
            serde_json::Value::Array(items) => Json::Array(items.into_iter().map(convert).collect()),
            serde_json::Value::Object(members) => {
                Json::Object(members.into_iter().map(|(name, value)| (name, convert(value))).collect())
            }
        }
    }
    convert(serde_json::from_str(text).unwrap())
}

fn keys(path: &[&str]) -> Vec<Segment> {
    path.iter()
        .map(|key| if *key == "[]" { Segment::Each } else { Segment::Key((*key).to_owned()) })
        .collect()
}

fn is_unknown(schema: &str, path: &[&str]) -> bool {
    Schema::new("output_schema", &json(schema)).unknown(&keys(path)).is_some()
}

#[test]
fn what_is_not_understood_allows_everything() {
    let closed = r#""type":"object","properties":{"a":{"type":"string"}}"#;
    assert!(is_unknown(&format!("{{{closed}}}"), &["b"]));
    for open in [
        r#""additionalProperties":true"#,
        r#""additionalProperties":{"type":"string"}"#,
        r#""unevaluatedProperties":{}"#,
        r#""patternProperties":{"^x":{}}"#,
        r#""$ref":"https://example.com/schema""#,
        r##""$ref":"#/nowhere""##,
        r#""$dynamicRef":"node""#,
        r#""if":{},"then":{"properties":{"b":{}}}"#,
        r#""dependentSchemas":{"a":{"properties":{"b":{}}}}"#,
        r#""allOf":[true]"#,
        r#""anyOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]"#,
        r#""anyOf":[{"properties":{"c":{}}},{}]"#,
    ] {
        assert!(!is_unknown(&format!("{{{closed},{open}}}"), &["b"]), "{open}");
    }
    for said in [
        r#""additionalProperties":false"#,
        r#""anyOf":[{"required":["a"]},{"required":["c"]}]"#,
        r#""allOf":[{"properties":{"c":{}}}]"#,
        r#""not":{"properties":{"b":{}}}"#,
        r#""description":"an order""#,
    ] {
        assert!(is_unknown(&format!("{{{closed},{said}}}"), &["b"]), "{said}");
    }
    for unsaid in ["true", "{}", r#"{"type":"object"}"#, r#"{"properties":{"a":{}}}"#, r#"{"type":"array"}"#]
    {
        assert!(!is_unknown(unsaid, &["[]", "b"]), "{unsaid}");
    }
    assert!(!is_unknown(r#"{"properties":{"a":{}}}"#, &["b"]), "no type");
    assert!(is_unknown(r#"{"type":"array","items":{"type":"object","properties":{"a":{}}}}"#, &["[]", "b"]));
    assert!(!is_unknown(
        r#"{"type":"array","prefixItems":[{"type":"object","properties":{"a":{}}}]}"#,
        &["[]", "b"]
    ));
    assert!(is_unknown(
        r#"{"type":"array","prefixItems":[{"type":"object","properties":{"a":{}}}],"items":false}"#,
        &["[]", "b"]
    ));
}

#[test]
fn schemas_that_refer_to_themselves_come_to_an_end() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"type":"object","allOf":[{"$ref":"#"},{"$ref":"#"}],"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}"##,
    ] {
        assert!(!is_unknown(schema, &["a", "b"]), "{schema}");
        assert!(!is_unknown(schema, &["[]", "b"]), "{schema}");
        Schema::new("output_schema", &json(schema)).kinds(&keys(&["a"]));
    }
    // Each doubles the next. As a tree, it would have a million million leaves.
    let doubling: Vec<String> = (0..40)
        .map(|n| {
            format!(
                r##""d{n}":{{"anyOf":[{{"$ref":"#/$defs/d{m}"}},{{"$ref":"#/$defs/d{m}"}}]}}"##,
                m = n + 1
            )
        })
        .collect();
    let schema = format!(
        r##"{{"type":"object","$ref":"#/$defs/d0","$defs":{{{},"d40":{{"properties":{{"a":{{}}}}}}}}}}"##,
        doubling.join(",")
    );
    assert!(!is_unknown(&schema, &["b"]));
}

/// Parts of schemas, put together at random, with references into them.
fn schema() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "true",
        "false",
        "{}",
        "null",
        "3",
        r#"{"type":"string"}"#,
        r#"{"type":["array","null"]}"#,
        r#"{"type":7,"enum":3,"items":[],"properties":[]}"#,
        r##"{"$ref":"#"}"##,
        r##"{"$ref":"#/$defs/a"}"##,
        r##"{"$ref":"#/$defs/b","type":"object"}"##,
        r#"{"enum":[1,{"a":2}]}"#,
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 200, 4, |inner| {
        let words = [
            "properties",
            "additionalProperties",
            "items",
            "prefixItems",
            "allOf",
            "anyOf",
            "oneOf",
            "$defs",
            "if",
            "not",
        ];
        let member = (prop::sample::select(words.to_vec()), inner.clone(), inner);
        prop::collection::vec(member, 1..4).prop_map(|members| {
            let mut written = vec![r#""type":"object""#.to_owned()];
            for (word, one, other) in members {
                written.push(match word {
                    "properties" | "$defs" => format!(r#""{word}":{{"a":{one},"b":{other}}}"#),
                    "prefixItems" | "allOf" | "anyOf" | "oneOf" => format!(r#""{word}":[{one},{other}]"#),
                    _ => format!(r#""{word}":{one}"#),
                });
            }
            format!("{{{}}}", written.join(","))
        })
    })
}

proptest! {
    #[test]
    fn any_schema_is_walked(schema in schema(), path in prop::collection::vec(prop::sample::select(vec!["a", "b", "[]"]), 0..6)) {
        let schema = json(&schema);
        let schema = Schema::new("output_schema", &schema);
        let path = keys(&path);
        if let Some(unknown) = schema.unknown(&path) {
            prop_assert!(matches!(path.get(unknown.at), Some(Segment::Key(key)) if !unknown.keys.contains(key)));
        }
        schema.kinds(&path);
    }
}
