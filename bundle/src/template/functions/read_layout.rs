//! Reads times by Go's layouts.

use super::layout::{DAYS, Item, MONTHS, item};
use jiff::Zoned;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

/// What a text says about a time, so far.
#[derive(Debug)]
struct Parts {
    year: i16,
    month: i8,
    day: i8,
    year_day: Option<i16>,
    hour: i8,
    is_afternoon: Option<bool>,
    minute: i8,
    second: i8,
    nanosecond: i32,
    offset: i32,
}

/// The time that a text gives in a layout; what the layout leaves out is the first of January of the year 0, at midnight
/// UTC, as in Go.
pub(super) fn read(layout: &str, text: &str) -> Result<Zoned, String> {
    let mut parts = Parts {
        year: 0,
        month: 1,
        day: 1,
        year_day: None,
        hour: 0,
        is_afternoon: None,
        minute: 0,
        second: 0,
        nanosecond: 0,
        offset: 0,
    };
    let (mut layout, mut text) = (layout, text);
    while let Some(first) = layout.chars().next() {
        if let Some((item, after)) = item(layout) {
            text = read_item(item, text, &mut parts).ok_or_else(|| missing(name_of(item), text))?;
            // A fraction may follow the seconds where the layout has none.
            if matches!(item, Item::Second | Item::ZeroSecond)
                && !matches!(super::layout::item(after), Some((Item::Fraction { .. }, _)))
                && let Some(rest) = read_fraction(text, &mut parts)
            {
                text = rest;
            }
            layout = after;
        } else if first == ' ' {
            layout = layout.trim_start_matches(' ');
            let rest = text.trim_start_matches(' ');
            if rest.len() == text.len() && !text.is_empty() {
                return Err(missing("a blank", text));
            }
            text = rest;
        } else {
            layout = layout.get(first.len_utf8()..).unwrap_or_default();
            text = text.strip_prefix(first).ok_or_else(|| missing(&format!("`{first}`"), text))?;
        }
    }
    if !text.is_empty() {
        return Err(missing("the end", text));
    }
    parts.time().ok_or_else(|| "there is no such day or time".to_owned())
}

fn missing(what: &str, text: &str) -> String {
    format!("expected {what} at \"{}\"", super::shortened(text))
}

impl Parts {
    fn time(self) -> Option<Zoned> {
        let mut date = Date::new(self.year, self.month, self.day).ok()?;
        if let Some(day) = self.year_day {
            date = Date::new(self.year, 1, 1).ok()?.with().day_of_year(day).build().ok()?;
        }
        let hour = match self.is_afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let time = Time::new(hour, self.minute, self.second, self.nanosecond).ok()?;
        let zone = match self.offset {
            0 => TimeZone::UTC,
            seconds => TimeZone::fixed(Offset::from_seconds(seconds).ok()?),
        };
        date.to_datetime(time).to_zoned(zone).ok()
    }
}

/// Reads one item, and gives what follows it.
fn read_item<'t>(item: Item, text: &'t str, parts: &mut Parts) -> Option<&'t str> {
    let rest;
    match item {
        Item::LongYear => (parts.year, rest) = digits(text, 4, 4)?,
        Item::Year => {
            let year: i16;
            (year, rest) = digits(text, 2, 2)?;
            // Go's century begins in 1969.
            parts.year = if year >= 69 { 1900 + year } else { 2000 + year };
        }
        Item::LongMonth | Item::Month => {
            let number: usize;
            (number, rest) = word(text, &MONTHS, item == Item::Month)?;
            parts.month = i8::try_from(number + 1).ok()?;
        }
        Item::NumberMonth => (parts.month, rest) = digits(text, 1, 2)?,
        Item::ZeroMonth => (parts.month, rest) = digits(text, 2, 2)?,
        Item::LongWeekday => (_, rest) = word(text, &DAYS, false)?,
        Item::Weekday => (_, rest) = word(text, &DAYS, true)?,
        Item::Day | Item::SpaceDay => (parts.day, rest) = digits(text.trim_start_matches(' '), 1, 2)?,
        Item::ZeroDay => (parts.day, rest) = digits(text, 2, 2)?,
        Item::SpaceYearDay => {
            let day: i16;
            (day, rest) = digits(text.trim_start_matches(' '), 1, 3)?;
            parts.year_day = Some(day);
        }
        Item::ZeroYearDay => {
            let day: i16;
            (day, rest) = digits(text, 3, 3)?;
            parts.year_day = Some(day);
        }
        Item::Hour => (parts.hour, rest) = digits(text, 1, 2)?,
        Item::Hour12 => (parts.hour, rest) = digits(text, 1, 2).filter(|(hour, _)| *hour <= 12)?,
        Item::ZeroHour12 => (parts.hour, rest) = digits(text, 2, 2).filter(|(hour, _)| *hour <= 12)?,
        Item::Minute => (parts.minute, rest) = digits(text, 1, 2)?,
        Item::ZeroMinute => (parts.minute, rest) = digits(text, 2, 2)?,
        Item::Second => (parts.second, rest) = digits(text, 1, 2)?,
        Item::ZeroSecond => (parts.second, rest) = digits(text, 2, 2)?,
        Item::UpperNoon | Item::LowerNoon => {
            let (noon, after) = text.split_at_checked(2)?;
            let (morning, afternoon) = if item == Item::UpperNoon { ("AM", "PM") } else { ("am", "pm") };
            parts.is_afternoon = Some(noon == afternoon);
            if noon != morning && noon != afternoon {
                return None;
            }
            rest = after;
        }
        // Other names stand for several zones.
        Item::ZoneName => rest = text.strip_prefix("UTC").or_else(|| text.strip_prefix("GMT"))?,
        Item::Offset { z: true, .. } if text.starts_with('Z') => rest = text.strip_prefix('Z')?,
        Item::Offset { colon, minutes, seconds, .. } => {
            rest = read_offset(text, colon, [minutes, seconds], parts)?;
        }
        Item::Fraction { digits: count, trim: false, .. } => {
            let before = text.len();
            rest = read_fraction(text, parts)?;
            if before - rest.len() != count + 1 {
                return None;
            }
        }
        Item::Fraction { .. } => rest = read_fraction(text, parts).unwrap_or(text),
    }
    Some(rest)
}

/// A number of so many digits, as many as there are.
fn digits<T: std::str::FromStr>(text: &str, least: usize, most: usize) -> Option<(T, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(count)?;
    if count < least { None } else { Some((number.parse().ok()?, rest)) }
}

/// The place of the word that a text begins with, in capitals or not.
fn word<'t>(text: &'t str, words: &[&str], is_short: bool) -> Option<(usize, &'t str)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let word = if is_short { word.get(..3)? } else { word };
        let (found, rest) = text.split_at_checked(word.len())?;
        found.eq_ignore_ascii_case(word).then_some((at, rest))
    })
}

fn read_offset<'t>(text: &'t str, colon: bool, more: [bool; 2], parts: &mut Parts) -> Option<&'t str> {
    let (sign, text) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, mut rest): (i32, _) = digits(text, 2, 2)?;
    let mut seconds = hours * 3600;
    for (is_there, factor) in more.into_iter().zip([60, 1]) {
        if is_there {
            let part: i32;
            (part, rest) = digits(if colon { rest.strip_prefix(':')? } else { rest }, 2, 2)?;
            seconds += part * factor;
        }
    }
    parts.offset = sign * seconds;
    Some(rest)
}

fn read_fraction<'t>(text: &'t str, parts: &mut Parts) -> Option<&'t str> {
    let fraction = text.strip_prefix(['.', ','])?;
    let rest = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = fraction.get(..fraction.len() - rest.len())?;
    if digits.is_empty() {
        return None;
    }
    parts.nanosecond = format!("{:0<9.9}", digits).parse().ok()?;
    Some(rest)
}

fn name_of(item: Item) -> &'static str {
    match item {
        Item::LongYear | Item::Year => "a year",
        Item::LongMonth | Item::Month | Item::NumberMonth | Item::ZeroMonth => "a month",
        Item::LongWeekday | Item::Weekday => "a day of the week",
        Item::Day | Item::SpaceDay | Item::ZeroDay | Item::SpaceYearDay | Item::ZeroYearDay => "a day",
        Item::Hour | Item::Hour12 | Item::ZeroHour12 => "an hour",
        Item::Minute | Item::ZeroMinute => "a minute",
        Item::Second | Item::ZeroSecond => "a second",
        Item::UpperNoon | Item::LowerNoon => "`AM` or `PM`, in the layout's case",
        Item::ZoneName => "the zone `UTC` or `GMT`",
        Item::Offset { .. } => "an offset from UTC",
        Item::Fraction { .. } => "a fraction of a second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_as_by_go() {
        for (layout, text, expected) in [
            ("2006-01-02", "2017-12-31", "2017-12-31T00:00:00+00:00[UTC]"),
            ("2006-01-02 15:04:05", "2017-12-31 23:59:58", "2017-12-31T23:59:58+00:00[UTC]"),
            ("2006-01-02T15:04:05Z07:00", "2017-12-31T23:59:58.25Z", "2017-12-31T23:59:58.25+00:00[UTC]"),
            ("2006-01-02T15:04:05Z07:00", "2017-12-31T23:59:58-03:30", "2017-12-31T23:59:58-03:30[-03:30]"),
            (
                "Mon, 02 Jan 2006 15:04:05 MST",
                "Sun, 31 dec 2017 23:59:58 GMT",
                "2017-12-31T23:59:58+00:00[UTC]",
            ),
            ("January 2, 2006 3:04 PM", "December  1, 2017 12:30 AM", "2017-12-01T00:30:00+00:00[UTC]"),
            ("1/2/06 3:4pm", "7/4/69 1:2pm", "1969-07-04T13:02:00+00:00[UTC]"),
            ("06 002", "68 366", "2068-12-31T00:00:00+00:00[UTC]"),
            ("15:04:05.000", "01:02:03.004", "0000-01-01T01:02:03.004+00:00[UTC]"),
            ("15:04:05.999", "01:02:03", "0000-01-01T01:02:03+00:00[UTC]"),
            ("_2 Jan 2006", " 3 Feb 2020", "2020-02-03T00:00:00+00:00[UTC]"),
        ] {
            assert_eq!(
                read(layout, text).map(|time| time.to_string()).as_deref(),
                Ok(expected),
                "{layout} {text}"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (layout, text, expected) in [
            ("2006-01-02", "2017/12/31", "expected `-` at \"/12/31\""),
            ("2006-01-02", "2017-12-31T", "expected the end at \"T\""),
            ("2006-01-02", "2017-02-30", "there is no such day or time"),
            ("15:04", "25:00", "there is no such day or time"),
            ("Jan 2", "Foo 2", "expected a month at \"Foo 2\""),
            ("MST", "CST", "expected the zone `UTC` or `GMT` at \"CST\""),
            ("3 PM", "1 pm", "expected `AM` or `PM`, in the layout's case at \"pm\""),
        ] {
            assert_eq!(read(layout, text).map(drop).unwrap_err(), expected, "{layout} {text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            second in -62_000_000_000_i64..253_000_000_000,
            layout in prop::sample::select(&[
                "2006-01-02T15:04:05Z07:00", "Mon, _2 Jan 2006 03:04:05 PM -0700", "January 2 2006, 15:4:5 -07:00",
                "2006 __2 15h04m05s Z0700",
            ][..]),
        ) {
            let time = jiff::Timestamp::from_second(second).unwrap().to_zoned(TimeZone::UTC);
            let mut text = String::new();
            super::super::layout::write(layout, &time, &mut text).unwrap();
            prop_assert_eq!(read(layout, &text).map(|time| time.timestamp().as_second()), Ok(second), "{}", text);
        }

        #[test]
        fn no_layout_or_text_panics(
            layout in "([a-z :-]|Jan|Mon|MST|PM|2006|0?[1-6]|15|[.](0|9){1,10}|-07(:?00)?){0,6}",
            text in "[0-9A-Za-z :.,é+-]{0,20}",
        ) {
            let _ = read(&layout, &text);
        }
    }
}
