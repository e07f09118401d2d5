//! Bytes → a bundle that is whole and trusted.

use super::source::{BundleSource, FileSource, SourceError};
use mcp_bundle::format::{self, Bundle, ReadError, Trust, VerifyingKey};
use std::path::Path;

/// Why a bundle could not be loaded. Nothing is changed by a bundle that fails to load.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("`{name}`: {source}")]
    Invalid { name: String, source: ReadError },
}

/// Reads and verifies a bundle file. Without keys any bundle that is whole will do.
pub fn load(path: &Path, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    read(&mut FileSource::new(path), keys)
}

pub(super) fn read(source: &mut dyn BundleSource, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    let bytes = source.fetch()?;
    let trust = if keys.is_empty() { Trust::Any } else { Trust::AnyOf(keys) };
    format::read(&bytes, &trust).map_err(|error| LoadError::Invalid { name: source.name(), source: error })
}
