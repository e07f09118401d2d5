//! Numbers that are rounded, or chosen by their size.

use super::super::error::Fault;
use super::call::FunctionCall;
use super::math::{Number, answer, as_float, operand, too_large};
use super::{Answer, Function};

/// To a number of digits after the point, halves away from zero. Sprig takes negative numbers down instead, whatever
/// their fraction.
pub(super) fn round(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let number = operand(call, call.value(0))?;
    let places = call.integer(call.value(1))?.clamp(-400, 400);
    let half = match call.arguments.len() {
        3 => as_float(operand(call, call.value(2))?),
        _ => 0.5,
    };
    if matches!(number, Number::Whole(_)) && places >= 0 {
        return answer(call, number, out);
    }
    let (power, value) = (10_f64.powi(places as i32), as_float(number));
    let digits = (value * power).abs();
    // More digits than a float has.
    if !digits.is_finite() || digits >= 1e16 {
        return answer(call, number, out);
    }
    let rounded = if digits.fract() >= half { digits.ceil() } else { digits.floor() };
    let result = rounded.copysign(value) / power;
    answer(call, Number::Float(if result.is_finite() { result } else { 0.0 }), out)
}

pub(super) fn one(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let number = operand(call, call.value(0))?;
    let Number::Float(float) = number else { return answer(call, number, out) };
    let result = match call.function {
        Function::Floor => float.floor(),
        Function::Ceil => float.ceil(),
        Function::Int if float.abs() >= 9.2e18 => return Err(too_large(call)),
        Function::Int => return answer(call, Number::Whole(float as i64), out),
        _ => float,
    };
    answer(call, Number::Float(result), out)
}

/// The largest or the smallest; with a fraction, if that has one.
pub(super) fn extreme(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut best = operand(call, call.value(0))?;
    for &value in call.rest(1) {
        let other = operand(call, value)?;
        let is_larger = match (best, other) {
            (Number::Whole(best), Number::Whole(other)) => other > best,
            _ => as_float(other) > as_float(best),
        };
        if is_larger == (call.function == Function::Max) {
            best = other;
        }
    }
    answer(call, best, out)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_rounded() {
        assert_texts(&[
            (Function::Round, &["123.5555", "3"], "123.556"),
            (Function::Round, &["123.555555", "3"], "123.556"),
            (Function::Round, &["123.49999999", "0"], "123"),
            (Function::Round, &["123.2329999", "2", "0.3"], "123.23"),
            (Function::Round, &["123.6", "0"], "124"),
            (Function::Round, &["-1.2", "0"], "-1"),
            (Function::Round, &["-1.5", "0"], "-2"),
            (Function::Round, &["\"2.345\"", "1"], "2.3"),
            (Function::Round, &["155", "-1"], "160"),
            (Function::Round, &["5", "2"], "5"),
            (Function::Round, &["1.5", "300"], "1.5"),
            (Function::Round, &["1.5", "-300"], "0"),
            (Function::Round, &["1e300", "2"], "1e300"),
            (Function::Floor, &["3.7"], "3"),
            (Function::Floor, &["-3.2"], "-4"),
            (Function::Ceil, &["3.2"], "4"),
            (Function::Ceil, &["9223372036854775807"], "9223372036854775807"),
            (Function::Int, &["3.9"], "3"),
            (Function::Int, &["\"-3.9\""], "-3"),
            (Function::Int, &["absent"], "0"),
            (Function::Float64, &["\"2.50\""], "2.5"),
            (Function::Max, &["1", "3", "2"], "3"),
            (Function::Max, &["1.5", "1"], "1.5"),
            (Function::Min, &["1.5", "\"1\"", "2"], "1"),
            (Function::Min, &["9007199254740993", "9007199254740992"], "9007199254740992"),
        ]);
        assert_eq!(go(Function::Int, &["1e300"]).unwrap_err(), "`int`: the result is too large");
        assert_eq!(go(Function::Floor, &["[1]"]).unwrap_err(), "`floor`: it needs numbers, not a list");
    }

    proptest! {
        #[test]
        fn rounding_is_rusts(thousandths in -1_000_000_i32..1_000_000) {
            let number = f64::from(thousandths) / 8.0;
            let text = format!("{number:?}");
            prop_assert_eq!(go(Function::Round, &[&text, "0"]), Ok(format!("{}", number.round() as i64)));
            prop_assert_eq!(go(Function::Floor, &[&text]), Ok(format!("{}", number.floor() as i64)));
            prop_assert_eq!(go(Function::Ceil, &[&text]), Ok(format!("{}", number.ceil() as i64)));
        }
    }
}
