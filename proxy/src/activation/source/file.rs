//! A bundle in a file.

use super::{BundleSource, SourceError};
use mcp_bundle::format::MAX_FILE_LENGTH;
use mcp_diagnostics::Stamp;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct FileSource {
    path: PathBuf,
    /// Of the file that was read last.
    stamp: Stamp,
}

impl FileSource {
    pub fn new(path: impl Into<PathBuf>) -> FileSource {
        FileSource { path: path.into(), stamp: Stamp::default() }
    }
}

impl BundleSource for FileSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        Ok(!Stamp::of(&self.path).is_same(&self.stamp))
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        // Taken before reading: what is written in between is seen as a change the next time.
        self.stamp = Stamp::of(&self.path);
        let unreadable = |source| SourceError::Unreadable { name: self.name(), source };
        // Opening a pipe would wait for its writer, and a device may never end.
        let metadata = std::fs::metadata(&self.path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(unreadable(std::io::Error::other("it is not a regular file")));
        }
        let too_large = |length| SourceError::TooLarge { name: self.name(), length };
        if metadata.len() > MAX_FILE_LENGTH {
            return Err(too_large(metadata.len()));
        }
        let file = File::open(&self.path).map_err(unreadable)?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        // It may have grown since.
        file.take(MAX_FILE_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE_LENGTH {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_refused_before_it_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // It has no blocks, so reading it would be the only thing that costs.
        file.as_file().set_len(MAX_FILE_LENGTH + 1).unwrap();
        let error = FileSource::new(file.path()).fetch().unwrap_err();
        assert!(matches!(&error, SourceError::TooLarge { length, .. } if *length == MAX_FILE_LENGTH + 1));
        assert!(error.to_string().contains(&MAX_FILE_LENGTH.to_string()), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let error = FileSource::new(folder.path()).fetch().unwrap_err();
        assert!(error.to_string().ends_with("it is not a regular file"), "{error}");
    }

    #[test]
    fn a_new_file_is_worth_a_look_and_one_that_was_read_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tools.mcpk");
        let mut source = FileSource::new(&path);
        source.fetch().unwrap_err();
        assert!(!source.probe().unwrap(), "it is still not there");
        std::fs::write(&path, "one").unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        File::open(&path).unwrap().set_modified(old).unwrap();
        assert!(source.probe().unwrap());
        assert_eq!(source.fetch().unwrap(), b"one");
        assert!(!source.probe().unwrap());
    }
}
