//! The parts of gjson's paths that are not a plain chain of names: indexes, `#` and the modifiers.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind, View};
use super::Answer;
use super::call::{FunctionCall, push};
use super::collection::{count_elements, integer};
use super::{list, pretty};
use crate::json::{self, Kind};

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

/// The elements or members, the last one first; other values as they are.
pub(super) fn reverse(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let Value::Json(node) = call.value(0) else { return Ok(Answer::Value(call.value(0))) };
    let whole = call.view.json(node);
    let mut parts: Vec<(Option<&str>, &str)> = match whole.kind {
        Kind::Array => json::elements(whole).map(|element| (None, element.text)).collect(),
        Kind::Object => json::members(whole).map(|(name, value)| (Some(name.text), value.text)).collect(),
        _ => return Ok(Answer::Value(call.value(0))),
    };
    parts.reverse();
    let (open, close) = if whole.kind == Kind::Array { ("[", "]") } else { ("{", "}") };
    push(out, open)?;
    for (at, (name, value)) in parts.into_iter().enumerate() {
        if at > 0 {
            push(out, ",")?;
        }
        if let Some(name) = name {
            push(out, name)?;
            push(out, ":")?;
        }
        push(out, value)?;
    }
    push(out, close)?;
    Ok(Answer::Json)
}

/// The names of an object's members; `null` for each element of a list.
pub(super) fn keys(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    match value {
        Value::Json(node) if node.kind == Some(Kind::Object) => {
            texts(json::members(call.view.json(node)).map(|(name, _)| name.text), out)
        }
        _ => match call.kind(value) {
            ValueKind::Absent => texts([].into_iter(), out),
            ValueKind::Array => texts(call.view.items(value).map(|_| "null"), out),
            _ => texts(["null"].into_iter(), out),
        },
    }
}

/// The values of an object's members; a list is one already.
pub(super) fn values(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    match value {
        Value::Json(node) if node.kind == Some(Kind::Object) => {
            texts(json::members(call.view.json(node)).map(|(_, value)| value.text), out)
        }
        _ => match call.kind(value) {
            ValueKind::Absent => texts([].into_iter(), out),
            ValueKind::Array => Ok(Answer::Value(value)),
            _ => list::of(call, [value].into_iter(), out),
        },
    }
}

/// A list in which the elements of lists stand for these.
pub(super) fn flatten(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    if call.kind(value) != ValueKind::Array {
        return Ok(Answer::Value(value));
    }
    let mut flat = Vec::new();
    for element in call.view.items(value) {
        match call.kind(element) {
            ValueKind::Array => flat.extend(call.view.items(element)),
            _ => flat.push(element),
        }
    }
    list::of(call, flat.into_iter(), out)
}

/// The same value over several lines.
pub(super) fn pretty(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    match call.value(0) {
        Value::Json(node) => {
            pretty::indent(call.view.json(node).text, out)?;
            Ok(Answer::Json)
        }
        value => Ok(Answer::Value(value)),
    }
}

fn texts<'t>(values: impl Iterator<Item = &'t str>, out: &mut String) -> Result<Answer, Fault> {
    push(out, "[")?;
    for (at, value) in values.enumerate() {
        if at > 0 {
            push(out, ",")?;
        }
        push(out, value)?;
    }
    push(out, "]")?;
    Ok(Answer::Json)
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_texts;
    use crate::template::Function;

    #[test]
    fn paths_are_followed() {
        let items = r#"[{"name": "x", "v": [1, 2]}, 5, {"v": []}, {"name": null}]"#;
        assert_texts(&[
            (Function::GjsonKey, &["{\"hy-phen\": \"v\"}", "\"hy-phen\""], "v"),
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
            (Function::GjsonReverse, &["[1, \"b\", [2]]"], "[[2],\"b\",1]"),
            (Function::GjsonReverse, &["{\"a\": 1, \"b\": 2}"], "{\"b\":2,\"a\":1}"),
            (Function::GjsonReverse, &["\"ab\""], "ab"),
            (Function::GjsonReverse, &["absent"], ""),
            (Function::GjsonKeys, &["{\"a\": 1, \"b\": 2}"], "[\"a\",\"b\"]"),
            (Function::GjsonKeys, &["[5, 6]"], "[null,null]"),
            (Function::GjsonKeys, &["5"], "[null]"),
            (Function::GjsonKeys, &["absent"], "[]"),
            (Function::GjsonValues, &["{\"a\": 1, \"b\": [2]}"], "[1,[2]]"),
            (Function::GjsonValues, &["[5, 6]"], "[5, 6]"),
            (Function::GjsonValues, &["\"a\""], "[\"a\"]"),
            (Function::GjsonValues, &["absent"], "[]"),
            (Function::GjsonFlatten, &["[1, [2, [3]], {}]"], "[1,2,[3],{}]"),
            (Function::GjsonFlatten, &["{\"a\": [1]}"], "{\"a\": [1]}"),
            (Function::GjsonPretty, &["{\"a\":[1]}"], "{\n  \"a\": [\n    1\n  ]\n}"),
            (Function::GjsonPretty, &["absent"], ""),
        ]);
    }
}
