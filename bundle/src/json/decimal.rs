//! Exact comparison of JSON numbers in their original digits.
//!
//! A binary float would make `9007199254740993` equal to its neighbour and `1e400` infinite. Here
//! digits are compared as digits, whatever their number; nothing is allocated and nothing overflows.
//! One thing is not exact: exponents beyond ±10³⁰ all count as ±10³⁰.

use std::cmp::Ordering;

const MAX_EXPONENT: i128 = 1_000_000_000_000_000_000_000_000_000_000;

/// A number taken apart; its value is `0.d₁d₂d₃… × 10^magnitude` with `d₁` not zero.
#[derive(Debug, Clone, Copy)]
struct Decimal<'a> {
    negative: bool,
    /// Digits before the point, leading zeros removed.
    whole: &'a [u8],
    /// Digits after the point; leading zeros removed if `whole` is empty.
    fraction: &'a [u8],
    magnitude: i128,
}

/// Compares the values of two JSON number texts.
pub fn compare(left: &str, right: &str) -> Ordering {
    if let Some(order) = compare_naturals(left.as_bytes(), right.as_bytes()) {
        return order;
    }
    if let (Some(left), Some(right)) = (Small::parse(left), Small::parse(right)) {
        return left.compare(&right);
    }
    let (left, right) = (Decimal::parse(left), Decimal::parse(right));
    match (left.sign(), right.sign()) {
        (1, 1) => left.compare_digits(&right),
        (-1, -1) => right.compare_digits(&left),
        (left, right) => left.cmp(&right),
    }
}

/// Compares two numbers that are only digits, as most are; `None` if one is not. The longer one is greater, since JSON has no
/// leading zeros.
#[inline]
fn compare_naturals(left: &[u8], right: &[u8]) -> Option<Ordering> {
    if !is_natural(left) || !is_natural(right) {
        return None;
    }
    Some(left.len().cmp(&right.len()).then_with(|| left.cmp(right)))
}

#[inline]
fn is_natural(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

/// Whether a JSON number text has an integer value: `1.0` and `1e3` do.
pub fn is_integer(text: &str) -> bool {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return true;
    }
    let number = Decimal::parse(text);
    let digits = number.digits();
    match digits.clone().rposition(|digit| digit != b'0') {
        Some(last) => number.magnitude > last as i128,
        None => true,
    }
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Decimal<'a> {
        let bytes = text.as_bytes();
        let (negative, bytes) = match bytes.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, bytes),
        };
        let (mantissa, exponent) = match memchr::memchr2(b'e', b'E', bytes) {
            Some(at) => (bytes.get(..at), bytes.get(at + 1..)),
            None => (Some(bytes), None),
        };
        let mantissa = mantissa.unwrap_or_default();
        let (whole, fraction) = match memchr::memchr(b'.', mantissa) {
            Some(at) => (mantissa.get(..at), mantissa.get(at + 1..)),
            None => (Some(mantissa), None),
        };
        let whole = without_leading_zeros(whole.unwrap_or_default());
        let fraction = fraction.unwrap_or_default();
        let exponent = parse_exponent(exponent.unwrap_or_default());
        if !whole.is_empty() {
            return Decimal { negative, whole, fraction, magnitude: exponent + whole.len() as i128 };
        }
        let significant = without_leading_zeros(fraction);
        let zeros = fraction.len() - significant.len();
        Decimal { negative, whole, fraction: significant, magnitude: exponent - zeros as i128 }
    }

    fn sign(&self) -> i8 {
        match (self.whole.is_empty() && self.fraction.is_empty(), self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }

    fn digits(&self) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator + Clone + use<'a> {
        Digits { whole: self.whole, fraction: self.fraction }
    }

    /// Compares two numbers that are not zero, signs aside.
    fn compare_digits(&self, other: &Decimal<'_>) -> Ordering {
        self.magnitude.cmp(&other.magnitude).then_with(|| {
            let (mut left, mut right) = (self.digits(), other.digits());
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return Ordering::Equal,
                    (left, right) => match left.unwrap_or(b'0').cmp(&right.unwrap_or(b'0')) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    },
                }
            }
        })
    }
}

/// All digits in a row; `Chain` has no exact size and thus no `rposition`.
#[derive(Debug, Clone)]
struct Digits<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl Iterator for Digits<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let part = if self.whole.is_empty() { &mut self.fraction } else { &mut self.whole };
        let (&digit, rest) = part.split_first()?;
        *part = rest;
        Some(digit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.whole.len() + self.fraction.len();
        (length, Some(length))
    }
}

impl DoubleEndedIterator for Digits<'_> {
    fn next_back(&mut self) -> Option<u8> {
        let part = if self.fraction.is_empty() { &mut self.whole } else { &mut self.fraction };
        let (&digit, rest) = part.split_last()?;
        *part = rest;
        Some(digit)
    }
}

impl ExactSizeIterator for Digits<'_> {}

/// A number of few digits without an exponent: the common case, and the fast one. Its value is `digits ÷ 10^scale`.
#[derive(Debug, Clone, Copy)]
struct Small {
    digits: i64,
    scale: u32,
}

impl Small {
    /// With so many digits, neither they nor what they are multiplied with for a comparison overflow.
    const MAX_DIGITS: usize = 18;

    #[inline]
    fn parse(text: &str) -> Option<Small> {
        let (negative, rest) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        if rest.is_empty() || rest.len() > Small::MAX_DIGITS {
            return None;
        }
        let (mut digits, mut scale, mut fraction) = (0, 0, false);
        for &byte in rest {
            match byte {
                b'0'..=b'9' => {
                    digits = digits * 10 + i64::from(byte - b'0');
                    scale += u32::from(fraction);
                }
                b'.' if !fraction => fraction = true,
                _ => return None,
            }
        }
        Some(Small { digits: if negative { -digits } else { digits }, scale })
    }

    #[inline]
    fn compare(&self, other: &Small) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        let scaled = |number: &Small, by: &Small| i128::from(number.digits) * 10_i128.pow(by.scale);
        scaled(self, other).cmp(&scaled(other, self))
    }
}

fn without_leading_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn parse_exponent(text: &[u8]) -> i128 {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let value = digits.iter().fold(0_i128, |value, digit| {
        (value * 10 + i128::from(digit.saturating_sub(b'0').min(9))).min(MAX_EXPONENT)
    });
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_are_equal() {
        for group in [
            &["1", "1.0", "1.000", "10e-1", "0.1e1", "0.01E+2", "1e0"][..],
            &["0", "-0", "0.000", "0e999999999999999999999999999999999999999999", "-0.0e-5"],
            &["-120", "-1.2e2", "-12e1", "-1200e-1", "-120.000"],
            &["12.5", "12.50", "12.500000000000000", "12.5000000000000000", "125e-1"],
            &["0.00000000000000001", "0.0000000000000000100", "1e-17"],
            &["1e999999999999", "10e999999999998", "0.1e1000000000000"],
        ] {
            for left in group {
                for right in group {
                    assert_eq!(compare(left, right), Ordering::Equal, "{left} {right}");
                }
            }
        }
    }

    #[test]
    fn values_are_ordered() {
        let ascending = [
            "-1e999999999999999999999999999999999999999",
            "-1e400",
            "-9007199254740993",
            "-9007199254740992",
            "-1.5",
            "-1.4999999999999999",
            "-1",
            "-1e-400",
            "0",
            "1e-999999999999",
            "0.1",
            "0.10000000000000000000000000000000001",
            "8.9999999999999999",
            "9",
            "9.0000000000000001",
            "9.01",
            "9.1",
            "10",
            "18446744073709551616",
            "18446744073709551617",
            "1e400",
            "1e999999999999",
            "2e999999999999",
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                assert_eq!(compare(left, right), i.cmp(&j), "{left} {right}");
            }
        }
    }

    #[test]
    fn integers_are_recognised_by_value() {
        for text in ["0", "-7", "1.0", "1e3", "12.50e2", "10e-1", "0.0e-9", "1e999999999999", "1e400"] {
            assert!(is_integer(text), "{text}");
        }
        for text in ["0.5", "1e-1", "1.01e1", "12.345e2", "1e-999999999999999999999999999999999999"] {
            assert!(!is_integer(text), "{text}");
        }
    }

    #[test]
    fn texts_that_are_not_numbers_do_not_panic() {
        for text in ["", "-", "e", ".", "1e", "--1", "1.2.3", "é"] {
            compare(text, "1");
            compare("1", text);
            is_integer(text);
        }
    }
}
