//! Certificates of clients: whom a listener trusts to sign them, and what is known of one that was shown.

use super::certificate::{CertificateError, check_readable};
use crate::request::certificate::CallerCertificate;
use async_trait::async_trait;
use pingora_core::listeners::TlsAccept;
use pingora_core::protocols::tls::TlsRef;
use pingora_core::tls::{
    ClientCertVerifier, RootCertStore, WebPkiClientVerifier, install_default_crypto_provider,
    load_ca_file_into_store,
};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who signs the certificates of clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientAuthority {
    /// Certificates, in PEM.
    pub file: PathBuf,
    /// There is no connection without a certificate.
    pub required: bool,
}

/// Leaves what a client's certificate says with its connection.
pub(super) struct Names;

/// Certificates of authorities, at least one.
pub fn read_authorities(file: &Path) -> Result<RootCertStore, CertificateError> {
    check_readable(file, "CA file")?;
    let wrong = |reason| CertificateError::new(file, format!("CA file `{}` {reason}", file.display()));
    let mut store = RootCertStore::empty();
    load_ca_file_into_store(file, &mut store)
        .map_err(|_| wrong("has something other than PEM certificates"))?;
    if store.is_empty() { Err(wrong("has no certificate")) } else { Ok(store) }
}

/// What checks the certificates of clients. An expired one is refused like one of somebody else's.
pub(super) fn verifier(clients: &ClientAuthority) -> Result<Arc<dyn ClientCertVerifier>, CertificateError> {
    let store = read_authorities(&clients.file)?;
    install_default_crypto_provider();
    let builder = WebPkiClientVerifier::builder(Arc::new(store));
    let builder = if clients.required { builder } else { builder.allow_unauthenticated() };
    builder.build().map_err(|error| {
        CertificateError::new(&clients.file, format!("CA file `{}`: {error}", clients.file.display()))
    })
}

#[async_trait]
impl TlsAccept for Names {
    async fn handshake_complete_callback(&self, tls: &TlsRef) -> Option<Arc<dyn Any + Send + Sync>> {
        let certificate = CallerCertificate::parse(tls.peer_certificate_der()?)?;
        Some(Arc::new(certificate))
    }
}
