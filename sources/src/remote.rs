//! What all kinds of sources have in common.

use crate::error::TransferError;
use crate::patience::Patience;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A place that holds one bundle. Asking it blocks, for as long as its client has patience.
pub trait Remote: Send + fmt::Debug {
    /// The bundle, whole, unless it is still the version that is known. Then this is one small request.
    fn newer(&mut self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError>;
}

/// Bytes that came, all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub bytes: Vec<u8>,
    pub version: Version,
}

/// How a place names what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Version {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Of the manifest, in a registry.
    pub digest: Option<String>,
}

impl Version {
    /// The place says nothing, so it cannot be asked whether something has changed.
    pub fn is_unknown(&self) -> bool {
        *self == Version::default()
    }
}

/// What says most, for logs.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Version { etag, last_modified, digest } = self;
        f.write_str(
            digest.as_ref().or(etag.as_ref()).or(last_modified.as_ref()).map_or("unknown", |text| text),
        )
    }
}

/// How places are asked.
#[derive(Debug, Clone)]
pub struct Options {
    /// Authorities to trust instead of those of this machine.
    pub ca_file: Option<PathBuf>,
    pub variables: Variables,
    /// The most bytes of a bundle.
    pub limit: u64,
    pub patience: Patience,
}

/// Where credentials are looked up by name. Values never reach a debug print.
#[derive(Clone)]
pub struct Variables {
    get: Arc<Lookup>,
}

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Variables {
    /// `get` gives values that are not empty.
    pub fn new(get: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Variables {
        Variables { get: Arc::new(get) }
    }

    pub fn of_environment() -> Variables {
        Variables::new(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    pub fn get(&self, name: &str) -> Option<String> {
        (self.get)(name)
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables")
    }
}

/// What others can see of a bundle without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub name: String,
    pub revision: String,
    pub tools: usize,
    /// Public keys, as text.
    pub signers: Vec<String>,
}

/// How an upload ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    pub version: Version,
    /// Nothing was sent: it was there.
    pub was_there: bool,
}
