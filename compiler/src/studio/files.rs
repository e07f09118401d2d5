//! Files that the studio may change, and how: whole, or not at all if somebody changed them meanwhile.

use crate::files::disk::{self, Disk};
use crate::files::{Files, ReadError};
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

/// Where files are read and written, as it was at the start: a folder may go away and come back.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// With their links resolved: the folders among the paths, and those that the files among them are in.
    real: Vec<PathBuf>,
    /// The folders among the paths.
    folders: Vec<PathBuf>,
    /// Files that somebody named: these are read wherever they are.
    named: Vec<PathBuf>,
}

impl Roots {
    pub fn of(paths: &[PathBuf], config: Option<&Path>) -> Roots {
        let (folders, mut named): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path.is_dir());
        let of_files = named.iter().map(|path| folder_of(path));
        let all = folders.iter().map(PathBuf::as_path).chain(of_files);
        let real = all.filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        named.extend(config.map(Path::to_path_buf));
        Roots { real, folders, named }
    }

    /// The first folder among the paths, where new files go.
    pub fn folder(&self) -> Option<&Path> {
        self.folders.first().map(PathBuf::as_path)
    }

    /// The folder that a new spec would be in if it were among the specs: that of the first path.
    pub fn base(&self) -> &Path {
        self.folder().or_else(|| self.named.first().map(|path| folder_of(path))).unwrap_or(Path::new("."))
    }

    /// A folder among the paths that is not there now.
    pub fn away(&self) -> Option<&Path> {
        self.folders.iter().map(PathBuf::as_path).find(|folder| !folder.is_dir())
    }

    /// Whether a file is in one of the folders, wherever links lead.
    pub fn hold(&self, path: &Path) -> bool {
        let real = fs::canonicalize(path).or_else(|_| {
            let folder = fs::canonicalize(folder_of(path))?;
            Ok::<_, std::io::Error>(folder.join(path.file_name().unwrap_or_default()))
        });
        real.is_ok_and(|real| self.real.iter().any(|root| real.starts_with(root)))
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files of the specs as they are on disk, but none that a link leads out to.
impl Files for Roots {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        let path = Path::new(name);
        let is_named = self.named.iter().any(|named| disk::display(named) == name);
        // What is not there leads nowhere.
        if !is_named && path.exists() && !self.hold(path) {
            let why = "it is a link that leads out of the folders of the specs; start the studio with the file itself";
            return Err(ReadError::Unreadable(why.to_owned()));
        }
        Disk.read(name)
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<String, ReadError> {
        Disk.read_below(folder, name)
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
        let roots = Roots::of(&[inside.path().to_path_buf()], None);
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
