//! The lines of a head, read from its first byte to its last.
//!
//! Our own, because a head is read for every request and every answer of a call: `httparse` takes three times the
//! instructions. The grammar is the same, which property tests compare, but for two things: targets are only visible ASCII
//! without a fragment, and a line ends with CR LF, never with LF alone, which others might not take for an end.

use crate::bytes::{target_end, text_end, token_end, value_end, word_end};
use crate::{Field, MAX_HEADERS, Malformed};
use std::ops::Range;

/// Why there is no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It has no end yet.
    More,
    Malformed,
}

/// What has come of a head.
#[derive(Debug)]
pub(crate) struct Lines<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// The line that a request begins with.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLine {
    pub(crate) method: Range<usize>,
    pub(crate) target: Range<usize>,
    pub(crate) minor: u8,
    /// Where the headers begin.
    pub(crate) end: usize,
}

/// A head that is not whole yet is none.
pub(crate) fn whole<T>(read: Result<T, Stop>) -> Result<Option<T>, Malformed> {
    match read {
        Ok(head) => Ok(Some(head)),
        Err(Stop::More) => Ok(None),
        Err(Stop::Malformed) => Err(Malformed),
    }
}

impl<'b> Lines<'b> {
    /// Empty lines before a head are skipped: some clients end a body with one.
    pub(crate) fn new(bytes: &'b [u8]) -> Result<Lines<'b>, Stop> {
        let mut lines = Lines::at(bytes, 0)?;
        while matches!(lines.peek()?, b'\r' | b'\n') {
            lines.end()?;
        }
        Ok(lines)
    }

    /// From the start of a line on.
    pub(crate) fn at(bytes: &'b [u8], at: usize) -> Result<Lines<'b>, Stop> {
        // Places have 32 bits.
        if u32::try_from(bytes.len()).is_err() { Err(Stop::Malformed) } else { Ok(Lines { bytes, at }) }
    }

    /// Bytes that were read.
    pub(crate) fn read(&self) -> usize {
        self.at
    }

    pub(crate) fn request_line(&mut self) -> Result<RequestLine, Stop> {
        let method = self.word(token_end)?;
        let target = self.word(target_end)?;
        let minor = self.version()?;
        self.end()?;
        Ok(RequestLine { method, target, minor, end: self.at })
    }

    /// The minor one of HTTP/1.
    pub(crate) fn version(&mut self) -> Result<u8, Stop> {
        const START: &[u8; 7] = b"HTTP/1.";
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.first_chunk() == Some(START) {
            self.at += START.len();
        } else {
            return Err(if START.starts_with(rest) { Stop::More } else { Stop::Malformed });
        }
        match self.next()? {
            b'0' => Ok(0),
            b'1' => Ok(1),
            _ => Err(Stop::Malformed),
        }
    }

    /// Three digits, and perhaps a reason behind a space.
    pub(crate) fn status(&mut self) -> Result<u16, Stop> {
        let mut status = 0;
        self.byte(b' ')?;
        for _ in 0..3 {
            let digit = self.next()?;
            if !digit.is_ascii_digit() {
                return Err(Stop::Malformed);
            }
            status = status * 10 + u16::from(digit - b'0');
        }
        if self.peek()? == b' ' {
            self.at = value_end(self.bytes, self.at);
        }
        self.end()?;
        Ok(status)
    }

    /// All headers from here on, and the empty line behind them.
    pub(crate) fn fields(&mut self, fields: &mut Vec<Field>) -> Result<(), Stop> {
        while !matches!(self.peek()?, b'\r' | b'\n') {
            if fields.len() == MAX_HEADERS {
                return Err(Stop::Malformed);
            }
            let field = match usual_field(self.bytes, self.at) {
                Some((field, next)) => {
                    self.at = next;
                    field
                }
                None => self.field()?,
            };
            fields.push(field);
        }
        self.end()
    }

    /// Any header.
    #[cold]
    fn field(&mut self) -> Result<Field, Stop> {
        let name = self.at..token_end(self.bytes, self.at);
        self.at = name.end;
        if self.next()? != b':' || name.is_empty() {
            return Err(Stop::Malformed);
        }
        while is_blank(self.peek()?) {
            self.at += 1;
        }
        let mut value = self.at..value_end(self.bytes, self.at);
        self.at = value.end;
        self.end()?;
        while !value.is_empty() && self.bytes.get(value.end - 1).is_some_and(|byte| is_blank(*byte)) {
            value.end -= 1;
        }
        Ok(Field::new(name, value))
    }

    /// The end of a line.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        match self.next()? {
            b'\r' => self.byte(b'\n'),
            _ => Err(Stop::Malformed),
        }
    }

    /// What has an end, and a space behind it.
    fn word(&mut self, end: impl Fn(&[u8], usize) -> usize) -> Result<Range<usize>, Stop> {
        let word = self.at..end(self.bytes, self.at);
        self.at = word.end;
        self.byte(b' ')?;
        if word.is_empty() { Err(Stop::Malformed) } else { Ok(word) }
    }

    fn byte(&mut self, expected: u8) -> Result<(), Stop> {
        if self.next()? == expected { Ok(()) } else { Err(Stop::Malformed) }
    }

    #[inline(always)]
    fn next(&mut self) -> Result<u8, Stop> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    #[inline(always)]
    fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::More)
    }
}

/// A header as nearly all are written, and where the next line begins: `Name: value`, with more behind it. Any other is `None`.
#[inline(always)]
fn usual_field(bytes: &[u8], start: usize) -> Option<(Field, usize)> {
    let colon = word_end(bytes, start)?;
    let [b':', b' ', first, ..] = bytes.get(colon..)? else { return None };
    let value = colon + 2;
    let end = text_end(bytes, value)?;
    let [last, b'\r', b'\n', ..] = bytes.get(end - 1..)? else { return None };
    let is_usual = colon > start && *first > b' ' && *last != b' ';
    is_usual.then(|| (Field::new(start..colon, value..end), end + 2))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
