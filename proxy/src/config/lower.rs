//! The text of `edge.toml` → [`Config`], or everything that is wrong with it.

use super::numbers::{NUMBERS, Unit};
use super::problem::Problem;
use super::read::{At, Reader, Table, TomlValue};
use super::{Config, DEFAULT_ADMIN, SecretSource, parse_address, read_key};
use crate::process::{Listener, TlsFiles};
use crate::settings::{Access, Settings};
use crate::telemetry::logging::{LogFormat, LogLevel, LogSettings};
use mcp_bundle::format::key_text::{self, KeyError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::de::{DeTable, DeValue};

pub fn lower(text: &str, folder: &Path) -> Result<Config, Vec<Problem>> {
    let (toml, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader::default();
    for error in errors {
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        reader.report(Problem::new(error.span().unwrap_or(0..0), message));
    }
    // What is missing or misread after a syntax error is not worth telling.
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let root = toml.get_ref();
    if root.keys().any(|key| matches!(&**key.get_ref(), "tool" | "toolset")) {
        let problem = Problem::of_file("these are tool specs, not the configuration of an edge");
        return Err(vec![problem.help("build a bundle of them with `mcpc build`, and serve that")]);
    }
    let top = reader.table("", root, 0..0);
    let config = Lowering { reader: &mut reader, folder }.config(&top);
    if reader.problems.is_empty() { Ok(config) } else { Err(reader.problems) }
}

struct Lowering<'r> {
    reader: &'r mut Reader,
    folder: &'r Path,
}

impl Lowering<'_> {
    fn config(&mut self, top: &Table<'_, '_>) -> Config {
        let default = Config::default();
        let mut config = Config {
            bundle: self.path(top, "bundle"),
            keys: self.keys(top),
            poll: self
                .reader
                .number(top, "poll_seconds", Unit::Seconds, 1..=86_400)
                .map_or(default.poll, Duration::from_secs),
            secrets: self.path(top, "secrets").map(SecretSource::File).unwrap_or_default(),
            open: self.reader.word(top, "auth", &[("none", ())]).is_some(),
            threads: self.reader.number(top, "threads", Unit::Count, 1..=1024).map(|count| count as usize),
            upgrade_socket: self.path(top, "upgrade_socket"),
            ca_file: self.path(top, "ca_file"),
            log: self.log(top),
            settings: self.settings(top),
            listeners: default.listeners,
            admin: default.admin,
        };
        // A misspelt `auth` is one mistake, not two.
        let open = config.open || top.value("auth").is_some();
        if let Some(admin) = self.admin(top, open) {
            config.admin = admin;
        }
        let tables = self.reader.subtables(top, "listen");
        if !tables.is_empty() {
            config.listeners = tables.iter().filter_map(|table| self.listener(table, open)).collect();
        }
        self.distinct(top, &config);
        config.settle();
        config
    }

    fn keys(&mut self, top: &Table<'_, '_>) -> Vec<mcp_bundle::format::VerifyingKey> {
        let mut keys = Vec::new();
        let is_secret = |text: &str| key_text::read_public(text) == Err(KeyError::SecretKey);
        if let Some(value) = top.value("keys").filter(|value| value.get_ref().as_str().is_some_and(is_secret))
        {
            self.reader.report(Problem::new(value.span(), KeyError::SecretKey.to_string()).hide_line());
            return keys;
        }
        for At { value, span } in self.reader.texts(top, "keys") {
            match read_key(&value, self.folder) {
                Ok(key) => keys.push(key),
                Err(message) => {
                    let problem = Problem::new(span, message);
                    self.reader.report(if is_secret(&value) { problem.hide_line() } else { problem });
                }
            }
        }
        // An empty list would quietly trust every bundle.
        let empty = |value: &&TomlValue<'_>| value.get_ref().as_array().is_some_and(|items| items.is_empty());
        if let Some(value) = top.value("keys").filter(empty) {
            let problem = Problem::new(value.span(), "`keys` is empty, so no signature would be asked for");
            self.reader.report(problem.help("name a key, or leave `keys` out"));
        }
        keys
    }

    fn listener(&mut self, table: &Table<'_, '_>, open: bool) -> Option<Listener> {
        let files = [self.path(table, "certificate"), self.path(table, "key")];
        let tls = match files {
            [Some(certificate), Some(key)] => Some(TlsFiles { certificate, key }),
            [None, None] => None,
            [certificate, _] => {
                let missing = if certificate.is_some() { "key" } else { "certificate" };
                let message =
                    format!("a listener with TLS needs `certificate` and `key`; `{missing}` is missing");
                self.reader.report(Problem::new(table.span.clone(), message));
                None
            }
        };
        if table.value("address").is_none() {
            let problem = Problem::new(table.span.clone(), "`listen` needs an `address`");
            self.reader.report(problem.help("write `address = \"127.0.0.1:8080\"`"));
        }
        let address = self.address(table, "address", open)?;
        Some(Listener { address: address.to_string(), tls })
    }

    fn admin(&mut self, top: &Table<'_, '_>, open: bool) -> Option<Option<SocketAddr>> {
        let value = top.value("admin")?;
        match value.get_ref() {
            DeValue::String(text) if text == "off" => return Some(None),
            DeValue::Boolean(on) => {
                let problem = Problem::new(value.span(), "`admin` must be a string, not a boolean");
                let help = if *on { format!("{DEFAULT_ADMIN}") } else { "off".to_owned() };
                self.reader.report(problem.help(format!("write `admin = \"{help}\"`")));
                return None;
            }
            _ => {}
        }
        self.address(top, "admin", open).map(Some)
    }

    fn address(&mut self, table: &Table<'_, '_>, name: &'static str, open: bool) -> Option<SocketAddr> {
        let text = self.reader.text(table, name)?;
        match parse_address(&text.value) {
            Ok(address) if address.ip().is_loopback() || open => return Some(address),
            Ok(address) => {
                let message =
                    format!("`{address}` can be reached by other machines, and nothing asks who calls");
                let help = "if that is meant, write `auth = \"none\"` at the top of the file; else listen on `127.0.0.1`";
                self.reader.report(Problem::new(text.span, message).help(help));
            }
            Err(error) => self.reader.report(Problem::new(text.span, error.to_string()).help(error.help)),
        }
        None
    }

    /// Two listeners cannot have one address.
    fn distinct(&mut self, top: &Table<'_, '_>, config: &Config) {
        let admin = config.admin.map(|admin| admin.to_string());
        let mut seen: Vec<&str> = admin.iter().map(String::as_str).collect();
        for listener in &config.listeners {
            let address = listener.address.as_str();
            if seen.contains(&address) && !address.ends_with(":0") {
                let place = top.value("listen").or_else(|| top.value("admin"));
                let span = place.map_or(0..0, toml::Spanned::span);
                let message = format!("`{address}` is listened on twice");
                self.reader.report(
                    Problem::new(span, message)
                        .help("`admin` and every `[[listen]]` need an address of their own"),
                );
            }
            seen.push(address);
        }
    }

    fn log(&mut self, top: &Table<'_, '_>) -> LogSettings {
        let mut log = LogSettings::default();
        if let Some(table) = self.reader.subtable(top, "log") {
            log.format = self.reader.word(&table, "format", &LogFormat::WORDS).unwrap_or(log.format);
            log.level = self.reader.word(&table, "level", &LogLevel::WORDS).unwrap_or(log.level);
        }
        log
    }

    fn settings(&mut self, top: &Table<'_, '_>) -> Settings {
        let without_metrics = self.reader.flag(top, "metrics") == Some(false);
        let mut settings = Settings { without_metrics, ..Settings::default() };
        for name in ["limits", "timeouts", "pool", "list"] {
            let Some(table) = self.reader.subtable(top, name) else { continue };
            for number in NUMBERS.iter().filter(|number| number.table == name) {
                let Some(value) = table.value(number.name) else { continue };
                match number.read(value.get_ref(), value.span()) {
                    Ok(value) => (number.set)(&mut settings, value),
                    Err(problem) => self.reader.report(problem),
                }
            }
        }
        if let Some(table) = self.reader.subtable(top, "access") {
            settings.access = self.access(&table);
        }
        settings
    }

    fn access(&mut self, table: &Table<'_, '_>) -> Access {
        let mut access = Access::default();
        for At { value, span } in self.reader.texts(table, "hosts") {
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
            let has_port = value.contains(':') && !value.starts_with('[');
            if value.is_empty() || !value.chars().all(good) || has_port {
                let message = format!("`{value}` is no host name");
                let help = "write a name without scheme and port, like `mcp.example.com`";
                self.reader.report(Problem::new(span, message).help(help));
            } else {
                access.hosts.push(value.to_ascii_lowercase());
            }
        }
        for At { value, span } in self.reader.texts(table, "origins") {
            if is_origin(&value) {
                access.origins.push(value.to_ascii_lowercase());
            } else {
                let message = format!("`{value}` is no origin");
                let help = "write scheme and host, and the port if it is not the scheme's, like `https://app.example.com`";
                self.reader.report(Problem::new(span, message).help(help));
            }
        }
        access
    }

    /// A path, relative to the file it stands in.
    fn path(&mut self, table: &Table<'_, '_>, name: &'static str) -> Option<PathBuf> {
        self.reader.text(table, name).map(|text| self.folder.join(text.value))
    }
}

/// As browsers write it: nothing after the authority.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else { return false };
    let scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    scheme && authority && uri.query().is_none() && uri.path() == "/" && !text.ends_with('/')
}
