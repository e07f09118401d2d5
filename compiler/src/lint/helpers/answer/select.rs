//! What `select` lets a template see.

use super::{Kinds, Source, Unknown, shown};
use crate::language::json::Json;
use crate::language::selection::Selection;
use crate::template::Segment;
use mcp_bundle::shape::select;
use std::ops::Range;

/// Members that a schema requires but that are not kept.
pub(super) fn left_out(selection: &Selection, schema: &Json) -> Vec<String> {
    let is_object = !selection.whole && !selection.members.is_empty() && selection.each.is_none();
    let required = schema.get("required").and_then(Json::as_array).filter(|_| is_object);
    let names = required.unwrap_or_default().iter().filter_map(Json::as_str);
    names.filter(|name| !selection.members.contains_key(*name)).map(str::to_owned).collect()
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
                        return Some(Unknown { at, keys, of: node.fits().without(Kinds::NULL) });
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

    fn remedy(&self) -> String {
        "add it to `select`".to_owned()
    }
}
