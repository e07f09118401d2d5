//! What an attempt reads.

use super::source::{BundleSource, FileSource, SourceError};
use super::{ActivationError, load};
use crate::Edge;
use crate::config::{Config, ConfigError, SecretSource};
use crate::settings::Settings;
use mcp_bundle::format::{Bundle, Revision, VerifyingKey, key_text};
use mcp_diagnostics::{EnvFile, Stamp};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that decides what is served.
#[derive(Debug)]
pub struct Inputs {
    pub source: Box<dyn BundleSource>,
    /// With any, the bundle must be signed by one of them.
    pub keys: Vec<VerifyingKey>,
    pub secrets: SecretSource,
    /// `None`: those of the edge stay.
    pub settings: Option<Arc<Settings>>,
    /// Of the secrets that were read last.
    secrets_stamp: Stamp,
}

/// What an edge was given. If it is the same again, there is nothing to swap.
#[derive(PartialEq)]
pub(super) struct Given {
    pub(super) revision: Revision,
    /// The public keys that signed the bundle, as text.
    pub(super) signers: Vec<String>,
    pub(super) secrets: EnvFile,
    pub(super) settings: Arc<Settings>,
}

impl Inputs {
    /// Without keys, secrets and settings of its own.
    pub fn new(source: impl BundleSource + 'static) -> Inputs {
        Inputs {
            source: Box::new(source),
            keys: Vec::new(),
            secrets: SecretSource::default(),
            settings: None,
            secrets_stamp: Stamp::default(),
        }
    }

    pub fn with_secrets(mut self, secrets: SecretSource) -> Inputs {
        self.secrets = secrets;
        self
    }

    /// What a configuration asks for.
    pub(super) fn of(config: &Config) -> Result<Inputs, ConfigError> {
        let bundle = config.bundle.as_ref().ok_or(ConfigError::NoBundle)?;
        Ok(Inputs {
            keys: config.keys.clone(),
            secrets: config.secrets.clone(),
            settings: Some(Arc::new(config.settings.clone())),
            ..Inputs::new(FileSource::new(bundle))
        })
    }

    /// Whether something may have changed.
    pub(super) fn probe(&mut self) -> Result<bool, SourceError> {
        Ok(!self.stamp_secrets().is_same(&self.secrets_stamp) || self.source.probe()?)
    }

    pub(super) fn read(&mut self, edge: &Edge) -> Result<(Bundle, Given), ActivationError> {
        // Taken before reading: what is written in between is seen as a change the next time.
        self.secrets_stamp = self.stamp_secrets();
        let bundle = load::read(&mut *self.source, &self.keys)?;
        let secrets = self.secrets.read()?;
        let settings = self.settings.clone().unwrap_or_else(|| Arc::clone(&edge.serving().settings));
        let signers = bundle.signers.iter().map(key_text::write_public).collect();
        let given = Given { revision: bundle.revision, signers, secrets, settings };
        Ok((bundle, given))
    }

    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let files = [self.source.file(), self.secrets.file()];
        files.into_iter().flatten().map(Path::to_owned)
    }

    fn stamp_secrets(&self) -> Stamp {
        self.secrets.file().map(Stamp::of).unwrap_or_default()
    }
}
