//! What was typed, which overrides the configuration.

use super::{CommandError, ServeArguments, read_keys, read_place};
use crate::config::{AuthConfig, BundlePlace, Config, ConfigError, is_off, parse_address};
use crate::process::Listener;
use crate::telemetry::logging::{LogFormat, LogLevel};
use crate::tenants::Mode;
use mcp_bundle::format::VerifyingKey;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The arguments, parsed. They apply as long as the process runs; the file that they override may be read again.
#[derive(Debug)]
pub struct Typed {
    config: Option<PathBuf>,
    bundle: Option<BundlePlace>,
    keys: Vec<VerifyingKey>,
    listeners: Vec<Listener>,
    admin: Option<Option<SocketAddr>>,
    open: bool,
    log_format: Option<LogFormat>,
    log_level: Option<LogLevel>,
}

impl Typed {
    pub fn of(arguments: &ServeArguments) -> Result<Typed, CommandError> {
        let listener = |text: &String| Ok(Listener { address: address(text)?.to_string(), tls: None });
        Ok(Typed {
            config: arguments.config.clone(),
            bundle: arguments.bundle.as_deref().map(read_place).transpose()?,
            keys: read_keys(&arguments.key)?,
            listeners: arguments.listen.iter().map(listener).collect::<Result<_, CommandError>>()?,
            admin: match arguments.admin.as_deref() {
                None => None,
                Some("off") => Some(None),
                Some(text) if is_off(text) => {
                    let failure = CommandError::cannot_run(format!("`{text}` is not an `IP:port` address"));
                    return Err(failure.help("to run without an admin listener, write `--admin off`"));
                }
                Some(text) => Some(Some(address(text)?)),
            },
            open: arguments.auth.is_some(),
            log_format: arguments.log_format,
            log_level: arguments.log_level,
        })
    }

    /// Reads the configuration, if there is one, and overrides it with what was typed.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let mut config = self.config.as_deref().map(Config::load).transpose()?.unwrap_or_default();
        config.keys.extend_from_slice(&self.keys);
        if self.open {
            if config.auth.as_ref().is_some_and(|auth| auth.mode != Mode::None) {
                return Err(ConfigError::OpenedByHand);
            }
            config.auth = Some(AuthConfig::default());
        }
        config.log.format = self.log_format.unwrap_or(config.log.format);
        config.log.level = self.log_level.unwrap_or(config.log.level);
        config.bundle = self.bundle.clone().or(config.bundle);
        if !self.listeners.is_empty() {
            config.listeners.clone_from(&self.listeners);
        }
        config.admin = self.admin.unwrap_or(config.admin);
        if let Some(address) = config.exposed().into_iter().next() {
            return Err(ConfigError::Exposed { address });
        }
        config.derive_access();
        Ok(config)
    }
}

fn address(text: &str) -> Result<SocketAddr, CommandError> {
    parse_address(text).map_err(|error| CommandError::cannot_run(&error).help(&error.help))
}
