//! The text inside JSON strings, and the space outside.

use super::special::plain_end;
use std::str::Chars;

/// What is allowed between tokens.
const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

/// Appends the characters of a string's validated text, without its quotes.
pub fn unescape(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut characters = Characters::new(escape);
        out.extend(characters.next());
        rest = characters.chars.as_str();
    }
    out.push_str(rest);
}

/// Appends a valid JSON text without the space between its tokens.
pub fn compact(text: &str, out: &mut String) {
    tokens(text).for_each(|tokens| out.push_str(tokens));
}

/// What is between the space in a valid JSON text: one or more whole tokens at a time.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(SPACE);
        let (tokens, after) = rest.split_at_checked(tokens_prefix(rest.as_bytes())).unwrap_or((rest, ""));
        rest = after;
        (!tokens.is_empty()).then_some(tokens)
    })
}

/// How many bytes there are before space that is not inside a string.
fn tokens_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at) {
            None | Some(b' ' | b'\n' | b'\r' | b'\t') => return at.min(bytes.len()),
            Some(b'"') => at = string_end(bytes, at + 1),
            Some(_) => at += 1,
        }
    }
}

/// The place after the quote that ends a string whose inside is at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            None | Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// The characters of a string's validated text, escapes resolved.
///
/// What cannot occur in a validated text comes out as U+FFFD rather than as a panic.
#[derive(Debug, Clone)]
pub(crate) struct Characters<'a> {
    chars: Chars<'a>,
}

impl<'a> Characters<'a> {
    pub(crate) fn new(raw: &'a str) -> Characters<'a> {
        Characters { chars: raw.chars() }
    }

    fn unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | self.chars.next()?.to_digit(16)?;
        }
        Some(unit)
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        // The other half, if it is there; a lone one leaves what follows alone.
        let mut ahead = self.clone();
        ahead.chars.next().filter(|&c| c == '\\')?;
        ahead.chars.next().filter(|&c| c == 'u')?;
        let second = ahead.unit()?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        *self = ahead;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + second)
    }
}

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let character = self.chars.next()?;
        if character != '\\' {
            return Some(character);
        }
        let resolved = match self.chars.next() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('u') => self.unicode(),
            other => other,
        };
        Some(resolved.unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(raw: &str) -> String {
        let mut out = String::new();
        unescape(raw, &mut out);
        out
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unescaped(r#"a\"\\\/\b\f\n\r\té"#), "a\"\\/\u{8}\u{c}\n\r\té");
        assert_eq!(unescaped(r"\u0041\u00e9\ud83d\ude00\u0000"), "Aé😀\0");
        assert_eq!(unescaped("plain"), "plain");
    }

    #[test]
    fn texts_that_were_never_validated_do_not_panic() {
        for raw in ["\\", "\\u", "\\u12", "\\ud800", "\\ud800\\u0041", "\\ud800\\uffff", "\\x"] {
            unescaped(raw);
        }
    }

    #[test]
    fn compacting_leaves_strings_alone() {
        let mut out = String::new();
        compact("{ \"a b\" :\n[ 1,\t\"\\\" \\\\\" , \" \" ] }", &mut out);
        assert_eq!(out, r#"{"a b":[1,"\" \\"," "]}"#);
        out.clear();
        compact(" \t\r\n", &mut out);
        assert_eq!(out, "");
        for text in ["\"", "\"\\", "\"\\é é", "é \"\n\" "] {
            compact(text, &mut out);
        }
    }
}
