//! A bundle that was made in this process.

use super::{BundleSource, SourceError};

/// `mcpc dev` compiles its specs to one.
#[derive(Debug, Clone)]
pub struct MemorySource {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl BundleSource for MemorySource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        Ok(self.bytes.clone())
    }
}
