//! Changes of files: what they are, how they are shown, and the ones that can be undone.

use super::error::ApiError;
use super::files;
use super::json::{Json, array, object, place};
use mcp_diagnostics::SourceFile;
use similar::{DiffTag, TextDiff};
use std::collections::VecDeque;

/// Edits that are remembered, and the bytes of their texts.
const REMEMBERED: usize = 100;
const REMEMBERED_BYTES: usize = 32 << 20;

/// The new text of a file; `None` means that there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Changes that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub title: String,
    pub changes: Vec<Change>,
}

/// The edits of this start.
#[derive(Debug, Default)]
pub struct Journal {
    next: u64,
    /// The oldest first.
    entries: VecDeque<Entry>,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub id: u64,
    pub edit: Edit,
    pub undone: bool,
}

impl Change {
    /// Of a file that is there.
    pub fn new(path: &str, before: &str, after: String) -> Change {
        Change { path: path.to_owned(), before: Some(before.to_owned()), after: Some(after) }
    }

    pub fn json(&self) -> Json {
        let hash = |text: &Option<String>| Json::from(text.as_deref().map(files::hash));
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        object([
            ("path", self.path.as_str().into()),
            ("hash", hash(&self.before)),
            ("newHash", hash(&self.after)),
            ("diff", diff.unified_diff().to_string().into()),
            ("patches", patches(before, after)),
        ])
    }

    fn bytes(&self) -> usize {
        [&self.before, &self.after].into_iter().flatten().map(String::len).sum()
    }
}

/// Whole lines in place of others, with the places of the old text.
fn patches(before: &str, after: &str) -> Json {
    let (old, new) = (SourceFile::new("", before), SourceFile::new("", after));
    let diff = TextDiff::from_lines(before, after);
    let offset = |file: &SourceFile, lines: usize| match lines {
        0 => 0,
        lines => file.text.split_inclusive('\n').take(lines).map(str::len).sum(),
    };
    let equal = diff.ops().iter().filter(|op| op.tag() == DiffTag::Equal);
    let equal = equal.map(|op| (op.old_range(), op.new_range()));
    let (old_lines, new_lines) = (diff.old_slices().len(), diff.new_slices().len());
    // What is between lines that are equal, in the order of the file.
    let (mut changed, mut at) = (Vec::new(), (0, 0));
    for (from, to) in equal.chain([(old_lines..old_lines, new_lines..new_lines)]) {
        if (from.start, to.start) != at {
            changed.push((at.0..from.start, at.1..to.start));
        }
        at = (from.end, to.end);
    }
    array(changed.into_iter().map(|(from, to)| {
        let text = new.text.get(offset(&new, to.start)..offset(&new, to.end)).unwrap_or_default();
        object([
            ("start", place(old.location(offset(&old, from.start)))),
            ("end", place(old.location(offset(&old, from.end)))),
            ("text", text.into()),
        ])
    }))
}

impl Edit {
    /// The way back.
    pub fn reversed(&self) -> Edit {
        let back = |change: &Change| Change {
            path: change.path.clone(),
            before: change.after.clone(),
            after: change.before.clone(),
        };
        let title = match self.title.strip_prefix("undo: ") {
            Some(title) => title.to_owned(),
            None => format!("undo: {}", self.title),
        };
        Edit { title, changes: self.changes.iter().rev().map(back).collect() }
    }
}

impl Journal {
    /// The number of the edit.
    pub fn add(&mut self, edit: Edit) -> u64 {
        self.next += 1;
        self.entries.push_back(Entry { id: self.next, edit, undone: false });
        let bytes = |entry: &Entry| entry.edit.changes.iter().map(Change::bytes).sum::<usize>();
        while self.entries.len() > REMEMBERED
            || (self.entries.len() > 1 && self.entries.iter().map(bytes).sum::<usize>() > REMEMBERED_BYTES)
        {
            self.entries.pop_front();
        }
        self.next
    }

    pub fn find(&self, id: &str) -> Result<Entry, ApiError> {
        let found = id.parse().ok().and_then(|id: u64| self.entries.iter().find(|entry| entry.id == id));
        found
            .cloned()
            .ok_or_else(|| ApiError::not_found(format!("there is no edit `{id}`, or it is too long ago")))
    }

    pub fn set_undone(&mut self, id: u64) {
        for entry in self.entries.iter_mut().filter(|entry| entry.id == id) {
            entry.undone = true;
        }
    }

    /// The newest first.
    pub fn json(&self) -> Json {
        array(self.entries.iter().rev().map(|Entry { id, edit, undone }| {
            object([
                ("id", (*id).into()),
                ("title", edit.title.as_str().into()),
                ("files", array(edit.changes.iter().map(|change| &change.path))),
                ("undone", (*undone).into()),
            ])
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(before: &str, after: &str) -> Edit {
        Edit { title: "t".to_owned(), changes: vec![Change::new("a", before, after.to_owned())] }
    }

    #[test]
    fn old_edits_are_forgotten() {
        let mut journal = Journal::default();
        let first = journal.add(edit("a", "b"));
        for _ in 0..REMEMBERED {
            journal.add(edit("a", "b"));
        }
        assert!(journal.find(&first.to_string()).is_err() && journal.find(&(first + 1).to_string()).is_ok());
        let large = "x".repeat(REMEMBERED_BYTES);
        let last = journal.add(edit("", &large));
        assert!(journal.find(&last.to_string()).is_ok() && journal.entries.len() == 1);
        assert!(journal.find("x").is_err() && journal.find("-1").is_err());
    }

    #[test]
    fn undoing_twice_is_doing() {
        let edit = edit("a", "b");
        assert_eq!(edit.reversed().title, "undo: t");
        assert_eq!(edit.reversed().reversed(), edit);
    }

    proptest! {
        #[test]
        fn the_patches_make_the_new_text(
            before in "([a-c]{0,2}\r?\n){0,6}[a-c]{0,2}",
            after in "([a-c]{0,2}\r?\n){0,6}[a-c]{0,2}",
        ) {
            let patches = patches(&before, &after);
            let (mut made, mut at) = (String::new(), 0);
            for patch in patches.as_array().unwrap() {
                let offset = |name| -> usize {
                    patch.get(name).unwrap().get("offset").unwrap().as_number().unwrap().parse().unwrap()
                };
                made.push_str(before.get(at..offset("start")).unwrap());
                made.push_str(patch.get("text").unwrap().as_str().unwrap());
                at = offset("end");
            }
            made.push_str(before.get(at..).unwrap());
            prop_assert_eq!(made, after);
        }
    }
}
