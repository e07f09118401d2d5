//! Text that is not TOML: what the parser found, in words that name the mistake.

use super::Reading;
use crate::diagnostic::{Applicability, Diagnostic, Edit};
use crate::source::Span;
use crate::toml_tree::{self, TomlTable, Value};
use std::ops::Range;

/// Quotes that word processors write in place of `"` and `'`.
const TYPOGRAPHIC_QUOTES: &[char] = &['“', '”', '„', '‟', '‘', '’', '‚', '‛', '«', '»', '″', '′'];

/// A file with more syntax errors is not TOML at all, and nobody reads them.
const MAX_ERRORS: usize = 20;

impl<'d> Reading<'d> {
    /// Parses the text. `None` if it is not TOML: then only that is reported, because whatever else
    /// could be said about the file may follow from it.
    pub fn parse(&mut self) -> Option<TomlTable<'d>> {
        let (table, errors) = toml_tree::read(self.text);
        if errors.is_empty() {
            return Some(table);
        }
        if let Some(other) = other_language(self.text) {
            let message = format!("this is {other}, not TOML");
            let rule = self.language.rules.syntax;
            let diagnostic = Diagnostic::of(rule, Span::whole_file(self.file), message);
            self.report(diagnostic.help(self.language.how_to_begin));
            return None;
        }
        let mut errors: Vec<(Range<usize>, String)> = errors
            .iter()
            .map(|error| {
                let message = error.message().lines().collect::<Vec<_>>().join("; ");
                (error.span().unwrap_or(0..0), message)
            })
            .collect();
        errors.sort_by_key(|(range, _)| range.start);
        let mut reported = 0;
        // The line of the error before, and whether the next line's errors may follow from it.
        let mut last: Option<(usize, bool)> = None;
        let mut lines = Lines::new(self.text);
        for (range, message) in errors {
            let number = lines.number(range.start);
            match last {
                // One mistake on a line makes the rest of the line unreadable.
                Some((line, _)) if line == number => continue,
                Some((line, true)) if line + 1 == number => {
                    last = Some((number, true));
                    continue;
                }
                _ => {}
            }
            reported += 1;
            if reported > MAX_ERRORS {
                break;
            }
            let (diagnostic, runs_on) = self.explain(range, &message, &table);
            self.report(diagnostic);
            last = Some((number, runs_on));
        }
        None
    }

    /// The diagnostic for a parser's error, and whether it makes the following lines unreadable too.
    fn explain(&self, range: Range<usize>, message: &str, table: &TomlTable<'_>) -> (Diagnostic, bool) {
        let text = self.text;
        let rule = self.language.rules.syntax;
        let of = |range: Range<usize>, message: String| Diagnostic::of(rule, self.span(range), message);
        if let Some(quoted) = typographic_quotes(text, range.start) {
            let (open, inner, close) = quoted;
            let message = "typographic quotes around a string".to_owned();
            let mut diagnostic = of(open.start..close.as_ref().map_or(open.end, |close| close.end), message)
                .note("TOML strings are written between `\"` or `'`")
                .help("use plain quotes");
            if let Some(close) = close.filter(|_| !inner.contains(['"', '\\'])) {
                diagnostic = diagnostic.replace(self.span(open.start..close.end), format!("\"{inner}\""));
            }
            return (diagnostic, false);
        }
        if (message.contains("escape") || message.contains("unicode"))
            && let Some(diagnostic) = self.bad_escape(range.clone())
        {
            return (diagnostic, false);
        }
        if message.starts_with("duplicate key") {
            let name = text.get(range.clone()).unwrap_or_default();
            let mut diagnostic = of(range.clone(), format!("duplicate key `{name}`"));
            if let Some(first) = first_definition(text, &range, table) {
                diagnostic = diagnostic.related(self.span(first), "first defined here");
            }
            return (diagnostic.help("keep one of the two"), false);
        }
        if message.starts_with("invalid basic string") || message.starts_with("invalid literal string") {
            let first = text.get(range.clone()).and_then(|text| text.chars().next());
            if let Some(control) = first.filter(|c| c.is_control() && !matches!(c, '\r' | '\n')) {
                let code = format!("{:04X}", u32::from(control));
                let message = format!("a string cannot contain the control character U+{code}");
                return (of(range, message).help(format!("write it as `\\u{code}`")), false);
            }
            let quote = if message.contains("basic") { "\"" } else { "'" };
            let start = text.get(..range.start).and_then(|before| before.rfind(quote));
            let start = start.unwrap_or(range.start);
            let end = line_end(text, start);
            let diagnostic = of(start..end, format!("this string has no closing `{quote}` on its line"))
                .help(format!(
                    "close it with `{quote}`, or write text of several lines between `{}`",
                    quote.repeat(3)
                ));
            return (diagnostic, true);
        }
        if message.starts_with("invalid unquoted key") && text.get(range.clone()) == Some(":") {
            let diagnostic = of(range.clone(), "a key and its value are separated by `=`, not `:`".into())
                .help("write `=`");
            let before = text.get(..range.start).unwrap_or_default();
            let space = if before.ends_with([' ', '\t']) { "" } else { " " };
            return (diagnostic.replace(self.span(range), format!("{space}=")), false);
        }
        if message.starts_with("key with no value") {
            let message = "expected `=` and a value after this key".to_owned();
            return (of(key_before(text, range.start).unwrap_or(range), message), false);
        }
        if message.starts_with("string values must be quoted") || message.starts_with("invalid boolean") {
            let word = text.get(range.clone()).unwrap_or_default();
            if word.trim().is_empty() {
                let message = "expected a value after `=`".to_owned();
                return (of(equals_before(text, range.start).unwrap_or(range), message), false);
            }
            let lower = word.to_ascii_lowercase();
            let diagnostic = of(range.clone(), format!("`{word}` is not a TOML value"));
            let diagnostic = match lower.as_str() {
                "true" | "false" => {
                    diagnostic.help(format!("write `{lower}`")).replace(self.span(range), lower.clone())
                }
                "null" | "nil" | "none" => diagnostic.help("TOML has no null: remove the key"),
                _ if word.contains(['"', '\'', '\\']) => diagnostic.help("write strings between quotes"),
                _ => {
                    let edit = Edit { span: self.span(range), text: format!("\"{word}\"") };
                    let diagnostic = diagnostic.help("write strings between quotes");
                    diagnostic.fix(Applicability::DisplayOnly, vec![edit])
                }
            };
            return (diagnostic, false);
        }
        (of(range, message.to_owned()), false)
    }

    /// A backslash in a basic string that starts no escape, as in `"C:\Users"`.
    fn bad_escape(&self, range: Range<usize>) -> Option<Diagnostic> {
        let text = self.text;
        let start = line_start(text, range.start);
        let until = text.get(start..line_end(text, range.start))?.to_owned();
        // The parser points at the backslash, or at what follows it.
        let near = until.get(..(range.start - start + 1).min(until.len())).unwrap_or(&until);
        let at = near.rfind('\\')?;
        let escape: String = until.get(at..)?.chars().take(2).collect();
        let message = format!("`{escape}` is not a valid escape in this string");
        let span = self.span(start + at..start + at + escape.len());
        let diagnostic = Diagnostic::of(self.language.rules.syntax, span, message)
            .note("in a string between double quotes, a backslash starts an escape");
        let open = until.get(..at)?.rfind('"');
        let close = until.get(at..)?.find('"').map(|close| at + close);
        let literal = open.zip(close).and_then(|(open, close)| {
            let inner = until.get(open + 1..close)?;
            let triple = until.get(..=open)?.ends_with("\"\"\"");
            (!triple && !inner.is_empty() && !inner.contains('\''))
                .then(|| (open..close + 1, format!("'{inner}'")))
        });
        Some(match literal {
            Some((place, literal)) => {
                let help = format!("write `{literal}` with single quotes, or double each backslash: `\\\\`");
                let span = self.span(start + place.start..start + place.end);
                let edits = vec![Edit { span, text: literal }];
                diagnostic.help(help).fix(Applicability::DisplayOnly, edits)
            }
            None => diagnostic.help("use single quotes instead, or double each backslash: `\\\\`"),
        })
    }
}

/// Counts lines while places only move forward.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        Lines { text, at: 0, line: 0 }
    }

    fn number(&mut self, offset: usize) -> usize {
        let passed = self.text.as_bytes().get(self.at..offset).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at = self.at.max(offset);
        self.line
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    offset + line.trim_end_matches('\r').len()
}

/// The opening quote, what is between the quotes, and the closing quote.
type Quoted<'t> = (Range<usize>, &'t str, Option<Range<usize>>);

/// A string between typographic quotes that starts at or before a place of its line.
fn typographic_quotes(text: &str, at: usize) -> Option<Quoted<'_>> {
    let start = line_start(text, at);
    let end = line_end(text, at);
    let line = text.get(start..end)?;
    let (_, value) = line.split_once('=')?;
    let value_start = end - value.trim_start().len();
    let value = value.trim_start();
    let open = value.chars().next().filter(|c| TYPOGRAPHIC_QUOTES.contains(c))?;
    let rest = value.get(open.len_utf8()..)?;
    let opening = value_start..value_start + open.len_utf8();
    let closing = rest.rfind(TYPOGRAPHIC_QUOTES).and_then(|close| {
        let width = rest.get(close..)?.chars().next()?.len_utf8();
        let start = opening.end + close;
        // Something else may follow: then nobody knows where the string ends.
        let after = rest.get(close + width..)?.trim_start();
        (after.is_empty() || after.starts_with('#')).then_some((close, start..start + width))
    });
    Some(match closing {
        Some((length, closing)) => (opening, rest.get(..length)?, Some(closing)),
        None => (opening, rest, None),
    })
}

/// The last `=` before a place on the same line.
fn equals_before(text: &str, at: usize) -> Option<Range<usize>> {
    let start = line_start(text, at);
    let equals = start + text.get(start..at)?.rfind('=')?;
    Some(equals..equals + 1)
}

/// The key that ends before a place on the same line.
fn key_before(text: &str, at: usize) -> Option<Range<usize>> {
    let start = line_start(text, at);
    let line = text.get(start..line_end(text, at))?;
    let key = line.split_whitespace().next()?;
    let start = start + line.find(key)?;
    Some(start..start + key.len())
}

/// Where a key that is defined twice was defined first.
fn first_definition(text: &str, second: &Range<usize>, table: &TomlTable<'_>) -> Option<Range<usize>> {
    let name = text.get(second.clone())?;
    let start = line_start(text, second.start);
    let line = text.get(start..line_end(text, second.start))?;
    let indent = line.len() - line.trim_start().len();
    if line.trim_start().starts_with('[') {
        // A header: the parser forgets the first, so it is searched for in the text.
        let header = line.trim();
        let mut offset = 0;
        for other in text.get(..start)?.split_inclusive('\n') {
            if other.trim() == header {
                let offset = offset + (other.len() - other.trim_start().len());
                return Some(offset..offset + header.len());
            }
            offset += other.len();
        }
        return None;
    }
    // Keys of one table follow each other, so the nearest one before is the first.
    let is_first = second.start == start + indent;
    let mut found = None;
    nearest_key(table, name, second.start, &mut |range: Range<usize>| {
        let begins_line =
            text.get(line_start(text, range.start)..range.start).is_some_and(|t| t.trim().is_empty());
        if begins_line == is_first
            && found.as_ref().is_none_or(|best: &Range<usize>| best.start < range.start)
        {
            found = Some(range);
        }
    });
    found
}

/// Calls `found` with every key of that spelling before a place.
fn nearest_key(table: &TomlTable<'_>, name: &str, before: usize, found: &mut dyn FnMut(Range<usize>)) {
    for (key, value) in table.iter() {
        if key.get_ref() == name && key.span().end <= before {
            found(key.span());
        }
        nearest_in_value(value.get_ref(), name, before, found);
    }
}

fn nearest_in_value(value: &Value<'_>, name: &str, before: usize, found: &mut dyn FnMut(Range<usize>)) {
    match value {
        Value::Table(table) => nearest_key(table, name, before, found),
        Value::Array(items) => {
            items.iter().for_each(|item| nearest_in_value(item.get_ref(), name, before, found));
        }
        _ => {}
    }
}

/// The language of a text that is plainly not TOML: its first line shows it.
fn other_language(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let line = text.lines().find(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty())?;
    let key = line.split(':').next().unwrap_or_default();
    let word = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if line.starts_with('{') {
        Some("JSON")
    } else if line.trim_end() == "---" || (line.contains(':') && word && !key.is_empty()) {
        Some("YAML")
    } else {
        None
    }
}
