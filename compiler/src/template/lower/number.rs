//! Numbers as Go prints them.

use crate::template::go::Number;

/// What Go prints for a number, which is also a JSON number.
pub(super) fn text(number: Number) -> String {
    match number {
        Number::Int(value) => value.to_string(),
        Number::Float(value) => float(value),
    }
}

/// The fewest digits that distinguish the number from its neighbours, with an exponent if it is
/// below -4 or above 5.
fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(-4..6) => value.to_string(),
        Ok(exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_in_go() {
        for (value, expected) in [
            (1.5, "1.5"),
            (1000.0, "1000"),
            (0.5, "0.5"),
            (-0.0, "-0"),
            (0.0, "0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (123_456.0, "123456"),
            (1_000_000.0, "1e+06"),
            (123_456_789.0, "1.23456789e+08"),
            (-1e21, "-1e+21"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(text(Number::Float(value)), expected);
            assert!(serde_json::from_str::<serde_json::Number>(expected).is_ok());
        }
        assert_eq!(text(Number::Int(i64::MIN)), "-9223372036854775808");
    }
}
