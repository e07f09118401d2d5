//! Listeners: problems are reported before anything starts.

use crate::transport::{Certificate, Served, TlsFiles};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// A public address.
#[derive(Debug, Clone)]
pub struct Listener {
    /// `127.0.0.1:8080`; port 0 takes any that is free.
    pub address: String,
    pub tls: Option<TlsFiles>,
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
    pub(super) certificate: Option<Arc<Served>>,
}

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
        let certificate = certificate(listener)?;
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
        bound.listeners.push(BoundListener { name, socket, certificate });
    }
    Ok(bound)
}

/// The one that it shows from its start on.
fn certificate(listener: &Listener) -> Result<Option<Arc<Served>>, BindError> {
    let Some(files) = &listener.tls else { return Ok(None) };
    let failed = |reason: String| BindError::Tls { address: listener.address.clone(), reason };
    let read = Certificate::read(files).map_err(|errors| {
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        failed(messages.join("; "))
    })?;
    Ok(Some(Served::new(read)))
}

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

    /// What each listener shows; `None` for one without TLS. In the order of the listeners.
    pub fn certificates(&self) -> Vec<Option<Arc<Served>>> {
        self.listeners.iter().map(|listener| listener.certificate.clone()).collect()
    }

    /// The listener of a service beside the public ones comes from another process, too.
    pub fn inherit_also(&mut self, address: SocketAddr) {
        self.inherited.push(address.to_string());
    }
}
