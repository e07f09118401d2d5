//! Writes values as TOML.

use crate::language::json::Json;
use mcp_diagnostics::visible::{one_line, shown};
use std::fmt::Write;

/// How a string is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// On one line.
    Line,
    /// Between triple quotes, if it has several lines.
    Lines,
}

/// How to write the new value of a string that was written as `old`.
///
/// People chose the old form: one that spells its line breaks out keeps doing so.
pub fn style_after(old: &str, inline: bool) -> Style {
    let triple = old.starts_with("\"\"\"") || old.starts_with("'''");
    let spelt_out = !triple && old.contains("\\n");
    if triple || !(inline || spelt_out) { Style::Lines } else { Style::Line }
}

/// A string literal; `newline` is how the file ends its lines.
pub fn string(text: &str, style: Style, newline: &str) -> String {
    // A return inside a multi-line string would be taken for a part of the file's line ends.
    if style == Style::Lines && text.contains('\n') && !text.contains('\r') {
        return multi_line(text, newline);
    }
    let quoted = text.contains(['"', '\\']);
    if quoted && !text.contains('\'') && text.chars().all(|c| c != '\n' && is_plain(c)) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        write_escaped(c, &mut out);
    }
    out.push('"');
    out
}

/// A value on one line; `None` if TOML has none like it.
pub fn value(value: &Json) -> Option<String> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(value) => value.to_string(),
        Json::Number(text) => {
            // Other readers of the file need not take larger integers.
            let is_float = text.contains(['.', 'e', 'E']);
            if !is_float && text.parse::<i64>().is_err() {
                return None;
            }
            text.clone()
        }
        Json::String(text) => string(text, Style::Line, "\n"),
        Json::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(self::value).collect();
            format!("[{}]", items?.join(", "))
        }
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let twice = |i: usize, key: &String| members.iter().take(i).any(|(other, _)| other == key);
            if members.iter().enumerate().any(|(i, (key, _))| twice(i, key)) {
                return None;
            }
            let entry =
                |(name, value): &(String, Json)| Some(format!("{} = {}", key(name), self::value(value)?));
            format!("{{ {} }}", members.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
    })
}

/// A key of a table.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { string(name, Style::Line, "\n") }
}

fn multi_line(text: &str, newline: &str) -> String {
    let mut out = format!("\"\"\"{newline}");
    let mut quotes = 0;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek();
        quotes = if c == '"' { quotes + 1 } else { 0 };
        match c {
            '\n' => out.push_str(newline),
            // Three quotes would end the string, and so would one before its end.
            '"' if quotes % 3 == 0 || next.is_none() => out.push_str("\\\""),
            '"' => out.push('"'),
            // Editors take spaces away from the ends of lines.
            ' ' if next.is_none_or(|c| *c == '\n') => out.push_str("\\u0020"),
            c => write_escaped(c, &mut out),
        }
    }
    out.push_str("\"\"\"");
    out
}

fn write_escaped(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_plain(c) => out.push(c),
        // Writing to a string cannot fail.
        c if (c as u32) < 0x10000 => _ = write!(out, "\\u{:04X}", c as u32),
        c => _ = write!(out, "\\U{:08X}", c as u32),
    }
}

/// JSON as text in a literal string, with a line for each value.
pub fn json_text(json: &Json, newline: &str) -> String {
    let pretty = json.to_pretty();
    let mut text = String::with_capacity(pretty.len());
    for c in pretty.chars() {
        // Only strings of JSON hold these: line breaks between values aside, all its own text is plain.
        if c == '\'' || (c != '\n' && !is_plain(c)) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else if c == '\n' {
            text.push_str(newline);
        } else {
            text.push(c);
        }
    }
    format!("'''{newline}{text}'''")
}

/// A comment on a line of its own, in which nothing is hidden.
pub fn comment(text: &str) -> String {
    format!("# {}\n", one_line(text))
}

/// Neither a control nor an invisible character.
pub fn is_plain(c: char) -> bool {
    c != '\t' && shown(c) == c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::toml_to_json;
    use proptest::prelude::*;

    #[test]
    fn strings_are_written_as_people_would() {
        let line = |text| string(text, Style::Line, "\n");
        assert_eq!(line("plain é"), "\"plain é\"");
        assert_eq!(line("{\"a\":1}"), "'{\"a\":1}'");
        assert_eq!(line("it's \"x\""), r#""it's \"x\"""#);
        assert_eq!(line("a\nb\tc\u{1b}\u{202e}"), r#""a\nb\tc\u001B\u202E""#);
        let lines = |text| string(text, Style::Lines, "\n");
        assert_eq!(lines("one"), "\"one\"");
        assert_eq!(lines("a \nb\\ \"\"\" c\""), "\"\"\"\na\\u0020\nb\\\\ \"\"\\\" c\\\"\"\"\"");
        assert_eq!(lines("a\r\nb"), r#""a\r\nb""#);
        assert_eq!(string("a\nb", Style::Lines, "\r\n"), "\"\"\"\r\na\r\nb\"\"\"");
    }

    #[test]
    fn the_form_that_a_person_chose_stays() {
        assert_eq!(style_after("\"\"\"\nx\"\"\"", true), Style::Lines);
        assert_eq!(style_after("\"a\\nb\"", false), Style::Line);
        assert_eq!(style_after("\"a\"", false), Style::Lines);
        assert_eq!(style_after("'a'", true), Style::Line);
    }

    #[test]
    fn what_toml_lacks_is_not_written() {
        for text in ["null", "[null]", "{\"a\":null}", "123456789012345678901", "{\"a\":1,\"a\":2}"] {
            assert_eq!(value(&Json::parse(text).unwrap()), None, "{text}");
        }
    }

    #[test]
    fn no_text_of_json_ends_its_literal() {
        let hostile = Json::read(r#"{"a":"'''\n[[tool]]","b":"\u202e🦀\udb40\udc41","c'":{}}"#).unwrap();
        assert_eq!(
            json_text(&hostile, "\n"),
            "'''\n{\n  \"a\": \"\\u0027\\u0027\\u0027\\n[[tool]]\",\n  \"b\": \"\\u202e🦀\\udb40\\udc41\",\n  \"c\\u0027\": {}\n}'''"
        );
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(|n| Json::Number(n.to_string())),
            (any::<i32>(), any::<u16>()).prop_map(|(n, f)| Json::Number(format!("{n}.{f}"))),
            (any::<i32>(), -20..20_i32).prop_map(|(n, e)| Json::Number(format!("{n}e{e}"))),
            any::<String>().prop_map(Json::String),
        ];
        leaf.prop_recursive(3, 24, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn strings_come_back(
            text in "(?s)[ \"'\\\\\n\r\ta-c\u{0}\u{7f}\u{202e}é🦀]{0,24}",
            lines: bool,
            crlf: bool,
        ) {
            let style = if lines { Style::Lines } else { Style::Line };
            let newline = if crlf { "\r\n" } else { "\n" };
            let file = format!("a = {}{newline}", string(&text, style, newline));
            let read = toml_to_json(&file).unwrap_or_else(|| panic!("{file:?}"));
            prop_assert_eq!(read.get("a"), Some(&Json::String(text)), "{:?}", file);
        }

        #[test]
        fn json_texts_come_back(name in "(?s).{0,12}", text in "(?s)[ '\"\\\\\n\r\t\u{0}\u{7f}\u{202e}\u{e0041}a🦀é{$]{0,24}", crlf: bool) {
            let json = Json::Object(vec![(name, Json::Array(vec![Json::String(text)]))]);
            let newline = if crlf { "\r\n" } else { "\n" };
            let file = format!("a = {}{newline}", json_text(&json, newline));
            let read = toml_to_json(&file).unwrap_or_else(|| panic!("{file:?}"));
            let written = read.get("a").and_then(Json::as_str).unwrap();
            prop_assert_eq!(Json::read(written).unwrap(), json, "{:?}", file);
        }

        #[test]
        fn values_come_back(json in json()) {
            let file = format!("a = {}", value(&json).unwrap());
            let read = toml_to_json(&file).unwrap_or_else(|| panic!("{file:?}"));
            prop_assert_eq!(read.get("a"), Some(&json), "{}", file);
        }
    }
}
