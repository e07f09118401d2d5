//! Bytes → a bundle that is whole and trusted.

use super::source::{BundleSource, FileSource, SourceError, fetch_once};
use mcp_bundle::format::{self, Bundle, ReadError, Trust, VerifyingKey};
use mcp_sources::{Location, Options};
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

/// The same from a remote source, without a copy.
pub fn load_remote(
    location: &Location,
    options: Options,
    keys: &[VerifyingKey],
) -> Result<Bundle, LoadError> {
    verified(&fetch_once(location, &options)?, &location.to_string(), keys)
}

pub(super) fn read(source: &mut dyn BundleSource, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    let error = match fetch_and_verify(source, keys) {
        Err(error @ LoadError::Invalid { .. }) => error,
        other => return other,
    };
    match source.refuse(&error.to_string()) {
        true => fetch_and_verify(source, keys).map_err(|_| error),
        false => Err(error),
    }
}

fn fetch_and_verify(source: &mut dyn BundleSource, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    verified(&source.fetch()?, &source.name(), keys)
}

fn verified(bytes: &[u8], name: &str, keys: &[VerifyingKey]) -> Result<Bundle, LoadError> {
    let trust = if keys.is_empty() { Trust::Any } else { Trust::AnyOf(keys) };
    format::read(bytes, &trust).map_err(|source| LoadError::Invalid { name: name.to_owned(), source })
}
