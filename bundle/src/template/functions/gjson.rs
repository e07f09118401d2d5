//! The parts of gjson's paths that are not a plain chain of names.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind, View};
use super::Answer;
use super::call::{FunctionCall, push};
use super::collection::{count_elements, integer};

/// A member of an object, or an element of a list.
pub(super) fn key(call: &FunctionCall<'_>) -> Value {
    find(&call.view, call.value(0), &call.printed(call.value(1)))
}

fn find(view: &View<'_>, value: Value, key: &str) -> Value {
    match view.kind(value) {
        ValueKind::Object => view.member(value, key),
        // Not `parse` alone: that takes `+1`.
        ValueKind::Array if key.bytes().all(|byte| byte.is_ascii_digit()) => {
            key.parse().map_or(Value::Absent, |index| view.element(value, index))
        }
        _ => Value::Absent,
    }
}

/// How many elements a list has, or what the keys find in each.
pub(super) fn each(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (list, keys) = (call.value(0), call.rest(1));
    if call.kind(list) != ValueKind::Array {
        return Ok(Answer::Value(Value::Absent));
    }
    if keys.is_empty() {
        return Ok(Answer::Value(integer(count_elements(&call.view, list))));
    }
    let keys: Vec<_> = keys.iter().map(|&key| call.printed(key)).collect();
    push(out, "[")?;
    for element in call.view.items(list) {
        let found = keys.iter().fold(element, |value, key| find(&call.view, value, key));
        if let Value::Json(node) = found {
            if out.len() > 1 {
                push(out, ",")?;
            }
            push(out, call.view.json(node).text)?;
        }
    }
    push(out, "]")?;
    Ok(Answer::Json)
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use crate::template::Function;

    #[test]
    fn paths_are_followed() {
        let items = r#"[{"name": "x", "v": [1, 2]}, 5, {"v": []}, {"name": null}]"#;
        for (function, arguments, expected) in [
            (Function::GjsonKey, &["{\"hy-phen\": \"v\"}", "\"hy-phen\""][..], "v"),
            (Function::GjsonKey, &["{\"0\": \"v\"}", "\"0\""], "v"),
            (Function::GjsonKey, &["[\"a\", \"b\"]", "\"1\""], "b"),
            (Function::GjsonKey, &["[\"a\", \"b\"]", "1"], "b"),
            (Function::GjsonKey, &["[\"a\", \"b\"]", "\"2\""], ""),
            (Function::GjsonKey, &["[\"a\", \"b\"]", "\"+1\""], ""),
            (Function::GjsonKey, &["[\"a\", \"b\"]", "\"\""], ""),
            (Function::GjsonKey, &["[1]", "\"99999999999999999999999\""], ""),
            (Function::GjsonKey, &["\"text\"", "\"0\""], ""),
            (Function::GjsonKey, &["absent", "\"0\""], ""),
            (Function::GjsonEach, &[items], "4"),
            (Function::GjsonEach, &[items, "\"name\""], "[\"x\",null]"),
            (Function::GjsonEach, &[items, "\"v\"", "\"0\""], "[1]"),
            (Function::GjsonEach, &[items, "\"w\""], "[]"),
            (Function::GjsonEach, &["{\"a\": 1}"], ""),
            (Function::GjsonEach, &["absent", "\"a\""], ""),
        ] {
            assert_eq!(go(function, arguments).as_deref(), Ok(expected), "{function} {arguments:?}");
        }
    }
}
