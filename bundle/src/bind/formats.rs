//! The string formats that argument binding enforces.
//!
//! Strict where a wrong value cannot work (dates, addresses), lenient where the true grammar is a
//! matter of dispute (email, URI): a call refused by mistake is worse than one that an upstream refuses.

use crate::wire_enums::ValueFormat;
use std::net::{Ipv4Addr, Ipv6Addr};

pub fn matches(format: ValueFormat, text: &str) -> bool {
    match format {
        ValueFormat::Date => is_date(text.as_bytes()),
        ValueFormat::DateTime => is_date_time(text.as_bytes()),
        ValueFormat::Time => is_time(text.as_bytes()),
        ValueFormat::Uuid => is_uuid(text.as_bytes()),
        ValueFormat::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        ValueFormat::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        ValueFormat::Email => is_email(text),
        ValueFormat::Uri => is_uri(text),
    }
}

/// What a value of the format looks like, for messages.
pub const fn example(format: ValueFormat) -> &'static str {
    match format {
        ValueFormat::Date => "2024-02-29",
        ValueFormat::DateTime => "2024-02-29T12:30:00Z",
        ValueFormat::Time => "12:30:00Z",
        ValueFormat::Uuid => "123e4567-e89b-12d3-a456-426614174000",
        ValueFormat::Ipv4 => "192.0.2.1",
        ValueFormat::Ipv6 => "2001:db8::1",
        ValueFormat::Email => "someone@example.com",
        ValueFormat::Uri => "https://example.com/",
    }
}

fn is_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return false };
    let (Some(year), Some(month), Some(day)) =
        (number(&[*y1, *y2, *y3, *y4]), number(&[*m1, *m2]), number(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &[u8]) -> bool {
    match text.split_at_checked(10) {
        Some((date, [b'T' | b't', time @ ..])) => is_date(date) && is_time(time),
        _ => false,
    }
}

/// RFC 3339 `full-time`; a leap second only where UTC has one.
fn is_time(text: &[u8]) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else { return false };
    let (Some(hour), Some(minute), Some(second)) =
        (number(&[*h1, *h2]), number(&[*m1, *m2]), number(&[*s1, *s2]))
    else {
        return false;
    };
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            fraction.get(digits..).unwrap_or_default()
        }
        zone => zone,
    };
    let Some(offset) = zone_minutes(zone) else { return false };
    let utc = (hour * 60 + minute - offset).rem_euclid(24 * 60);
    hour < 24 && minute < 60 && (second < 60 || second == 60 && utc == 24 * 60 - 1)
}

fn zone_minutes(text: &[u8]) -> Option<i32> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hour, minute) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            let minutes = hour * 60 + minute;
            (hour < 24 && minute < 60).then_some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

const UUID: &[u8; 36] = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

fn is_uuid(text: &[u8]) -> bool {
    let Ok(text) = <&[u8; 36]>::try_from(text) else { return false };
    // All bytes are looked at, whatever the first are: without a way out in the middle, that is a few vector instructions.
    let wrong = text.iter().zip(UUID).fold(0, |wrong, (byte, model)| {
        wrong
            | u8::from((*byte == b'-') != (*model == b'-'))
            | u8::from(!byte.is_ascii_hexdigit() && *byte != b'-')
    });
    wrong == 0
}

fn is_email(text: &str) -> bool {
    match text.split_once('@') {
        Some((local, domain)) => {
            !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !has_space_or_control(text)
        }
        None => false,
    }
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut scheme = scheme.bytes();
    scheme.next().is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && !has_space_or_control(rest)
}

fn has_space_or_control(text: &str) -> bool {
    text.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn number(digits: &[u8]) -> Option<i32> {
    digits
        .iter()
        .try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i32::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_format(format: ValueFormat, good: &[&str], bad: &[&str]) {
        assert!(matches(format, example(format)), "{format}");
        for text in good {
            assert!(matches(format, text), "{format} {text:?}");
        }
        for text in bad {
            assert!(!matches(format, text), "{format} {text:?}");
        }
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        assert_format(
            ValueFormat::Date,
            &["2000-02-29", "2024-12-31", "0000-01-01"],
            &[
                "1900-02-29",
                "2023-02-29",
                "2024-04-31",
                "2024-13-01",
                "2024-00-10",
                "2024-01-00",
                "2024-1-1",
                "",
                "2024-01-01T",
                "２024-01-01",
            ],
        );
    }

    #[test]
    fn times_have_a_zone() {
        assert_format(
            ValueFormat::Time,
            &["00:00:00z", "23:59:59.123456+23:59", "23:59:60Z", "01:29:60+01:30", "22:59:60-01:00"],
            &[
                "12:00:00",
                "24:00:00Z",
                "12:60:00Z",
                "12:00:61Z",
                "12:00:60Z",
                "12:00:00.Z",
                "12:00:00+24:00",
                "12:00:00+1:00",
                "12:00Z",
            ],
        );
        assert_format(
            ValueFormat::DateTime,
            &["2024-02-29t12:30:00.5-08:00"],
            &[
                "2024-02-29 12:30:00Z",
                "2023-02-29T12:30:00Z",
                "2024-02-29T12:30:00",
                "2024-02-29",
                "é024-02-29T12:30:00Z",
            ],
        );
    }

    #[test]
    fn identifiers_and_addresses_are_complete() {
        assert_format(
            ValueFormat::Uuid,
            &["123E4567-E89B-12D3-A456-426614174000"],
            &[
                "123e4567e89b12d3a456426614174000",
                "123e4567-e89b-12d3-a456-42661417400g",
                "{123e4567-e89b-12d3-a456-426614174000}",
            ],
        );
        assert_format(ValueFormat::Ipv4, &["0.0.0.0"], &["1.2.3", "256.1.1.1", "1.2.3.4/8", "01.2.3.4"]);
        assert_format(ValueFormat::Ipv6, &["::", "::ffff:1.2.3.4"], &["1.2.3.4", "[::1]", "::1%eth0", ":::"]);
    }

    #[test]
    fn emails_and_uris_are_only_looked_over() {
        assert_format(
            ValueFormat::Email,
            &["a@b", "ü.x+y@exämple.org"],
            &["", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "ab"],
        );
        assert_format(
            ValueFormat::Uri,
            &["urn:isbn:1", "a+b-c.1:x", "mailto:x@y"],
            &["", "example.com/x", "1a:x", "http:", "http://a b", "http://a\n", ":x"],
        );
    }
}
