//! Sprig's arithmetic, on whole numbers; with a fraction among the operands, on floats.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::call::{FunctionCall, describe, push, shortened};
use super::{Answer, Function};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Float(f64),
}

/// Below this, every whole number is a float of its own.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn compute(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut result = operand(call, call.value(0))?;
    if call.function == Function::Add1 {
        result = combine(call, result, Number::Whole(1))?;
    }
    for &value in call.rest(1) {
        result = combine(call, result, operand(call, value)?)?;
    }
    answer(call, result, out)
}

/// A whole number as such, also if it was computed as a float.
pub(super) fn answer(call: &FunctionCall<'_>, result: Number, out: &mut String) -> Result<Answer, Fault> {
    match result {
        Number::Whole(number) => Ok(Answer::Value(Value::Int(number))),
        Number::Float(number) if is_exact(number) => Ok(Answer::Value(Value::Int(number as i64))),
        Number::Float(number) if number.is_finite() => {
            push(out, &shortest(number))?;
            Ok(Answer::Json)
        }
        Number::Float(_) => Err(too_large(call)),
    }
}

/// The value of a number text, if it is a whole number of 64 bits.
pub(super) fn whole(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| match parse(text) {
        Some(Number::Whole(number)) => Some(number),
        _ => None,
    })
}

/// What is missing counts as zero, as in sprig; what is there has to be a number.
pub(super) fn operand(call: &FunctionCall<'_>, value: Value) -> Result<Number, Fault> {
    match call.kind(value) {
        ValueKind::Absent | ValueKind::Null => Ok(Number::Whole(0)),
        ValueKind::Number | ValueKind::String => {
            let text = call.printed(value);
            parse(&text).ok_or_else(|| match text.parse::<f64>() {
                Ok(_) if is_digits(&text) => {
                    call.fault(format_args!("{} does not fit in 64 bits", shortened(&text)))
                }
                _ => call.fault(format_args!("\"{}\" is not a number", shortened(&text))),
            })
        }
        kind => Err(call.fault(format_args!("it needs numbers, not {}", describe(kind)))),
    }
}

fn parse(text: &str) -> Option<Number> {
    if let Ok(number) = text.parse() {
        return Some(Number::Whole(number));
    }
    // Not all that is a float to Rust is a number to JSON: there are `inf` and `NaN`. And whole numbers that are too
    // large must not lose their last digits.
    if !is_digits(text) || !text.contains(['.', 'e', 'E']) {
        return None;
    }
    let number = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(if is_exact(number) { Number::Whole(number as i64) } else { Number::Float(number) })
}

pub(super) fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
}

fn is_exact(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < MAX_EXACT
}

fn combine(call: &FunctionCall<'_>, left: Number, right: Number) -> Result<Number, Fault> {
    let is_division = matches!(call.function, Function::Div | Function::Mod);
    if is_division && as_float(right) == 0.0 {
        return Err(call.fault("division by zero"));
    }
    if let (Number::Whole(left), Number::Whole(right)) = (left, right) {
        let result = match call.function {
            Function::Sub => left.checked_sub(right),
            Function::Mul => left.checked_mul(right),
            Function::Div => left.checked_div(right),
            // Only -1 can overflow, and leaves no remainder.
            Function::Mod => Some(left.checked_rem(right).unwrap_or(0)),
            _ => left.checked_add(right),
        };
        return result.map(Number::Whole).ok_or_else(|| too_large(call));
    }
    let (left, right) = (as_float(left), as_float(right));
    Ok(Number::Float(match call.function {
        Function::Sub => left - right,
        Function::Mul => left * right,
        Function::Div => left / right,
        Function::Mod => left % right,
        _ => left + right,
    }))
}

pub(super) fn as_float(number: Number) -> f64 {
    match number {
        Number::Whole(number) => number as f64,
        Number::Float(number) => number,
    }
}

/// The fewest digits that distinguish a float from its neighbours; an exponent only instead of many
/// zeros.
fn shortest(number: f64) -> String {
    if (1e-6..1e21).contains(&number.abs()) { format!("{number}") } else { format!("{number:e}") }
}

pub(super) fn too_large(call: &FunctionCall<'_>) -> Fault {
    call.fault("the result is too large")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use crate::template::Function;

    #[test]
    fn numbers_are_computed() {
        assert_texts(&[
            (Function::Add, &["1", "2", "3"], "6"),
            (Function::Add, &["1.5", "1"], "2.5"),
            (Function::Add, &["1.5", "1.5"], "3"),
            (Function::Add, &["5.0", "1e3"], "1005"),
            (Function::Add, &["0.1", "0.2"], "0.30000000000000004"),
            (Function::Add, &["\"5\"", "absent", "null"], "5"),
            (Function::Add1, &["0"], "1"),
            (Function::Add1, &["absent"], "1"),
            (Function::Sub, &["1", "3"], "-2"),
            (Function::Mul, &["2", "1.5"], "3"),
            (Function::Mul, &["2", "3", "4"], "24"),
            (Function::Mul, &["1e300", "2"], "2e300"),
            (Function::Mul, &["0.0001", "0.0001"], "1e-8"),
            (Function::Div, &["7", "2"], "3"),
            (Function::Div, &["-7", "2"], "-3"),
            (Function::Div, &["7.5", "2"], "3.75"),
            (Function::Mod, &["-7", "3"], "-1"),
            (Function::Mod, &["7.5", "2"], "1.5"),
            (Function::Mod, &["-9223372036854775808", "-1"], "0"),
            (Function::Sub, &["9007199254740993", "1"], "9007199254740992"),
        ]);
    }

    #[test]
    fn what_cannot_be_computed_is_an_error() {
        for (function, arguments, expected) in [
            (Function::Div, &["1", "0"][..], "`div`: division by zero"),
            (Function::Mod, &["1.5", "0.0"], "`mod`: division by zero"),
            (Function::Add, &["9223372036854775807", "1"], "`add`: the result is too large"),
            (Function::Div, &["-9223372036854775808", "-1"], "`div`: the result is too large"),
            (Function::Mul, &["1e308", "1.5e10"], "`mul`: the result is too large"),
            (Function::Add, &["12345678901234567890"], "`add`: 12345678901234567890 does not fit in 64 bits"),
            (Function::Add, &["1e400", "1"], "`add`: 1e400 does not fit in 64 bits"),
            (Function::Add, &["\"inf\""], "`add`: \"inf\" is not a number"),
            (Function::Add, &["\"\""], "`add`: \"\" is not a number"),
            (Function::Add, &["true"], "`add`: it needs numbers, not a boolean"),
            (Function::Add1, &["[1]"], "`add1`: it needs numbers, not a list"),
        ] {
            assert_eq!(go(function, arguments).unwrap_err(), expected, "{function} {arguments:?}");
        }
    }
}
