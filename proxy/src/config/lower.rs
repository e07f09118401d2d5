//! The text of `edge.toml` → [`Config`], or every problem in it.

use super::keys::{
    ACCESS_TABLE, INTERFACES_TABLE, LANGUAGE, LIMITS_RATE_TABLE, LISTEN_TABLE, LOG_TABLE, RATE_TABLE, TABLES,
    TOP, UPSTREAM_TABLE,
};
use super::{BundlePlace, Config, Places, Problems, SecretSource, parse_address, read_key};
use crate::limits::Rate;
use crate::process::{Listener, TlsFiles};
use crate::settings::{Access, AuditArguments, AuditSettings, ClientFiles, Interfaces, Settings, WhenFull};
use crate::telemetry::logging::{LogFormat, LogLevel, LogSettings};
use mcp_bundle::format::VerifyingKey;
use mcp_bundle::format::key_text::{self, KeyError};
use mcp_bundle::origin::Origin;
use mcp_diagnostics::toml_tree::TomlTable;
use mcp_diagnostics::{Diagnostic, Fields, FileId, Reading, Shape, Sources, Span, Spanned};
use mcp_sources::Location;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn lower(text: &str, name: &str, folder: &Path) -> Result<Config, Problems> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let config = read(text, file, folder, &mut sources, &mut diagnostics);
    match config {
        Some((mut config, files)) if diagnostics.is_empty() => {
            if let Some(auth) = &mut config.auth {
                auth.certificates = std::mem::take(&mut auth.certificates).located(sources.clone());
            }
            Ok(Config { places: Places::new(sources, files), ..config })
        }
        _ => {
            diagnostics.sort_by_key(|diagnostic| diagnostic.span);
            Err(Problems { sources, diagnostics })
        }
    }
}

/// The files that a configuration names, with their places.
type Files = Vec<(PathBuf, Span)>;

/// `None` if it is not worth reading on.
fn read(
    text: &str,
    file: FileId,
    folder: &Path,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Config, Files)> {
    let mut reading = Reading { language: &LANGUAGE, file, text, diagnostics };
    let toml = reading.parse()?;
    if toml.keys().any(|key| matches!(&**key.get_ref(), "tool" | "toolset")) {
        let message = "these are tool specs, not the configuration of an edge";
        let help = "build a bundle of them with `mcpc build`, and serve that";
        reading.report(Diagnostic::error(Span::whole_file(file), message).help(help));
        return None;
    }
    // A line with a secret is never shown, whatever else is wrong with it.
    if let Some(keys) = toml.get("keys").filter(|keys| keys.get_ref().as_str().is_some_and(is_secret)) {
        let span = reading.span(keys.span());
        reading.report(Diagnostic::error(span, KeyError::SecretKey.to_string()).hide_source());
        return None;
    }
    let top = reading.fields(&TOP, &toml, Span::whole_file(file));
    let mut lowering = Lowering {
        reading: &mut reading,
        folder,
        sources,
        files: Vec::new(),
        addresses: Vec::new(),
        mtls: None,
    };
    let config = lowering.config(&top, &toml);
    Some((config, lowering.files))
}

pub(super) struct Lowering<'r, 'd> {
    pub(super) reading: &'r mut Reading<'d>,
    pub(super) folder: &'r Path,
    /// Other files that are read with it.
    pub(super) sources: &'r mut Sources,
    /// Those that the file names.
    files: Files,
    /// Those that the file names, in its order.
    addresses: Vec<(SocketAddr, Span)>,
    /// Where `[auth.mtls]` is written.
    pub(super) mtls: Option<Span>,
}

impl<'d> Lowering<'_, 'd> {
    fn config<'t, 'i>(&mut self, top: &Fields<'t, 'i>, toml: &'t TomlTable<'i>) -> Config
    where
        'd: 't,
    {
        let default = Config::default();
        let mut config = Config {
            bundle: self.bundle(top),
            bundle_copy: self.bundle_copy(top),
            keys: self.keys(top, toml),
            poll: top
                .integer("poll_seconds")
                .map_or(default.poll, |seconds| Duration::from_secs(seconds.value)),
            secrets: self.path(top, "secrets").map(SecretSource::File).unwrap_or_default(),
            auth: self.auth(top),
            admin_open: top.boolean("admin_open").is_some_and(|open| open.value),
            threads: top.integer("threads").map(|count| count.value),
            recent_calls: top.integer("recent_calls").map_or(0, |count| count.value),
            upgrade_socket: self.path(top, "upgrade_socket"),
            ca_file: self.path(top, "ca_file"),
            log: self.log(top),
            settings: self.settings(top),
            listeners: default.listeners,
            admin: default.admin,
            places: default.places,
        };
        // A wrong `auth` is one mistake, not two.
        let open = top.is_written("auth");
        let admin_open = config.admin_open || config.is_open() || (open && config.auth.is_none());
        config.admin = match self.text(top, "admin") {
            Some(text) if text.value == "off" => None,
            Some(text) if is_off(&text.value) => {
                let message = format!("`{}` is not an `IP:port` address", text.value);
                let problem = Diagnostic::error(text.span, message);
                self.reading.report(
                    problem
                        .help("to run without an admin listener, write `\"off\"`")
                        .replace(text.span, "\"off\""),
                );
                None
            }
            Some(text) => self.admin_address(&text, admin_open).or(config.admin),
            None => config.admin,
        };
        if top.is_written("listen") {
            let tables = top.tables("listen");
            config.listeners =
                tables.into_iter().filter_map(|(table, span)| self.listener(table, span, open)).collect();
        }
        self.certificates_are_asked_for(&config.listeners);
        self.distinct(&config);
        config.derive_access();
        config
    }

    fn bundle(&mut self, top: &Fields<'_, '_>) -> Option<BundlePlace> {
        let text = self.text(top, "bundle")?;
        match BundlePlace::parse(Path::new(&text.value), self.folder) {
            Ok(place) => {
                self.files.push((place.path(), text.span));
                Some(place)
            }
            Err(error) => {
                // The line may hold a credential.
                let problem = Diagnostic::error(text.span, error.to_string()).hide_source();
                self.reading.report(problem.help(error.help));
                None
            }
        }
    }

    fn bundle_copy(&mut self, top: &Fields<'_, '_>) -> Option<PathBuf> {
        let copy = self.path(top, "bundle_copy")?;
        let bundle = top.text("bundle").map(|text| text.value).unwrap_or_default();
        if !bundle.is_empty() && Location::find(&bundle).is_none() {
            let span = top.text("bundle_copy").map_or(top.span, |text| text.span);
            let problem = Diagnostic::error(span, "a bundle that is a file needs no copy");
            self.reading.report(problem.help("remove `bundle_copy`"));
        }
        Some(copy)
    }

    fn keys(&mut self, top: &Fields<'_, '_>, toml: &TomlTable<'_>) -> Vec<VerifyingKey> {
        let mut keys = Vec::new();
        for key in top.texts("keys") {
            match read_key(&key.value, self.folder) {
                Ok(key) => keys.push(key),
                Err(message) => {
                    let problem = Diagnostic::error(key.span, message);
                    self.reading.report(if is_secret(&key.value) { problem.hide_source() } else { problem });
                }
            }
        }
        // An empty list would quietly trust every bundle.
        let list = toml.get("keys").filter(|value| value.get_ref().as_array().is_some_and(<[_]>::is_empty));
        if let Some(list) = list {
            let message = "`keys` is empty, so no signature would be required";
            let problem = Diagnostic::error(top.at(list), message);
            self.reading.report(problem.help("add a key, or remove `keys`"));
        }
        keys
    }

    fn listener<'t, 'i>(&mut self, table: &'t TomlTable<'i>, span: Span, open: bool) -> Option<Listener>
    where
        'd: 't,
    {
        let fields = self.reading.fields(&LISTEN_TABLE, table, span);
        let tls = match [self.path(&fields, "certificate"), self.path(&fields, "key")] {
            [Some(certificate), Some(key)] => Some(TlsFiles::new(certificate, key)),
            [None, None] => None,
            [certificate, _] => {
                let missing = if certificate.is_some() { "key" } else { "certificate" };
                let message =
                    format!("a listener with TLS needs `certificate` and `key`; `{missing}` is missing");
                self.reading.report(Diagnostic::error(span, message));
                None
            }
        };
        let clients = self.client_authority(&fields);
        let tls = tls.map(|files| TlsFiles { clients, ..files });
        if !fields.is_written("address") {
            let problem = Diagnostic::error(span, "`listen` needs an `address`");
            self.reading.report(problem.help("write `address = \"127.0.0.1:8080\"`"));
        }
        let address = self.text(&fields, "address")?;
        let address = self.address(&address, open)?;
        Some(Listener { address: address.to_string(), tls })
    }

    fn address(&mut self, text: &Spanned<String>, open: bool) -> Option<SocketAddr> {
        match parse_address(&text.value) {
            Ok(address) if address.ip().is_loopback() || open => {
                self.addresses.push((address, text.span));
                return Some(address);
            }
            Ok(address) => {
                let message =
                    format!("`{address}` is reachable from other machines, and there is no authentication");
                let help = "listen on `127.0.0.1`, write `[auth]`, or let everyone call with `auth = \"none\"` at the top of the file";
                self.reading.report(Diagnostic::error(text.span, message).help(help));
            }
            Err(error) => {
                self.reading.report(Diagnostic::error(text.span, error.to_string()).help(error.help));
            }
        }
        None
    }

    /// The admin listener has no authentication.
    fn admin_address(&mut self, text: &Spanned<String>, open: bool) -> Option<SocketAddr> {
        match parse_address(&text.value) {
            Ok(address) if !address.ip().is_loopback() && !open => {
                let message = format!(
                    "`{address}` is reachable from other machines, and the admin listener has no authentication"
                );
                let help =
                    "listen on `127.0.0.1`, or write `admin_open = true` if a firewall keeps others out";
                self.reading.report(Diagnostic::error(text.span, message).help(help));
                None
            }
            _ => self.address(text, true),
        }
    }

    /// Two listeners cannot have one address.
    fn distinct(&mut self, config: &Config) {
        let listeners = config.listeners.iter().filter_map(|listener| listener.address.parse().ok());
        let used: Vec<SocketAddr> = config.admin.into_iter().chain(listeners).collect();
        let mut written = std::mem::take(&mut self.addresses);
        written.sort_by_key(|(_, span)| *span);
        for (index, (address, span)) in written.iter().enumerate() {
            let is_shared = used.iter().filter(|other| *other == address).count() > 1;
            let mut earlier = written.iter().take(index);
            let first = earlier.find(|(other, _)| other == address);
            // One that is not written is a default, and the other one is all there is to point at.
            let is_only = written.iter().filter(|(other, _)| other == address).count() == 1;
            if address.port() == 0 || !is_shared || (first.is_none() && !is_only) {
                continue;
            }
            let problem = Diagnostic::error(*span, format!("two listeners use `{address}`"))
                .help("give `admin` and each `[[listen]]` an address of its own");
            self.reading.report(match first {
                Some((_, first)) => problem.related(*first, "first used here"),
                None => problem.note("it is the default of the other one"),
            });
        }
    }

    fn log(&mut self, top: &Fields<'_, '_>) -> LogSettings {
        let mut log = LogSettings::default();
        if let Some((table, span)) = top.table("log") {
            let fields = self.reading.fields(&LOG_TABLE, table, span);
            log.format = self.word(&fields, "format", &LogFormat::WORDS).unwrap_or(log.format);
            log.level = self.word(&fields, "level", &LogLevel::WORDS).unwrap_or(log.level);
        }
        log
    }

    fn settings(&mut self, top: &Fields<'_, '_>) -> Settings {
        let without_metrics = top.boolean("metrics").is_some_and(|metrics| !metrics.value);
        let mut settings = Settings { without_metrics, ..Settings::default() };
        for (name, keys, rows) in &TABLES {
            let numbers = rows.iter().filter_map(|row| row.field.map(|field| (row, field)));
            // Only tables of the top have numbers.
            if numbers.clone().next().is_none() {
                continue;
            }
            let Some((table, span)) = top.table(name) else { continue };
            let fields = self.reading.fields(keys, table, span);
            if *name == "limits" {
                settings.limits.address_rate = self.address_rate(&fields);
            }
            for (row, field) in numbers {
                let number = match row.shape {
                    Shape::Size { .. } => fields.size(row.name),
                    _ => fields.integer(row.name),
                };
                if let Some(number) = number {
                    (field.set)(&mut settings, number.value);
                }
            }
            if *name == "audit" {
                self.audit(&fields, span, &mut settings.audit);
            }
        }
        if let Some((table, span)) = top.table("access") {
            let fields = self.reading.fields(&ACCESS_TABLE, table, span);
            settings.access = self.access(&fields);
        }
        settings.interfaces = self.interfaces(top);
        self.upstreams(top, &mut settings);
        settings.programs = self.programs(top);
        settings.shared = self.shared(top);
        settings
    }

    fn interfaces(&mut self, top: &Fields<'_, '_>) -> Interfaces {
        let Some((table, span)) = top.table("interfaces") else { return Interfaces::default() };
        let fields = self.reading.fields(&INTERFACES_TABLE, table, span);
        let is_on = |name: &str| fields.boolean(name).is_none_or(|on| on.value);
        let interfaces = Interfaces { mcp: is_on("mcp"), sse: is_on("sse"), rest: is_on("rest") };
        if !interfaces.mcp && !interfaces.sse && !interfaces.rest {
            let problem =
                Diagnostic::error(span, "all interfaces are switched off, so nothing would be served");
            self.reading.report(problem.help("leave at least one of `mcp`, `sse` and `rest` on"));
        }
        interfaces
    }

    /// What is not a number.
    fn audit(&mut self, fields: &Fields<'_, '_>, span: Span, audit: &mut AuditSettings) {
        audit.file = self.path(fields, "file");
        audit.arguments = self.word(fields, "arguments", &AuditArguments::WORDS).unwrap_or(audit.arguments);
        audit.when_full = self.word(fields, "when_full", &WhenFull::WORDS).unwrap_or(audit.when_full);
        if !fields.is_written("file") {
            let problem = Diagnostic::error(span, "`audit` needs a `file`");
            self.reading.report(problem.help("write `file = \"audit.jsonl\"`, or remove `[audit]`"));
        }
    }

    /// `[limits.rate]`.
    fn address_rate(&mut self, limits: &Fields<'_, '_>) -> Option<Rate> {
        let (table, span) = limits.table("rate")?;
        let rates = self.reading.fields(&LIMITS_RATE_TABLE, table, span);
        let (table, span) = rates.table("address")?;
        let fields = self.reading.fields(&RATE_TABLE, table, span);
        let Some(calls) = fields.integer("calls") else {
            if !fields.is_written("calls") {
                let problem = Diagnostic::error(span, "a rate needs `calls`");
                self.reading.report(problem.help("write `{ calls = 600, seconds = 60, burst = 100 }`"));
            }
            return None;
        };
        let seconds = fields.integer("seconds").map_or(60, |seconds| seconds.value);
        let burst = fields.integer("burst").map_or(calls.value, |burst| burst.value);
        Some(Rate::new(calls.value, seconds, burst))
    }

    /// Where upstreams are here, by name.
    fn upstreams(&mut self, top: &Fields<'_, '_>, settings: &mut Settings) {
        let Some((tables, _)) = top.table("upstream") else { return };
        for (name, value) in tables.iter() {
            let Some(table) = value.get_ref().as_table() else { continue };
            let fields = self.reading.fields(&UPSTREAM_TABLE, table, self.reading.span(name.span()));
            if let Some(files) = self.client_files(&fields) {
                settings.client_certificates.push((name.get_ref().to_string(), files));
            }
            let Some(url) = self.text(&fields, "url") else { continue };
            match Origin::parse(&url.value) {
                Ok(origin) => settings.upstreams.push((name.get_ref().to_string(), origin)),
                Err(error) => {
                    let message = format!("`url` is not an origin: {error}");
                    let help = "write a scheme and a host, and a port if it is not the default, like `https://api.example.com`";
                    self.reading.report(Diagnostic::error(url.span, message).help(help));
                }
            }
        }
    }

    /// The edge's own certificate for an upstream.
    fn client_files(&mut self, fields: &Fields<'_, '_>) -> Option<ClientFiles> {
        match [self.path(fields, "client_certificate"), self.path(fields, "client_key")] {
            [Some(certificate), Some(key)] => Some(ClientFiles { certificate, key }),
            [None, None] => None,
            [certificate, _] => {
                let (there, missing) = match certificate {
                    Some(_) => ("client_certificate", "client_key"),
                    None => ("client_key", "client_certificate"),
                };
                let message = format!("`{there}` needs `{missing}` as well");
                self.reading.report(Diagnostic::error(fields.span, message));
                None
            }
        }
    }

    fn access(&mut self, fields: &Fields<'_, '_>) -> Access {
        let mut access = Access::default();
        for Spanned { value, span } in fields.texts("hosts") {
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
            let has_port = value.contains(':') && !value.starts_with('[');
            if value.is_empty() || !value.chars().all(good) || has_port {
                let message = format!("`{value}` is not a host name");
                let help = "write a name without a scheme or a port, like `mcp.example.com`";
                self.reading.report(Diagnostic::error(span, message).help(help));
            } else {
                access.hosts.push(value.to_ascii_lowercase());
            }
        }
        for Spanned { value, span } in fields.texts("origins") {
            if is_origin(&value) {
                access.origins.push(value.to_ascii_lowercase());
            } else {
                let message = format!("`{value}` is not an origin");
                let help = "write a scheme and a host, and a port if it is not the default, like `https://app.example.com`";
                self.reading.report(Diagnostic::error(span, message).help(help));
            }
        }
        access
    }

    pub(super) fn word<T: Copy>(
        &mut self,
        fields: &Fields<'_, '_>,
        name: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let find = |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        self.reading.word(fields, name, find, None).map(|word| word.value)
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, fields: &Fields<'_, '_>, name: &'static str) -> Option<Spanned<String>> {
        let text = fields.text(name)?;
        if text.value.is_empty() {
            self.reading.report(Diagnostic::error(text.span, format!("`{name}` is empty")));
            return None;
        }
        Some(text)
    }

    /// A path, relative to the file that names it.
    pub(super) fn path(&mut self, fields: &Fields<'_, '_>, name: &'static str) -> Option<PathBuf> {
        let text = self.text(fields, name)?;
        let path = self.folder.join(text.value);
        self.files.push((path.clone(), text.span));
        Some(path)
    }
}

/// Words that people try for `off`.
pub fn is_off(text: &str) -> bool {
    ["off", "none", "no", "false", "disabled", "never", "-"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
}

fn is_secret(text: &str) -> bool {
    key_text::read_public(text) == Err(KeyError::SecretKey)
}

/// As browsers write it: nothing after the authority.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else { return false };
    let scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    scheme && authority && uri.query().is_none() && uri.path() == "/" && !text.ends_with('/')
}
