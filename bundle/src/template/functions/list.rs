//! Lists that are made: their JSON text, element by element.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::call::{FunctionCall, describe, push};
use super::{Answer, Function, MAX_TEXT, math};
use crate::json::{self, MAX_DEPTH, Scanner};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Appends a value as JSON; what is not there as `null`.
pub(super) fn push_json(call: &FunctionCall<'_>, value: Value, out: &mut String) -> Result<(), Fault> {
    if call.view.weight(value) > MAX_TEXT.saturating_sub(out.len()) {
        return Err(Fault::Limit(super::Limit::Text));
    }
    call.view.print_as_json(value, out);
    // Escapes make a text longer.
    push(out, "")
}

/// A list of values.
pub(super) fn of(
    call: &FunctionCall<'_>,
    values: impl Iterator<Item = Value>,
    out: &mut String,
) -> Result<Answer, Fault> {
    push(out, "[")?;
    for (at, value) in values.enumerate() {
        if at > 0 {
            push(out, ",")?;
        }
        push_json(call, value, out)?;
    }
    push(out, "]")?;
    checked(call, out)
}

/// What was made, unless a loop has put lists into lists until they cannot be read any more.
pub(super) fn checked(call: &FunctionCall<'_>, out: &str) -> Result<Answer, Fault> {
    match Scanner::of_text(out, MAX_DEPTH).allow_lone_surrogates().value() {
        Ok(_) => Ok(Answer::Json),
        Err(_) => Err(call.fault(format_args!("its result nests deeper than {MAX_DEPTH} levels"))),
    }
}

/// The elements of an argument; what is not there has none.
pub(super) fn elements<'a>(
    call: &FunctionCall<'a>,
    index: usize,
) -> Result<impl Iterator<Item = Value> + use<'a>, Fault> {
    let value = call.value(index);
    match call.kind(value) {
        ValueKind::Absent | ValueKind::Null | ValueKind::Array => Ok(call.view.items(value)),
        kind => Err(call.fault(format_args!("it needs a list, not {}", describe(kind)))),
    }
}

/// A list with one value more at an end, or several lists one after the other.
pub(super) fn joined(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    match call.function {
        Function::Append => of(call, elements(call, 0)?.chain([call.value(1)]), out),
        Function::Prepend => of(call, [call.value(1)].into_iter().chain(elements(call, 0)?), out),
        _ => {
            let mut all = Vec::new();
            for index in 0..call.arguments.len() {
                all.extend(elements(call, index)?);
            }
            of(call, all.into_iter(), out)
        }
    }
}

/// All but the first element, all but the last, or all that are true.
pub(super) fn part(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let all: Vec<Value> = elements(call, 0)?.collect();
    let kept = match call.function {
        Function::Rest => all.get(1..).unwrap_or_default(),
        Function::Initial => all.get(..all.len().saturating_sub(1)).unwrap_or_default(),
        _ => return of(call, all.into_iter().filter(|&value| call.view.is_true(value)), out),
    };
    of(call, kept.iter().copied(), out)
}

pub(super) fn reverse(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let all: Vec<Value> = elements(call, 0)?.collect();
    of(call, all.into_iter().rev(), out)
}

/// Each value once, where it is first.
pub(super) fn uniq(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut seen = BTreeSet::new();
    of(call, elements(call, 0)?.filter(|&value| seen.insert(identity(call, value))), out)
}

pub(super) fn without(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let left_out: BTreeSet<_> = call.rest(1).iter().map(|&value| identity(call, value)).collect();
    of(call, elements(call, 0)?.filter(|&value| !left_out.contains(&identity(call, value))), out)
}

/// Whether the list that comes last has the value.
pub(super) fn has(call: &FunctionCall<'_>) -> Result<bool, Fault> {
    let wanted = identity(call, call.value(0));
    Ok(elements(call, 1)?.any(|value| identity(call, value) == wanted))
}

/// The same for values that are equal: numbers by their value, texts by their characters, lists and objects by their JSON
/// without space.
fn identity<'a>(call: &FunctionCall<'a>, value: Value) -> (u8, Cow<'a, str>) {
    let text = call.printed(value);
    match call.kind(value) {
        ValueKind::Absent | ValueKind::Null => (0, Cow::Borrowed("")),
        ValueKind::Bool => (1, text),
        ValueKind::Number => (2, number_identity(text)),
        ValueKind::String => (3, text),
        ValueKind::Array | ValueKind::Object => {
            let mut compact = String::with_capacity(text.len());
            json::compact(&text, &mut compact);
            (4, Cow::Owned(compact))
        }
    }
}

fn number_identity(text: Cow<'_, str>) -> Cow<'_, str> {
    // Long integers are compared by all their digits.
    if let Some(whole) = math::whole(&text) {
        return Cow::Owned(whole.to_string());
    }
    match text.parse::<f64>() {
        Ok(number) if text.contains(['.', 'e', 'E']) && number.is_finite() => Cow::Owned(number.to_string()),
        _ => text,
    }
}

/// The texts that the elements print, in the order of their bytes; `null` is left out, as in `join`.
pub(super) fn sort_alpha(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    let mut texts: Vec<Cow<'_, str>> = match call.kind(value) {
        ValueKind::Absent | ValueKind::Null | ValueKind::Array => elements(call, 0)?
            .filter(|&value| call.kind(value) != ValueKind::Null)
            .map(|value| call.printed(value))
            .collect(),
        _ => vec![call.printed(value)],
    };
    texts.sort_unstable();
    push_texts(texts.iter().map(|text| &**text), out)?;
    Ok(Answer::Json)
}

/// Appends a list of texts.
pub(super) fn push_texts<'t>(texts: impl Iterator<Item = &'t str>, out: &mut String) -> Result<(), Fault> {
    push(out, "[")?;
    let mut quoted = Vec::new();
    for (at, text) in texts.enumerate() {
        if at > 0 {
            push(out, ",")?;
        }
        if text.len() > MAX_TEXT {
            return Err(Fault::Limit(super::Limit::Text));
        }
        quoted.clear();
        json::write_string(text, &mut quoted);
        push(out, &String::from_utf8_lossy(&quoted))?;
    }
    push(out, "]")
}

/// The whole numbers from 0 up or down to one, which is not among them.
pub(super) fn until(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let end = call.integer(call.value(0))?;
    let step = if end < 0 { -1 } else { 1 };
    push(out, "[")?;
    push_range(0, end, step, ",", out)?;
    push(out, "]")?;
    Ok(Answer::Json)
}

/// Like the program `seq`: from, by and to, with blanks between the numbers.
pub(super) fn seq(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let number = |index: usize| call.integer(call.value(index));
    let (start, step, last) = match call.arguments.len() {
        1 => (1, None, number(0)?),
        2 => (number(0)?, None, number(1)?),
        _ => (number(0)?, Some(number(1)?), number(2)?),
    };
    let direction = if last < start { -1 } else { 1 };
    let end = last.saturating_add(direction);
    push_range(start, end, step.unwrap_or(direction), " ", out)?;
    Ok(Answer::Text)
}

/// Appends the numbers from one to before another; none if the step does not lead there.
fn push_range(start: i64, end: i64, step: i64, between: &str, out: &mut String) -> Result<(), Fault> {
    if step == 0 || (step > 0) != (end > start) {
        return Ok(());
    }
    let mut number = start;
    while (step > 0 && number < end) || (step < 0 && number > end) {
        if number != start {
            push(out, between)?;
        }
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{number}");
        push(out, "")?;
        let Some(next) = number.checked_add(step) else { break };
        number = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_made() {
        assert_texts(&[
            (Function::List, &["1", "\"a\\\"\"", "absent", "[true]"], r#"[1,"a\"",null,[true]]"#),
            (Function::List, &[], "[]"),
            (Function::Append, &["[1, 2]", "\"x\""], r#"[1,2,"x"]"#),
            (Function::Append, &["absent", "1"], "[1]"),
            (Function::Prepend, &["[1, 2]", "0"], "[0,1,2]"),
            (Function::Concat, &["[1]", "null", "[2, [3]]"], "[1,2,[3]]"),
            (Function::Concat, &[], "[]"),
            (Function::Rest, &["[1, 2, 3]"], "[2,3]"),
            (Function::Rest, &["[]"], "[]"),
            (Function::Initial, &["[1, 2, 3]"], "[1,2]"),
            (Function::Initial, &["absent"], "[]"),
            (Function::Compact, &["[0, 1, \"\", \"a\", null, [], {}]"], r#"[1,"a"]"#),
            (Function::Reverse, &["[1, \"b\", null]"], r#"[null,"b",1]"#),
            (Function::Uniq, &["[1, 1.0, \"1\", [1, 2], [1,2], null, null, 1e0]"], r#"[1,"1",[1, 2],null]"#),
            (
                Function::Uniq,
                &["[12345678901234567890, 12345678901234567891]"],
                "[12345678901234567890,12345678901234567891]",
            ),
            (Function::Uniq, &["[\"\\u0061\", \"a\", 0.10, 0.1]"], r#"["\u0061",0.10]"#),
            (Function::Without, &["[1, 2, \"1\"]", "1", "\"x\""], r#"[2,"1"]"#),
            (Function::Has, &["2.0", "[1, 2]"], "true"),
            (Function::Has, &["\"2\"", "[1, 2]"], "false"),
            (Function::Has, &["null", "absent"], "false"),
            (Function::SortAlpha, &["[\"b\", \"a\", 10, null, 9]"], r#"["10","9","a","b"]"#),
            (Function::SortAlpha, &["\"b\""], r#"["b"]"#),
            (Function::SortAlpha, &["absent"], "[]"),
            (Function::Until, &["3"], "[0,1,2]"),
            (Function::Until, &["-3"], "[0,-1,-2]"),
            (Function::Until, &["0"], "[]"),
            (Function::Seq, &["3"], "1 2 3"),
            (Function::Seq, &["-1"], "1 0 -1"),
            (Function::Seq, &["0", "2"], "0 1 2"),
            (Function::Seq, &["2", "-2"], "2 1 0 -1 -2"),
            (Function::Seq, &["0", "2", "10"], "0 2 4 6 8 10"),
            (Function::Seq, &["0", "-2", "-5"], "0 -2 -4"),
            (Function::Seq, &["0", "2", "-5"], ""),
            (Function::Seq, &["5", "0", "9"], ""),
            (Function::Seq, &["1", "9223372036854775807", "9223372036854775807"], "1"),
        ]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (function, arguments, expected) in [
            (Function::Append, &["\"a\"", "1"][..], "`append`: it needs a list, not text"),
            (Function::Reverse, &["{}"], "`reverse`: it needs a list, not an object"),
            (Function::Has, &["1", "5"], "`has`: it needs a list, not a number"),
            (Function::Until, &["1.5"], "`until`: 1.5 is not a whole number"),
        ] {
            assert_eq!(go(function, arguments).unwrap_err(), expected, "{function} {arguments:?}");
        }
    }

    #[test]
    fn lists_do_not_grow_without_bound() {
        let long = format!("\"{}\"", "a".repeat(MAX_TEXT - 10));
        let many = format!("[{}1]", "1,".repeat(MAX_TEXT / 2));
        for (function, arguments) in [
            (Function::Until, &["9223372036854775807"][..]),
            (Function::Seq, &["0", "-9223372036854775808"]),
            (Function::List, &[&long, &long]),
            (Function::Concat, &[&many, &many]),
            (Function::SortAlpha, &[&many]),
        ] {
            assert_eq!(
                go(function, arguments).unwrap_err(),
                "it computes more text than allowed",
                "{function}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_appended_is_last_and_reversing_twice_changes_nothing(
            list in prop::collection::vec("[a-z\"\\\\é]{0,4}", 0..5), value in any::<i32>(),
        ) {
            let json = serde_json::to_string(&list).unwrap();
            let longer = go(Function::Append, &[&json, &value.to_string()]).unwrap();
            prop_assert_eq!(go(Function::Last, &[&longer]), Ok(value.to_string()));
            let back = go(Function::Reverse, &[&go(Function::Reverse, &[&longer]).unwrap()]);
            prop_assert_eq!(back, Ok(longer));
        }

        #[test]
        fn sorting_is_by_bytes(list in prop::collection::vec("\\PC{0,4}", 0..6)) {
            let sorted = go(Function::SortAlpha, &[&serde_json::to_string(&list).unwrap()]).unwrap();
            let sorted: Vec<String> = serde_json::from_str(&sorted).unwrap();
            let mut expected = list;
            expected.sort();
            prop_assert_eq!(sorted, expected);
        }
    }
}
