//! The certificate that a listener shows, and whose certificates it asks for. Both can be replaced while the listener serves:
//! handshakes that begin later see the new ones, connections that are there stay.

use super::clients::{self, ClientAuthority, Names};
use crate::runtime::exposed::check_key;
use arc_swap::ArcSwap;
use pingora_core::listeners::tls::{Acceptor, TlsSettings};
use pingora_core::tls::sign::{CertifiedKey, SingleCertAndKey};
use pingora_core::tls::{CryptoProvider, install_default_crypto_provider, load_certs_and_key_files};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use x509_parser::parse_x509_certificate;

/// PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// `None`: clients are not asked for a certificate.
    pub clients: Option<ClientAuthority>,
}

/// A certificate with its key, and which files it came from.
#[derive(Clone)]
pub struct Certificate {
    pub files: TlsFiles,
    acceptor: Arc<Acceptor>,
}

/// What a listener shows now. Each has sessions of its own, so none that began with one is resumed with another: what clients
/// had to show then may no longer be enough.
pub struct Served(ArcSwap<Acceptor>);

/// Why a certificate cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CertificateError {
    /// The one to look at.
    pub file: PathBuf,
    pub message: String,
}

impl CertificateError {
    pub(super) fn new(file: &Path, message: String) -> CertificateError {
        CertificateError { file: file.to_owned(), message }
    }
}

impl TlsFiles {
    pub fn new(certificate: PathBuf, key: PathBuf) -> TlsFiles {
        TlsFiles { certificate, key, clients: None }
    }

    /// All of them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let authority = self.clients.as_ref().map(|clients| clients.file.as_path());
        [self.certificate.as_path(), self.key.as_path()].into_iter().chain(authority)
    }
}

impl Certificate {
    /// Reads all files; every problem with them.
    pub fn read(files: &TlsFiles) -> Result<Certificate, Vec<CertificateError>> {
        let key = check_key(&files.key).map_err(|message| CertificateError::new(&files.key, message));
        let readable = [check_readable(&files.certificate, "certificate"), key];
        let mut problems: Vec<CertificateError> = readable.into_iter().filter_map(Result::err).collect();
        let verifier = files.clients.as_ref().map(clients::verifier).transpose();
        let verifier = verifier.map_err(|error| problems.push(error)).ok().flatten();
        if !problems.is_empty() {
            return Err(problems);
        }
        let pair = read_pair(files, SystemTime::now()).map_err(|error| vec![error])?;
        let settings = TlsSettings::with_callbacks(Box::new(Names));
        let mut settings =
            settings.map_err(|error| vec![CertificateError::new(&files.certificate, error.to_string())])?;
        settings.set_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
        if let Some(verifier) = verifier {
            settings.set_client_cert_verifier(verifier);
        }
        settings.enable_h2();
        Ok(Certificate { files: files.clone(), acceptor: Arc::new(settings.build()) })
    }
}

impl Served {
    pub fn new(certificate: Certificate) -> Arc<Served> {
        Arc::new(Served(ArcSwap::new(certificate.acceptor)))
    }

    /// For all handshakes that begin from now on.
    pub fn replace(&self, certificate: Certificate) {
        self.0.store(certificate.acceptor);
    }

    /// What does a handshake that begins now.
    pub(crate) fn acceptor(&self) -> Arc<Acceptor> {
        self.0.load_full()
    }
}

/// Without keys.
impl Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificate").field("files", &self.files).finish_non_exhaustive()
    }
}

/// Without keys.
impl Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Served")
    }
}

pub(super) fn check_readable(file: &Path, what: &str) -> Result<(), CertificateError> {
    std::fs::File::open(file).map(drop).map_err(|error| {
        CertificateError::new(file, format!("{what} `{}` cannot be read: {error}", file.display()))
    })
}

fn read_pair(files: &TlsFiles, now: SystemTime) -> Result<CertifiedKey, CertificateError> {
    let certificate = files.certificate.display().to_string();
    let key = files.key.display().to_string();
    let wrong = |message: String| CertificateError::new(&files.certificate, message);
    let loaded = load_certs_and_key_files(&certificate, &key)
        .map_err(|_| wrong(format!("`{certificate}` or `{key}` is not a PEM file")))?;
    let Some((chain, private)) = loaded else {
        return Err(wrong(format!("`{certificate}` has no certificate, or `{key}` has no private key")));
    };
    if let Some(ended) = chain.first().and_then(|first| end_of(first)).filter(|end| *end < seconds(now)) {
        return Err(wrong(format!(
            "the certificate in `{certificate}` expired at {}; renew it, and no client will refuse it",
            written(ended)
        )));
    }
    install_default_crypto_provider();
    let provider =
        CryptoProvider::get_default().ok_or_else(|| wrong("no cryptography is installed".into()))?;
    CertifiedKey::from_der(chain, private, provider).map_err(|error| {
        CertificateError::new(&files.key, format!("`{key}` does not match `{certificate}`: {error}"))
    })
}

/// The last second in which a certificate is good; `None` if it cannot be read, which the handshake would tell.
fn end_of(certificate: &[u8]) -> Option<i64> {
    let (_, certificate) = parse_x509_certificate(certificate).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn written(second: i64) -> String {
    jiff::Timestamp::from_second(second).map_or_else(|_| second.to_string(), |time| time.to_string())
}
