//! Listeners: problems are reported before anything starts.

use pingora_core::listeners::tls::TlsSettings;
use pingora_core::tls::sign::{CertifiedKey, SingleCertAndKey};
use pingora_core::tls::{CryptoProvider, install_default_crypto_provider, load_certs_and_key_files};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A public address.
#[derive(Debug, Clone)]
pub struct Listener {
    /// `127.0.0.1:8080`; port 0 takes any that is free.
    pub address: String,
    pub tls: Option<TlsFiles>,
}

/// PEM files.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Listeners that are not served yet.
#[derive(Debug)]
pub struct Bound {
    addresses: Vec<SocketAddr>,
    pub(super) listeners: Vec<BoundListener>,
    /// The addresses that must come from another process.
    pub(super) inherited: Vec<String>,
}

#[derive(Debug)]
pub(super) struct BoundListener {
    /// What the listener is called when it is handed over to another process: its address as configured, or the one that
    /// port 0 became.
    pub(super) name: String,
    /// `None` if it comes from another process.
    pub(super) socket: Option<TcpListener>,
    pub(super) tls: Option<Tls>,
}

/// A certificate and its key, read once.
pub(super) struct Tls(TlsSettings);

#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("cannot listen on `{address}`: {source}")]
    Address { address: String, source: std::io::Error },
    #[error("TLS of `{address}`: {reason}")]
    Tls { address: String, reason: String },
    #[error("{0}")]
    UpgradeSocket(String),
    #[error(
        "no process handed its listeners over at `{socket}` within a minute; send SIGQUIT to the one that runs, which needs \
         the same `upgrade_socket`"
    )]
    NotHandedOver { socket: String },
    #[error(
        "cannot listen on `{address}`: it is in use, but not by the process that handed its listeners over"
    )]
    OfNobody { address: String },
}

/// Binds the listeners.
pub fn bind(listeners: &[Listener]) -> Result<Bound, BindError> {
    bind_or(listeners, |_| false)
}

/// Binds the listeners that are free. The others are those of the process that runs now; they are taken over when the
/// server starts with `Options::upgrade`.
pub fn inherit(listeners: &[Listener]) -> Result<Bound, BindError> {
    bind_or(listeners, is_taken)
}

/// Whether another process may have the address. Ports below 1024 are refused before they are looked at.
pub fn is_taken(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied)
}

fn bind_or(listeners: &[Listener], inherits: fn(&std::io::Error) -> bool) -> Result<Bound, BindError> {
    let mut bound = Bound { addresses: Vec::new(), listeners: Vec::new(), inherited: Vec::new() };
    for listener in listeners {
        let tls = listener.tls.as_ref().map(read_tls).transpose();
        let tls = tls.map_err(|reason| BindError::Tls { address: listener.address.clone(), reason })?;
        let mut name = listener.address.clone();
        let failed = |source| BindError::Address { address: listener.address.clone(), source };
        let socket = match open(&name) {
            Ok(socket) => {
                let address = socket.local_addr().map_err(failed)?;
                if name.ends_with(":0") {
                    name = address.to_string();
                }
                bound.addresses.push(address);
                Some(socket)
            }
            Err(error) if inherits(&error) => {
                bound.addresses.extend(name.parse::<SocketAddr>());
                bound.inherited.push(name.clone());
                None
            }
            Err(error) => return Err(failed(error)),
        };
        bound.listeners.push(BoundListener { name, socket, tls });
    }
    Ok(bound)
}

/// A socket as Pingora wants it.
fn open(address: &str) -> std::io::Result<TcpListener> {
    let socket = TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

impl Listener {
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }
}

impl Bound {
    /// In the order of the listeners.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The listener of a service beside the public ones comes from another process, too.
    pub fn inherit_also(&mut self, address: SocketAddr) {
        self.inherited.push(address.to_string());
    }
}

impl Tls {
    pub(super) fn settings(self) -> TlsSettings {
        let Tls(settings) = self;
        settings
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tls")
    }
}

fn read_tls(files: &TlsFiles) -> Result<Tls, String> {
    install_default_crypto_provider();
    let certificate = readable(&files.certificate)?;
    let key = readable(&files.key)?;
    let (chain, private) = load_certs_and_key_files(&certificate, &key)
        .map_err(|error| format!("`{certificate}` or `{key}` is not a PEM file: {}", error.root_cause()))?
        .ok_or_else(|| {
            format!("`{certificate}` must hold a PEM certificate and `{key}` a PEM private key")
        })?;
    let provider = CryptoProvider::get_default().ok_or("no cryptography is installed")?;
    let pair = CertifiedKey::from_der(chain, private, provider)
        .map_err(|error| format!("`{certificate}` and `{key}` cannot be used together: {error}"))?;
    // The resolver replaces the files, which are not read again.
    let mut settings = TlsSettings::intermediate("", "").map_err(|error| error.to_string())?;
    settings.set_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    settings.enable_h2();
    Ok(Tls(settings))
}

fn readable(path: &Path) -> Result<String, String> {
    let name = path.display().to_string();
    std::fs::File::open(path).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    Ok(name)
}
