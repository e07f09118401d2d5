//! The string pool: it has every string of a bundle once, identified by a number.
//!
//! One allocation for all texts keeps loading cheap however many tools a bundle has.

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

/// A string of the pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrId(pub u32);

/// The strings of a loaded bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    /// Where each string begins and ends in `text`. They follow each other, but so one look finds both.
    places: Vec<[u32; 2]>,
}

impl Strings {
    /// Takes a text and the ends of its strings, if the ends ascend and fall between characters.
    pub fn new(text: String, ends: impl ExactSizeIterator<Item = u32>) -> Option<Strings> {
        let mut places = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            text.get(start as usize..end as usize)?;
            places.push([start, end]);
            start = end;
        }
        (start as usize == text.len()).then_some(Strings { text, places })
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
    #[inline(always)]
    pub(crate) fn is(&self, id: StrId, text: &[u8]) -> bool {
        self.place(id).is_some_and(|(start, end)| {
            end - start == text.len()
                && self.text.as_bytes().get(start..end).is_some_and(|string| same(string, text))
        })
    }

    /// Adds a string to a pool that was loaded.
    pub(crate) fn push(&mut self, string: &str) -> StrId {
        let start = self.text.len() as u32;
        self.text.push_str(string);
        self.places.push([start, self.text.len() as u32]);
        StrId(self.places.len() as u32 - 1)
    }

    #[inline(always)]
    fn place(&self, id: StrId) -> Option<(usize, usize)> {
        let &[start, end] = self.places.get(id.0 as usize)?;
        Some((start as usize, end as usize))
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|&[_, end]| end)
    }
}

/// Whether two texts of the same length are the same. Names are short: comparing a few bytes here takes fewer steps than the
/// call that comparing any number of them is.
#[inline(always)]
pub(crate) fn same(left: &[u8], right: &[u8]) -> bool {
    match left.len() {
        4..=7 => same_ends::<4>(left, right),
        8..=16 => same_ends::<8>(left, right),
        17..=32 => same_ends::<16>(left, right),
        _ => left == right,
    }
}

#[inline(always)]
fn same_ends<const N: usize>(left: &[u8], right: &[u8]) -> bool {
    left.first_chunk::<N>() == right.first_chunk() && left.last_chunk::<N>() == right.last_chunk()
}

/// Builds a pool; equal strings get equal ids, ids ascend in the order of first use.
#[derive(Debug, Clone, Default)]
pub struct PoolBuilder {
    pool: Strings,
    /// The ids by their strings, which are only in the pool. Looked up, never iterated.
    ids: HashTable<StrId>,
    hasher: DefaultHashBuilder,
}

impl PoolBuilder {
    pub fn new() -> PoolBuilder {
        PoolBuilder::default()
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        let PoolBuilder { pool, ids, hasher } = self;
        let hash = hasher.hash_one(text.as_bytes());
        if let Some(&id) = ids.find(hash, |&id| pool.is(id, text.as_bytes())) {
            return id;
        }
        let id = StrId(pool.len() as u32);
        let start = pool.text.len() as u32;
        pool.text.push_str(text);
        pool.places.push([start, pool.text.len() as u32]);
        ids.insert_unique(hash, id, |&id| hasher.hash_one(pool.bytes(id)));
        id
    }

    pub fn get(&self, id: StrId) -> &str {
        self.pool.get(id)
    }

    pub fn finish(self) -> Strings {
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
    fn ids_stay_however_many_strings_there_are() {
        let mut builder = PoolBuilder::new();
        let text = |number: u32| format!("{number}").repeat(number as usize % 7);
        let ids: Vec<StrId> = (0..5_000).map(|number| builder.intern(&text(number))).collect();
        let again: Vec<StrId> = (0..5_000).map(|number| builder.intern(&text(number))).collect();
        assert_eq!(ids, again);
        let pool = builder.finish();
        for (number, id) in (0..).zip(ids) {
            assert_eq!(pool.get(id), text(number));
        }
    }

    #[test]
    fn ends_that_do_not_fit_the_text_are_refused() {
        assert!(Strings::new("abé".into(), [1, 4].into_iter()).is_some());
        assert!(Strings::new("abé".into(), [1, 3].into_iter()).is_none(), "inside a character, and short");
        assert!(Strings::new("ab".into(), [2, 1].into_iter()).is_none(), "descending");
        assert!(Strings::new("ab".into(), [1].into_iter()).is_none(), "text left over");
        assert!(Strings::new("ab".into(), [9].into_iter()).is_none(), "beyond the text");
    }

    #[test]
    fn texts_of_any_length_are_compared() {
        let text: String = ('0'..='Z').collect();
        for length in 0..=text.len() {
            let part = text.get(..length).unwrap();
            for rest in ["", "0123456789012345"] {
                let pool = Strings::new(
                    format!("{part}{rest}"),
                    [part.len() as u32, (part.len() + rest.len()) as u32].into_iter(),
                )
                .unwrap();
                assert!(pool.is(StrId(0), part.as_bytes()));
                assert!(!pool.is(StrId(0), format!("{part}x").as_bytes()));
                for at in 0..length {
                    let mut other = part.as_bytes().to_vec();
                    other[at] = b'x';
                    assert!(!pool.is(StrId(0), &other), "{length} {at}");
                }
            }
        }
    }

    #[test]
    fn an_unknown_id_is_empty() {
        assert_eq!(Strings::default().get(StrId(7)), "");
        assert_eq!(Strings::default().find(StrId(u32::MAX)), None);
    }
}
