//! What `select` lets a template see.

use super::{Kinds, Source, Unknown, shown};
use crate::language::json::Json;
use crate::template::Segment;
use mcp_bundle::shape::select;
use mcp_diagnostics::Spanned;
use std::collections::BTreeMap;
use std::ops::Range;

/// The paths of a tool's `select`, as a tree.
#[derive(Debug, Default)]
pub(super) struct Selection {
    whole: bool,
    members: BTreeMap<String, Selection>,
    each: Option<Box<Selection>>,
}

impl Selection {
    /// `None` without a selection, or with an invalid one.
    pub fn new(paths: &[Spanned<String>]) -> Option<Selection> {
        if paths.is_empty() {
            return None;
        }
        let mut root = Selection::default();
        for path in paths {
            let mut at = &mut root;
            for segment in select::parse(&path.value).ok()? {
                at = match segment {
                    select::Segment::Name(name) => at.members.entry(name.into_owned()).or_default(),
                    select::Segment::Each => at.each.get_or_insert_default(),
                };
            }
            at.whole = true;
        }
        Some(root)
    }

    /// Members that a schema requires but that are not kept.
    pub fn left_out(&self, schema: &Json) -> Vec<String> {
        let is_object = !self.whole && !self.members.is_empty() && self.each.is_none();
        let required = schema.get("required").and_then(Json::as_array).filter(|_| is_object);
        let names = required.unwrap_or_default().iter().filter_map(Json::as_str);
        names.filter(|name| !self.members.contains_key(*name)).map(str::to_owned).collect()
    }

    /// What is kept of the value itself, if only parts of it are kept.
    fn of(&self) -> Kinds {
        let object = if self.members.is_empty() { Kinds::NONE } else { Kinds::OBJECT };
        let array = if self.each.is_none() { Kinds::NONE } else { Kinds::ARRAY };
        object.or(array)
    }
}

/// A path in the form of a template's; `None` if it is invalid.
pub(super) fn segments(path: &str) -> Option<Vec<Segment>> {
    let segments = select::parse(path).ok()?.into_iter().map(|segment| match segment {
        select::Segment::Name(name) => Segment::Key(name.into_owned()),
        select::Segment::Each => Segment::Each,
    });
    Some(segments.collect())
}

/// Where the last key of the first segments is in a path; `None` after an escape.
pub(super) fn last_key(written: &str, first: &[Segment]) -> Option<Range<usize>> {
    let Some(Segment::Key(key)) = first.last() else { return None };
    let text = shown(first);
    let start = text.len().checked_sub(key.len())?;
    written.starts_with(&text).then_some(start..text.len())
}

impl Source for Selection {
    fn unknown(&self, path: &[Segment]) -> Option<Unknown> {
        let mut node = self;
        for (at, segment) in path.iter().enumerate() {
            if node.whole {
                return None;
            }
            node = match segment {
                Segment::Key(key) => match node.members.get(key) {
                    Some(member) => member,
                    None => {
                        let keys = node.members.keys().take(super::MAX_KEYS).cloned().collect();
                        return Some(Unknown { at, keys, of: node.of() });
                    }
                },
                // Members of an object differ, so knowledge about one does not apply to all.
                Segment::Each if node.members.is_empty() => node.each.as_deref()?,
                Segment::Each => return None,
            };
        }
        None
    }

    fn kinds(&self, _: &[Segment]) -> Kinds {
        Kinds::ALL
    }

    fn name(&self) -> (String, bool) {
        ("what `select` keeps".to_owned(), false)
    }

    fn remedy(&self) -> &'static str {
        "add it to `select`"
    }
}
