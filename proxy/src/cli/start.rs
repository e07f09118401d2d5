//! What is reported once all listeners are bound.

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
        Start {
            listening: listeners
                .map(|(listener, address)| format!("{}://{address}/mcp", listener.scheme()))
                .collect(),
            admin: admin.map_or_else(|| "off".to_owned(), |address| format!("http://{address}/")),
            active: activation.status().active,
            auth: activation.edge().serving().directory.summary(),
        }
    }

    /// A block of lines for people and for scripts that wait for it, or events like any other.
    pub fn report(&self, format: LogFormat) {
        match format {
            LogFormat::Text => drop(std::io::stderr().write_all(self.text().as_bytes())),
            LogFormat::Json => self.log(),
        }
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
        text
    }

    fn log(&self) {
        for url in &self.listening {
            tracing::info!(url, "listening");
        }
        tracing::info!(url = self.admin, "admin");
        tracing::info!(auth = self.auth, "authentication");
    }
}
