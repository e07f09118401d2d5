//! Where values stand in a text, without a reference to it.

use super::{Kind, Value};

/// A value's place in a text of less than 4 GiB: who makes one has seen to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
    pub(crate) kind: Kind,
    pub(crate) escaped: bool,
}

/// A member of an object: its name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub key: Span,
    pub value: Span,
}

/// The members of an object, unless there are too many: then it only knows that.
#[derive(Debug, Clone, Copy)]
pub struct FewMembers {
    list: [Member; FewMembers::MOST],
    count: usize,
    /// The object nests no deeper, itself included.
    pub(crate) depth: usize,
}

impl Span {
    /// Texts longer than this have no places.
    pub(crate) const MAX_TEXT: usize = u32::MAX as usize;

    #[inline]
    pub(crate) const fn new(start: usize, end: usize, kind: Kind, escaped: bool) -> Span {
        Span { start: start as u32, end: end as u32, kind, escaped }
    }

    /// The place of a value that was scanned from `text`.
    #[inline]
    pub(crate) fn of_value(text: &str, value: Value<'_>) -> Span {
        let start = value.text.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        Span::new(start, start.wrapping_add(value.text.len()), value.kind, value.escaped)
    }

    /// The value that stands there in `text`.
    #[inline]
    pub fn of<'a>(&self, text: &'a str) -> Value<'a> {
        let text = text.get(self.start()..self.end()).unwrap_or_default();
        Value { kind: self.kind, text, escaped: self.escaped }
    }

    /// The characters of a string, unless there are escapes in it.
    #[inline]
    pub(crate) fn plain_name<'a>(&self, text: &'a str) -> Option<&'a [u8]> {
        if self.escaped {
            return None;
        }
        text.as_bytes().get(self.start() + 1..self.end().wrapping_sub(1))
    }

    /// What [`Value::plain_bytes`] gives of the value that stands there.
    #[inline]
    pub(crate) fn plain_bytes<'a>(&self, text: &'a str) -> Option<&'a [u8]> {
        let quotes = match self.kind {
            Kind::String if !self.escaped => 1,
            Kind::Number | Kind::Boolean => 0,
            _ => return None,
        };
        text.as_bytes().get(self.start() + quotes..self.end().wrapping_sub(quotes))
    }

    #[inline]
    pub(crate) const fn start(&self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(crate) const fn end(&self) -> usize {
        self.end as usize
    }
}

impl FewMembers {
    /// Most calls have fewer arguments.
    const MOST: usize = 8;

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, member: Member) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = member;
        }
        self.count += 1;
    }

    /// Makes it one that knows nothing.
    pub(crate) fn forget(&mut self) {
        self.count = FewMembers::MOST + 1;
    }

    /// All of them, or nothing.
    #[inline]
    pub fn all(&self) -> Option<&[Member]> {
        self.list.get(..self.count)
    }
}

impl Default for FewMembers {
    fn default() -> FewMembers {
        let nothing = Span::new(0, 0, Kind::Null, false);
        FewMembers { list: [Member { key: nothing, value: nothing }; FewMembers::MOST], count: 0, depth: 0 }
    }
}
