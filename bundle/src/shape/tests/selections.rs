//! What `select` keeps.

use super::tool;
use crate::shape::select::{self, Segment};
use proptest::prelude::*;
use serde_json::{Map, Value};

fn kept(paths: &[&str], body: &str) -> String {
    tool().select(paths).text(body)
}

#[test]
fn parts_are_kept_in_the_order_of_the_answer() {
    let body = r#"{"orderId":"42","items":[{"name":"pen","price":3},{"name":"ink","price":4}],"x":{}}"#;
    assert_eq!(
        kept(&["items[].name", "orderId"], body),
        r#"{"orderId":"42","items":[{"name":"pen"},{"name":"ink"}]}"#
    );
    assert_eq!(kept(&["items", "items[].name"], body), kept(&["items"], body), "the whole wins");
    assert_eq!(kept(&["items[].name", "items[].price"], body), kept(&["items[]"], body));
    assert_eq!(kept(&["[].id"], r#"[{"id":1,"x":2},{"id":3}]"#), r#"[{"id":1},{"id":3}]"#);
    assert_eq!(kept(&["[][].a"], r#"[[{"a":1}],[],[{"b":2}]]"#), r#"[[{"a":1}],[],[{}]]"#);
}

#[test]
fn digits_escapes_and_repeated_names_stay() {
    let body = "{ \"a\" : 1.500e+10 ,\n \"b\" : [ \"\\u00e9 \\/\" , { \"c\" :\ttrue } ], \"a\": -0 }";
    assert_eq!(kept(&["a", "b"], body), "{\"a\":1.500e+10,\"b\":[\"\\u00e9 \\/\",{\"c\":true}],\"a\":-0}");
}

#[test]
fn names_are_compared_as_characters() {
    assert_eq!(kept(&["é"], r#"{"\u00e9":1,"e":2}"#), r#"{"\u00e9":1}"#);
    assert_eq!(kept(&[r"a\.b", r"\[\]"], r#"{"a.b":1,"[]":2,"a":{"b":3}}"#), r#"{"a.b":1,"[]":2}"#);
}

#[test]
fn what_is_not_there_keeps_nothing() {
    for (paths, body, expected) in [
        (["a.b", "c"], r#"{"x":1}"#, "{}"),
        (["a.b", "c"], r#"{"a":1,"c":2}"#, r#"{"c":2}"#),
        (["a.b", "c"], r#"{"a":[{"b":1}],"c":2}"#, r#"{"c":2}"#),
        (["a[].b", "c"], r#"{"a":{"b":1}}"#, "{}"),
        (["a[].b", "c"], r#"{"a":[1,"x",[],{"b":2}]}"#, r#"{"a":[{"b":2}]}"#),
    ] {
        assert_eq!(kept(&paths, body), expected, "{body}");
    }
}

#[test]
fn nothing_found_inside_is_an_answer_too() {
    assert_eq!(kept(&["total", "items[].id"], r#"{"total":0,"items":[]}"#), r#"{"total":0,"items":[]}"#);
    assert_eq!(kept(&["a.b"], r#"{"a":{"c":1}}"#), r#"{"a":{}}"#);
    assert_eq!(
        kept(&["owner.login", "x[].y"], r#"{"owner":null,"x":[null]}"#),
        r#"{"owner":null,"x":[null]}"#
    );
    assert_eq!(kept(&["a"], "null"), "null");
}

#[test]
fn an_answer_that_cannot_be_selected_from_is_a_failure() {
    let start = "The answer does not have what `select` of `get_order` takes from it: ";
    for (path, body, reason) in [
        ("a", "[1]", "no path leads into an array"),
        ("[].a", "{}", "no path leads into an object"),
        ("a", "\"a\"", "no path leads into a string"),
        ("a", "<html>", "not valid JSON: expected a value at byte 0"),
        ("a", r#"{"a":1,"b":}"#, "not valid JSON: expected a value at byte 11"),
        ("a", r#"{"a":1} x"#, "not valid JSON: unexpected text after the value at byte 8"),
        (
            "a[0]",
            "{}",
            "a path is invalid: only `[]`, which is every element, is known in brackets at byte 1",
        ),
    ] {
        let seen = tool().select(&[path]).ok(body);
        assert_eq!(seen.failure(), ("select", vec![&*format!("{start}{reason}"), body]));
    }
}

#[test]
fn many_paths_and_long_answers_keep_what_they_name() {
    let paths: Vec<String> = (0..300).map(|n| format!("items[].f{n}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let items: Vec<String> = (0..100).map(|n| format!(r#"{{"x":0,"f{n}":{n}}}"#)).collect();
    let expected: Vec<String> = (0..100).map(|n| format!(r#"{{"f{n}":{n}}}"#)).collect();
    let body = format!(r#"{{"items":[{}]}}"#, items.join(" , "));
    assert_eq!(kept(&paths, &body), format!(r#"{{"items":[{}]}}"#, expected.join(",")));
}

/// The same with a tree of values, one path at a time.
fn reference(paths: &[Vec<Segment<'_>>], value: &Value) -> Option<Value> {
    if value.is_null() || paths.iter().any(Vec::is_empty) {
        return Some(value.clone());
    }
    let after = |wanted: &Segment<'_>| -> Vec<Vec<Segment<'_>>> {
        paths.iter().filter(|path| path[0] == *wanted).map(|path| path[1..].to_vec()).collect()
    };
    match value {
        Value::Array(items) => {
            let inside = after(&Segment::Each);
            let kept = items.iter().filter_map(|item| reference(&inside, item));
            (!inside.is_empty()).then(|| Value::Array(kept.collect()))
        }
        Value::Object(members) if paths.iter().any(|path| path[0] != Segment::Each) => {
            let kept = members.iter().filter_map(|(name, member)| {
                let inside = after(&Segment::Name(name.into()));
                let kept = if inside.is_empty() { None } else { reference(&inside, member) };
                Some((name.clone(), kept?))
            });
            Some(Value::Object(kept.collect::<Map<_, _>>()))
        }
        _ => None,
    }
}

pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[abé]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

pub(super) fn any_paths() -> impl Strategy<Value = Vec<String>> {
    let step = prop_oneof![Just("[]"), Just(".a"), Just(".b"), Just(".é")];
    let path = prop::collection::vec(step, 1..4).prop_map(|steps| {
        let path = steps.concat();
        path.strip_prefix('.').map_or(path.clone(), str::to_owned)
    });
    prop::collection::vec(path, 1..5)
}

proptest! {
    #[test]
    fn a_selection_is_what_a_tree_of_values_says(paths in any_paths(), value in any_value(), pretty in any::<bool>()) {
        let body = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let parsed: Vec<_> = paths.iter().map(|path| select::parse(path).unwrap()).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let seen = tool().select(&paths).ok(&body);
        match reference(&parsed, &value) {
            Some(expected) => prop_assert_eq!(seen.text(), expected.to_string()),
            None => prop_assert_eq!(seen.failure().0, "select"),
        }
    }
}
