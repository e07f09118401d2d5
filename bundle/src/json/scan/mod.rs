//! The scanner itself.

mod quick;
mod skip;

use super::{Kind, ScanError, ScanErrorKind, Value};
use crate::json::special::plain_end;
use crate::json::utf8;

/// No scanner nests deeper than this, whatever it is asked for.
pub const MAX_DEPTH: usize = 128;

/// Reads a JSON text from left to right, a value or one level of it at a time.
///
/// [`Scanner::value`] takes the next value whole. To look inside, [`Scanner::enter_object`] and
/// [`Scanner::next_key`], or [`Scanner::enter_array`] and [`Scanner::next_item`], walk one level;
/// after each key or item its value must be taken. [`Scanner::finish`] ends the text.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    max_depth: usize,
    /// One bit for each open container, the innermost lowest: set for an object.
    objects: u128,
    /// The innermost container was just entered: no comma before its first member.
    fresh: bool,
    /// Escapes of lone surrogates pass.
    lone_surrogates: bool,
}

/// A value's place, quotes included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub start: usize,
    pub end: usize,
    /// A string with escapes.
    pub escaped: bool,
}

impl<'a> Scanner<'a> {
    /// `max_depth` counts open arrays and objects; at most [`MAX_DEPTH`].
    pub fn new(bytes: &'a [u8], max_depth: usize) -> Result<Scanner<'a>, ScanError> {
        match utf8::read(bytes) {
            Ok(text) => Ok(Scanner::of_text(text, max_depth)),
            Err(offset) => Err(ScanError { kind: ScanErrorKind::NotUtf8, offset }),
        }
    }

    pub fn of_text(text: &'a str, max_depth: usize) -> Scanner<'a> {
        Scanner {
            text,
            at: 0,
            depth: 0,
            max_depth: max_depth.min(MAX_DEPTH),
            objects: 0,
            fresh: false,
            lone_surrogates: false,
        }
    }

    /// Lets `\\u` escapes of lone surrogates pass; who unescapes such a string gets U+FFFD for each.
    pub(crate) fn allow_lone_surrogates(mut self) -> Scanner<'a> {
        self.lone_surrogates = true;
        self
    }

    /// The whole input.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The input from `start` to here.
    #[inline]
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The kind of the next value, which is not taken yet; [`Scanner::offset`] is its start.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind, ScanError> {
        match self.skip_space() {
            Some(byte) => Kind::of_first_byte(byte).ok_or_else(|| self.error(ScanErrorKind::ExpectedValue)),
            None => Err(self.error(ScanErrorKind::UnexpectedEnd)),
        }
    }

    /// Takes the next value whole, validating all of it.
    #[inline(always)]
    pub fn value(&mut self) -> Result<Value<'a>, ScanError> {
        let start = self.at;
        if let Some(kind) = self.skip_quickly() {
            return Ok(Value { kind, text: self.since(start), escaped: false });
        }
        self.any_value()
    }

    #[inline(never)]
    fn any_value(&mut self) -> Result<Value<'a>, ScanError> {
        let before = self.at;
        let kind = self.peek()?;
        let start = self.at;
        // Maybe it was only that space was before it.
        if start > before && self.skip_quickly().is_some() {
            return Ok(Value { kind, text: self.since(start), escaped: false });
        }
        self.take(kind)
    }

    /// Takes the value that [`Scanner::peek`] saw, validating all of it.
    #[inline]
    pub(crate) fn take(&mut self, kind: Kind) -> Result<Value<'a>, ScanError> {
        let token = self.skip(kind)?;
        Ok(Value { kind, text: self.since(token.start), escaped: token.escaped })
    }

    /// Takes the value that [`Scanner::peek`] saw, validating all of it.
    #[inline]
    pub(crate) fn skip(&mut self, kind: Kind) -> Result<Token, ScanError> {
        let start = self.at;
        match kind {
            Kind::String => return self.skip_string(),
            Kind::Array | Kind::Object => self.container(kind)?,
            Kind::Number | Kind::Boolean | Kind::Null => self.scalar(kind)?,
        }
        Ok(Token { start, end: self.at, escaped: false })
    }

    /// Steps into the object that [`Scanner::peek`] saw.
    #[inline]
    pub fn enter_object(&mut self) -> Result<(), ScanError> {
        self.enter(true)
    }

    /// Steps into the array that [`Scanner::peek`] saw.
    #[inline]
    pub fn enter_array(&mut self) -> Result<(), ScanError> {
        self.enter(false)
    }

    /// The next member's name, its colon included; `None` when the object is closed.
    #[inline]
    pub fn next_key(&mut self) -> Result<Option<Value<'a>>, ScanError> {
        if let Some(key) = self.quick_key() {
            return Ok(Some(self.key(key)));
        }
        if self.take_end_of_object() {
            return Ok(None);
        }
        self.next_spaced_key()
    }

    #[inline(never)]
    fn next_spaced_key(&mut self) -> Result<Option<Value<'a>>, ScanError> {
        Ok(self.skip_spaced_key()?.map(|key| self.key(key)))
    }

    #[inline(always)]
    fn key(&self, key: Token) -> Value<'a> {
        let text = self.text.get(key.start..key.end).unwrap_or_default();
        Value { kind: Kind::String, text, escaped: key.escaped }
    }

    /// Whether the array has another element; `false` when it is closed.
    #[inline]
    pub fn next_item(&mut self) -> Result<bool, ScanError> {
        Ok(!self.closed_by(b']')?)
    }

    /// Ends the text: nothing but space may be left.
    pub fn finish(&mut self) -> Result<(), ScanError> {
        match self.skip_space() {
            None if self.depth == 0 => Ok(()),
            None => Err(self.error(ScanErrorKind::UnexpectedEnd)),
            Some(_) => Err(self.error(ScanErrorKind::TrailingText)),
        }
    }

    #[inline]
    fn enter(&mut self, object: bool) -> Result<(), ScanError> {
        if self.depth >= self.max_depth {
            return Err(self.error(ScanErrorKind::TooDeep));
        }
        self.at += 1;
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(object);
        self.fresh = true;
        Ok(())
    }

    /// Takes the closing bracket, which is next.
    #[inline]
    fn leave(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
        self.fresh = false;
    }

    /// Takes the closing bracket if it is next, else the comma that another member needs.
    #[inline]
    fn closed_by(&mut self, bracket: u8) -> Result<bool, ScanError> {
        let next = self.skip_space();
        if next == Some(bracket) {
            self.leave();
            return Ok(true);
        }
        if self.fresh {
            self.fresh = false;
            return Ok(false);
        }
        if next != Some(b',') {
            return Err(self.unexpected(ScanErrorKind::ExpectedCommaOrEnd));
        }
        self.at += 1;
        Ok(false)
    }

    /// Skips the next member's name and colon; `None` when the object is closed.
    #[inline(always)]
    pub(crate) fn skip_key(&mut self) -> Result<Option<Token>, ScanError> {
        match self.quick_key() {
            Some(key) => Ok(Some(key)),
            None if self.take_end_of_object() => Ok(None),
            None => self.skip_spaced_key(),
        }
    }

    #[inline(never)]
    fn skip_spaced_key(&mut self) -> Result<Option<Token>, ScanError> {
        if self.closed_by(b'}')? {
            return Ok(None);
        }
        if self.skip_space() != Some(b'"') {
            return Err(self.unexpected(ScanErrorKind::ExpectedKey));
        }
        let key = self.skip_string()?;
        if self.skip_space() != Some(b':') {
            return Err(self.unexpected(ScanErrorKind::ExpectedColon));
        }
        self.at += 1;
        Ok(Some(key))
    }

    #[inline]
    fn scalar(&mut self, kind: Kind) -> Result<(), ScanError> {
        if kind == Kind::Number {
            return self.number();
        }
        let rest = self.rest();
        let word: &[u8] = match rest.first() {
            Some(b't') => b"true",
            Some(b'f') => b"false",
            _ => b"null",
        };
        if !rest.starts_with(word) {
            return Err(self.error(ScanErrorKind::InvalidLiteral));
        }
        self.at += word.len();
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(), ScanError> {
        // Most numbers are a few digits, maybe with a point among them.
        let rest = self.rest();
        let digits = |from: usize| {
            let rest = rest.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        if let Some(b'1'..=b'9') = rest.first() {
            let whole = digits(1);
            let end = match rest.get(whole) {
                Some(b'.') => digits(whole + 1),
                _ => whole,
            };
            if end != whole + 1 && !matches!(rest.get(end), Some(b'.' | b'e' | b'E')) {
                self.at += end;
                return Ok(());
            }
        }
        self.any_number()
    }

    #[inline(never)]
    fn any_number(&mut self) -> Result<(), ScanError> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected(ScanErrorKind::InvalidNumber)) } else { Ok(()) }
    }

    /// Skips the string whose quote is next.
    #[inline(always)]
    pub(crate) fn skip_string(&mut self) -> Result<Token, ScanError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at = plain_end(bytes, start + 1);
        if bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(Token { start, end: self.at, escaped: false });
        }
        self.skip_escaped_string(start)
    }

    /// Skips the rest of a string from its first escape, or reports what is wrong with it.
    #[inline(never)]
    fn skip_escaped_string(&mut self, start: usize) -> Result<Token, ScanError> {
        loop {
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.error(ScanErrorKind::ControlCharacter)),
                None => return Err(self.error(ScanErrorKind::UnexpectedEnd)),
            }
            self.at = plain_end(self.text.as_bytes(), self.at);
        }
        self.at += 1;
        Ok(Token { start, end: self.at, escaped: true })
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let lone = match self.unit()? {
                    0xD800..=0xDBFF => {
                        let after = self.at;
                        let paired = self.rest().starts_with(b"\\u") && {
                            self.at += 1;
                            (0xDC00..=0xDFFF).contains(&self.unit()?)
                        };
                        if !paired {
                            self.at = after;
                        }
                        !paired
                    }
                    0xDC00..=0xDFFF => true,
                    _ => false,
                };
                if lone && !self.lone_surrogates {
                    return Err(ScanError { kind: ScanErrorKind::LoneSurrogate, offset: start });
                }
            }
            _ => return Err(self.unexpected(ScanErrorKind::InvalidEscape)),
        }
        Ok(())
    }

    /// The UTF-16 unit of a `\u` escape; starts at the `u`.
    fn unit(&mut self) -> Result<u32, ScanError> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.byte().and_then(|byte| char::from(byte).to_digit(16));
            match digit {
                Some(digit) => unit = unit << 4 | digit,
                None => return Err(self.unexpected(ScanErrorKind::InvalidEscape)),
            }
            self.at += 1;
        }
        Ok(unit)
    }

    /// The next byte that is not space.
    #[inline(always)]
    fn skip_space(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            match bytes.get(at) {
                // All space is below this, and most bytes are not.
                Some(&byte) if byte > b' ' => {
                    self.at = at;
                    return Some(byte);
                }
                Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
                other => {
                    self.at = at;
                    return other.copied();
                }
            }
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn error(&self, kind: ScanErrorKind) -> ScanError {
        ScanError { kind, offset: self.at }
    }

    /// A text that is cut off is reported as such: it says more than what was expected.
    #[cold]
    fn unexpected(&self, kind: ScanErrorKind) -> ScanError {
        self.error(if self.at < self.text.len() { kind } else { ScanErrorKind::UnexpectedEnd })
    }
}

#[cfg(test)]
mod tests;
