//! Times. In a program a time is a text in the form of RFC 3339, or a number of seconds since 1970.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::call::{FunctionCall, describe, shortened};
use super::{Ambient, Answer, Function, layout, read_layout};
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

const RFC_3339: &str = "2006-01-02T15:04:05.999Z07:00";

pub(super) fn now(call: &FunctionCall<'_>, ambient: &Ambient, out: &mut String) -> Result<Answer, Fault> {
    let now = Timestamp::from_millisecond(ambient.now_ms)
        .map_err(|_| call.fault("the clock is not set to any time there is"))?;
    layout::write(RFC_3339, &now.to_zoned(TimeZone::UTC), out)?;
    Ok(Answer::Text)
}

/// A time in a layout, in the zone that is named or UTC.
pub(super) fn date(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let zone = match call.function {
        Function::DateInZone => zone(call, &call.text(2)?)?,
        _ => TimeZone::UTC,
    };
    let time = Zoned::new(moment(call, call.value(1))?, zone);
    layout::write(&call.text(0)?, &time, out)?;
    Ok(Answer::Text)
}

/// Sprig takes whatever it cannot read for the present. Here that is an error: a wrong date looks like a right one.
fn moment(call: &FunctionCall<'_>, value: Value) -> Result<Timestamp, Fault> {
    let text = call.printed(value);
    match call.kind(value) {
        ValueKind::Number => of_seconds(&text).ok_or_else(|| {
            call.fault(format_args!("{} is out of range for a time in seconds since 1970", shortened(&text)))
        }),
        ValueKind::String => of_text(&text).ok_or_else(|| {
            call.fault(format_args!("\"{}\" is not a time that it can read", shortened(&text)))
        }),
        kind => Err(call.fault(format_args!("it needs a time, not {}", describe(kind)))),
    }
}

/// A text read by a layout, as a time of its own. Sprig takes what it cannot read for the year 1.
pub(super) fn to_date(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (layout, text) = (call.text(0)?, call.text(1)?);
    let time = read_layout::read(&layout, &text).map_err(|why| {
        call.fault(format_args!("\"{}\" is not a time in this layout: {why}", shortened(&text)))
    })?;
    layout::write(RFC_3339, &time, out)?;
    Ok(Answer::Text)
}

/// The seconds since 1970.
pub(super) fn unix_epoch(call: &FunctionCall<'_>) -> Result<Value, Fault> {
    Ok(Value::Int(moment(call, call.value(0))?.as_millisecond().div_euclid(1000)))
}

fn of_seconds(text: &str) -> Option<Timestamp> {
    if let Some(seconds) = super::math::whole(text) {
        return Timestamp::from_second(seconds).ok();
    }
    // A float has not the digits for more than microseconds; what is out of range stays so.
    let seconds: f64 = text.parse().ok()?;
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
}

/// RFC 3339, also without a zone or without a time, which then is UTC and midnight; or what HTTP and mail headers have.
fn of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = |text: &str| text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse()
        .ok()
        .or_else(|| civil(text).map(|time| time.timestamp()))
        .or_else(|| rfc2822::DateTimeParser::new().parse_timestamp(text).ok())
}

fn zone(call: &FunctionCall<'_>, name: &str) -> Result<TimeZone, Fault> {
    // Where a program runs must not change what it prints, so the local zone is the same everywhere.
    if matches!(name, "" | "Local") {
        return Ok(TimeZone::UTC);
    }
    let zone = offset(name).map(TimeZone::fixed).or_else(|| TimeZone::get(name).ok());
    zone.ok_or_else(|| call.fault(format_args!("there is no time zone \"{}\"", shortened(name))))
}

/// `+02:00`, `+0200` or `+02`.
fn offset(name: &str) -> Option<Offset> {
    let (sign, rest) = match name.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits = rest.replacen(':', "", 1);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match (digits.len(), rest.len()) {
        (2, 2) => (digits.parse::<i32>().ok()?, 0),
        (4, 4) => (digits.get(..2)?.parse().ok()?, digits.get(2..)?.parse().ok()?),
        (4, 5) => (rest.get(..2)?.parse().ok()?, rest.get(3..)?.parse().ok()?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then(|| Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok())?
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use crate::template::Function;
    use proptest::prelude::*;

    #[test]
    fn times_are_written() {
        assert_eq!(go(Function::Now, &[]).as_deref(), Ok("2026-11-16T09:01:51.12Z"));
        for (layout, time, expected) in [
            ("2006-01-02", "\"2026-01-01\"", "2026-01-01"),
            ("2006", "\"2020-05-05\"", "2020"),
            ("2006-01-02 15:04", "\"2026-01-01T10:00\"", "2026-01-01 10:00"),
            ("2006-01-02 15:04", "\"2026-01-01 10:00:00\"", "2026-01-01 10:00"),
            ("2006-01-02 15:04", "\"2026-01-01T10:00:00+02:00\"", "2026-01-01 08:00"),
            ("02 Jan 2006 15:04:05", "\"Sun, 06 Nov 1994 08:49:37 GMT\"", "06 Nov 1994 08:49:37"),
            ("2006-01-02T15:04:05Z07:00", "1577836800", "2020-01-01T00:00:00Z"),
            ("2006-01-02T15:04:05.999", "1577836800.25", "2020-01-01T00:00:00.25"),
            ("15:04:05", "-1", "23:59:59"),
            ("15:04:05.000", "1.5e0", "00:00:01.500"),
        ] {
            let layout = format!("\"{layout}\"");
            assert_eq!(go(Function::Date, &[&layout, time]).as_deref(), Ok(expected), "{layout} {time}");
        }
    }

    #[test]
    fn zones_are_known() {
        for (zone, expected) in [
            ("UTC", "12:00 UTC +0000"),
            ("Local", "12:00 UTC +0000"),
            ("", "12:00 UTC +0000"),
            ("Asia/Shanghai", "20:00 CST +0800"),
            ("America/New_York", "08:00 EDT -0400"),
            ("+05:30", "17:30 +05:30 +0530"),
            ("-0330", "08:30 -03:30 -0330"),
            ("+02", "14:00 +02 +0200"),
        ] {
            let zone = format!("\"{zone}\"");
            let arguments = ["\"15:04 MST -0700\"", "\"2026-07-01T12:00:00Z\"", &zone];
            assert_eq!(go(Function::DateInZone, &arguments).as_deref(), Ok(expected), "{zone}");
        }
        for zone in
            ["Mars/Olympus", "+2", "+25:00", "+02:60", "+0é", "+", "-12345", "+:0200", "../etc/passwd"]
        {
            let arguments = ["\"15:04\"", "0", &format!("\"{zone}\"")];
            let expected = format!("`dateInZone`: there is no time zone \"{zone}\"");
            assert_eq!(go(Function::DateInZone, &arguments).unwrap_err(), expected);
        }
    }

    #[test]
    fn an_invalid_time_is_an_error() {
        for (time, expected) in [
            ("\"soon\"", "`date`: \"soon\" is not a time that it can read"),
            ("\"2026-02-30\"", "`date`: \"2026-02-30\" is not a time that it can read"),
            ("absent", "`date`: it needs a time, not a missing value"),
            ("true", "`date`: it needs a time, not a boolean"),
            ("1577836800000", "`date`: 1577836800000 is out of range for a time in seconds since 1970"),
            ("1e400", "`date`: 1e400 is out of range for a time in seconds since 1970"),
        ] {
            assert_eq!(go(Function::Date, &["\"2006\"", time]).unwrap_err(), expected);
        }
    }

    #[test]
    fn times_are_read_and_counted() {
        assert_texts(&[
            (Function::ToDate, &["\"2006-01-02\"", "\"2017-12-31\""], "2017-12-31T00:00:00Z"),
            (
                Function::ToDate,
                &["\"02/Jan/2006:15:04:05 -0700\"", "\"31/Dec/2017:23:59:59 +0100\""],
                "2017-12-31T23:59:59+01:00",
            ),
            (Function::UnixEpoch, &["\"1970-01-02\""], "86400"),
            (Function::UnixEpoch, &["\"1969-12-31T23:59:59.5Z\""], "-1"),
            (Function::UnixEpoch, &["1577836800.75"], "1577836800"),
        ]);
        assert_eq!(
            go(Function::ToDate, &["\"2006-01-02\"", "\"soon\""]).unwrap_err(),
            "`toDate`: \"soon\" is not a time in this layout: expected a year at \"soon\""
        );
        assert!(go(Function::UnixEpoch, &["absent"]).is_err());
    }

    proptest! {
        #[test]
        fn no_time_or_zone_panics(
            time in "\"[0-9TZ:. +-]{0,30}\"|-?[1-9][0-9]{0,20}(\\.[0-9]{1,9})?(e[0-9]{1,3})?",
            zone in "[+-]?[0-9:]{0,6}|[A-Za-z/_]{0,12}",
        ) {
            let _ = go(Function::DateInZone, &["\"2006-01-02 15:04:05.999 MST\"", &time, &format!("\"{zone}\"")]);
        }
    }
}
