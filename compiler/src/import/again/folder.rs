//! An import into a folder that may hold an earlier one.
//!
//! What an import wrote last is kept in `.imported`, beside the specs: without it, nobody can tell a person's edits from what the
//! source said.

use super::pieces::Pieces;
use super::{Conflict, Fate, Merge, Settle, Versions, merge};
use crate::files::disk;
use crate::import::document;
use crate::import::output::{File, OutputError, check_names, write_all};
use std::fs;
use std::path::Path;

/// Where the records are, below the folder of the specs.
pub const RECORDS: &str = ".imported";

/// What an import does with files that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Replaces them, whatever they are.
    Replace,
    /// Merges into those that an import wrote; others are an error.
    Merge(Settle),
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    New,
    /// Empty lists: it stays as it is.
    Merged {
        changed: Vec<(String, Fate)>,
        conflicts: Vec<Conflict>,
    },
}

/// The files of an import as they will be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    files: Vec<File>,
    records: Vec<File>,
    /// One for each file.
    pub changes: Vec<Change>,
}

/// Finds out what an import changes. Nothing is written.
pub fn plan(folder: &Path, files: Vec<File>, existing: Existing) -> Result<Update, OutputError> {
    check_names(files.iter().map(|file| file.name.as_str()))?;
    let mut update = Update::default();
    for File { name, text: source } in files {
        let path = folder.join(&name);
        let is_there = fs::symlink_metadata(&path).is_ok();
        let settle = match existing {
            Existing::Merge(settle) if is_there => settle,
            _ => {
                update.add(name, source.clone(), source, Change::New);
                continue;
            }
        };
        let now = read(&path)?;
        let Ok(last) = read(&folder.join(RECORDS).join(&name)) else {
            return Err(OutputError::Exists(disk::display(&path)));
        };
        if !is_another_version(&last, &source) {
            return Err(OutputError::OtherSource(disk::display(&path)));
        }
        let Merge { text, last, changed, conflicts } =
            merge(Versions { last: &last, now: &now, source: &source }, settle);
        update.add(name, text, last, Change::Merged { changed, conflicts });
    }
    Ok(update)
}

impl Update {
    fn add(&mut self, name: String, text: String, record: String, change: Change) {
        self.files.push(File { name: name.clone(), text });
        self.records.push(File { name, text: record });
        self.changes.push(change);
    }

    /// Writes the files, then the records: if this is cut short, the next import finds them up to date.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        write_all(folder, &self.files)?;
        write_all(&folder.join(RECORDS), &self.records)
    }
}

/// Whether an import is one of the same source: some tool is in both, or there was none.
fn is_another_version(last: &str, source: &str) -> bool {
    let (last, source) = (Pieces::of(last), Pieces::of(source));
    let tools = last.tools();
    tools.is_empty() || source.tools().iter().any(|tool| tools.contains(tool))
}

fn read(path: &Path) -> Result<String, OutputError> {
    let failed = |why: String| OutputError::Unreadable(disk::display(path), why);
    let metadata = fs::metadata(path).map_err(|error| failed(disk::plain(&error)))?;
    if !metadata.is_file() {
        return Err(failed("it is not a file".to_owned()));
    }
    if metadata.len() > document::MAX_BYTES as u64 {
        return Err(failed(format!("it has more than {} MiB", document::MAX_BYTES >> 20)));
    }
    fs::read_to_string(path).map_err(|error| failed(disk::plain(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MERGE: Existing = Existing::Merge(Settle::Later);

    fn spec(description: &str) -> Vec<File> {
        let text = format!(
            "[toolset]\nname = \"a\"\n\n[[tool]]\nname = \"t\"\ndescription = \"{description}\"\nmethod = \"GET\"\n"
        );
        vec![File { name: "a.toml".to_owned(), text }]
    }

    fn import(folder: &Path, files: Vec<File>, existing: Existing) -> Result<Update, OutputError> {
        let update = plan(folder, files, existing)?;
        update.write(folder)?;
        Ok(update)
    }

    #[test]
    fn the_second_import_keeps_edits_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        assert_eq!(import(folder.path(), spec("one"), MERGE).unwrap().changes, [Change::New]);
        let edited = fs::read_to_string(&file).unwrap().replace("GET", "POST");
        fs::write(&file, &edited).unwrap();
        let update = import(folder.path(), spec("two"), MERGE).unwrap();
        let changed = vec![("`t`".to_owned(), Fate::Merged)];
        assert_eq!(update.changes, [Change::Merged { changed, conflicts: vec![] }]);
        assert_eq!(fs::read_to_string(&file).unwrap(), edited.replace("one", "two"));
        import(folder.path(), spec("three"), Existing::Replace).unwrap();
        assert!(!fs::read_to_string(&file).unwrap().contains("POST"));
    }

    #[test]
    fn a_file_that_no_import_wrote_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        fs::write(&file, "mine").unwrap();
        let refused = import(folder.path(), spec("one"), MERGE).unwrap_err();
        assert!(matches!(refused, OutputError::Exists(_)), "{refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }

    #[test]
    fn an_import_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        import(folder.path(), spec("one"), MERGE).unwrap();
        let mut other = spec("one");
        other[0].text = other[0].text.replace("\"t\"", "\"u\"");
        let refused = import(folder.path(), other, MERGE).unwrap_err();
        assert!(matches!(refused, OutputError::OtherSource(_)), "{refused}");
    }
}
