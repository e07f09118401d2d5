//! Listeners: what cannot work is told before anything starts.

use pingora_core::listeners::tls::TlsSettings;
use pingora_core::tls::sign::{CertifiedKey, SingleCertAndKey};
use pingora_core::tls::{CryptoProvider, install_default_crypto_provider, load_certs_and_key_files};
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
}

/// Binds the listeners.
pub fn bind(listeners: &[Listener]) -> Result<Bound, BindError> {
    let mut bound = inherit(listeners)?;
    for (listener, ready) in listeners.iter().zip(&mut bound.listeners) {
        let failed = |source| BindError::Address { address: listener.address.clone(), source };
        let socket = open(&listener.address).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        if listener.address.ends_with(":0") {
            ready.name = address.to_string();
        }
        ready.socket = Some(socket);
        bound.addresses.push(address);
    }
    Ok(bound)
}

/// Binds nothing: the sockets come from the process that runs now, when the server starts with `Options::upgrade`. The
/// addresses are not known until then.
pub fn inherit(listeners: &[Listener]) -> Result<Bound, BindError> {
    let listeners = listeners.iter().map(|listener| {
        let tls = listener.tls.as_ref().map(read_tls).transpose();
        let tls = tls.map_err(|reason| BindError::Tls { address: listener.address.clone(), reason })?;
        Ok(BoundListener { name: listener.address.clone(), socket: None, tls })
    });
    Ok(Bound { addresses: Vec::new(), listeners: listeners.collect::<Result<_, _>>()? })
}

/// A socket as Pingora wants it.
pub(super) fn open(address: &str) -> std::io::Result<TcpListener> {
    let socket = TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

impl Bound {
    /// In the order of the listeners; none if the listeners are inherited.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
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
        .map_err(|error| format!("`{certificate}` or `{key}` is no PEM file: {}", error.root_cause()))?
        .ok_or_else(|| {
            format!("`{certificate}` must hold a PEM certificate and `{key}` a PEM private key")
        })?;
    let provider = CryptoProvider::get_default().ok_or("no cryptography is installed")?;
    let pair = CertifiedKey::from_der(chain, private, provider)
        .map_err(|error| format!("`{certificate}` and `{key}` cannot be used together: {error}"))?;
    // The resolver stands in for the files, which are not read again.
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
