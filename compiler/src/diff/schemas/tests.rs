//! Differences are named, and what is proved is so.

use super::*;
use mcp_bundle::bind::schema::{self, Coverage, coverage};
use proptest::prelude::*;
use serde_json::{Value, json};

fn json(value: &Value) -> Json {
    Json::parse(&value.to_string()).unwrap()
}

fn found(old: Value, new: Value) -> Vec<(Kind, String)> {
    let all = differences(&json(&old), &json(&new));
    all.into_iter().map(|difference| (difference.kind, difference.message)).collect()
}

#[test]
fn annotations_are_no_difference() {
    let old = json!({"type": "string", "description": "a", "x-y": 1});
    let new = json!({"type": "string", "title": "b", "examples": [1]});
    assert!(is_same(&json(&old), &json(&new)));
    assert_eq!(found(old, new), []);
    let property = |text: &str| json!({"properties": {"description": {"type": text}}});
    assert_eq!(found(property("string"), property("integer")).len(), 1, "a property of that name is none");
}

#[test]
fn references_are_followed_and_may_lead_back() {
    let list = |item: Value| {
        json!({
            "$ref": "#/$defs/n",
            "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "value": item}}},
        })
    };
    let changed = found(list(json!({"type": "string"})), list(json!({"type": "integer"})));
    assert_eq!(changed, [(Kind::TypeNarrowed, "`value` is `integer`, was `string`".to_owned())]);
    let inlined = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let referred = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}},
    });
    assert_eq!(found(inlined, referred), []);
}

#[test]
fn what_cannot_be_named_is_unclear() {
    let kinds = |old, new| found(old, new).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds(json!({"not": {"const": 1}}), json!({"not": {"const": 2}})), [Kind::Unclear]);
    assert_eq!(kinds(json!({"pattern": "a"}), json!({"pattern": "b"})), [Kind::Unclear]);
    let choice = |of: &str| json!({"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": of}}});
    assert_eq!(kinds(choice("string"), choice("integer")), [Kind::Unclear]);
    assert_eq!(kinds(choice("string"), choice("string")), []);
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        (0..4_u32, 3..6_u32)
            .prop_map(|(low, high)| json!({"type": "integer", "minimum": low, "maximum": high})),
        (0..3_u32).prop_map(|most| json!({"type": "string", "maxLength": most})),
        prop::collection::btree_set(prop_oneof![Just("a"), Just("b"), Just("c")], 1..4)
            .prop_map(|values| json!({"enum": values})),
        Just(json!({"type": ["string", "null"]})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        prop_oneof![
            (members, prop::collection::btree_set("[ab]", 0..2), any::<bool>()).prop_map(
                |(properties, required, closed)| {
                    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": !closed})
                }
            ),
            (inner, 0..3_u32).prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        (0..7_u32).prop_map(Value::from),
        prop_oneof![Just("a"), Just("b"), Just("abc"), Just("")].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_difference_means_the_same_values(old in schema(), new in schema(), values in prop::collection::vec(value(), 8)) {
        if differences(&json(&old), &json(&new)).is_empty() {
            let (was, now) = (schema::compile(&old.to_string()).unwrap(), schema::compile(&new.to_string()).unwrap());
            for value in &values {
                prop_assert_eq!(schema::is_valid(&was, value), schema::is_valid(&now, value), "{} {} {}", old, new, value);
            }
        }
        prop_assert!(differences(&json(&old), &json(&old)).is_empty());
    }

    /// What is proved is so: a value that the old one accepts, the new one accepts.
    #[test]
    fn coverage_is_never_claimed_wrongly(old in schema(), new in schema(), values in prop::collection::vec(value(), 12)) {
        let (was, now) = (schema::compile(&old.to_string()).unwrap(), schema::compile(&new.to_string()).unwrap());
        let covers = coverage(&new.to_string(), &old.to_string());
        for value in values.iter().filter(|value| schema::is_valid(&was, value)) {
            if covers == Coverage::Yes {
                prop_assert!(schema::is_valid(&now, value), "{} {} {}", old, new, value);
            }
        }
    }

    /// Where only widening differences are named, nothing that was accepted is refused.
    #[test]
    fn widening_differences_refuse_nothing(old in schema(), new in schema(), values in prop::collection::vec(value(), 12)) {
        let widens = |kind: Kind| matches!(
            kind,
            Kind::BecameOptional | Kind::TypeWidened | Kind::ValueAdded | Kind::Loosened | Kind::OthersAccepted
        );
        if differences(&json(&old), &json(&new)).iter().all(|difference| widens(difference.kind)) {
            let (was, now) = (schema::compile(&old.to_string()).unwrap(), schema::compile(&new.to_string()).unwrap());
            for value in values.iter().filter(|value| schema::is_valid(&was, value)) {
                prop_assert!(schema::is_valid(&now, value), "{} {} {}", old, new, value);
            }
        }
    }

    #[test]
    fn any_json_is_compared(old in value(), new in value()) {
        let _ = differences(&json(&old), &json(&new));
    }
}
