//! What is reported once all listeners are bound.

use crate::activation::source::RemoteStatus;
use crate::activation::{Activation, Active};
use crate::config::Config;
use crate::telemetry::logging::LogFormat;
use std::io::Write;
use std::net::SocketAddr;

/// The facts of a start.
pub struct Start {
    listening: Vec<String>,
    admin: String,
    active: Option<Active>,
    remote: Option<RemoteStatus>,
    has_no_copy: bool,
    auth: String,
}

impl Start {
    pub fn new(
        config: &Config,
        addresses: &[SocketAddr],
        admin: Option<SocketAddr>,
        activation: &Activation,
    ) -> Start {
        let listeners = config.listeners.iter().zip(addresses);
        let status = activation.status();
        Start {
            listening: listeners
                .map(|(listener, address)| format!("{}://{address}/mcp", listener.scheme()))
                .collect(),
            admin: admin.map_or_else(|| "off".to_owned(), |address| format!("http://{address}/")),
            active: status.active,
            remote: status.remote,
            has_no_copy: config.bundle_copy.is_none(),
            auth: activation.edge().serving().directory.summary(),
        }
    }

    /// A block of lines for people and for scripts that wait for it, or events like any other.
    pub fn report(&self, format: LogFormat) {
        match format {
            LogFormat::Text => drop(std::io::stderr().write_all(self.text().as_bytes())),
            LogFormat::Json => self.log(),
        }
        self.warn();
        if let Some(active) = &self.active {
            active.log();
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for url in &self.listening {
            text.push_str(&format!("listening  {url}\n"));
        }
        text.push_str(&format!("admin      {}\n", self.admin));
        if let Some(active) = &self.active {
            text.push_str(&format!("revision   {}\ntools      {}\n", active.revision, active.tools));
            let signed_by = match active.signers.as_slice() {
                [] => "nobody: the bundle is not signed".to_owned(),
                signers => signers.join(", "),
            };
            text.push_str(&format!("signed by  {signed_by}\n"));
        }
        text.push_str(&format!("auth       {}\n", self.auth));
        if let Some(remote) = &self.remote {
            let version = remote.version.as_ref().map(|version| format!(" ({version})")).unwrap_or_default();
            text.push_str(&format!("source     {}{version}\n", remote.location));
        }
        text
    }

    /// What should not stay as it is.
    fn warn(&self) {
        let Some(RemoteStatus { location: source, from_copy, last_error, .. }) = &self.remote else { return };
        let error = last_error.as_ref().map(|(message, _)| message.as_str()).unwrap_or_default();
        if *from_copy {
            tracing::warn!(source, error, "the copy of the last good bundle is served");
        } else if self.has_no_copy {
            tracing::warn!(source, "without `bundle_copy`, a start while the source is away fails");
        }
    }

    fn log(&self) {
        for url in &self.listening {
            tracing::info!(url, "listening");
        }
        tracing::info!(url = self.admin, "admin");
        tracing::info!(auth = self.auth, "authentication");
    }
}
