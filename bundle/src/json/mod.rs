//! A JSON scanner over borrowed bytes: no tree, no recursion, no allocation.
//!
//! Calls and answers pass through it on the hot path, and both need what a tree of values loses: the
//! original digits of a number, the original text of a nested value, the order of members. So a value
//! is a span of the input with its kind, and nothing is copied until it is written somewhere.
//!
//! The scanner accepts exactly RFC 8259 in UTF-8, with two refusals of its own (the first can be lifted): `\u` escapes of lone
//! surrogates, which no UTF-8 text can hold, and nesting beyond a bound. It never repairs anything.

mod canonical;
pub mod decimal;
mod escape;
mod escapes;

mod scan;
mod span;
mod special;
mod strict;
mod string;
mod tape;
pub(crate) mod utf8;
mod walk;

pub use canonical::Canonical;
pub use escape::{write_escaped, write_string};
pub(crate) use scan::Token;
pub use scan::{MAX_DEPTH, Scanner};
pub use span::Span;
pub use strict::{StrictError, parse_strict};
pub(crate) use string::tokens;
pub use string::{compact, unescape};
pub use tape::Tape;
pub(crate) use tape::record;

pub use walk::{Elements, Members, elements, members};

use std::fmt;

/// The JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

/// A validated value: its kind and its text, unchanged from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    pub kind: Kind,
    /// The whole token, quotes and brackets included.
    pub text: &'a str,
    /// A string whose text holds escapes; `false` for other kinds.
    pub escaped: bool,
}

/// Where a text stops being JSON, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanError {
    pub kind: ScanErrorKind,
    /// Offset in bytes.
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanErrorKind {
    NotUtf8,
    UnexpectedEnd,
    ExpectedValue,
    ExpectedKey,
    ExpectedColon,
    ExpectedCommaOrEnd,
    InvalidNumber,
    InvalidLiteral,
    InvalidEscape,
    LoneSurrogate,
    ControlCharacter,
    TrailingText,
    TooDeep,
}

impl Kind {
    /// The kind that a value's first byte announces.
    #[inline]
    pub const fn of_first_byte(byte: u8) -> Option<Kind> {
        match byte {
            b'"' => Some(Kind::String),
            b'{' => Some(Kind::Object),
            b'[' => Some(Kind::Array),
            b't' | b'f' => Some(Kind::Boolean),
            b'n' => Some(Kind::Null),
            b'-' | b'0'..=b'9' => Some(Kind::Number),
            _ => None,
        }
    }
}

impl<'a> Value<'a> {
    /// Takes the text of one value that is known to be valid and has no space around it, such as a
    /// default that the compiler wrote.
    pub fn of_valid(text: &'a str) -> Value<'a> {
        let kind = text.bytes().next().and_then(Kind::of_first_byte).unwrap_or(Kind::Null);
        let escaped = kind == Kind::String && text.as_bytes().contains(&b'\\');
        Value { kind, text, escaped }
    }

    /// What is between a string's quotes, escapes included.
    #[inline]
    pub fn raw(&self) -> &'a str {
        if self.kind != Kind::String {
            return "";
        }
        self.text.get(1..self.text.len().wrapping_sub(1)).unwrap_or_default()
    }

    /// A string's characters; `buffer` is used only when there are escapes.
    #[inline]
    pub fn unescaped<'b>(&self, buffer: &'b mut String) -> &'b str
    where
        'a: 'b,
    {
        if !self.escaped {
            return self.raw();
        }
        buffer.clear();
        unescape(self.raw(), buffer);
        buffer
    }

    /// Whether a string has these characters, however it is escaped.
    #[inline]
    pub fn is_text(&self, text: &str) -> bool {
        if !self.escaped {
            return matches!(self.text.as_bytes(), [b'"', raw @ .., b'"'] if raw == text.as_bytes());
        }
        string::Characters::new(self.raw()).eq(text.chars())
    }

    /// Orders two strings by their characters, however each is escaped.
    pub fn compare_strings(&self, other: &Value<'_>) -> std::cmp::Ordering {
        if !self.escaped && !other.escaped {
            return self.raw().cmp(other.raw());
        }
        string::Characters::new(self.raw()).cmp(string::Characters::new(other.raw()))
    }

    /// Whether two strings have the same characters, however each is escaped.
    pub fn same_string(&self, other: &Value<'_>) -> bool {
        if !self.escaped && !other.escaped {
            return self.text == other.text;
        }
        string::Characters::new(self.raw()).eq(string::Characters::new(other.raw()))
    }
}

impl ScanErrorKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            ScanErrorKind::NotUtf8 => "the text is not UTF-8",
            ScanErrorKind::UnexpectedEnd => "the text ends in the middle of a value",
            ScanErrorKind::ExpectedValue => "expected a value",
            ScanErrorKind::ExpectedKey => "expected a member name in double quotes",
            ScanErrorKind::ExpectedColon => "expected `:`",
            ScanErrorKind::ExpectedCommaOrEnd => "expected `,` or the closing bracket",
            ScanErrorKind::InvalidNumber => "invalid number",
            ScanErrorKind::InvalidLiteral => "expected `true`, `false` or `null`",
            ScanErrorKind::InvalidEscape => "invalid escape in a string",
            ScanErrorKind::LoneSurrogate => "`\\u` escape of half a surrogate pair",
            ScanErrorKind::ControlCharacter => "unescaped control character in a string",
            ScanErrorKind::TrailingText => "unexpected text after the value",
            ScanErrorKind::TooDeep => "the value is nested too deeply",
        }
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.as_str(), self.offset)
    }
}

impl std::error::Error for ScanError {}
