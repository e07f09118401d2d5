//! Where values are in a text, without a reference to it.

use super::{Kind, Value};

/// A value's place in a text of less than 4 GiB: who makes one has seen to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
    pub(crate) kind: Kind,
    pub(crate) escaped: bool,
}

impl Span {
    /// Texts longer than this have no places.
    pub(crate) const MAX_TEXT: usize = u32::MAX as usize;

    #[inline]
    pub(crate) const fn new(start: usize, end: usize, kind: Kind, escaped: bool) -> Span {
        Span { start: start as u32, end: end as u32, kind, escaped }
    }

    /// The value there in `text`.
    #[inline]
    pub fn of<'a>(&self, text: &'a str) -> Value<'a> {
        let text = text.get(self.start()..self.end()).unwrap_or_default();
        Value { kind: self.kind, text, escaped: self.escaped }
    }

    #[inline]
    pub(crate) const fn start(&self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(crate) const fn end(&self) -> usize {
        self.end as usize
    }

    #[inline]
    pub(crate) const fn set_end(&mut self, end: usize) {
        self.end = end as u32;
    }
}
