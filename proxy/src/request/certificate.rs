//! What a client's certificate says. Its signature was verified by the handshake.

use pingora_core::protocols::tls::SslDigest;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

/// The certificate of the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerCertificate {
    /// Its DNS names in lower case, and its URIs.
    pub names: Vec<String>,
    /// The last second in which it is good. Connections may outlive their certificates, and sessions may be resumed.
    pub until: i64,
}

impl CallerCertificate {
    /// `None` if it cannot be read.
    pub fn parse(certificate: &[u8]) -> Option<CallerCertificate> {
        let (_, certificate) = parse_x509_certificate(certificate).ok()?;
        let alternative = certificate.subject_alternative_name().ok()?;
        let general = alternative.map(|extension| extension.value.general_names.as_slice());
        let names = general.unwrap_or_default().iter().filter_map(|name| match name {
            GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
            GeneralName::URI(uri) => Some((*uri).to_owned()),
            _ => None,
        });
        Some(CallerCertificate {
            names: names.collect(),
            until: certificate.validity().not_after.timestamp(),
        })
    }

    /// The one that was shown in a handshake.
    pub fn of(tls: &SslDigest) -> Option<&CallerCertificate> {
        tls.extension.get()
    }
}
