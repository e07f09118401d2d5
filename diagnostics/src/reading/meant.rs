//! The value that was meant where a number is written in the wrong form: `"2MB"`, `"30s"`, `1048576`.

use crate::size;
use crate::toml_tree::Value;

/// The size that was meant, as it must be written, and whether it is exactly what is written.
pub(super) struct Meant {
    pub(super) text: String,
    pub(super) is_exact: bool,
}

const UNITS: [(&[&str], u64); 4] = [
    (&["", "b", "byte", "bytes"], 1),
    (&["k", "kb", "kib"], 1 << 10),
    (&["m", "mb", "mib"], 1 << 20),
    (&["g", "gb", "gib"], 1 << 30),
];

const TIMES: [(&[&str], i64); 3] = [
    (&["", "s", "sec", "secs", "second", "seconds"], 1),
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hr", "hour", "hours"], 3600),
];

/// Sizes are binary here. `2MB` is close enough to `2MiB` to be suggested, but it is another number.
pub(super) fn size(value: &Value<'_>, min: u64, max: u64) -> Option<Meant> {
    let (bytes, is_exact) = match value {
        Value::Integer(integer) => (u64::try_from(integer.to_i64()?).ok()?, true),
        Value::String(text) => {
            let (number, unit) = split(text)?;
            let lower = unit.to_ascii_lowercase();
            let (_, size) = UNITS.iter().find(|(names, _)| names.contains(&lower.as_str()))?;
            (scaled(number, *size)?, lower.ends_with("ib") || *size == 1)
        }
        _ => return None,
    };
    (min..=max).contains(&bytes).then(|| Meant { text: format!("\"{}\"", size::write(bytes)), is_exact })
}

/// The integer that was meant. A key whose name ends in `_seconds` also understands other units of time.
pub(super) fn integer(name: &str, value: &Value<'_>, min: i64, max: i64) -> Option<i64> {
    let text = match value {
        Value::String(text) => text.as_ref(),
        Value::Float(text) => text.as_ref(),
        _ => return None,
    };
    let (number, unit) = split(text)?;
    let unit = unit.to_ascii_lowercase();
    let factor = match unit.as_str() {
        "" => 1,
        unit if name.ends_with("_seconds") => {
            TIMES.iter().find(|(names, _)| names.contains(&unit)).map(|(_, factor)| *factor)?
        }
        _ => return None,
    };
    let number = i64::try_from(scaled(number, u64::try_from(factor).ok()?)?).ok()?;
    (min..=max).contains(&number).then_some(number)
}

/// The number of seconds that a text means: `"500ms"` is `0.5`.
pub(super) fn seconds(text: &str, max: u32) -> Option<String> {
    let (number, unit) = split(text)?;
    let unit = unit.to_ascii_lowercase();
    let factor = match unit.as_str() {
        "ms" | "msec" | "millis" | "milliseconds" => 1,
        unit => {
            let (_, factor) = TIMES.iter().find(|(names, _)| names.contains(&unit))?;
            u64::try_from(*factor).ok()?.checked_mul(1000)?
        }
    };
    let millis = scaled(number, factor)?;
    if millis == 0 || millis > u64::from(max) * 1000 {
        return None;
    }
    let fraction = format!("{:03}", millis % 1000);
    Some(match fraction.trim_end_matches('0') {
        "" => (millis / 1000).to_string(),
        fraction => format!("{}.{fraction}", millis / 1000),
    })
}

/// A number and what follows it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number, unit.trim()))
}

/// `1.5` of 1024 is 1536. `None` if it is not a whole number.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((number.as_str(), ""));
    let fraction = fraction.trim_end_matches('0');
    let whole: u64 = whole.parse().ok()?;
    let whole = whole.checked_mul(unit)?;
    if fraction.is_empty() {
        return Some(whole);
    }
    let parts = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let product = fraction.parse::<u64>().ok()?.checked_mul(unit)?;
    product.is_multiple_of(parts).then(|| whole.checked_add(product / parts)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value<'_> {
        Value::String(text.into())
    }

    #[test]
    fn a_size_in_another_form_is_understood() {
        let size = |written: &str| size(&text(written), 1, 1 << 40).map(|meant| (meant.text, meant.is_exact));
        for (written, meant, is_exact) in [
            ("2MB", "\"2MiB\"", false),
            ("64k", "\"64KiB\"", false),
            ("1.5MiB", "\"1536KiB\"", true),
            ("1_048_576", "\"1MiB\"", true),
            ("10 mib", "\"10MiB\"", true),
            ("7 bytes", "\"7B\"", true),
        ] {
            assert_eq!(size(written), Some((meant.to_owned(), is_exact)), "{written}");
        }
        let nothing =
            ["", ".", "MB", "-1MB", "1.0001KiB", "2 parsecs", "99999999999999999999", "1.5", "9999999TB"];
        for written in nothing {
            assert_eq!(size(written), None, "{written}");
        }
        assert!(super::size(&text("2MB"), 1, 1 << 20).is_none(), "it would be too large");
    }

    #[test]
    fn fractions_of_seconds_are_understood() {
        for (written, meant) in
            [("500ms", "0.5"), ("30s", "30"), ("1.5", "1.5"), ("2 min", "120"), ("1 ms", "0.001")]
        {
            assert_eq!(seconds(written, 86_400).as_deref(), Some(meant), "{written}");
        }
        for written in ["", "ms", "0", "many", "-1s", "0.5ms", "25h"] {
            assert_eq!(seconds(written, 86_400), None, "{written}");
        }
    }

    #[test]
    fn a_time_in_another_form_is_understood() {
        let seconds = |written: &str| integer("idle_seconds", &text(written), 0, 86_400);
        for (written, meant) in [("30s", 30), ("30", 30), ("2 min", 120), ("1h", 3600), ("0.5m", 30)] {
            assert_eq!(seconds(written), Some(meant), "{written}");
        }
        for written in ["", "s", "many", "500ms", "-1", "0.5", "99h"] {
            assert_eq!(seconds(written), None, "{written}");
        }
        assert_eq!(integer("batch", &text("5"), 0, 10), Some(5));
        assert_eq!(integer("batch", &text("5s"), 0, 10), None);
        assert_eq!(integer("batch", &Value::Float("5.0".into()), 0, 10), Some(5));
    }
}
