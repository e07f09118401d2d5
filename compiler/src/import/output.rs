//! The files of an import: all of them, or none.

use crate::files::disk::{self, Staged};
use std::path::Path;

/// A file by its name in the folder, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
}

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("`{0}` is no name for a file of this folder")]
    Name(String),
    #[error(
        "`{0}` already exists, and there is no record that an import wrote it; choose another folder with `-o`, or replace it \
         with `--force`"
    )]
    Exists(String),
    #[error(
        "`{0}` already exists, and this import has no tool in common with the one that wrote it; choose another folder with \
         `-o`, or replace it with `--force`"
    )]
    OtherSource(String),
    #[error("`{0}` cannot be read: {1}")]
    Unreadable(String, String),
    #[error("the folder `{0}` cannot be made: {1}")]
    Folder(String, String),
    #[error("`{0}` cannot be written: {1}")]
    File(String, String),
}

/// Refuses names that lead elsewhere.
pub fn check_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(), OutputError> {
    for name in names {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.starts_with('.') || name.is_empty() || !name.chars().all(is_plain) {
            return Err(OutputError::Name(name.to_owned()));
        }
    }
    Ok(())
}

/// Writes all files. Each is complete beside its place before the first one gets there.
pub fn write_all(folder: &Path, files: &[File]) -> Result<(), OutputError> {
    check_names(files.iter().map(|file| file.name.as_str()))?;
    std::fs::create_dir_all(folder)
        .map_err(|error| OutputError::Folder(disk::display(folder), disk::plain(&error)))?;
    let failed =
        |path: &Path, error: std::io::Error| OutputError::File(disk::display(path), disk::plain(&error));
    let mut staged = Vec::new();
    for File { name, text } in files {
        let path = folder.join(name);
        let one = Staged::new(&path, text.as_bytes(), false).map_err(|error| failed(&path, error))?;
        staged.push((path, one));
    }
    for (path, one) in staged {
        one.commit().map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn all_files_or_none_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("specs");
        std::fs::create_dir_all(below.join("b.toml")).unwrap();
        let files = [file("a.toml", "a"), file("b.toml", "b")];
        assert!(write_all(&below, &files).is_err(), "a folder is in the way");
        let names: Vec<_> = std::fs::read_dir(&below).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["b.toml"]);
        std::fs::remove_dir(below.join("b.toml")).unwrap();
        write_all(&below, &files).unwrap();
        assert_eq!(std::fs::read_to_string(below.join("b.toml")).unwrap(), "b");
        write_all(&below, &[file("a.toml", "new")]).unwrap();
        assert_eq!(std::fs::read_to_string(below.join("a.toml")).unwrap(), "new");
    }

    #[test]
    fn names_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../a.toml", "a/b.toml", ".hidden", "", "a\0b", "C:\\a.toml"] {
            assert!(matches!(write_all(folder.path(), &[file(name, "")]), Err(OutputError::Name(_))));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
