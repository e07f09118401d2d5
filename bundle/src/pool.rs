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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pool {
    text: String,
    /// End of each string in `text`; a string starts where the one before it ends.
    ends: Vec<u32>,
}

impl Pool {
    /// Takes a text and the ends of its strings, if the ends ascend and fall between characters.
    pub fn new(text: String, ends: Vec<u32>) -> Option<Pool> {
        let mut start = 0;
        for &end in &ends {
            text.get(start..end as usize)?;
            start = end as usize;
        }
        (start == text.len()).then_some(Pool { text, ends })
    }

    /// The string, or `""` for an id that is not in the pool (a loaded bundle has none such).
    #[inline]
    pub fn get(&self, id: StrId) -> &str {
        self.find(id).unwrap_or_default()
    }

    /// The string, if the pool has it.
    pub fn find(&self, id: StrId) -> Option<&str> {
        let index = id.0 as usize;
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start as usize..end as usize)
    }

    /// The string as bytes, which are cheaper to cut out than characters; empty for an unknown id.
    #[inline]
    pub(crate) fn bytes(&self, id: StrId) -> &[u8] {
        let index = id.0 as usize;
        let start = match index {
            0 => 0,
            _ => self.ends.get(index - 1).copied().unwrap_or(u32::MAX),
        };
        let end = self.ends.get(index).copied().unwrap_or_default();
        self.text.as_bytes().get(start as usize..end as usize).unwrap_or_default()
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
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
        let id = StrId(self.pool.ends.len() as u32);
        self.pool.text.push_str(text);
        self.pool.ends.push(self.pool.text.len() as u32);
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
        assert!(Pool::new("abé".into(), vec![1, 4]).is_some());
        assert!(Pool::new("abé".into(), vec![1, 3]).is_none(), "inside a character, and short");
        assert!(Pool::new("ab".into(), vec![2, 1]).is_none(), "descending");
        assert!(Pool::new("ab".into(), vec![1]).is_none(), "text left over");
        assert!(Pool::new("ab".into(), vec![9]).is_none(), "beyond the text");
    }

    #[test]
    fn an_unknown_id_is_empty() {
        assert_eq!(Pool::default().get(StrId(7)), "");
        assert_eq!(Pool::default().find(StrId(u32::MAX)), None);
    }
}
