//! Lists, objects, and the parts of texts.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind, View};
use super::Answer;
use super::call::{FunctionCall, describe, push};
use crate::json;
use crate::plan::program::NONE;
use std::borrow::Cow;

/// Bytes of a text, elements of a list, members of an object. What is missing has none of any.
pub(super) fn len(call: &FunctionCall<'_>) -> Result<Value, Fault> {
    let value = call.value(0);
    let length = match call.kind(value) {
        ValueKind::Absent | ValueKind::Null => 0,
        ValueKind::String => call.printed(value).len(),
        ValueKind::Array => count_elements(&call.view, value),
        ValueKind::Object => count_members(&call.view, value),
        kind @ (ValueKind::Bool | ValueKind::Number) => {
            return Err(call.fault(format_args!("{} has no length", describe(kind))));
        }
    };
    Ok(integer(length))
}

pub(super) fn integer(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) fn count_elements(view: &View<'_>, value: Value) -> usize {
    match value {
        Value::Json(node) if node.count != NONE => node.count as usize,
        _ => view.items(value).count(),
    }
}

/// A name that is repeated counts once: the last of its values is the one that a template sees.
pub(super) fn count_members(view: &View<'_>, value: Value) -> usize {
    let Value::Json(node) = value else { return 0 };
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for (name, _) in json::members(view.json(node)) {
        names.push(match name.escaped {
            false => Cow::Borrowed(name.raw()),
            true => {
                let mut text = String::new();
                json::unescape(name.raw(), &mut text);
                Cow::Owned(text)
            }
        });
    }
    names.sort_unstable();
    names.dedup();
    names.len()
}

/// What each key finds in what the key before it has found.
pub(super) fn index(call: &FunctionCall<'_>) -> Result<Value, Fault> {
    let mut value = call.value(0);
    for &key in call.rest(1) {
        value = match (call.kind(value), call.kind(key)) {
            (ValueKind::Absent | ValueKind::Null, _) => return Ok(Value::Absent),
            (ValueKind::Array, ValueKind::Number) => element(call, value, call.integer(key)?)?,
            (ValueKind::Object, ValueKind::String) => call.view.member(value, &call.printed(key)),
            (ValueKind::Array, kind) => {
                return Err(call.fault(format_args!("a list has numbered elements, not {}", describe(kind))));
            }
            (ValueKind::Object, kind) => {
                return Err(
                    call.fault(format_args!("an object has members with names, not {}", describe(kind)))
                );
            }
            (kind, _) => return Err(call.fault(format_args!("{} has no elements", describe(kind)))),
        };
    }
    Ok(value)
}

fn element(call: &FunctionCall<'_>, list: Value, index: i64) -> Result<Value, Fault> {
    let found = usize::try_from(index).ok().and_then(|index| call.view.items(list).nth(index));
    found.ok_or_else(|| {
        let count = count_elements(&call.view, list);
        let noun = if count == 1 { "element" } else { "elements" };
        call.fault(format_args!("{index} is out of range, the list has {count} {noun}"))
    })
}

/// The first or the last element.
pub(super) fn end(call: &FunctionCall<'_>) -> Result<Value, Fault> {
    let list = call.value(0);
    match call.kind(list) {
        ValueKind::Absent | ValueKind::Null => Ok(Value::Absent),
        ValueKind::Array => {
            let mut elements = call.view.items(list);
            let element = match call.function {
                super::Function::First => elements.next(),
                _ => elements.last(),
            };
            Ok(element.unwrap_or(Value::Absent))
        }
        kind => Err(call.fault(format_args!("it needs a list, not {}", describe(kind)))),
    }
}

/// Bytes of a text or elements of a list, from one index up to another.
pub(super) fn slice(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    let kind = call.kind(value);
    let length = match kind {
        ValueKind::Absent | ValueKind::Null => return Ok(Answer::Value(Value::Absent)),
        ValueKind::String if call.arguments.len() > 3 => {
            return Err(call.fault("a text has no third index"));
        }
        ValueKind::String => call.printed(value).len(),
        ValueKind::Array => count_elements(&call.view, value),
        _ => return Err(call.fault(format_args!("{} has no parts in a row", describe(kind)))),
    };
    let (start, end) = bounds(call, length)?;
    if (start, end) == (0, length) {
        return Ok(Answer::Value(value));
    }
    if kind == ValueKind::String {
        let text = call.printed(value);
        let part = text.get(start..end).ok_or_else(|| {
            call.fault(format_args!("{start} to {end} would cut a character; indexes count bytes"))
        })?;
        push(out, part)?;
        return Ok(Answer::Text);
    }
    push(out, "[")?;
    for (at, element) in call.view.items(value).enumerate().take(end).skip(start) {
        if at > start {
            push(out, ",")?;
        }
        if let Value::Json(node) = element {
            push(out, call.view.json(node).text)?;
        }
    }
    push(out, "]")?;
    Ok(Answer::Json)
}

/// Go's third index bounds what may be appended; here it is only checked, as nothing can be.
fn bounds(call: &FunctionCall<'_>, length: usize) -> Result<(usize, usize), Fault> {
    let mut indexes = [0, length, length];
    let mut least = 0;
    for (slot, &argument) in indexes.iter_mut().zip(call.rest(1)) {
        let index = call.integer(argument)?;
        match usize::try_from(index) {
            Ok(index) if index < least => {
                return Err(call.fault(format_args!("it ends at {index}, before {least} where it starts")));
            }
            Ok(index) if index <= length => (*slot, least) = (index, index),
            _ => return Err(call.fault(format_args!("{index} is out of range, the length is {length}"))),
        }
    }
    let [start, end, _] = indexes;
    Ok((start, end))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use crate::template::Function;
    use proptest::prelude::*;

    #[test]
    fn parts_are_found() {
        assert_texts(&[
            (Function::Len, &["\"héllo\""], "6"),
            (Function::Len, &["\"h\\u00e9llo\""], "6"),
            (Function::Len, &["[1, [2, 3], \"]\"]"], "3"),
            (Function::Len, &[r#"{"a": 1, "\u0061": 2, "b": 3}"#], "2"),
            (Function::Len, &["absent"], "0"),
            (Function::Len, &["null"], "0"),
            (Function::Index, &["[\"a\", \"b\"]", "1"], "b"),
            (Function::Index, &["[\"a\", \"b\"]", "1.0"], "b"),
            (Function::Index, &["{\"k\": \"v\"}", "\"k\""], "v"),
            (Function::Index, &["{\"k\": \"v\"}", "\"z\""], ""),
            (Function::Index, &["{\"\": 5}", "\"\""], "5"),
            (Function::Index, &["[{\"k\": \"v\"}]", "0", "\"k\""], "v"),
            (Function::Index, &["absent", "0"], ""),
            (Function::Index, &["null", "\"a\"", "\"b\""], ""),
            (Function::Index, &["5"], "5"),
            (Function::First, &["[\"a\", \"b\"]"], "a"),
            (Function::Last, &["[\"a\", \"b\"]"], "b"),
            (Function::Last, &["[ ]"], ""),
            (Function::First, &["absent"], ""),
            (Function::Slice, &["\"abcd\"", "1", "3"], "bc"),
            (Function::Slice, &["\"abcd\"", "1"], "bcd"),
            (Function::Slice, &["\"abcd\""], "abcd"),
            (Function::Slice, &["\"héllo\"", "0", "3"], "hé"),
            (Function::Slice, &["\"abcd\"", "4", "4"], ""),
            (Function::Slice, &["[1, \"a\", [2]]", "1"], "[\"a\",[2]]"),
            (Function::Slice, &["[1, \"a\", [2]]", "1", "1"], "[]"),
            (Function::Slice, &["[1, \"a\", [2]]", "1", "2", "3"], "[\"a\"]"),
            (Function::Slice, &["absent", "1"], ""),
        ]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (function, arguments, expected) in [
            (Function::Index, &["[1, 2]", "5"][..], "`index`: 5 is out of range, the list has 2 elements"),
            (Function::Index, &["[1]", "-1"], "`index`: -1 is out of range, the list has 1 element"),
            (Function::Index, &["[1]", "0.5"], "`index`: 0.5 is not a whole number"),
            (Function::Index, &["[1]", "\"0\""], "`index`: a list has numbered elements, not text"),
            (Function::Index, &["{}", "0"], "`index`: an object has members with names, not a number"),
            (Function::Index, &["\"ab\"", "0"], "`index`: text has no elements"),
            (Function::Len, &["5"], "`len`: a number has no length"),
            (Function::Len, &["true"], "`len`: a boolean has no length"),
            (Function::First, &["\"ab\""], "`first`: it needs a list, not text"),
            (Function::Slice, &["\"ab\"", "3"], "`slice`: 3 is out of range, the length is 2"),
            (Function::Slice, &["\"ab\"", "2", "1"], "`slice`: it ends at 1, before 2 where it starts"),
            (Function::Slice, &["\"é\"", "1"], "`slice`: 1 to 2 would cut a character; indexes count bytes"),
            (Function::Slice, &["\"ab\"", "0", "1", "2"], "`slice`: a text has no third index"),
            (Function::Slice, &["{}", "0"], "`slice`: an object has no parts in a row"),
        ] {
            assert_eq!(go(function, arguments).unwrap_err(), expected, "{function} {arguments:?}");
        }
    }

    proptest! {
        #[test]
        fn slicing_is_rusts_or_an_error(text in "\\PC{0,8}", start in -2_i64..12, end in -2_i64..12) {
            let json = serde_json::to_string(&text).unwrap();
            let sliced = go(Function::Slice, &[&json, &start.to_string(), &end.to_string()]).ok();
            let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            let expected = range.and_then(|(start, end)| text.get(start..end));
            prop_assert_eq!(sliced.as_deref(), expected);
        }
    }
}
