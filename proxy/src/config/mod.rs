//! `edge.toml`: what belongs to the place the edge runs in.
//!
//! All mistakes of a file are reported in one run, each with its place. `docs/OPERATIONS.md` has the reference; its
//! table comes from [`keys::reference`], and `docs/edge.schema.json` from [`editor_schema`].

mod address;
mod auth;
mod bundle;
pub mod editor_schema;
mod fixed;
pub mod keys;
mod lower;
mod mtls;
mod numbers;
mod places;
mod programs;
mod secrets;
mod shared;
#[cfg(test)]
mod tests;

pub use address::{AddressError, parse_address};
pub use auth::AuthConfig;
pub use bundle::BundlePlace;
pub use lower::is_off;
pub use mcp_diagnostics::Problems;
pub use places::{FileProblem, Places};
pub use programs::programs_of;
pub use secrets::{SecretSource, SecretsError};

use crate::process::Listener;
use crate::settings::Settings;
use crate::telemetry::logging::LogSettings;
use crate::tenants::Mode;
use mcp_bundle::format::VerifyingKey;
use mcp_bundle::format::key_text;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a process does. Paths are relative to where the process runs.
#[derive(Debug, Clone)]
pub struct Config {
    pub bundle: Option<BundlePlace>,
    /// Where the last good bundle of a remote source is kept.
    pub bundle_copy: Option<PathBuf>,
    /// With any, the bundle must be signed by one of them.
    pub keys: Vec<VerifyingKey>,
    pub poll: Duration,
    pub secrets: SecretSource,
    /// Who may call; `None` if the file does not say.
    pub auth: Option<AuthConfig>,
    /// The admin listener may be reachable from other machines.
    pub admin_open: bool,
    /// `None` is as many as there are cores.
    pub threads: Option<usize>,
    pub listeners: Vec<Listener>,
    pub admin: Option<SocketAddr>,
    /// Finished calls that the admin listener can show.
    pub recent_calls: usize,
    pub upgrade_socket: Option<PathBuf>,
    pub ca_file: Option<PathBuf>,
    pub log: LogSettings,
    pub settings: Settings,
    /// Where the file that was read names other files.
    pub places: Places,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("`{path}` cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("`{path}` has more than {MAX_LENGTH} bytes, which is too large for a configuration")]
    TooLarge { path: String },
    #[error("`{path}` is not UTF-8 text")]
    NotText { path: String },
    #[error("{0}")]
    Wrong(Problems),
    #[error("`{address}` is reachable from other machines, and there is no authentication")]
    Exposed { address: String },
    #[error("`--auth none` would let everyone call, but the configuration has `[auth]`")]
    OpenedByHand,
    #[error("there is no bundle to serve")]
    NoBundle,
    #[error("`{location}` is behind a network, and there is no key that must have signed the bundle")]
    Untrusted { location: String },
}

pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
pub const DEFAULT_ADMIN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8081);

const MAX_LENGTH: u64 = 1 << 20;

impl Default for Config {
    fn default() -> Config {
        let mut config = Config {
            bundle: None,
            bundle_copy: None,
            keys: Vec::new(),
            poll: Duration::from_secs(10),
            secrets: SecretSource::default(),
            auth: None,
            admin_open: false,
            threads: None,
            listeners: vec![Listener { address: DEFAULT_LISTEN.to_string(), tls: None }],
            admin: Some(DEFAULT_ADMIN),
            recent_calls: 0,
            upgrade_socket: None,
            ca_file: None,
            log: LogSettings::default(),
            settings: Settings::default(),
            places: Places::default(),
        };
        config.derive_access();
        config
    }
}

impl Config {
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let name = || path.display().to_string();
        let unreadable = |source| ConfigError::Unreadable { path: name(), source };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(MAX_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_LENGTH {
            return Err(ConfigError::TooLarge { path: name() });
        }
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::NotText { path: name() })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Config::parse(&text, &name(), folder).map_err(ConfigError::Wrong)
    }

    /// `folder` is what paths in the text are relative to.
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Config, Problems> {
        lower::lower(text, name, folder)
    }

    /// Derives what follows from the listeners; call it again after changing them.
    pub fn derive_access(&mut self) {
        self.settings.access.loopback = self.listeners.iter().all(is_loopback);
    }

    /// The addresses that other machines can reach although nobody said who may call.
    pub fn exposed(&self) -> Vec<String> {
        let is_public = |listener: &&Listener| !is_loopback(listener) && self.auth.is_none();
        let public = self.listeners.iter().filter(is_public).map(|listener| listener.address.clone());
        let is_open = self.admin_open || self.is_open();
        let admin = self.admin.filter(|address| !address.ip().is_loopback() && !is_open);
        public.chain(admin.map(|address| address.to_string())).collect()
    }

    /// Everyone may call, on purpose.
    pub fn is_open(&self) -> bool {
        self.auth.as_ref().is_some_and(|auth| auth.mode == Mode::None)
    }
}

/// Reads a public key: its text, or a file that holds it.
pub fn read_key(text_or_path: &str, folder: &Path) -> Result<VerifyingKey, String> {
    match key_text::read_public(text_or_path) {
        Ok(key) => return Ok(key),
        Err(key_text::KeyError::NoKey) => {}
        // No message shows a secret.
        Err(error @ key_text::KeyError::SecretKey) => return Err(error.to_string()),
        Err(error) => return Err(format!("key `{}`: {error}", text_or_path.trim())),
    }
    let path = folder.join(text_or_path);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("key `{text_or_path}` cannot be read: {error}"))?;
    key_text::read_public(&text).map_err(|error| format!("key `{text_or_path}`: {error}"))
}

fn is_loopback(listener: &Listener) -> bool {
    parse_address(&listener.address).is_ok_and(|address| address.ip().is_loopback())
}
