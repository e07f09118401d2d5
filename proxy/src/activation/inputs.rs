//! What an attempt reads.

use super::source::{BundleSource, FileSource, RemoteSettings, RemoteSource, SourceError};
use super::{ActivationError, load, tenancy};
use crate::Edge;
use crate::config::{AuthConfig, BundlePlace, Config, ConfigError, SecretSource};
use crate::settings::Settings;
use crate::tenants::Directory;
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
    /// `None`: those of the edge stay.
    pub auth: Option<AuthConfig>,
    /// What a remote source was made of.
    remote: Option<Origin>,
    /// Of the secrets that were read last.
    secrets_stamp: Stamp,
    /// Of the tenants that were read last.
    tenants_stamp: Stamp,
    /// Of the issuers' keys that were read last.
    keys_stamps: Vec<Stamp>,
}

/// What a remote source was made of. While this stays the same, so does the source, with what it holds.
#[derive(Debug, PartialEq, Eq)]
struct Origin {
    settings: RemoteSettings,
    ca_file: Option<PathBuf>,
    secrets: SecretSource,
}

/// What an edge was given. If it is the same again, there is nothing to swap.
pub(super) struct Given {
    pub(super) revision: Revision,
    /// The public keys that signed the bundle, as text.
    pub(super) signers: Vec<String>,
    pub(super) secrets: EnvFile,
    pub(super) settings: Arc<Settings>,
    pub(super) directory: Arc<Directory>,
}

impl PartialEq for Given {
    fn eq(&self, other: &Given) -> bool {
        let Given { revision, signers, secrets, settings, directory } = self;
        *revision == other.revision
            && *signers == other.signers
            && *secrets == other.secrets
            && *settings == other.settings
            && Arc::ptr_eq(directory, &other.directory)
    }
}

impl Inputs {
    /// Without keys, secrets and settings of its own.
    pub fn new(source: impl BundleSource + 'static) -> Inputs {
        Inputs {
            source: Box::new(source),
            keys: Vec::new(),
            secrets: SecretSource::default(),
            settings: None,
            auth: None,
            remote: None,
            secrets_stamp: Stamp::default(),
            tenants_stamp: Stamp::default(),
            keys_stamps: Vec::new(),
        }
    }

    pub fn with_secrets(mut self, secrets: SecretSource) -> Inputs {
        self.secrets = secrets;
        self
    }

    /// What a configuration asks for.
    pub(super) fn of(config: &Config) -> Result<Inputs, ConfigError> {
        let bundle = config.bundle.as_ref().ok_or(ConfigError::NoBundle)?;
        config.requires_a_signature()?;
        let inputs = match bundle {
            BundlePlace::File(path) => Inputs::new(FileSource::new(path)),
            BundlePlace::Remote(location) => {
                let (every, copy) = (config.poll, config.bundle_copy.clone());
                let settings = RemoteSettings { location: location.clone(), every, copy };
                let source = RemoteSource::new(settings.clone(), config.source_options());
                let origin =
                    Origin { settings, ca_file: config.ca_file.clone(), secrets: config.secrets.clone() };
                Inputs { remote: Some(origin), ..Inputs::new(source) }
            }
        };
        Ok(Inputs {
            keys: config.keys.clone(),
            secrets: config.secrets.clone(),
            settings: Some(Arc::new(config.settings.clone())),
            auth: Some(config.auth.clone().unwrap_or_default()),
            ..inputs
        })
    }

    /// Takes the source over, if it is the same remote one: what it holds is good while the network is away.
    pub(super) fn continue_from(&mut self, previous: Inputs) {
        if self.remote.is_some() && self.remote == previous.remote {
            self.source = previous.source;
        }
    }

    /// Whether something may have changed.
    pub(super) fn probe(&mut self) -> Result<bool, SourceError> {
        let is_same = stamp(self.secrets.file()).is_same(&self.secrets_stamp)
            && stamp(self.tenants_file()).is_same(&self.tenants_stamp)
            // None are there before the first look.
            && self.key_files().zip(&self.keys_stamps).all(|(file, before)| Stamp::of(file).is_same(before));
        // In any case: a remote source that is due and not asked would be due again at once.
        let has_changed = self.source.probe()?;
        Ok(!is_same || has_changed)
    }

    pub(super) fn read(&mut self, edge: &Edge) -> Result<(Bundle, Given), ActivationError> {
        // Taken before reading: what is written in between is seen as a change the next time.
        self.secrets_stamp = stamp(self.secrets.file());
        self.tenants_stamp = stamp(self.tenants_file());
        self.keys_stamps = self.key_files().map(Stamp::of).collect();
        let bundle = load::read(&mut *self.source, &self.keys)?;
        let secrets = self.secrets.read()?;
        let serving = edge.serving();
        let settings = self.settings.clone().unwrap_or_else(|| Arc::clone(&serving.settings));
        let directory = match &mut self.auth {
            Some(auth) => {
                auth.read_key_files().map_err(ActivationError::IssuerKeys)?;
                tenancy::read(auth, edge.network(), &serving.directory)?
            }
            None => Arc::clone(&serving.directory),
        };
        let signers = bundle.signers.iter().map(key_text::write_public).collect();
        let given = Given { revision: bundle.revision, signers, secrets, settings, directory };
        Ok((bundle, given))
    }

    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let files = [self.source.file(), self.secrets.file(), self.tenants_file()];
        files.into_iter().flatten().chain(self.key_files()).map(Path::to_owned)
    }

    fn key_files(&self) -> impl Iterator<Item = &Path> {
        self.auth.iter().flat_map(AuthConfig::key_files)
    }

    fn tenants_file(&self) -> Option<&Path> {
        self.auth.as_ref()?.tenants.as_deref()
    }
}

fn stamp(file: Option<&Path>) -> Stamp {
    file.map(Stamp::of).unwrap_or_default()
}
