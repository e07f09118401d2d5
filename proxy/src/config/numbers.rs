//! The keys of `edge.toml` that are numbers: each is one row that says its range and where it goes.

use super::problem::Problem;
use crate::settings::Settings;
use std::ops::Range;
use std::time::Duration;

/// A number of [`Settings`].
#[derive(Debug)]
pub struct Number {
    pub table: &'static str,
    pub name: &'static str,
    pub unit: Unit,
    pub least: u64,
    pub most: u64,
    pub doc: &'static str,
    pub get: fn(&Settings) -> u64,
    pub set: fn(&mut Settings, u64),
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `"64KiB"`
    Bytes,
    /// `32`
    Count,
    /// `75`, under a name that ends in `_seconds`
    Seconds,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const DAY: u64 = 24 * 60 * 60;
/// Nesting that the JSON scanner can follow.
const DEPTH: u64 = mcp_bundle::json::MAX_DEPTH as u64;

/// A row; `$path` is the field of [`Settings`].
macro_rules! number {
    ($table:literal, $name:literal, Seconds, $least:expr, $most:expr, $doc:literal, $($path:ident).+) => {
        Number {
            table: $table, name: $name, unit: Unit::Seconds, least: $least, most: $most, doc: $doc,
            get: |settings| settings.$($path).+.as_secs(),
            set: |settings, value| settings.$($path).+ = Duration::from_secs(value),
        }
    };
    ($table:literal, $name:literal, $unit:ident, $least:expr, $most:expr, $doc:literal, $($path:ident).+ $(, $($more:ident).+)*) => {
        Number {
            table: $table, name: $name, unit: Unit::$unit, least: $least, most: $most, doc: $doc,
            get: |settings| settings.$($path).+ as u64,
            set: |settings, value| {
                settings.$($path).+ = value as _;
                $(settings.$($more).+ = value as _;)*
            },
        }
    };
}

#[rustfmt::skip]
pub const NUMBERS: &[Number] = &[
    number!("limits", "request_body", Bytes, KIB, 256 * MIB, "the body of a client's request", limits.request_body),
    number!("limits", "json_depth", Count, 8, DEPTH, "nesting of a client's request", limits.json_depth),
    number!("limits", "batch", Count, 1, 1000, "requests in a batch", limits.batch),
    number!("limits", "response_body", Bytes, KIB, GIB, "an upstream's answer, decompressed; the most that a tool's `max_response_bytes` can ask for", limits.response_body),
    number!("limits", "connections", Count, 1, 1_000_000, "connections of clients at once; one more is closed unanswered", limits.connections),
    number!("limits", "calls_in_flight", Count, 1, 1_000_000, "calls that wait for an upstream at once", limits.calls_in_flight),
    number!("limits", "streams", Count, 0, 1_000_000, "event streams that are open at once", limits.streams),
    number!("limits", "arguments", Count, 1, 10_000, "arguments of a call", limits.bind.arguments),
    number!("limits", "arguments_depth", Count, 1, DEPTH, "nesting of the arguments", limits.bind.depth),
    number!("limits", "path_value", Bytes, 1, MIB, "one argument in a path", limits.bind.path_value),
    number!("limits", "header_value", Bytes, 1, MIB, "one header of the upstream's request", limits.bind.header_value),
    number!("limits", "target", Bytes, 256, MIB, "path and query of the upstream's request", limits.bind.target),
    number!("limits", "upstream_body", Bytes, 1, 256 * MIB, "the body of the upstream's request", limits.bind.body),
    number!("limits", "result_text", Bytes, KIB, 256 * MIB, "the text of a result; a tool's `max_text_bytes` can only lower it", limits.shape.text),
    number!("limits", "answer_depth", Count, 1, DEPTH, "nesting of an upstream's answer", limits.shape.depth),
    number!("limits", "template_steps", Count, 1000, 1_000_000_000, "work of one template", limits.shape.template.steps, limits.bind.template.steps),
    number!("limits", "template_iterations", Count, 1, 100_000_000, "rounds of all loops of one template", limits.shape.template.iterations, limits.bind.template.iterations),
    number!("limits", "template_output", Bytes, KIB, 256 * MIB, "what one template writes", limits.shape.template.output, limits.bind.template.output),
    number!("limits", "template_values", Count, 1000, 100_000_000, "values of an answer that one template keeps", limits.shape.template.values, limits.bind.template.values),
    number!("limits", "template_text", Bytes, KIB, GIB, "text that one template computes and keeps", limits.shape.template.text, limits.bind.template.text),
    number!("limits", "template_depth", Count, 1, DEPTH, "nesting of the data of a template", limits.shape.template.depth, limits.bind.template.depth),
    number!("timeouts", "idle_seconds", Seconds, 1, DAY, "a client's connection without a request", timeouts.idle),
    number!("timeouts", "body_seconds", Seconds, 1, DAY, "from a request's head to the end of its body", timeouts.body),
    number!("timeouts", "write_seconds", Seconds, 1, DAY, "each write of an answer", timeouts.write),
    number!("timeouts", "keep_alive_seconds", Seconds, 1, 3600, "silence on an event stream before a comment is sent", timeouts.keep_alive),
    number!("timeouts", "grace_seconds", Seconds, 0, 3600, "what calls in flight get when the process is asked to stop", timeouts.grace),
    number!("pool", "idle_connections", Count, 0, 100_000, "idle connections that are kept, for each upstream and thread", pool.idle_connections),
    number!("pool", "idle_seconds", Seconds, 1, DAY, "how long an idle connection is kept", pool.idle),
    number!("pool", "dns_seconds", Seconds, 0, DAY, "how long the addresses of a name are used", pool.dns),
    number!("list", "page", Count, 1, 1_000_000, "tools on a page of `tools/list`", list.page),
    number!("list", "ttl_seconds", Seconds, 0, DAY, "how long clients may use a list without asking again", list.ttl),
];

impl Number {
    /// Reads the value as it stands in the file.
    pub fn read(&self, value: &toml::de::DeValue<'_>, span: Range<usize>) -> Result<u64, Problem> {
        let number = read(self.unit, value).map_err(|message| {
            Problem::new(span.clone(), format!("`{}` {message}", self.name)).help(self.example())
        })?;
        in_range(self.name, self.unit, number, self.least, self.most)
            .map_err(|message| Problem::new(span, message))?;
        Ok(number)
    }

    fn example(&self) -> String {
        format!("write `{} = {}`", self.name, write(self.unit, (self.get)(&Settings::default())))
    }
}

/// `Err` is the end of a sentence that begins with the key's name.
pub fn read(unit: Unit, value: &toml::de::DeValue<'_>) -> Result<u64, String> {
    let integer = value.as_integer().map(|integer| i64::from_str_radix(integer.as_str(), integer.radix()));
    match (unit, integer, value.as_str()) {
        (Unit::Bytes, _, Some(text)) => parse_bytes(text)
            .ok_or_else(|| format!("is no size: `{text}`; the units are `B`, `KiB`, `MiB` and `GiB`")),
        (Unit::Bytes, Some(_), _) => Err("needs a unit: `B`, `KiB`, `MiB` or `GiB`".to_owned()),
        (Unit::Bytes, _, _) => Err("must be a size".to_owned()),
        (Unit::Seconds, Some(Ok(number)), _) if number < 0 => Err("cannot be negative".to_owned()),
        (Unit::Count, Some(Ok(number)), _) if number < 0 => Err("cannot be negative".to_owned()),
        (_, Some(Ok(number)), _) => Ok(number.unsigned_abs()),
        (_, Some(Err(_)), _) => Err("is too large".to_owned()),
        (Unit::Seconds, _, _) => Err("must be a whole number of seconds".to_owned()),
        (Unit::Count, _, _) => Err("must be a whole number".to_owned()),
    }
}

pub fn in_range(name: &str, unit: Unit, number: u64, least: u64, most: u64) -> Result<(), String> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let (least, most) = (write(unit, least), write(unit, most));
    Err(format!("`{name}` must be at least `{least}` and at most `{most}`"))
}

/// As it is written in the file.
pub fn write(unit: Unit, number: u64) -> String {
    if unit != Unit::Bytes {
        return number.to_string();
    }
    let units = [(GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")];
    let fitting = units.iter().find(|(size, _)| number >= *size && number.is_multiple_of(*size));
    match fitting {
        Some((size, name)) => format!("\"{}{name}\"", number / size),
        None => format!("\"{number}B\""),
    }
}

fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let size = match unit.trim_start_matches(' ') {
        "B" => 1,
        "KiB" => KIB,
        "MiB" => MIB,
        "GiB" => GIB,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_bytes("64KiB"), Some(64 << 10));
        assert_eq!(parse_bytes("1 MiB"), Some(1 << 20));
        assert_eq!(parse_bytes("7B"), Some(7));
        for wrong in ["", "1", "MiB", "1mb", "1MB", "-1B", "1.5MiB", "99999999999GiB", "１KiB"] {
            assert_eq!(parse_bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_default_is_in_its_range_and_is_read_as_it_is_written() {
        for number in NUMBERS {
            let default = (number.get)(&Settings::default());
            assert_eq!(in_range(number.name, number.unit, default, number.least, number.most), Ok(()));
            if number.unit == Unit::Bytes {
                let text = write(number.unit, default);
                assert_eq!(parse_bytes(text.trim_matches('"')), Some(default), "{text}");
            }
        }
    }

    #[test]
    fn every_number_goes_where_it_is_read_from() {
        for number in NUMBERS {
            let mut settings = Settings::default();
            (number.set)(&mut settings, number.most);
            assert_eq!((number.get)(&settings), number.most, "{}", number.name);
        }
    }
}
