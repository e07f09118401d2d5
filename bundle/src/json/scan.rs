//! The scanner itself.

use super::{Kind, ScanError, ScanErrorKind, Value};
use crate::json::string::plain_prefix;

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
}

/// A string's place, quotes included.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    escaped: bool,
}

impl<'a> Scanner<'a> {
    /// `max_depth` counts open arrays and objects; at most [`MAX_DEPTH`].
    pub fn new(bytes: &'a [u8], max_depth: usize) -> Result<Scanner<'a>, ScanError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Scanner::of_text(text, max_depth)),
            Err(error) => Err(ScanError { kind: ScanErrorKind::NotUtf8, offset: error.valid_up_to() }),
        }
    }

    pub fn of_text(text: &'a str, max_depth: usize) -> Scanner<'a> {
        Scanner { text, at: 0, depth: 0, max_depth: max_depth.min(MAX_DEPTH), objects: 0, fresh: false }
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
    #[inline]
    pub fn value(&mut self) -> Result<Value<'a>, ScanError> {
        let kind = self.peek()?;
        let start = self.at;
        match kind {
            Kind::String => {
                let token = self.skip_string()?;
                return Ok(Value { kind, text: self.since(start), escaped: token.escaped });
            }
            Kind::Array | Kind::Object => self.container(kind)?,
            Kind::Number | Kind::Boolean | Kind::Null => self.scalar(kind)?,
        }
        Ok(Value { kind, text: self.since(start), escaped: false })
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
    pub fn next_key(&mut self) -> Result<Option<Value<'a>>, ScanError> {
        Ok(self.skip_key()?.map(|key| Value {
            kind: Kind::String,
            text: self.text.get(key.start..key.end).unwrap_or_default(),
            escaped: key.escaped,
        }))
    }

    /// Whether the array has another element; `false` when it is closed.
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

    /// Takes the closing bracket if it is next, else the comma that another member needs.
    #[inline]
    fn closed_by(&mut self, bracket: u8) -> Result<bool, ScanError> {
        let next = self.skip_space();
        if next == Some(bracket) {
            self.at += 1;
            self.depth = self.depth.saturating_sub(1);
            self.objects >>= 1;
            self.fresh = false;
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

    /// Skips a whole array or object; the open containers are bits, so there is no recursion.
    fn container(&mut self, kind: Kind) -> Result<(), ScanError> {
        let outside = self.depth;
        self.enter(kind == Kind::Object)?;
        while self.depth > outside {
            let member = if self.objects & 1 == 1 { self.skip_key()?.is_some() } else { self.next_item()? };
            if !member {
                continue;
            }
            match self.peek()? {
                Kind::String => drop(self.skip_string()?),
                Kind::Object => self.enter(true)?,
                Kind::Array => self.enter(false)?,
                kind => self.scalar(kind)?,
            }
        }
        Ok(())
    }

    /// Skips the next member's name and colon; `None` when the object is closed.
    #[inline]
    fn skip_key(&mut self) -> Result<Option<Token>, ScanError> {
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

    fn number(&mut self) -> Result<(), ScanError> {
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
    #[inline]
    fn skip_string(&mut self) -> Result<Token, ScanError> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let plain = plain_prefix(rest);
        self.at = start + 1 + plain;
        if rest.get(plain) == Some(&b'"') {
            self.at += 1;
            return Ok(Token { start, end: self.at, escaped: false });
        }
        self.skip_escaped_string(start)
    }

    /// Skips the rest of a string from its first escape, or tells what is wrong with it.
    #[inline(never)]
    fn skip_escaped_string(&mut self, start: usize) -> Result<Token, ScanError> {
        loop {
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.error(ScanErrorKind::ControlCharacter)),
                None => return Err(self.error(ScanErrorKind::UnexpectedEnd)),
            }
            self.at += plain_prefix(self.rest());
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
                let lone = ScanError { kind: ScanErrorKind::LoneSurrogate, offset: start };
                match self.unit()? {
                    0xD800..=0xDBFF => {
                        if !self.rest().starts_with(b"\\u") {
                            return Err(lone);
                        }
                        self.at += 1;
                        if !(0xDC00..=0xDFFF).contains(&self.unit()?) {
                            return Err(lone);
                        }
                    }
                    0xDC00..=0xDFFF => return Err(lone),
                    _ => {}
                }
            }
            _ => return Err(self.unexpected(ScanErrorKind::InvalidEscape)),
        }
        Ok(())
    }

    /// The UTF-16 unit of a `\u` escape; stands at the `u`.
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

    fn error(&self, kind: ScanErrorKind) -> ScanError {
        ScanError { kind, offset: self.at }
    }

    /// A text that is cut off is reported as such: it tells a caller more than what was expected.
    fn unexpected(&self, kind: ScanErrorKind) -> ScanError {
        self.error(if self.at < self.text.len() { kind } else { ScanErrorKind::UnexpectedEnd })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<Value<'_>, ScanError> {
        let mut scanner = Scanner::of_text(text, 4);
        let value = scanner.value()?;
        scanner.finish()?;
        Ok(value)
    }

    fn refusal(text: &str) -> (ScanErrorKind, usize) {
        let error = scan(text).unwrap_err();
        (error.kind, error.offset)
    }

    #[test]
    fn values_keep_their_text() {
        for text in ["null", "true", "-0.10e+07", r#""a\u00e9""#, "[1, [2]]", r#"{"a": {"b":[]}}"#] {
            assert_eq!(scan(&format!(" {text}\r\n\t")).unwrap().text, text);
        }
        assert!(scan(r#""a\n""#).unwrap().escaped);
        assert!(!scan(r#"["a\n"]"#).unwrap().escaped);
    }

    #[test]
    fn what_is_not_json_is_refused_where_it_stops_being_json() {
        assert_eq!(refusal(""), (ScanErrorKind::UnexpectedEnd, 0));
        assert_eq!(refusal("[1,]"), (ScanErrorKind::ExpectedValue, 3));
        assert_eq!(refusal("[1 2]"), (ScanErrorKind::ExpectedCommaOrEnd, 3));
        assert_eq!(refusal("[,1]"), (ScanErrorKind::ExpectedValue, 1));
        assert_eq!(refusal("{a:1}"), (ScanErrorKind::ExpectedKey, 1));
        assert_eq!(refusal(r#"{"a":1,}"#), (ScanErrorKind::ExpectedKey, 7));
        assert_eq!(refusal(r#"{"a" 1}"#), (ScanErrorKind::ExpectedColon, 5));
        assert_eq!(refusal(r#"{"a":1]"#), (ScanErrorKind::ExpectedCommaOrEnd, 6));
        assert_eq!(refusal("01"), (ScanErrorKind::TrailingText, 1));
        assert_eq!(refusal("1.x"), (ScanErrorKind::InvalidNumber, 2));
        assert_eq!(refusal("1e"), (ScanErrorKind::UnexpectedEnd, 2));
        assert_eq!(refusal("+1"), (ScanErrorKind::ExpectedValue, 0));
        assert_eq!(refusal("nul"), (ScanErrorKind::InvalidLiteral, 0));
        assert_eq!(refusal("\"a\nb\""), (ScanErrorKind::ControlCharacter, 2));
        assert_eq!(refusal(r#""\x""#), (ScanErrorKind::InvalidEscape, 2));
        assert_eq!(refusal(r#""\u12g4""#), (ScanErrorKind::InvalidEscape, 5));
        assert_eq!(refusal("1 2"), (ScanErrorKind::TrailingText, 2));
    }

    #[test]
    fn lone_surrogates_are_refused() {
        for text in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\n""#, r#""\ud800\ud800""#, r#""\ud800x""#] {
            assert_eq!(refusal(text), (ScanErrorKind::LoneSurrogate, 1), "{text}");
        }
        assert!(scan(r#""\ud83d\ude00""#).is_ok());
    }

    #[test]
    fn nesting_is_bounded() {
        assert!(scan("[[[[]]]]").is_ok());
        assert_eq!(refusal("[[[[[]]]]]"), (ScanErrorKind::TooDeep, 4));
        let deep = "[".repeat(100_000);
        assert_eq!(
            Scanner::of_text(&deep, usize::MAX).value().unwrap_err(),
            ScanError { kind: ScanErrorKind::TooDeep, offset: MAX_DEPTH }
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        let error = Scanner::new(b"\"a\xff\"", 4).unwrap_err();
        assert_eq!((error.kind, error.offset), (ScanErrorKind::NotUtf8, 2));
    }

    #[test]
    fn levels_are_walked_one_by_one() {
        let mut scanner = Scanner::of_text(r#"{"a":[1,{"x":[]}],"b":{}}"#, 8);
        assert_eq!(scanner.peek().unwrap(), Kind::Object);
        scanner.enter_object().unwrap();
        assert_eq!(scanner.next_key().unwrap().unwrap().raw(), "a");
        assert_eq!(scanner.peek().unwrap(), Kind::Array);
        scanner.enter_array().unwrap();
        assert!(scanner.next_item().unwrap());
        assert_eq!(scanner.value().unwrap().text, "1");
        assert!(scanner.next_item().unwrap());
        assert_eq!(scanner.value().unwrap().text, r#"{"x":[]}"#);
        assert!(!scanner.next_item().unwrap());
        assert_eq!(scanner.next_key().unwrap().unwrap().raw(), "b");
        assert_eq!(scanner.value().unwrap().kind, Kind::Object);
        assert_eq!(scanner.next_key().unwrap(), None);
        scanner.finish().unwrap();
    }

    #[test]
    fn an_unclosed_level_does_not_finish() {
        let mut scanner = Scanner::of_text("[", 8);
        scanner.peek().unwrap();
        scanner.enter_array().unwrap();
        assert_eq!(scanner.finish().unwrap_err().kind, ScanErrorKind::UnexpectedEnd);
    }
}
