//! `addf` and its like: decimal fractions are computed as such, so that 0.1 and 0.2 are 0.3.

use super::super::error::Fault;
use super::super::value::Value;
use super::call::FunctionCall;
use super::math::{Number, answer, as_float, operand, too_large};
use super::{Answer, Function};

/// Digits after the point that a quotient has, as in sprig.
const QUOTIENT_DIGITS: i32 = 16;
/// More would not fit while they are computed with.
const MAX_DIGITS: usize = 30;

/// `digits` divided by ten to the power of `scale`.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: i128,
    scale: i32,
}

/// A number, exact if it is not too long for that.
#[derive(Debug, Clone, Copy)]
struct Exact {
    float: f64,
    decimal: Option<Decimal>,
}

pub(super) fn compute(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut result = read(call, call.value(0))?;
    for &value in call.rest(1) {
        let other = read(call, value)?;
        if call.function == Function::Divf && other.float == 0.0 {
            return Err(call.fault("division by zero"));
        }
        result = combine(call.function, result, other);
        if !result.float.is_finite() {
            return Err(too_large(call));
        }
    }
    answer(call, Number::Float(result.float), out)
}

fn read(call: &FunctionCall<'_>, value: Value) -> Result<Exact, Fault> {
    let float = as_float(operand(call, value)?);
    Ok(Exact { float, decimal: parse(&call.printed(value)) })
}

/// Reads what [`operand`] has accepted.
fn parse(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    let digits = format!("{whole}{fraction}").parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent.parse().ok()?)?;
    (scale.unsigned_abs() as usize <= MAX_DIGITS).then_some(Decimal { digits, scale })
}

fn combine(function: Function, left: Exact, right: Exact) -> Exact {
    let decimal = left.decimal.zip(right.decimal).and_then(|(left, right)| match function {
        Function::Mulf => {
            let scale = left.scale + right.scale;
            Some(Decimal { digits: left.digits.checked_mul(right.digits)?, scale })
        }
        Function::Divf => divide(left, right),
        _ => {
            let scale = left.scale.max(right.scale);
            let (left, right) =
                (raised(left.digits, scale - left.scale)?, raised(right.digits, scale - right.scale)?);
            let digits =
                if function == Function::Subf { left.checked_sub(right)? } else { left.checked_add(right)? };
            Some(Decimal { digits, scale })
        }
    });
    let computed = match function {
        Function::Mulf => left.float * right.float,
        Function::Divf => left.float / right.float,
        Function::Subf => left.float - right.float,
        _ => left.float + right.float,
    };
    let exact = decimal.and_then(|decimal| format!("{}e{}", decimal.digits, -decimal.scale).parse().ok());
    Exact { float: exact.unwrap_or(computed), decimal }
}

/// Rounded where the digits end, halves away from zero.
fn divide(left: Decimal, right: Decimal) -> Option<Decimal> {
    let numerator = raised(left.digits, QUOTIENT_DIGITS + right.scale - left.scale)?;
    let quotient = numerator.checked_div(right.digits)?;
    let rest = numerator.checked_rem(right.digits)?;
    let away = numerator.signum() * right.digits.signum();
    let is_half = rest.unsigned_abs() >= right.digits.unsigned_abs().div_ceil(2);
    Some(Decimal { digits: if is_half { quotient + away } else { quotient }, scale: QUOTIENT_DIGITS })
}

fn raised(digits: i128, power: i32) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(u32::try_from(power).ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fractions_are_computed() {
        assert_texts(&[
            (Function::Addf, &["0.1", "0.2"], "0.3"),
            (Function::Addf, &["1.5", "2", "\"0.25\""], "3.75"),
            (Function::Addf, &["1.5", "absent", "0.5"], "2"),
            (Function::Addf, &["1e300", "1"], "1e300"),
            (Function::Subf, &["7.5", "2", "3"], "2.5"),
            (Function::Subf, &["0.3", "0.1"], "0.2"),
            (Function::Mulf, &["1.5", "2", "2"], "6"),
            (Function::Mulf, &["1.1", "1.1"], "1.21"),
            (Function::Mulf, &["1e-7", "0.1"], "1e-8"),
            (Function::Divf, &["10", "4"], "2.5"),
            (Function::Divf, &["2", "3"], "0.6666666666666667"),
            (Function::Divf, &["-2", "3"], "-0.6666666666666667"),
            (Function::Divf, &["1", "3", "3"], "0.1111111111111111"),
            (Function::Divf, &["1e20", "3e-20"], "3.333333333333333e39"),
        ]);
    }

    #[test]
    fn what_cannot_be_computed_is_an_error() {
        for (function, arguments, expected) in [
            (Function::Divf, &["1", "0.0"][..], "`divf`: division by zero"),
            (Function::Mulf, &["1e300", "1e300"], "`mulf`: the result is too large"),
            (Function::Addf, &["\"x\"", "1"], "`addf`: \"x\" is not a number"),
        ] {
            assert_eq!(go(function, arguments).unwrap_err(), expected, "{function} {arguments:?}");
        }
    }

    proptest! {
        #[test]
        fn cents_are_exact(left in -1_000_000_i64..1_000_000, right in -1_000_000_i64..1_000_000) {
            let text = |cents: i64| format!("{}{}.{:02}", if cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100);
            let sum: f64 = text(left + right).parse().unwrap();
            let found: f64 = go(Function::Addf, &[&text(left), &text(right)]).unwrap().parse().unwrap();
            prop_assert_eq!(found, sum);
        }

        #[test]
        fn any_numbers_are_near_what_floats_give(left in -1e12_f64..1e12, right in -1e12_f64..1e12) {
            let (a, b) = (format!("{left:?}"), format!("{right:?}"));
            for (function, expected) in [(Function::Mulf, left * right), (Function::Divf, left / right)] {
                prop_assume!(right.abs() > 1e-3);
                let found: f64 = go(function, &[&a, &b]).unwrap().parse().unwrap();
                prop_assert!((found - expected).abs() <= expected.abs() * 1e-12 + 1e-15, "{} {} {}", function, found, expected);
            }
        }
    }
}
