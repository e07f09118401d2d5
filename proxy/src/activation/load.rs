//! Reads bundle files.

use mcp_bundle::format::{self, Bundle, MAX_FILE_LENGTH, ReadError, Trust, VerifyingKey};
use std::io::Read;
use std::path::Path;

/// Why a bundle could not be loaded. Nothing is changed by a bundle that fails to load.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("`{path}` cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("`{path}`: {source}")]
    Invalid { path: String, source: ReadError },
}

/// Reads and verifies a bundle. Without keys any bundle that is whole will do.
pub fn load(path: &Path, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    let name = path.display().to_string();
    let unreadable = |source| LoadError::Unreadable { path: name.clone(), source };
    // Opening a pipe would wait for its writer, and a device may never end.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(unreadable(std::io::Error::other("it is not a regular file")));
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // One byte more than allowed: the reader then says that it is too large.
    file.take(MAX_FILE_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let trust = if keys.is_empty() { Trust::Any } else { Trust::AnyOf(keys) };
    format::read(&bytes, &trust).map_err(|source| LoadError::Invalid { path: name.clone(), source })
}
