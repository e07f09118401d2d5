//! The helpers of the `handlebars` crate, which sees values as `serde_json` reads them: what is missing is null, and
//! a number is an unsigned, a negative or a floating one by its spelling.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::call::FunctionCall;
use super::collection::{count_elements, count_members, integer};
use crate::json::decimal;
use serde_json::Number;
use std::cmp::Ordering;

pub(super) fn equal(call: &FunctionCall<'_>) -> Result<bool, Fault> {
    let (left, right) = (call.value(0), call.value(1));
    match (call.kind(left), call.kind(right)) {
        (ValueKind::Absent | ValueKind::Null, ValueKind::Absent | ValueKind::Null) => Ok(true),
        (ValueKind::Bool, ValueKind::Bool) => Ok(call.view.boolean(left) == call.view.boolean(right)),
        (ValueKind::String, ValueKind::String) => Ok(call.printed(left) == call.printed(right)),
        (ValueKind::Number, ValueKind::Number) => {
            let (left, right) = (call.printed(left), call.printed(right));
            // Those out of range are not numbers to the crate; here equal digits are equal.
            Ok(left == right || number(&left).is_some_and(|left| Some(left) == number(&right)))
        }
        (ValueKind::Array, ValueKind::Array) | (ValueKind::Object, ValueKind::Object) => {
            let (left, right) = (call.printed(left), call.printed(right));
            Ok(left == right || tree(call, &left)? == tree(call, &right)?)
        }
        _ => Ok(false),
    }
}

/// A list or object as the crate would have it; one that it could not read at all cannot be compared.
fn tree(call: &FunctionCall<'_>, text: &str) -> Result<serde_json::Value, Fault> {
    serde_json::from_str(text)
        .map_err(|error| call.fault(format_args!("the values cannot be compared: {error}")))
}

/// `None` where there is no order, so that every comparison is false.
pub(super) fn order(call: &FunctionCall<'_>) -> Option<Ordering> {
    let (left, right) = (call.value(0), call.value(1));
    match (call.kind(left), call.kind(right)) {
        (ValueKind::Bool, ValueKind::Bool) => Some(call.view.boolean(left).cmp(&call.view.boolean(right))),
        (ValueKind::String, ValueKind::String) => Some(call.printed(left).cmp(&call.printed(right))),
        (ValueKind::Number, ValueKind::Number) => {
            let (left, right) = (call.printed(left), call.printed(right));
            match (number(&left), number(&right)) {
                (Some(left), Some(right)) => order_numbers(&left, &right),
                _ => Some(decimal::compare(&left, &right)),
            }
        }
        (ValueKind::Number, ValueKind::String) | (ValueKind::String, ValueKind::Number) => {
            order_numbers(&number(&call.printed(left))?, &number(&call.printed(right))?)
        }
        _ => None,
    }
}

fn number(text: &str) -> Option<Number> {
    text.parse().ok()
}

fn order_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => order_mixed(left, right.as_f64()?),
        (None, Some(right)) => order_mixed(right, left.as_f64()?).map(Ordering::reverse),
        (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Exact: the whole number is not turned into a float.
fn order_mixed(whole: i128, float: f64) -> Option<Ordering> {
    let floor = float.floor();
    // Whole numbers here have 64 bits, so that it does not matter that this stops at 128.
    let order = whole.cmp(&(floor as i128));
    Some(if order.is_eq() && float > floor { Ordering::Less } else { order })
}

pub(super) fn len(call: &FunctionCall<'_>) -> Value {
    let value = call.value(0);
    integer(match call.kind(value) {
        ValueKind::String => call.printed(value).len(),
        ValueKind::Array => count_elements(&call.view, value),
        ValueKind::Object => count_members(&call.view, value),
        _ => 0,
    })
}

/// An element of a list by a number, or a member of an object by a text; nothing else is converted.
pub(super) fn lookup(call: &FunctionCall<'_>) -> Value {
    let (value, key) = (call.value(0), call.value(1));
    match (call.kind(value), call.kind(key)) {
        (ValueKind::Array, ValueKind::Number) => {
            let index = number(&call.printed(key)).and_then(|number| number.as_u64());
            let index = index.and_then(|index| usize::try_from(index).ok());
            index.map_or(Value::Absent, |index| call.view.element(value, index))
        }
        (ValueKind::Object, ValueKind::String) => call.view.member(value, &call.printed(key)),
        _ => Value::Absent,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::run;
    use crate::template::Function;
    use crate::wire_enums::Dialect;

    #[test]
    fn helpers_answer_as_the_crate_does() {
        for (function, arguments, expected) in [
            (Function::HelperEq, &["\"x\"", "\"x\""][..], "true"),
            (Function::HelperEq, &["5", "5"], "true"),
            (Function::HelperEq, &["5.0", "5"], "false"),
            (Function::HelperEq, &["5.0", "5.00"], "true"),
            (Function::HelperEq, &["5", "\"5\""], "false"),
            (Function::HelperEq, &["1e400", "1e400"], "true"),
            (Function::HelperEq, &["absent", "null"], "true"),
            (Function::HelperEq, &["[1, {\"a\": 2}]", "[1,{\"a\":2}]"], "true"),
            (Function::HelperEq, &["{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"], "true"),
            (Function::HelperNe, &["[5]", "[4]"], "true"),
            (Function::HelperNe, &["\"foo\"", "\"Foo\""], "true"),
            (Function::HelperGt, &["6", "5"], "true"),
            (Function::HelperGt, &["53", "\"35\""], "true"),
            (Function::HelperLt, &["\"35\"", "53"], "true"),
            (Function::HelperLt, &["\"-1.00\"", "0"], "true"),
            (Function::HelperGte, &["\"53\"", "53"], "true"),
            (Function::HelperGte, &["\"x\"", "53"], "false"),
            (Function::HelperLte, &["\"x\"", "53"], "false"),
            (Function::HelperLt, &["9007199254740992", "9007199254740993"], "true"),
            (Function::HelperLt, &["9007199254740992.0", "9007199254740993"], "true"),
            (Function::HelperGt, &["18446744073709551615", "-1"], "true"),
            (Function::HelperGt, &["1e300", "-1"], "true"),
            (Function::HelperLt, &["-1", "-0.5"], "true"),
            (Function::HelperLt, &["0", "0.5"], "true"),
            (Function::HelperGte, &["1", "1.0"], "true"),
            (Function::HelperGt, &["true", "false"], "true"),
            (Function::HelperLte, &["null", "null"], "false"),
            (Function::HelperGte, &["[1]", "[1]"], "false"),
            (Function::HelperAnd, &["1", "0"], "false"),
            (Function::HelperAnd, &[], "true"),
            (Function::HelperOr, &["1", "0"], "true"),
            (Function::HelperOr, &["null", "[]"], "false"),
            (Function::HelperNot, &["1"], "false"),
            (Function::HelperNot, &["[]"], "true"),
            (Function::HelperLen, &["[1, 2]"], "2"),
            (Function::HelperLen, &["\"héllo\""], "6"),
            (Function::HelperLen, &["{\"a\": 1, \"b\": 2}"], "2"),
            (Function::HelperLen, &["absent"], "0"),
            (Function::HelperLen, &["3"], "0"),
            (Function::HelperLookup, &["{\"k\": \"v\"}", "\"k\""], "v"),
            (Function::HelperLookup, &["{\"0\": \"v\"}", "0"], ""),
            (Function::HelperLookup, &["[9, 8, 7]", "1"], "8"),
            (Function::HelperLookup, &["[9, 8, 7]", "3"], ""),
            (Function::HelperLookup, &["[9, 8, 7]", "-1"], ""),
            (Function::HelperLookup, &["[9, 8, 7]", "1.0"], ""),
            (Function::HelperLookup, &["[9, 8, 7]", "\"1\""], ""),
            (Function::HelperLookup, &["null", "1"], ""),
        ] {
            let result = run(Dialect::Handlebars, function, arguments);
            assert_eq!(result.as_deref(), Ok(expected), "{function} {arguments:?}");
        }
    }

    #[test]
    fn too_few_arguments_are_an_error() {
        assert_eq!(
            run(Dialect::Handlebars, Function::HelperLookup, &["1"]).unwrap_err(),
            "`lookup`: it takes at least 2 arguments, not 1"
        );
        assert!(run(Dialect::Handlebars, Function::HelperEq, &["[1e400]", "[1]"]).is_err());
    }
}
