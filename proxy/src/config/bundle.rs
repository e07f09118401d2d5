//! Where the bundle is.

use super::ConfigError;
use mcp_sources::{Location, LocationError};
use std::fmt;
use std::path::{Path, PathBuf};

/// A file, or a place behind a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundlePlace {
    File(PathBuf),
    Remote(Location),
}

impl BundlePlace {
    /// As somebody wrote it; `folder` is what a path is relative to.
    pub fn parse(text: &Path, folder: &Path) -> Result<BundlePlace, LocationError> {
        match text.to_str().and_then(Location::find) {
            Some(location) => location.map(BundlePlace::Remote),
            None => Ok(BundlePlace::File(folder.join(text))),
        }
    }

    /// What it goes by where files are listed.
    pub fn path(&self) -> PathBuf {
        match self {
            BundlePlace::File(path) => path.clone(),
            BundlePlace::Remote(location) => PathBuf::from(location.to_string()),
        }
    }
}

impl fmt::Display for BundlePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

impl super::Config {
    /// Who can write to the source, or sit on the way to it, could otherwise say what is served.
    pub fn requires_a_signature(&self) -> Result<(), ConfigError> {
        match &self.bundle {
            Some(BundlePlace::Remote(location)) if self.keys.is_empty() => {
                Err(ConfigError::Untrusted { location: location.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// How a remote source is asked.
    pub(crate) fn source_options(&self) -> mcp_sources::Options {
        let secrets = self.secrets.clone();
        mcp_sources::Options {
            ca_file: self.ca_file.clone(),
            // Read again each time. A file that cannot be read is reported where it is needed for calls.
            variables: mcp_sources::Variables::new(move |name| secrets.read().unwrap_or_default().get(name)),
            limit: mcp_bundle::format::MAX_FILE_LENGTH,
            patience: mcp_sources::Patience::default(),
        }
    }
}
