//! Whether a file is still the one that was read, without reading it.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// What the file system says of a file. Stamps are equal if it said the same.
#[derive(Debug, Clone, Default)]
pub struct Stamp {
    file: Option<Facts>,
    /// The file was old enough when it was looked at that a later write must show in its times.
    is_old: bool,
    /// It has been looked at.
    is_seen: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Facts {
    length: u64,
    modified: Option<SystemTime>,
    identity: Identity,
}

/// A file that was renamed into the place of another has another identity.
#[cfg(unix)]
type Identity = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Identity = ();

/// Clocks of file systems are coarser than one thinks.
const OLD: Duration = Duration::from_secs(2);

impl Stamp {
    pub fn of(path: &Path) -> Stamp {
        let Ok(metadata) = std::fs::metadata(path) else {
            return Stamp { file: None, is_old: true, is_seen: true };
        };
        let modified = metadata.modified().ok();
        let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
        let file = Facts { length: metadata.len(), modified, identity: identity(&metadata) };
        Stamp { file: Some(file), is_old: age.is_some_and(|age| age >= OLD), is_seen: true }
    }

    /// `before` was of the same content for sure. Equal stamps are not enough: what is written to a young file may not
    /// show in its times.
    pub fn is_same(&self, before: &Stamp) -> bool {
        self == before && (before.is_old || !before.is_seen)
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Stamp) -> bool {
        self.is_seen == other.is_seen && self.file == other.file
    }
}

impl Eq for Stamp {}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_metadata: &std::fs::Metadata) -> Identity {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_replaced_or_removed_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let old = SystemTime::now() - Duration::from_secs(60);
        let set_old = |path: &Path| std::fs::File::open(path).unwrap().set_modified(old).unwrap();
        set_old(&path);
        let first = Stamp::of(&path);
        assert!(Stamp::of(&path).is_same(&first));
        let other = folder.path().join("b");
        std::fs::write(&other, "two").unwrap();
        set_old(&other);
        std::fs::rename(&other, &path).unwrap();
        assert!(!Stamp::of(&path).is_same(&first), "same length, same time, another file");
        std::fs::remove_file(&path).unwrap();
        let gone = Stamp::of(&path);
        assert!(!gone.is_same(&first) && Stamp::of(&path).is_same(&gone));
    }

    #[test]
    fn a_file_that_was_just_written_is_read_again() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let young = Stamp::of(file.path());
        assert!(!Stamp::of(file.path()).is_same(&young));
        assert_eq!(Stamp::of(file.path()), young, "nothing was written");
    }
}
