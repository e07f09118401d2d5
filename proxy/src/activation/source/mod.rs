//! Where bundles come from: a file, this process, or a network. What web servers, registries and object stores have of their
//! own is in the crate `mcp-sources`.

mod file;
mod flight;
mod memory;
mod remote;
#[cfg(test)]
mod remote_tests;
mod schedule;

pub use file::FileSource;
pub use memory::MemorySource;
pub use remote::{RemoteSettings, RemoteSource, RemoteStatus};

use flight::Over;
use mcp_sources::{CopyError, TransferError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A place that holds one bundle, which may change.
///
/// It blocks: reading, verifying and building block anyway, so every attempt runs on a thread that may, and the first one
/// before there is a runtime. A source that needs a network asks it on a thread of its own, and is waited for while nothing is
/// locked: [`BundleSource::begin`]. One attempt runs at a time, hence `&mut`: a source remembers what it fetched last (a file's
/// stamp, an `ETag`, a digest).
pub trait BundleSource: Send + std::fmt::Debug {
    /// For messages and the status: a path, a URL.
    fn name(&self) -> String;

    /// Whether there may be another bundle than the one that was fetched last. Asked at every poll, so it must be cheap as
    /// long as nothing has changed. After a failed fetch it says whether another try may end better.
    fn probe(&mut self) -> Result<bool, SourceError>;

    /// The bytes of the bundle: all or an error, never a part, and never more than
    /// [`MAX_FILE_LENGTH`](mcp_bundle::format::MAX_FILE_LENGTH), which is checked before they are read.
    fn fetch(&mut self) -> Result<Vec<u8>, SourceError>;

    /// The file to keep an eye on between two polls, if it is one.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// Asks a network, if there is one and it is time, or somebody wants to know now. What comes is there for the next probe
    /// and fetch; these never wait for it.
    fn begin(&mut self, _is_wanted: bool) -> Option<Asking> {
        None
    }

    /// The one who wanted to know is here for the answer, if it has come. Polls leave it alone until then.
    fn claim_answer(&mut self) {}

    /// Until the next probe is worth it; `None` if any is.
    fn wait(&self) -> Option<Duration> {
        None
    }

    /// What was fetched last is served now.
    fn is_served(&mut self) {}

    /// What was fetched last is not a bundle that may be served. Whether the next fetch gives something else.
    fn refuse(&mut self, _reason: &str) -> bool {
        false
    }

    /// How it goes, if it is behind a network.
    fn remote(&self) -> Option<&RemoteStatus> {
        None
    }
}

/// A question to a network that is on its way.
#[derive(Debug)]
pub struct Asking {
    pub(super) over: Arc<Over>,
    /// How long it is worth waiting for; `None`: until it is over.
    pub(super) patience: Option<Duration>,
    /// Otherwise it may have left before what somebody wants to see was there.
    pub(super) is_new: bool,
}

/// The bytes of a remote bundle, now.
pub(super) fn fetch_once(
    location: &mcp_sources::Location,
    options: &mcp_sources::Options,
) -> Result<Vec<u8>, SourceError> {
    let fetched = mcp_sources::open(location, options)?.newer(None)?;
    // Only a version that is known can be unchanged.
    Ok(fetched.map(|fetched| fetched.bytes).unwrap_or_default())
}

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("`{name}` cannot be read: {source}")]
    Unreadable { name: String, source: std::io::Error },
    #[error("`{name}` has {length} bytes, and a bundle at most {}", mcp_bundle::format::MAX_FILE_LENGTH)]
    TooLarge { name: String, length: u64 },
    #[error(transparent)]
    Remote(#[from] TransferError),
    /// It has not changed since it was refused.
    #[error("{0}")]
    Refused(String),
    #[error("{source}, and {copy}")]
    NoCopy { source: Box<SourceError>, copy: CopyError },
}
