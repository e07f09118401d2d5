//! JSON as a spec states it: members in the order written, numbers with their digits.
//!
//! `serde_json::Value` keeps neither (unless features that change the whole build are on), and what is
//! written here ends up in bundle bytes.

use mcp_bundle::json::decimal;
use mcp_bundle::json::{self, Kind, MAX_DEPTH, ScanError, ScanErrorKind, Scanner, Value};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    /// The text of a valid JSON number.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    pub range: Range<usize>,
    pub message: String,
}

impl Json {
    pub fn string(text: impl Into<String>) -> Json {
        Json::String(text.into())
    }

    /// Reads a JSON text; `None` if it is none, or nested deeper than any call may be.
    pub fn parse(text: &str) -> Option<Json> {
        Reader { scanner: Scanner::of_text(text, MAX_DEPTH), left: usize::MAX, takes_duplicates: true }
            .all()
            .ok()
    }

    /// Reads a JSON text that people write: says what is wrong with it and where. A member that is given
    /// twice is wrong too.
    pub fn read(text: &str) -> Result<Json, JsonError> {
        Json::read_at_most(usize::MAX, text)
    }

    /// Reads a JSON text of at most so many values.
    pub fn read_at_most(values: usize, text: &str) -> Result<Json, JsonError> {
        Reader { scanner: Scanner::of_text(text, MAX_DEPTH), left: values, takes_duplicates: false }.all()
    }

    /// Where the value that `steps` lead to is in a JSON text; the nearest one around it if they end early.
    pub fn locate(text: &str, steps: &[String]) -> Option<Range<usize>> {
        let mut value = Scanner::of_text(text, MAX_DEPTH).value().ok()?;
        for step in steps {
            let inner = match value.kind {
                Kind::Object => {
                    json::members(value).find(|(name, _)| name.is_text(step)).map(|(_, member)| member)
                }
                Kind::Array => step.parse().ok().and_then(|index| json::elements(value).nth(index)),
                _ => None,
            };
            let Some(inner) = inner else { break };
            value = inner;
        }
        Some(range_of(text, value.text))
    }

    /// The same value: numbers by their size, whatever their digits; objects whatever their order.
    pub fn same(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Number(a), Json::Number(b)) => decimal::compare(a, b) == Ordering::Equal,
            (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Json::Object(a), Json::Object(b)) => {
                let within = |a: &[(String, Json)], b: &Json| {
                    a.iter().all(|(key, value)| b.get(key).is_some_and(|other| value.same(other)))
                };
                a.len() == b.len() && within(a, other) && within(b, self)
            }
            _ => self == other,
        }
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_number(&self) -> Option<&str> {
        match self {
            Json::Number(text) => Some(text),
            _ => None,
        }
    }

    /// Its type for messages: `an array`.
    pub fn with_article(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::Array(_) | Json::Object(_))
    }

    /// The JSON Schema type of the value; a number without fraction is an `integer`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(text) if decimal::is_integer(text) => "integer",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    /// Compact JSON text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// JSON text with a line for each value.
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(0, &mut out);
        out
    }

    fn write_pretty(&self, depth: usize, out: &mut String) {
        let line = |depth: usize, out: &mut String| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match self {
            Json::Array(items) if !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    out.push(if i == 0 { '[' } else { ',' });
                    line(depth + 1, out);
                    item.write_pretty(depth + 1, out);
                }
                line(depth, out);
                out.push(']');
            }
            Json::Object(members) if !members.is_empty() => {
                for (i, (key, value)) in members.iter().enumerate() {
                    out.push(if i == 0 { '{' } else { ',' });
                    line(depth + 1, out);
                    write_string(key, out);
                    out.push_str(": ");
                    value.write_pretty(depth + 1, out);
                }
                line(depth, out);
                out.push('}');
            }
            _ => self.write(out),
        }
    }

    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Number(text) => out.push_str(text),
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_string(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Where a part of a text is in it.
fn range_of(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

/// Builds the tree in one pass.
struct Reader<'a> {
    scanner: Scanner<'a>,
    /// How many more values may come.
    left: usize,
    takes_duplicates: bool,
}

impl<'a> Reader<'a> {
    fn all(mut self) -> Result<Json, JsonError> {
        let value = self.value()?;
        match self.scanner.finish() {
            Ok(()) => Ok(value),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Recursion is bounded by the scanner's depth.
    fn value(&mut self) -> Result<Json, JsonError> {
        let text = |value: Value<'_>| value.unescaped(&mut String::new()).to_owned();
        let kind = self.scanner.peek().map_err(|error| self.error(error))?;
        let start = self.scanner.offset();
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| JsonError { range: start..start + 1, message: "too many values".to_owned() })?;
        if kind == Kind::Array {
            self.scanner.enter_array().map_err(|error| self.error(error))?;
            let mut items = Vec::new();
            while self.scanner.next_item().map_err(|error| self.error(error))? {
                items.push(self.value()?);
            }
            return Ok(Json::Array(items));
        }
        if kind == Kind::Object {
            self.scanner.enter_object().map_err(|error| self.error(error))?;
            let mut members = Vec::new();
            while let Some(key) = self.scanner.next_key().map_err(|error| self.error(error))? {
                members.push((text(key), self.value()?));
            }
            return match duplicate(&members) {
                Some(index) if !self.takes_duplicates => Err(self.duplicate(start, index)),
                _ => Ok(Json::Object(members)),
            };
        }
        let value = self.scanner.value().map_err(|error| self.error(error))?;
        Ok(match kind {
            Kind::Null => Json::Null,
            Kind::Boolean => Json::Bool(value.text == "true"),
            Kind::Number => Json::Number(value.text.to_owned()),
            _ => Json::String(text(value)),
        })
    }

    fn error(&self, error: ScanError) -> JsonError {
        let at = error.offset.min(self.scanner.text().len());
        let next = self.scanner.text().get(at..).and_then(|rest| rest.chars().next());
        let range = at..at + next.map_or(0, char::len_utf8);
        JsonError { range, message: problem(error.kind).to_owned() }
    }

    /// The error of a member of the object that began at `start` and has just ended.
    fn duplicate(&self, start: usize, index: usize) -> JsonError {
        let object = Value { kind: Kind::Object, text: self.scanner.since(start), escaped: false };
        let (range, name) = json::members(object).nth(index).map_or_else(Default::default, |(name, _)| {
            let range = range_of(self.scanner.text(), name.text);
            (range, name.unescaped(&mut String::new()).to_owned())
        });
        JsonError { range, message: format!("duplicate member `{name}`") }
    }
}

/// The second of two members with the same name.
pub fn duplicate<T>(members: &[(String, T)]) -> Option<usize> {
    const FEW: usize = 16;
    if members.len() <= FEW {
        return (1..members.len()).find(|index| {
            let (before, rest) = members.split_at(*index);
            rest.first().is_some_and(|(name, _)| before.iter().any(|(other, _)| other == name))
        });
    }
    let mut names = BTreeSet::new();
    members.iter().position(|(name, _)| !names.insert(name.as_str()))
}

fn problem(kind: ScanErrorKind) -> &'static str {
    match kind {
        ScanErrorKind::NotUtf8 => "it is not UTF-8",
        ScanErrorKind::UnexpectedEnd => "unexpected end",
        ScanErrorKind::ExpectedValue => "expected a value",
        ScanErrorKind::ExpectedKey => "expected a member name in quotes",
        ScanErrorKind::ExpectedColon => "expected `:`",
        ScanErrorKind::ExpectedCommaOrEnd => "expected `,` or the closing bracket",
        ScanErrorKind::InvalidNumber => "invalid number",
        ScanErrorKind::InvalidLiteral => "expected `true`, `false` or `null`",
        ScanErrorKind::InvalidEscape => "invalid escape in a string",
        ScanErrorKind::LoneSurrogate => "half of a surrogate pair",
        ScanErrorKind::ControlCharacter => "control character in a string",
        ScanErrorKind::TrailingText => "text after the end",
        ScanErrorKind::TooDeep => "nested too deeply",
    }
}

/// Writes a JSON string with its quotes.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Long texts rarely need an escape, so they are copied piece by piece.
    while let Some(at) = rest.bytes().position(|b| b < b' ' || b == b'"' || b == b'\\') {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = tail.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_order_and_digits() {
        let value = Json::Object(vec![
            ("z".into(), Json::Number("12345678901234567890".into())),
            ("a".into(), Json::Array(vec![Json::Null, Json::Bool(true), Json::string("q\"\u{1}\n")])),
        ]);
        assert_eq!(value.to_text(), r#"{"z":12345678901234567890,"a":[null,true,"q\"\u0001\n"]}"#);
    }

    #[test]
    fn a_text_is_read_with_order_and_digits() {
        let text = r#"{"z":12345678901234567890,"a":[null,true,"q\"\u0001\n"]}"#;
        assert_eq!(Json::parse(text).unwrap().to_text(), text);
        for bad in ["", "{", "1 2", "nul", "\u{feff}1"] {
            assert_eq!(Json::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn sameness_ignores_order_and_spelling() {
        let same = |a: &str, b: &str| Json::parse(a).unwrap().same(&Json::parse(b).unwrap());
        assert!(same(r#"{"a":1.50,"b":[]}"#, r#"{"b":[],"a":1.5}"#));
        assert!(same("10", "1e1") && same("[{}]", "[{ }]"));
        assert!(!same("[1,2]", "[2,1]") && !same("1", "\"1\"") && !same(r#"{"a":1}"#, r#"{"a":1,"b":2}"#));
    }

    #[test]
    fn pretty_text_has_a_line_for_each_value() {
        let text = Json::parse(r#"{"a":[1,{}],"b":{"c":null}}"#).unwrap().to_pretty();
        assert_eq!(text, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": null\n  }\n}");
    }

    #[test]
    fn a_number_without_fraction_is_an_integer() {
        assert_eq!(Json::Number("1.0".into()).type_name(), "integer");
        assert_eq!(Json::Number("1.5".into()).type_name(), "number");
    }
}
