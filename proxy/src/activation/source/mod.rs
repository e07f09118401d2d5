//! Where bundles come from. A file is the first kind; HTTP, object stores and registries are others.
//!
//! A new kind is a file beside `file.rs` and its arm in `Inputs::of`.

mod file;
mod memory;

pub use file::FileSource;
pub use memory::MemorySource;

use std::path::Path;

/// A place that holds one bundle, which may change.
///
/// It blocks: reading, verifying and building block anyway, so every attempt runs on a thread that may, and the first one
/// before there is a runtime. A source that needs a network brings its own client, with time limits of its own.
/// One attempt runs at a time, hence `&mut`: a source remembers what it fetched last (a file's stamp, an `ETag`, a digest).
pub trait BundleSource: Send + std::fmt::Debug {
    /// For messages and the status: a path, a URL.
    fn name(&self) -> String;

    /// Whether there may be another bundle than the one that was fetched last. Asked at every poll, so it must be cheap: no
    /// bundle is transferred. After a failed fetch it says whether another try may end better.
    fn probe(&mut self) -> Result<bool, SourceError>;

    /// The bytes of the bundle: all or an error, never a part, and never more than
    /// [`MAX_FILE_LENGTH`](mcp_bundle::format::MAX_FILE_LENGTH), which is checked before they are read.
    fn fetch(&mut self) -> Result<Vec<u8>, SourceError>;

    /// The file to keep an eye on between two polls, if it is one.
    fn file(&self) -> Option<&Path> {
        None
    }
}

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("`{name}` cannot be read: {source}")]
    Unreadable { name: String, source: std::io::Error },
    #[error("`{name}` has {length} bytes, and a bundle at most {}", mcp_bundle::format::MAX_FILE_LENGTH)]
    TooLarge { name: String, length: u64 },
}
