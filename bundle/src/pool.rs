//! The string pool: every string of a bundle stands in it once and is named by a number.
//!
//! One allocation for all texts keeps loading cheap however many tools a bundle has.

use serde::{Deserialize, Serialize};
#[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
use std::collections::HashMap;

/// A string of the pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrId(pub u32);

/// The strings of a loaded bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    text: String,
    /// Where each string ends in `text` and the next one begins, after the 0 at which the first one begins.
    bounds: Vec<u32>,
}

impl Pool {
    /// Takes a text and the ends of its strings, if the ends ascend and fall between characters.
    pub fn new(text: String, ends: impl ExactSizeIterator<Item = u32>) -> Option<Pool> {
        let mut bounds = Vec::with_capacity(ends.len() + 1);
        bounds.push(0);
        let mut start = 0;
        for end in ends {
            text.get(start..end as usize)?;
            start = end as usize;
            bounds.push(end);
        }
        (start == text.len()).then_some(Pool { text, bounds })
    }

    /// The string, or `""` for an id that is not in the pool (a loaded bundle has none such).
    #[inline]
    pub fn get(&self, id: StrId) -> &str {
        self.find(id).unwrap_or_default()
    }

    /// The string, if the pool has it.
    #[inline]
    pub fn find(&self, id: StrId) -> Option<&str> {
        let (start, end) = self.place(id)?;
        self.text.get(start..end)
    }

    /// The string as bytes, which are cheaper to cut out than characters; empty for an unknown id.
    #[inline]
    pub(crate) fn bytes(&self, id: StrId) -> &[u8] {
        self.place(id).and_then(|(start, end)| self.text.as_bytes().get(start..end)).unwrap_or_default()
    }

    /// Whether the string is this one. Of most others, the length already says that they are not.
    #[inline]
    pub(crate) fn is(&self, id: StrId, text: &[u8]) -> bool {
        self.place(id).is_some_and(|(start, end)| {
            end - start == text.len() && self.text.as_bytes().get(start..end) == Some(text)
        })
    }

    #[inline]
    fn place(&self, id: StrId) -> Option<(usize, usize)> {
        let &[start, end] = self.bounds.get(id.0 as usize..)?.first_chunk()?;
        Some((start as usize, end as usize))
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends().len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends().is_empty()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn ends(&self) -> &[u32] {
        self.bounds.get(1..).unwrap_or_default()
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool { text: String::new(), bounds: vec![0] }
    }
}

/// Builds a pool; equal strings get equal ids, ids ascend in the order of first use.
#[derive(Debug, Clone, Default)]
pub struct PoolBuilder {
    pool: Pool,
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    ids: HashMap<Box<str>, StrId>,
}

impl PoolBuilder {
    pub fn new() -> PoolBuilder {
        PoolBuilder::default()
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = StrId(self.pool.len() as u32);
        self.pool.text.push_str(text);
        self.pool.bounds.push(self.pool.text.len() as u32);
        self.ids.insert(text.into(), id);
        id
    }

    pub fn get(&self, id: StrId) -> &str {
        self.pool.get(id)
    }

    pub fn finish(self) -> Pool {
        self.pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_an_id() {
        let mut builder = PoolBuilder::new();
        let a = builder.intern("a");
        let empty = builder.intern("");
        let b = builder.intern("bé");
        assert_eq!(builder.intern("a"), a);
        let pool = builder.finish();
        assert_eq!(pool.len(), 3);
        assert_eq!((pool.get(a), pool.get(empty), pool.get(b)), ("a", "", "bé"));
    }

    #[test]
    fn ends_that_do_not_fit_the_text_are_refused() {
        assert!(Pool::new("abé".into(), [1, 4].into_iter()).is_some());
        assert!(Pool::new("abé".into(), [1, 3].into_iter()).is_none(), "inside a character, and short");
        assert!(Pool::new("ab".into(), [2, 1].into_iter()).is_none(), "descending");
        assert!(Pool::new("ab".into(), [1].into_iter()).is_none(), "text left over");
        assert!(Pool::new("ab".into(), [9].into_iter()).is_none(), "beyond the text");
    }

    #[test]
    fn an_unknown_id_is_empty() {
        assert_eq!(Pool::default().get(StrId(7)), "");
        assert_eq!(Pool::default().find(StrId(u32::MAX)), None);
    }
}
