//! A copy of the last good bundle, for a start while its source is away.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A file that is replaced as a whole, so a crash in the middle leaves the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    path: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("the copy `{path}` cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the copy `{path}` has more than {limit} bytes")]
    TooLarge { path: String, limit: u64 },
    #[error("the copy `{path}` cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
}

impl Copy {
    pub fn new(path: impl Into<PathBuf>) -> Copy {
        Copy { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `None` if there is no such file.
    pub fn read(&self, limit: u64) -> Result<Option<Vec<u8>>, CopyError> {
        let path = || self.path.display().to_string();
        let unreadable = |source| CopyError::Unreadable { path: path(), source };
        let metadata = match std::fs::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata.map_err(unreadable)?,
        };
        // Opening a pipe would wait for its writer.
        if !metadata.is_file() {
            return Err(unreadable(std::io::Error::other("it is not a regular file")));
        }
        let mut bytes = Vec::new();
        let file = File::open(&self.path).map_err(unreadable)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > limit {
            return Err(CopyError::TooLarge { path: path(), limit });
        }
        Ok(Some(bytes))
    }

    /// All or nothing, and on the disk when this returns.
    pub fn write(&self, bytes: &[u8]) -> Result<(), CopyError> {
        let folder = match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let written = tempfile::Builder::new().prefix(".copy-").tempfile_in(folder).and_then(|mut file| {
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        });
        written.map_err(|source| CopyError::Unwritable { path: self.path.display().to_string(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_replaced_as_a_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let copy = Copy::new(folder.path().join("last-good.mcpk"));
        assert_eq!(copy.read(10).unwrap(), None);
        copy.write(b"one").unwrap();
        copy.write(b"two").unwrap();
        assert_eq!(copy.read(10).unwrap().unwrap(), b"two");
        assert!(matches!(copy.read(2), Err(CopyError::TooLarge { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_in_the_way_is_said_and_the_old_copy_stays() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Copy::new(folder.path().join("no/folder.mcpk"));
        let error = missing.write(b"x").unwrap_err().to_string();
        assert!(error.contains("folder.mcpk` cannot be written"), "{error}");
        let is_folder = Copy::new(folder.path());
        assert!(is_folder.write(b"x").is_err());
        assert!(is_folder.read(10).unwrap_err().to_string().contains("not a regular file"));
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "no half file stays");
    }
}
