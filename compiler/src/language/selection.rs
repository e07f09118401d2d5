//! The paths of `select`, as a tree.

use super::kinds::Kinds;
use mcp_bundle::shape::select;
use std::collections::BTreeMap;

/// What is kept of a value.
#[derive(Debug, Default)]
pub struct Selection {
    pub whole: bool,
    pub members: BTreeMap<String, Selection>,
    pub each: Option<Box<Selection>>,
}

impl Selection {
    /// `None` without paths, or with an invalid one.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p str>) -> Option<Selection> {
        let mut root = Selection::default();
        for path in paths {
            let mut at = &mut root;
            for segment in select::parse(path).ok()? {
                at = match segment {
                    select::Segment::Name(name) => at.members.entry(name.into_owned()).or_default(),
                    select::Segment::Each => at.each.get_or_insert_default(),
                };
            }
            at.whole = true;
        }
        (!root.fits().without(Kinds::NULL).is_none()).then_some(root)
    }

    /// The kinds of values that it keeps something of; values of other kinds are left out.
    pub fn fits(&self) -> Kinds {
        if self.whole {
            return Kinds::ALL;
        }
        let object = if self.members.is_empty() { Kinds::NONE } else { Kinds::OBJECT };
        let array = if self.each.is_none() { Kinds::NONE } else { Kinds::ARRAY };
        Kinds::NULL.or(object).or(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_share_their_beginnings() {
        let root = Selection::new(["id", "items[].name", "items[].price"]).unwrap();
        assert!(root.members["id"].whole);
        let items = &root.members["items"];
        assert_eq!(items.fits(), Kinds::NULL.or(Kinds::ARRAY));
        let element = items.each.as_ref().unwrap();
        assert_eq!(element.fits(), Kinds::NULL.or(Kinds::OBJECT));
        assert_eq!(element.members.len(), 2);
    }

    #[test]
    fn nothing_and_invalid_paths_are_no_selection() {
        assert!(Selection::new([]).is_none());
        assert!(Selection::new(["id", "items[0]"]).is_none());
    }
}
