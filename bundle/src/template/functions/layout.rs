//! Go's layouts of times: the reference time `Mon Jan 2 15:04:05 MST 2006`, written as the result shall look.

use super::super::error::Fault;
use super::call::push;
use jiff::Zoned;
use std::fmt::Write;

/// A part of a layout that stands for a part of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    LongMonth,
    Month,
    NumberMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    SpaceDay,
    ZeroDay,
    SpaceYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperNoon,
    LowerNoon,
    ZoneName,
    Offset { z: bool, colon: bool, minutes: bool, seconds: bool },
    Fraction { separator: char, digits: usize, trim: bool },
}

/// Longer ones before those that they begin with.
const ITEMS: &[(&str, Item)] = &[
    ("January", Item::LongMonth),
    ("Jan", Item::Month),
    ("Monday", Item::LongWeekday),
    ("Mon", Item::Weekday),
    ("MST", Item::ZoneName),
    ("01", Item::ZeroMonth),
    ("02", Item::ZeroDay),
    ("03", Item::ZeroHour12),
    ("04", Item::ZeroMinute),
    ("05", Item::ZeroSecond),
    ("06", Item::Year),
    ("002", Item::ZeroYearDay),
    ("15", Item::Hour),
    ("1", Item::NumberMonth),
    ("2006", Item::LongYear),
    ("2", Item::Day),
    ("_2", Item::SpaceDay),
    ("__2", Item::SpaceYearDay),
    ("3", Item::Hour12),
    ("4", Item::Minute),
    ("5", Item::Second),
    ("PM", Item::UpperNoon),
    ("pm", Item::LowerNoon),
    ("-070000", Item::Offset { z: false, colon: false, minutes: true, seconds: true }),
    ("-07:00:00", Item::Offset { z: false, colon: true, minutes: true, seconds: true }),
    ("-0700", Item::Offset { z: false, colon: false, minutes: true, seconds: false }),
    ("-07:00", Item::Offset { z: false, colon: true, minutes: true, seconds: false }),
    ("-07", Item::Offset { z: false, colon: false, minutes: false, seconds: false }),
    ("Z070000", Item::Offset { z: true, colon: false, minutes: true, seconds: true }),
    ("Z07:00:00", Item::Offset { z: true, colon: true, minutes: true, seconds: true }),
    ("Z0700", Item::Offset { z: true, colon: false, minutes: true, seconds: false }),
    ("Z07:00", Item::Offset { z: true, colon: true, minutes: true, seconds: false }),
    ("Z07", Item::Offset { z: true, colon: false, minutes: false, seconds: false }),
];

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Appends a time in a layout.
pub(super) fn write(layout: &str, time: &Zoned, out: &mut String) -> Result<(), Fault> {
    let mut rest = layout;
    let mut part = String::new();
    while let Some(first) = rest.chars().next() {
        if let Some((item, after)) = item(rest) {
            part.clear();
            write_item(item, time, &mut part);
            push(out, &part)?;
            rest = after;
        } else {
            let (character, after) = rest.split_at_checked(first.len_utf8()).unwrap_or((rest, ""));
            push(out, character)?;
            rest = after;
        }
    }
    Ok(())
}

/// The item that a text begins with, and what follows it.
pub(super) fn item(text: &str) -> Option<(Item, &str)> {
    if text.starts_with(['.', ',']) {
        return fraction(text);
    }
    // The `_` is a character by itself.
    if text.starts_with("_2006") {
        return None;
    }
    ITEMS.iter().find_map(|&(word, item)| {
        let rest = text.strip_prefix(word)?;
        // `Janet` is not a month and an `et`.
        let is_cut =
            matches!(item, Item::Month | Item::Weekday) && rest.starts_with(|c: char| c.is_ascii_lowercase());
        (!is_cut).then_some((item, rest))
    })
}

/// A fraction of a second is a row of either zeros or nines, which no other digit follows.
fn fraction(text: &str) -> Option<(Item, &str)> {
    let mut characters = text.chars();
    let separator = characters.next()?;
    let after = characters.as_str();
    let digit = characters.next().filter(|digit| matches!(digit, '0' | '9'))?;
    let rest = after.trim_start_matches(digit);
    if rest.starts_with(|character: char| character.is_ascii_digit()) {
        return None;
    }
    let digits = after.len() - rest.len();
    Some((Item::Fraction { separator, digits, trim: digit == '9' }, rest))
}

fn write_item(item: Item, time: &Zoned, out: &mut String) {
    let month = MONTHS.get(time.month().unsigned_abs() as usize - 1).copied().unwrap_or_default();
    let day =
        DAYS.get(time.weekday().to_monday_zero_offset().unsigned_abs() as usize).copied().unwrap_or_default();
    let hour12 = (time.hour() + 11) % 12 + 1;
    let noon = time.hour() >= 12;
    // Writing to a `String` cannot fail.
    let _ = match item {
        Item::LongMonth => write!(out, "{month}"),
        Item::Month => write!(out, "{month:.3}"),
        Item::NumberMonth => write!(out, "{}", time.month()),
        Item::ZeroMonth => write!(out, "{:02}", time.month()),
        Item::LongWeekday => write!(out, "{day}"),
        Item::Weekday => write!(out, "{day:.3}"),
        Item::Day => write!(out, "{}", time.day()),
        Item::SpaceDay => write!(out, "{:2}", time.day()),
        Item::ZeroDay => write!(out, "{:02}", time.day()),
        Item::SpaceYearDay => write!(out, "{:3}", time.day_of_year()),
        Item::ZeroYearDay => write!(out, "{:03}", time.day_of_year()),
        Item::Hour => write!(out, "{:02}", time.hour()),
        Item::Hour12 => write!(out, "{hour12}"),
        Item::ZeroHour12 => write!(out, "{hour12:02}"),
        Item::Minute => write!(out, "{}", time.minute()),
        Item::ZeroMinute => write!(out, "{:02}", time.minute()),
        Item::Second => write!(out, "{}", time.second()),
        Item::ZeroSecond => write!(out, "{:02}", time.second()),
        Item::LongYear if time.year() < 0 => write!(out, "-{:04}", time.year().unsigned_abs()),
        Item::LongYear => write!(out, "{:04}", time.year()),
        Item::Year => write!(out, "{:02}", time.year().unsigned_abs() % 100),
        Item::UpperNoon => out.write_str(if noon { "PM" } else { "AM" }),
        Item::LowerNoon => out.write_str(if noon { "pm" } else { "am" }),
        Item::ZoneName => out.write_str(time.time_zone().to_offset_info(time.timestamp()).abbreviation()),
        Item::Offset { z: true, .. } if time.offset().seconds() == 0 => out.write_str("Z"),
        Item::Offset { colon, minutes, seconds, .. } => {
            let offset = time.offset().seconds();
            let sign = if offset < 0 { '-' } else { '+' };
            let (offset, colon) = (offset.unsigned_abs(), if colon { ":" } else { "" });
            let mut result = write!(out, "{sign}{:02}", offset / 3600);
            if minutes {
                result = result.and_then(|()| write!(out, "{colon}{:02}", offset / 60 % 60));
            }
            if seconds {
                result = result.and_then(|()| write!(out, "{colon}{:02}", offset % 60));
            }
            result
        }
        Item::Fraction { separator, digits, trim } => {
            let nanoseconds = format!("{:09}", time.subsec_nanosecond());
            let shown = nanoseconds.get(..digits.min(9)).unwrap_or_default();
            match if trim { shown.trim_end_matches('0') } else { shown } {
                "" => Ok(()),
                shown => write!(out, "{separator}{shown}"),
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(layout: &str, time: &str) -> String {
        let mut out = String::new();
        write(layout, &time.parse().unwrap(), &mut out).unwrap();
        out
    }

    #[test]
    fn layouts_are_gos() {
        let morning = "2009-02-04T05:06:07.089012-08:00[America/Los_Angeles]";
        let noon = "2026-11-16T12:30:00.12Z[UTC]";
        let midnight = "0033-12-01T00:00:00+05:30[+05:30]";
        for (text, time, expected) in [
            ("Mon Jan _2 15:04:05 2006", morning, "Wed Feb  4 05:06:07 2009"),
            ("Mon Jan _2 15:04:05 MST 2006", morning, "Wed Feb  4 05:06:07 PST 2009"),
            ("Mon Jan 02 15:04:05 -0700 2006", morning, "Wed Feb 04 05:06:07 -0800 2009"),
            ("02 Jan 06 15:04 MST", morning, "04 Feb 09 05:06 PST"),
            ("Monday, 02-Jan-06 15:04:05 MST", morning, "Wednesday, 04-Feb-09 05:06:07 PST"),
            ("2006-01-02T15:04:05Z07:00", morning, "2009-02-04T05:06:07-08:00"),
            ("2006-01-02T15:04:05.999999999Z07:00", morning, "2009-02-04T05:06:07.089012-08:00"),
            ("3:04PM", morning, "5:06AM"),
            ("03:04pm", noon, "12:30pm"),
            ("3PM", midnight, "12AM"),
            ("January 2, 2006", morning, "February 4, 2009"),
            ("1/2/06 4.5", morning, "2/4/09 6.7"),
            ("002|__2", morning, "035| 35"),
            ("2006 06", midnight, "0033 33"),
            (".000 .999 ,000000 .0000000000", noon, ".120 .12 ,120000 .120000000"),
            (".00 .99 .999", "2026-11-16T12:30:00.000000001Z[UTC]", ".00  "),
            (".001 .9992006", noon, ".011 .9992026"),
            ("-07 -0700 -07:00 -070000 -07:00:00", midnight, "+05 +0530 +05:30 +053000 +05:30:00"),
            ("Z07 Z0700 Z07:00 Z070000 Z07:00:00", midnight, "+05 +0530 +05:30 +053000 +05:30:00"),
            ("Z07 Z0700 Z07:00 -0700 MST", noon, "Z Z Z +0000 UTC"),
            ("Janet Monster Month_2006 _Januaryé", noon, "Janet Monster Month_2026 _Novemberé"),
            ("", noon, ""),
        ] {
            assert_eq!(layout(text, time), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_layout_panics(
            text in "([a-zé .,:_Z+-]|Jan|January|Mon|MST|PM|pm|[0-9]{1,4}|Z?-?07(:?00){0,2}|[.,](0|9){1,12})*",
            second in -377_705_023_201_i64..253_402_207_200,
            zone in prop_oneof![Just("UTC"), Just("Asia/Kathmandu"), Just("America/St_Johns")],
        ) {
            let time = jiff::Timestamp::from_second(second).unwrap().in_tz(zone).unwrap();
            write(&text, &time, &mut String::new()).unwrap();
        }
    }
}
