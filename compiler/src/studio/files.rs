//! Files that the studio may change, and how: whole, or not at all if somebody changed them meanwhile.

use crate::files::disk;
use mcp_bundle::definition::Pin;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What tells one text of a file from another.
pub fn hash(text: &str) -> String {
    Pin::of(text).to_string()
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteError {
    /// It is not what it was.
    Stale,
    Failed(String),
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> WriteError {
        match error.kind() {
            // Somebody removed it.
            ErrorKind::NotFound => WriteError::Stale,
            _ => WriteError::Failed(disk::plain(&error)),
        }
    }
}

/// Folders that are written to, with their links resolved.
#[derive(Debug, Clone, Default)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// The folders among the paths, and those that the files among them are in.
    pub fn of(paths: &[PathBuf]) -> Roots {
        let folders = paths.iter().map(|path| match path.is_dir() {
            true => path.as_path(),
            false => path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        });
        Roots(folders.filter_map(|folder| fs::canonicalize(folder).ok()).collect())
    }

    /// Whether a file is in one of them, wherever links lead.
    pub fn hold(&self, path: &Path) -> bool {
        let real = fs::canonicalize(path).or_else(|_| {
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok::<_, std::io::Error>(fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default()))
        });
        real.is_ok_and(|real| self.0.iter().any(|root| real.starts_with(root)))
    }
}

/// Puts one text in place of another; `None` means that there is no file.
pub fn put(path: &Path, before: Option<&str>, after: Option<&str>) -> Result<(), WriteError> {
    let is_as_before = |path: &Path| match before {
        Some(before) => fs::read(path).is_ok_and(|now| now == before.as_bytes()),
        None => false,
    };
    match (before, after) {
        (None, None) => Ok(()),
        (None, Some(after)) => match disk::create(path, after.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(WriteError::Stale),
            written => Ok(written?),
        },
        (Some(_), None) => {
            if !is_as_before(path) {
                return Err(WriteError::Stale);
            }
            Ok(fs::remove_file(path)?)
        }
        (Some(_), Some(after)) => match disk::rewrite_if(path, after, is_as_before)? {
            true => Ok(()),
            false => Err(WriteError::Stale),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_somebody_changed_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        put(&path, None, Some("one")).unwrap();
        assert_eq!(put(&path, None, Some("two")), Err(WriteError::Stale), "it is there already");
        put(&path, Some("one"), Some("two")).unwrap();
        fs::write(&path, "three").unwrap();
        assert_eq!(put(&path, Some("two"), Some("four")), Err(WriteError::Stale));
        assert_eq!(put(&path, Some("two"), None), Err(WriteError::Stale));
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        put(&path, Some("three"), None).unwrap();
        assert_eq!(put(&path, Some("three"), Some("four")), Err(WriteError::Stale), "it is gone");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let roots = Roots::of(&[inside.path().to_path_buf()]);
        let path = |name: &str| inside.path().join(name);
        fs::write(path("a.toml"), "").unwrap();
        fs::write(outside.path().join("b.toml"), "").unwrap();
        std::os::unix::fs::symlink(outside.path().join("b.toml"), path("b.toml")).unwrap();
        std::os::unix::fs::symlink(outside.path(), path("folder")).unwrap();
        assert!(roots.hold(&path("a.toml")) && roots.hold(&path("new.toml")));
        for name in ["b.toml", "folder/b.toml", "folder/new.toml", "../new.toml", "nowhere/new.toml"] {
            assert!(!roots.hold(&path(name)), "{name}");
        }
    }
}
