//! Derived schemas: how they look, and that no answer that is allowed breaks them.

use crate::check::{MemoryFiles, Report, check_files};
use crate::language::json::Json;
use crate::language::selection::Selection;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::schema;
use mcp_bundle::shape::{self, Answer, Limits, Scratch, Shaped};
use mcp_bundle::template::Ambient;
use proptest::prelude::*;
use serde_json::{Value, json};

fn derived_with(answer: &Value, select: &[&str], most: Option<u32>) -> Value {
    let answer = Json::parse(&answer.to_string()).unwrap();
    let selection = Selection::new(select.iter().copied()).unwrap();
    serde_json::from_str(&super::derive(&answer, &selection, most).to_text()).unwrap()
}

fn derived(answer: Value, select: &[&str]) -> Value {
    derived_with(&answer, select, None)
}

fn order() -> Value {
    json!({
        "type": "object",
        "required": ["id", "items", "customer"],
        "additionalProperties": false,
        "properties": {
            "id": {"type": "string", "description": "Its number", "examples": ["42"]},
            "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/item"}},
            "customer": {"anyOf": [{"$ref": "#/$defs/customer"}, {"type": "string"}]},
            "note": {"type": ["string", "null"]},
        },
        "$defs": {
            "item": {
                "type": "object",
                "required": ["name", "price"],
                "properties": {"name": {"type": "string"}, "price": {"$ref": "#/$defs/money"}, "sku": {}},
            },
            "money": {"type": "object", "properties": {"cents": {"type": "integer"}}},
            "customer": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    })
}

#[test]
fn only_what_is_selected_is_described() {
    assert_eq!(
        derived(order(), &["id", "items[].name"]),
        json!({
            "type": "object",
            "required": ["id", "items"],
            "properties": {
                "id": {"type": "string", "description": "Its number"},
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}},
                    },
                },
            },
        })
    );
}

#[test]
fn definitions_come_along_where_they_are_needed() {
    let schema = derived(order(), &["items[].price"]);
    assert_eq!(
        schema["properties"]["items"]["items"]["properties"]["price"],
        json!({"$ref": "#/$defs/money"})
    );
    assert_eq!(schema["$defs"], json!({"money": order()["$defs"]["money"]}));
}

#[test]
fn a_member_that_may_be_left_out_is_not_required() {
    // A customer that is a string has no name: it is left out.
    assert_eq!(
        derived(order(), &["customer.name"]),
        json!({
            "type": "object",
            "properties": {"customer": {"type": "object", "properties": {"name": {"type": "string"}}}},
        })
    );
}

#[test]
fn a_recursive_schema_is_unrolled_as_deep_as_the_paths_lead() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": {"node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
        }},
    });
    let node = |next: Value| json!({"type": "object", "properties": {"next": next}});
    assert_eq!(
        derived(tree.clone(), &["next.next.name"]),
        node(node(json!({"type": "object", "properties": {"name": {"type": "string"}}})))
    );
    let whole = derived(tree, &["next.next"]);
    assert_eq!(whole["properties"]["next"]["properties"]["next"]["$ref"], "#/$defs/node");
    assert_eq!(whole["$defs"]["node"]["properties"]["next"]["$ref"], "#/$defs/node");
    let circle =
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    assert_eq!(derived(circle, &["x"]), json!({"type": "object"}));
}

#[test]
fn parts_and_choices_are_kept_apart_only_where_they_must_be() {
    let schema = json!({
        "allOf": [
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}},
            {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}},
        ],
        "oneOf": [
            {"properties": {"kind": {"const": "x"}}, "required": ["kind"]},
            {"properties": {"kind": {"const": "y"}}, "required": ["kind"]},
        ],
    });
    assert_eq!(
        derived(schema, &["a", "b", "kind"]),
        json!({
            "type": "object",
            "required": ["a", "b"],
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "anyOf": [
                {"properties": {"kind": {"const": "x"}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "y"}}, "required": ["kind"]},
            ],
        })
    );
}

#[test]
fn what_a_cut_can_break_is_not_promised() {
    let schema = json!({
        "type": "object",
        "properties": {"list": {
            "type": "array",
            "minItems": 5,
            "uniqueItems": true,
            "contains": {"const": 7},
            "items": {"oneOf": [{"type": "integer"}, {"not": {"type": "array"}}]},
        }},
    });
    assert_eq!(derived(schema.clone(), &["list"])["properties"]["list"], schema["properties"]["list"]);
    assert_eq!(
        derived_with(&schema, &["list"], Some(3))["properties"]["list"],
        json!({"type": "array", "minItems": 3, "items": {"anyOf": [{"type": "integer"}, {}]}})
    );
}

#[test]
fn references_that_cannot_be_followed_allow_everything() {
    for reference in
        [json!({"$dynamicRef": "#a"}), json!({"$ref": "#a"}), json!({"$id": "x", "$ref": "#/$defs/a"})]
    {
        let schema = json!({"properties": {"a": reference, "b": {"not": {"type": "null"}}}});
        assert_eq!(derived(schema, &["a", "b"])["properties"], json!({"a": {}, "b": {}}));
    }
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"$ref": "#/definitions/b", "minimum": 5}},
        "definitions": {"b": {"type": "integer"}},
    });
    let expected = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"type": "integer"}},
    });
    assert_eq!(derived(old, &["a"]), expected);
}

#[test]
fn many_references_to_few_schemas_end() {
    let both = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"$ref": "#"}}});
    let path = vec!["a"; 64].join(".");
    assert!(derived(both, &[&path]).to_string().len() < 20_000_000);
}

const TOOL: &str = "[[tool]]\nname = \"get_order\"\ndescription = \"Gets an order of the shop.\"\nmethod = \"GET\"\n\
                    endpoint = \"https://api.example.com/order\"\n\
                    allow = [{ rule = \"missing-example\", reason = \"a test\" }]\n";

fn check(keys: &str) -> Report {
    check_files(&MemoryFiles::one("spec.toml", &format!("{TOOL}{keys}\n")))
}

#[test]
fn the_derived_schema_is_published_and_enforced() {
    let report = check(
        "select = ['id']\nanswer_schema = { type = 'object', properties = { id = { type = 'string' }, x = {} } }",
    );
    assert_eq!(report.diagnostics, []);
    let entry = report.toolsets[0].tools[0].list_entry().newest();
    assert!(
        entry.ends_with(r#""outputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}"#),
        "{entry}"
    );
    let shaped = |body: Value| shape(&report, &body).0;
    assert!(shaped(json!({"id": "42", "x": 1})).structured.is_some());
    assert!(shaped(json!({"id": 42})).failure.is_some());
    let own = check(
        "select = ['id']\noutput_schema = { type = 'object' }\nanswer_schema = { properties = { id = {} } }",
    );
    let entry = own.toolsets[0].tools[0].list_entry().newest();
    assert!(entry.ends_with(r#""outputSchema":{"type":"object"}}"#), "what is written counts: {entry}");
    let unselected = check("answer_schema = { properties = { id = {} } }\nresponse_template = '{{ .id }}'");
    assert!(!unselected.toolsets[0].tools[0].list_entry().newest().contains("outputSchema"));
}

/// What becomes of an answer, and the members of the result.
fn shape(report: &Report, body: &Value) -> (Shaped, Value) {
    let contents = report.contents.as_ref().unwrap();
    let text = body.to_string();
    let answer = Answer {
        status: 200,
        content_type: Some("application/json"),
        content_location: None,
        body: text.as_bytes(),
        message: None,
    };
    let mut out = Vec::new();
    let shaped = shape::shape(
        contents,
        &Matchers::new(contents),
        &contents.tools[0],
        &answer,
        &Ambient::default(),
        &Limits::default(),
        &mut Scratch::default(),
        &mut (),
        &mut out,
    );
    let members = String::from_utf8(out).unwrap();
    (shaped, serde_json::from_str(&format!("{{{members}}}")).unwrap())
}

/// Schemas of all kinds, not all of which some value satisfies.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"type": "string"})),
        Just(json!({"type": ["integer", "null"]})),
        Just(json!({"enum": ["x", 1, ["x", "x"], {"a": [1, 2]}]})),
        Just(json!({"$ref": "#/$defs/d"})),
        Just(json!({"$ref": "#/$defs/e"})),
        Just(json!({"not": {"type": "array"}})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let lists = prop::collection::vec(inner.clone(), 1..3);
        let members = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        prop_oneof![
            (members.clone(), prop::collection::btree_set("[ab]", 0..2), any::<bool>(), any::<bool>())
                .prop_map(|(properties, required, typed, closed)| {
                    let mut schema = json!({"properties": properties, "required": required});
                    if typed {
                        schema["type"] = json!("object");
                    }
                    if closed {
                        schema["additionalProperties"] = json!(false);
                    }
                    schema
                }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            (inner.clone(), 0..4_u32)
                .prop_map(|(items, least)| json!({"items": items, "minItems": least, "uniqueItems": true})),
            inner.clone().prop_map(|others| json!({"additionalProperties": others})),
            inner.clone().prop_map(|others| json!({"patternProperties": {"^a": others}})),
            (inner.clone(), inner.clone())
                .prop_map(|(first, rest)| json!({"prefixItems": [first], "items": rest})),
            inner.clone().prop_map(|inner| json!({"contains": inner})),
            inner.clone().prop_map(|inner| json!({"not": inner})),
            (inner.clone(), inner)
                .prop_map(|(a, b)| json!({"if": a, "then": b, "unevaluatedProperties": false})),
            lists.clone().prop_map(|all| json!({"allOf": all})),
            lists.clone().prop_map(|all| json!({"anyOf": all, "description": "One of them"})),
            lists.prop_map(|all| json!({"oneOf": all})),
        ]
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(null)), Just(json!("x")), Just(json!(1)), Just(json!(1.5))];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

fn any_paths() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab](\\.[ab]|\\[\\]){0,3}", 1..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// The promise: what the schema of the answer allows never fails the derived one.
    #[test]
    fn no_allowed_answer_breaks_the_derived_schema(
        answer in any_schema(), d in any_schema(), e in any_schema(),
        values in prop::collection::vec(any_value(), 8), paths in any_paths(), most in prop::option::of(1..3_u32),
    ) {
        let mut answer = answer;
        if !answer.is_object() { answer = json!({}); }
        answer["$defs"] = json!({"d": d, "e": e});
        let Ok(validator) = schema::compile(&answer.to_string()) else { return Ok(()) };
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let output = derived_with(&answer, &paths, most);
        prop_assert!(schema::compile(&output.to_string()).is_ok(), "{}", output);
        let keys = format!(
            "select = {paths:?}\noutput_schema = '''{output}'''\n{}",
            most.map(|most| format!("max_results = {most}")).unwrap_or_default()
        );
        let report = check(&keys);
        // A selection that nothing fits is an error of its own.
        if report.contents.is_none() { return Ok(()) }
        // A `null` as a whole is what no such schema describes.
        for value in values.iter().filter(|value| !value.is_null() && schema::is_valid(&validator, value)) {
            let (shaped, result) = shape(&report, value);
            if let Some(shape::ShapeFailure::OutputSchema(why)) = &shaped.failure {
                prop_assert!(false, "{} of {} gives {}: {}\n{}", value, answer, output, why, result);
            }
        }
    }
}
