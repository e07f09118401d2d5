//! The certificate that a listener shows. It can be replaced while the listener serves: handshakes that begin later see the
//! new one, connections that are there stay.

use arc_swap::ArcSwap;
use pingora_core::listeners::tls::{Acceptor, TlsSettings};
use pingora_core::tls::sign::CertifiedKey;
use pingora_core::tls::{
    ClientHello, CryptoProvider, ResolvesServerCert, install_default_crypto_provider,
    load_certs_and_key_files,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use x509_parser::parse_x509_certificate;

/// PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A certificate with its key, and which files it came from.
#[derive(Debug, Clone)]
pub struct Certificate {
    pub files: TlsFiles,
    pair: Arc<CertifiedKey>,
}

/// What a listener shows now.
#[derive(Debug)]
pub struct Served(ArcSwap<CertifiedKey>);

/// Why a certificate cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CertificateError {
    /// The one to look at.
    pub file: PathBuf,
    pub message: String,
}

impl CertificateError {
    fn new(file: &Path, message: String) -> CertificateError {
        CertificateError { file: file.to_owned(), message }
    }
}

impl Certificate {
    /// Reads both files; every problem with them.
    pub fn read(files: &TlsFiles) -> Result<Certificate, Vec<CertificateError>> {
        let readable = [(&files.certificate, "certificate"), (&files.key, "key")];
        let unreadable: Vec<CertificateError> =
            readable.into_iter().filter_map(|(file, what)| check_readable(file, what).err()).collect();
        if !unreadable.is_empty() {
            return Err(unreadable);
        }
        let pair = read_pair(files, SystemTime::now()).map_err(|error| vec![error])?;
        Ok(Certificate { files: files.clone(), pair: Arc::new(pair) })
    }
}

impl Served {
    pub fn new(certificate: Certificate) -> Arc<Served> {
        Arc::new(Served(ArcSwap::new(certificate.pair)))
    }

    /// For all handshakes that begin from now on.
    pub fn replace(&self, certificate: Certificate) {
        self.0.store(certificate.pair);
    }

    /// What does the handshakes of a listener.
    pub(crate) fn acceptor(self: &Arc<Self>) -> Result<Acceptor, String> {
        // The resolver stands in for the files, which Pingora would read once and for all.
        let mut settings = TlsSettings::intermediate("", "").map_err(|error| error.to_string())?;
        settings.set_cert_resolver(Arc::<Served>::clone(self));
        settings.enable_h2();
        Ok(settings.build())
    }
}

impl ResolvesServerCert for Served {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

fn check_readable(file: &Path, what: &str) -> Result<(), CertificateError> {
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
