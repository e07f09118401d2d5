//! Objects that are made or looked into. Their members keep the order in which they were written.

use super::super::error::Fault;
use super::super::value::{TextSpan, Value, ValueKind};
use super::call::{FunctionCall, describe, push};
use super::list::{self, push_json, push_texts};
use super::{Answer, Function};
use crate::json;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

type Member<'a> = (Cow<'a, str>, Value);

/// The members of an argument, each name once, with the last of its values; what is not there has none.
fn members<'a>(call: &FunctionCall<'a>, index: usize) -> Result<Vec<Member<'a>>, Fault> {
    let value = call.value(index);
    match (call.kind(value), value) {
        (ValueKind::Object, Value::Json(node)) => {
            let names = json::members(call.view.json(node));
            Ok(last_of_each(names.map(|(name, value)| {
                (
                    call.printed(Value::Json(call.view.inside(node, name))),
                    Value::Json(call.view.inside(node, value)),
                )
            })))
        }
        (ValueKind::Absent | ValueKind::Null, _) => Ok(Vec::new()),
        (kind, _) => Err(call.fault(format_args!("it needs an object, not {}", describe(kind)))),
    }
}

fn last_of_each<'a>(all: impl Iterator<Item = Member<'a>>) -> Vec<Member<'a>> {
    let mut places: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
    let mut kept: Vec<Member<'a>> = Vec::new();
    for (name, value) in all {
        match places.get(&name).and_then(|&place| kept.get_mut(place)) {
            Some(known) => known.1 = value,
            None => {
                places.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
    }
    kept
}

fn write<'a>(
    call: &FunctionCall<'a>,
    members: impl Iterator<Item = Member<'a>>,
    out: &mut String,
) -> Result<Answer, Fault> {
    push(out, "{")?;
    let mut quoted = Vec::new();
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            push(out, ",")?;
        }
        quoted.clear();
        json::write_string(&name, &mut quoted);
        push(out, &String::from_utf8_lossy(&quoted))?;
        push(out, ":")?;
        push_json(call, value, out)?;
    }
    push(out, "}")?;
    list::checked(call, out)
}

/// Names and values in turn; a name without a value has an empty text, as in sprig.
pub(super) fn dict(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut all = Vec::new();
    for (at, pair) in call.arguments.chunks(2).enumerate() {
        let name = call.text(at * 2)?;
        let value = match pair {
            [_, value] => *value,
            _ => Value::Text(TextSpan { start: 0, end: 0 }),
        };
        all.push((name, value));
    }
    write(call, last_of_each(all.into_iter()).into_iter(), out)
}

/// A member; absent if there is none.
pub(super) fn get(call: &FunctionCall<'_>) -> Result<Value, Fault> {
    Ok(find(call)?.unwrap_or(Value::Absent))
}

pub(super) fn has_key(call: &FunctionCall<'_>) -> Result<bool, Fault> {
    Ok(find(call)?.is_some())
}

fn find(call: &FunctionCall<'_>) -> Result<Option<Value>, Fault> {
    let value = call.value(0);
    match call.kind(value) {
        ValueKind::Object => Ok(match call.view.member(value, &call.text(1)?) {
            Value::Absent => None,
            found => Some(found),
        }),
        ValueKind::Absent | ValueKind::Null => Ok(None),
        kind => Err(call.fault(format_args!("it needs an object, not {}", describe(kind)))),
    }
}

/// The names of one or several objects.
pub(super) fn keys(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut names = Vec::new();
    for index in 0..call.arguments.len() {
        names.extend(members(call, index)?.into_iter().map(|(name, _)| name));
    }
    push_texts(names.iter().map(|name| &**name), out)?;
    Ok(Answer::Json)
}

pub(super) fn values(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    list::of(call, members(call, 0)?.into_iter().map(|(_, value)| value), out)
}

/// The object with only some of its members, or without them.
pub(super) fn chosen(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut names = BTreeSet::new();
    for index in 1..call.arguments.len() {
        names.insert(call.text(index)?);
    }
    let picks = call.function == Function::Pick;
    let members = members(call, 0)?.into_iter();
    write(call, members.filter(|(name, _)| names.contains(name) == picks), out)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn objects_are_made() {
        let object = r#"{"b": 1, "a": [2], "\u0062": 3}"#;
        assert_texts(&[
            (Function::Dict, &["\"b\"", "1", "\"a\"", "absent"], r#"{"b":1,"a":null}"#),
            (Function::Dict, &["\"a\"", "1", "\"a\"", "[2]"], r#"{"a":[2]}"#),
            (Function::Dict, &["\"a\\\"\"", "1", "5"], r#"{"a\"":1,"5":""}"#),
            (Function::Dict, &[], "{}"),
            (Function::Get, &[object, "\"b\""], "3"),
            (Function::Get, &[object, "\"c\""], ""),
            (Function::Get, &["absent", "\"c\""], ""),
            (Function::HasKey, &[object, "\"a\""], "true"),
            (Function::HasKey, &[object, "\"c\""], "false"),
            (Function::HasKey, &["{\"a\": null}", "\"a\""], "true"),
            (Function::HasKey, &["null", "\"a\""], "false"),
            (Function::Keys, &[object], r#"["b","a"]"#),
            (Function::Keys, &[object, "{\"a\": 1}", "absent"], r#"["b","a","a"]"#),
            (Function::Values, &[object], "[3,[2]]"),
            (Function::Pick, &[object, "\"b\"", "\"x\""], r#"{"b":3}"#),
            (Function::Pick, &[object], "{}"),
            (Function::Omit, &[object, "\"b\""], r#"{"a":[2]}"#),
            (Function::Omit, &["absent", "\"b\""], "{}"),
        ]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (function, arguments, expected) in [
            (Function::Keys, &["[1]"][..], "`keys`: it needs an object, not a list"),
            (Function::HasKey, &["\"a\"", "\"a\""], "`hasKey`: it needs an object, not text"),
            (Function::Dict, &["[1]", "2"], "`dict`: it needs text, not a list"),
        ] {
            assert_eq!(go(function, arguments).unwrap_err(), expected, "{function} {arguments:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_picked_and_what_is_omitted_is_the_whole(
            names in prop::collection::btree_set("[a-z\"é]{0,3}", 0..6), chosen in "[a-z\"é]{0,3}",
        ) {
            let object: serde_json::Map<String, serde_json::Value> =
                names.iter().enumerate().map(|(at, name)| (name.clone(), at.into())).collect();
            let json = serde_json::to_string(&object).unwrap();
            let name = serde_json::to_string(&chosen).unwrap();
            let count = |function| {
                let text = go(function, &[&json, &name]).unwrap();
                serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).unwrap().len()
            };
            let has = usize::from(names.contains(&chosen));
            prop_assert_eq!((count(Function::Pick), count(Function::Omit)), (has, names.len() - has));
        }
    }
}
