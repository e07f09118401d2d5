//! Go's quoted strings.

use super::super::error::Fault;
use super::call::{push, push_char};

/// Appends a text as Go's `strconv.Quote` does; `ascii` escapes all that is not.
pub(super) fn quote(text: &str, ascii: bool, out: &mut String) -> Result<(), Fault> {
    push(out, "\"")?;
    for character in text.chars() {
        escape(character, '"', ascii, out)?;
    }
    push(out, "\"")
}

/// Appends one character as Go's `strconv.QuoteRune` does.
pub(super) fn quote_char(character: char, ascii: bool, out: &mut String) -> Result<(), Fault> {
    push(out, "'")?;
    escape(character, '\'', ascii, out)?;
    push(out, "'")
}

fn escape(character: char, quote: char, ascii: bool, out: &mut String) -> Result<(), Fault> {
    match character {
        '\u{7}' => push(out, "\\a"),
        '\u{8}' => push(out, "\\b"),
        '\u{c}' => push(out, "\\f"),
        '\n' => push(out, "\\n"),
        '\r' => push(out, "\\r"),
        '\t' => push(out, "\\t"),
        '\u{b}' => push(out, "\\v"),
        '\\' => push(out, "\\\\"),
        _ if character == quote => {
            push(out, "\\")?;
            push_char(out, character)
        }
        _ if (character.is_ascii() || !ascii) && is_printable(character) => push_char(out, character),
        '\0'..='\u{7f}' => push(out, &format!("\\x{:02x}", u32::from(character))),
        '\u{80}'..='\u{ffff}' => push(out, &format!("\\u{:04x}", u32::from(character))),
        _ => push(out, &format!("\\U{:08x}", u32::from(character))),
    }
}

/// Whether Go allows a text between backquotes.
pub(super) fn can_backquote(text: &str) -> bool {
    text.chars().all(|character| match character {
        '\t' => true,
        '`' | '\u{7f}' | '\u{feff}' => false,
        _ => character >= ' ',
    })
}

/// Whether a character is a letter, mark, number, sign or the space.
pub(super) fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    // What `escape_debug` leaves alone is just this, but for marks, which it escapes if they come first.
    let mut text = [b'a'; 5];
    let length = text.get_mut(1..).map(|rest| character.encode_utf8(rest).len()).unwrap_or_default();
    let text = text.get(..=length).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default();
    text.escape_debug().nth(1) == Some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_gos() {
        for (text, expected, ascii) in [
            ("a\"b\\", r#""a\"b\\""#, r#""a\"b\\""#),
            (
                "\0\u{7}\u{8}\u{c}\n\r\t\u{b}\u{1b}\u{7f}",
                r#""\x00\a\b\f\n\r\t\v\x1b\x7f""#,
                r#""\x00\a\b\f\n\r\t\v\x1b\x7f""#,
            ),
            ("hé\u{301}'", "\"hé\u{301}'\"", r#""h\u00e9\u0301'""#),
            ("\u{a0}\u{2028}\u{feff}", r#""\u00a0\u2028\ufeff""#, r#""\u00a0\u2028\ufeff""#),
            ("😀\u{10ffff}", "\"😀\\U0010ffff\"", r#""\U0001f600\U0010ffff""#),
        ] {
            for (ascii, expected) in [(false, expected), (true, ascii)] {
                let mut out = String::new();
                quote(text, ascii, &mut out).unwrap();
                assert_eq!(out, expected);
            }
        }
        let mut out = String::new();
        quote_char('\'', false, &mut out).unwrap();
        assert_eq!(out, r"'\''");
    }
}
