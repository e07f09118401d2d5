//! Maps a range of a decoded TOML string back to the characters of its literal.

use std::ops::Range;

/// The range inside `raw` (a literal with its quotes) that decoded to `decoded`.
///
/// `None` if `raw` is not a string literal or the range does not fit it.
pub fn locate(raw: &str, decoded: Range<usize>) -> Option<Range<usize>> {
    let mut walker = Walker::new(raw)?;
    let mut out = 0;
    let mut start = None;
    loop {
        if start.is_none() && out >= decoded.start {
            start = Some(walker.at);
        }
        if let (Some(start), true) = (start, out >= decoded.end) {
            // An empty range still underlines something: the character at its place.
            return Some(start..walker.at);
        }
        out += walker.step()?;
    }
}

/// Steps over a literal, one decoded character at a time.
struct Walker<'a> {
    raw: &'a str,
    at: usize,
    end: usize,
    escapes: bool,
    multi_line: bool,
}

impl<'a> Walker<'a> {
    fn new(raw: &'a str) -> Option<Walker<'a>> {
        let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let triple = match quote {
            '"' => "\"\"\"",
            _ => "'''",
        };
        let multi_line = raw.len() >= 6 && raw.starts_with(triple) && raw.ends_with(triple);
        let width = if multi_line { 3 } else { 1 };
        let end = raw.len().checked_sub(width).filter(|end| *end >= width)?;
        let mut at = width;
        if multi_line {
            // A newline right after the opening quotes is not part of the string.
            let rest = raw.get(at..end)?;
            at += if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        }
        let mut walker = Walker { raw, at, end, escapes: quote == '"', multi_line };
        walker.skip_continuations();
        Some(walker)
    }

    /// Steps over one decoded character and returns how many bytes it decodes to.
    fn step(&mut self) -> Option<usize> {
        let c = self.raw.get(self.at..self.end)?.chars().next()?;
        let decoded = if c == '\\' && self.escapes {
            let (consumed, decoded) = escape(self.raw.get(self.at..self.end)?)?;
            self.at += consumed;
            decoded
        } else if self.raw.get(self.at..self.end).is_some_and(|rest| rest.starts_with("\r\n")) {
            // Read as one line end, whatever the file's are.
            self.at += 2;
            1
        } else {
            self.at += c.len_utf8();
            c.len_utf8()
        };
        self.skip_continuations();
        Some(decoded)
    }

    /// A backslash at a line's end takes the line break and all following whitespace with it.
    fn skip_continuations(&mut self) {
        if !(self.multi_line && self.escapes) {
            return;
        }
        while let Some(after) = self.raw.get(self.at..self.end).and_then(|r| r.strip_prefix('\\')) {
            let trimmed = after.trim_start_matches([' ', '\t', '\r', '\n']);
            let skipped = after.len() - trimmed.len();
            if !after.get(..skipped).is_some_and(|s| s.contains('\n')) {
                return;
            }
            self.at += 1 + skipped;
        }
    }
}

/// Length of an escape sequence and of the character it stands for.
fn escape(text: &str) -> Option<(usize, usize)> {
    let hex = |digits: usize| {
        let code = u32::from_str_radix(text.get(2..2 + digits)?, 16).ok()?;
        Some((2 + digits, char::from_u32(code)?.len_utf8()))
    };
    match text.as_bytes().get(1)? {
        b'x' => hex(2),
        b'u' => hex(4),
        b'U' => hex(8),
        _ => Some((2, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(raw: &str, decoded: Range<usize>) -> Option<&str> {
        locate(raw, decoded).and_then(|range| raw.get(range))
    }

    #[test]
    fn plain_strings_shift_by_the_quote() {
        assert_eq!(found(r#""/users/{id}""#, 7..11), Some("{id}"));
        assert_eq!(found("'/users/{id}'", 7..11), Some("{id}"));
    }

    #[test]
    fn escapes_count_as_what_they_decode_to() {
        assert_eq!(found(r#""\t\u00e9{id}""#, 3..7), Some("{id}"));
        assert_eq!(found(r#""\t\u00e9{id}""#, 1..3), Some(r"\u00e9"));
        assert_eq!(found(r"'\t{id}'", 2..6), Some("{id}"), "no escapes in literal strings");
    }

    #[test]
    fn multi_line_strings_drop_the_first_newline() {
        assert_eq!(found("\"\"\"\nab{c}\"\"\"", 2..5), Some("{c}"));
        assert_eq!(found("'''\r\nab{c}'''", 2..5), Some("{c}"));
    }

    #[test]
    fn a_line_end_is_one_character() {
        assert_eq!(found("\"\"\"a\r\nb{c}\"\"\"", 3..6), Some("{c}"));
    }

    #[test]
    fn line_continuations_vanish() {
        assert_eq!(found("\"\"\"ab\\\n   {c}\"\"\"", 2..5), Some("{c}"));
        assert_eq!(found("\"\"\"\\\n  {c}\"\"\"", 0..3), Some("{c}"));
    }

    #[test]
    fn an_invalid_literal_has_no_inside() {
        assert_eq!(locate("42", 0..1), None);
        assert_eq!(locate("", 0..0), None);
        assert_eq!(locate("\"", 0..0), None);
        assert_eq!(locate("\"ab\"", 1..9), None);
    }
}
