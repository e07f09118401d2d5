//! Go's comparisons, over JSON's values.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::call::{FunctionCall, describe};
use crate::json::decimal;
use std::cmp::Ordering;

/// Whether the first argument equals any of the others.
pub(super) fn eq(call: &FunctionCall<'_>) -> Result<bool, Fault> {
    let left = call.value(0);
    for &right in call.rest(1) {
        if equal(call, left, right)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(call: &FunctionCall<'_>, left: Value, right: Value) -> Result<bool, Fault> {
    match (call.kind(left), call.kind(right)) {
        // Both are Go's `nil`: a template that asks `eq .x nil` does not care why there is nothing.
        (ValueKind::Absent | ValueKind::Null, ValueKind::Absent | ValueKind::Null) => Ok(true),
        (ValueKind::Bool, ValueKind::Bool) => Ok(call.view.boolean(left) == call.view.boolean(right)),
        (ValueKind::Number, ValueKind::Number) => {
            Ok(decimal::compare(&call.printed(left), &call.printed(right)).is_eq())
        }
        (ValueKind::String, ValueKind::String) => Ok(call.printed(left) == call.printed(right)),
        (ValueKind::Array, ValueKind::Array) => Err(call.fault("it cannot compare lists")),
        (ValueKind::Object, ValueKind::Object) => Err(call.fault("it cannot compare objects")),
        _ => Ok(false),
    }
}

pub(super) fn order(call: &FunctionCall<'_>) -> Result<Ordering, Fault> {
    let (left, right) = (call.value(0), call.value(1));
    match (call.kind(left), call.kind(right)) {
        (ValueKind::Number, ValueKind::Number) => {
            Ok(decimal::compare(&call.printed(left), &call.printed(right)))
        }
        (ValueKind::String, ValueKind::String) => Ok(call.printed(left).cmp(&call.printed(right))),
        (left, right) => Err(call.fault(format_args!(
            "{} and {} have no order; two numbers or two texts have one",
            describe(left),
            describe(right)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use crate::template::Function;

    #[test]
    fn values_are_compared() {
        for (function, arguments, expected) in [
            (Function::Eq, &["5", "5.0"][..], true),
            (Function::Eq, &["5", "6"], false),
            (Function::Eq, &["9007199254740993", "9007199254740992"], false),
            (Function::Eq, &["\"x\"", "\"a\"", "\"x\""], true),
            (Function::Eq, &["\"h\\u00e9\"", "\"hé\""], true),
            (Function::Eq, &["5", "\"5\""], false),
            (Function::Eq, &["true", "true"], true),
            (Function::Eq, &["absent", "\"x\""], false),
            (Function::Eq, &["absent", "absent"], true),
            (Function::Eq, &["absent", "null"], true),
            (Function::Eq, &["[1]", "null"], false),
            (Function::Eq, &["[1]", "\"[1]\""], false),
            (Function::Ne, &["5", "5.00"], false),
            (Function::Ne, &["5", "\"5\""], true),
            (Function::Lt, &["\"a\"", "\"b\""], true),
            (Function::Lt, &["\"a\"", "\"a\""], false),
            (Function::Lt, &["\"Z\"", "\"a\""], true),
            (Function::Le, &["2", "2.0"], true),
            (Function::Gt, &["6", "5"], true),
            (Function::Gt, &["1e400", "5"], true),
            (Function::Ge, &["-1", "-1.5"], true),
        ] {
            let expected = if expected { "true" } else { "false" };
            assert_eq!(go(function, arguments).as_deref(), Ok(expected), "{function} {arguments:?}");
        }
    }

    #[test]
    fn what_has_no_order_is_an_error() {
        assert_eq!(
            go(Function::Lt, &["5", "\"6\""]).unwrap_err(),
            "`lt`: a number and text have no order; two numbers or two texts have one"
        );
        assert!(go(Function::Ge, &["true", "false"]).is_err());
        assert!(go(Function::Gt, &["absent", "1"]).is_err());
        assert_eq!(go(Function::Eq, &["[1]", "[1]"]).unwrap_err(), "`eq`: it cannot compare lists");
        assert_eq!(go(Function::Ne, &["{}", "{}"]).unwrap_err(), "`ne`: it cannot compare objects");
        assert_eq!(go(Function::Eq, &["1"]).unwrap_err(), "`eq`: it takes at least 2 arguments, not 1");
        assert_eq!(
            go(Function::Ne, &["1", "2", "3"]).unwrap_err(),
            "`ne`: it takes at most 2 arguments, not 3"
        );
    }
}
