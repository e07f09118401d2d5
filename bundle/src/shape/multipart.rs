//! The parts of a `multipart/mixed` body, as RFC 2046 separates them.
//!
//! Bare line feeds are taken for line ends; beyond that nothing is guessed: a body without its last delimiter has been
//! cut somewhere.

use std::fmt;

const MAX_PARTS: usize = 64;
/// Bytes of the header fields of a part.
const MAX_HEAD: usize = 8 << 10;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub content_type: Option<&'a str>,
    pub location: Option<&'a str>,
    pub transfer_encoding: Option<&'a str>,
    pub body: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Malformed {
    Boundary,
    NoStart,
    NoEnd,
    NoParts,
    TooManyParts,
    LongHead(usize),
    Head(usize),
}

/// All parts of a body, in their order.
pub(super) fn parts<'a>(body: &'a [u8], boundary: Option<&str>) -> Result<Vec<Part<'a>>, Malformed> {
    let delimiter = format!("--{}", boundary.ok_or(Malformed::Boundary)?);
    let mut parts = Vec::new();
    let mut start = None;
    for at in memchr::memmem::find_iter(body, delimiter.as_bytes()) {
        let (before, after) = body.split_at_checked(at).unwrap_or_default();
        let after = after.get(delimiter.len()..).unwrap_or_default();
        if !(before.is_empty() || before.ends_with(b"\n")) {
            continue;
        }
        let Some(line) = DelimiterEnd::of(after) else { continue };
        if let Some(start) = start {
            if parts.len() == MAX_PARTS {
                return Err(Malformed::TooManyParts);
            }
            let raw = before.get(start..).unwrap_or_default();
            parts.push(part(without_line_end(raw), parts.len() + 1)?);
        }
        match line {
            DelimiterEnd::Close if parts.is_empty() => return Err(Malformed::NoParts),
            DelimiterEnd::Close => return Ok(parts),
            DelimiterEnd::Next(length) => start = Some(at + delimiter.len() + length),
        }
    }
    Err(if start.is_none() { Malformed::NoStart } else { Malformed::NoEnd })
}

/// What follows a boundary on its line.
enum DelimiterEnd {
    /// Another part begins after this many bytes.
    Next(usize),
    Close,
}

impl DelimiterEnd {
    /// `None` if the line only begins like a delimiter.
    fn of(after: &[u8]) -> Option<DelimiterEnd> {
        let (after, closes) = match after.strip_prefix(b"--") {
            Some(after) => (after, true),
            None => (after, false),
        };
        let padding = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match (after.get(padding..).unwrap_or_default(), closes) {
            ([] | [b'\n', ..] | [b'\r', b'\n', ..], true) => Some(DelimiterEnd::Close),
            ([b'\n', ..], false) => Some(DelimiterEnd::Next(padding + 1)),
            ([b'\r', b'\n', ..], false) => Some(DelimiterEnd::Next(padding + 2)),
            _ => None,
        }
    }
}

fn part(raw: &[u8], number: usize) -> Result<Part<'_>, Malformed> {
    let mut at = 0;
    let body = loop {
        let rest = raw.get(at..).unwrap_or_default();
        let (line, next) = match memchr::memchr(b'\n', rest) {
            Some(end) => (rest.get(..=end).unwrap_or_default(), at + end + 1),
            None => (rest, raw.len()),
        };
        // The head also ends with the part: then there is no body.
        if without_line_end(line).is_empty() {
            break raw.get(next..).unwrap_or_default();
        }
        if next > MAX_HEAD {
            return Err(Malformed::LongHead(number));
        }
        at = next;
    };
    let head = raw.get(..at).and_then(|head| std::str::from_utf8(head).ok());
    let mut rest = head.ok_or(Malformed::Head(number))?;
    let mut part = Part { body, ..Part::default() };
    while let Some((field, after)) = rest.split_at_checked(field_end(rest)).filter(|_| !rest.is_empty()) {
        let (name, value) = field.split_once(':').ok_or(Malformed::Head(number))?;
        let value = Some(value.trim());
        match name {
            _ if name.eq_ignore_ascii_case("content-type") => part.content_type = part.content_type.or(value),
            _ if name.eq_ignore_ascii_case("content-location") => part.location = part.location.or(value),
            _ if name.eq_ignore_ascii_case("content-transfer-encoding") => {
                part.transfer_encoding = part.transfer_encoding.or(value);
            }
            _ => {}
        }
        rest = after;
    }
    Ok(part)
}

/// The end of the first field, which goes on in lines that begin with a space.
fn field_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut ends = memchr::memchr_iter(b'\n', bytes).map(|end| end + 1);
    ends.find(|end| !matches!(bytes.get(*end), Some(b' ' | b'\t'))).unwrap_or(bytes.len())
}

fn without_line_end(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Boundary => f.write_str("the content type has no valid `boundary`"),
            Malformed::NoStart => f.write_str("the boundary does not occur"),
            Malformed::NoEnd => f.write_str("the last boundary is missing"),
            Malformed::NoParts => f.write_str("it has no parts"),
            Malformed::TooManyParts => write!(f, "it has more than {MAX_PARTS} parts"),
            Malformed::LongHead(part) => {
                write!(f, "the header fields of part {part} have more than {MAX_HEAD} bytes")
            }
            Malformed::Head(part) => write!(f, "part {part} has no valid header fields"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(text: &str) -> Result<Vec<&str>, Malformed> {
        let parts = parts(text.as_bytes(), Some("b"))?;
        Ok(parts.iter().map(|part| std::str::from_utf8(part.body).unwrap()).collect())
    }

    #[test]
    fn parts_are_between_boundaries() {
        for (text, expected) in [
            ("--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n", &["one", "two"][..]),
            (
                "preamble\r\n--b \t\r\n\r\none\r\n--b--epilogue\r\n--b-- \r\nepilogue",
                &["one\r\n--b--epilogue"],
            ),
            ("--b\n\none\n--b--", &["one"]),
            ("--b\r\n\r\n\r\none\r\n\r\n--b--", &["\r\none\r\n"]),
            ("--b\r\n\r\n --b\r\n--bc\r\n-b--\r\n--b--", &[" --b\r\n--bc\r\n-b--"]),
            ("--b\r\nA: b\r\n\r\n--b--", &[""]),
            ("--b\r\nA: b\r\n\r\n\r\n--b--", &[""]),
            ("--b\r\n--b--", &[""]),
        ] {
            assert_eq!(bodies(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn heads_are_read() {
        let text = "--b\r\nCONTENT-TYPE: text/html;\r\n\tcharset=x\r\ncontent-type: no\r\nX: y\r\n\
                    Content-Location:  a:b \r\nContent-Transfer-Encoding: base64\r\n\r\nbody\r\n--b--";
        let expected = Part {
            content_type: Some("text/html;\r\n\tcharset=x"),
            location: Some("a:b"),
            transfer_encoding: Some("base64"),
            body: b"body",
        };
        assert_eq!(parts(text.as_bytes(), Some("b")).unwrap(), [expected]);
    }

    #[test]
    fn what_is_malformed_is_said() {
        for (text, message) in [
            ("", "the boundary does not occur"),
            ("x--b\r\n\r\na\r\n--bb\r\n", "the boundary does not occur"),
            ("--b\r\n\r\none", "the last boundary is missing"),
            ("--b\r\n\r\none\r\n--b\r\n\r\ntw", "the last boundary is missing"),
            ("--b\r\n\r\none\r\n--b", "the last boundary is missing"),
            ("--b--", "it has no parts"),
            ("--b\r\nno head\r\n--b--", "part 1 has no valid header fields"),
            ("--b\r\n\r\n\r\n--b\r\nno head\r\n\r\nx\r\n--b--", "part 2 has no valid header fields"),
        ] {
            assert_eq!(bodies(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let message = "the content type has no valid `boundary`";
        assert_eq!(parts(b"--b--", None).unwrap_err().to_string(), message);
    }

    #[test]
    fn parts_and_heads_are_bounded() {
        let many = |count: usize| format!("{}--b--", "--b\r\n\r\na\r\n".repeat(count));
        assert_eq!(bodies(&many(64)).unwrap().len(), 64);
        assert_eq!(bodies(&many(65)).unwrap_err(), Malformed::TooManyParts);
        let head = |length: usize| format!("--b\r\na: {}\r\n\r\nx\r\n--b--", "b".repeat(length - 5));
        assert_eq!(bodies(&head(MAX_HEAD)).unwrap(), ["x"]);
        assert_eq!(bodies(&head(MAX_HEAD + 1)).unwrap_err(), Malformed::LongHead(1));
    }
}
