//! TLS to an upstream that wants a certificate of the edge.
//!
//! Pingora would make a configuration of its own for each such connection, and would know certificates by their serial number
//! alone. So the configuration is made here, once for each origin, and the handshake uses it as it is.

use crate::runtime::exposed::check_key;
use crate::settings::ClientFiles;
use pingora_core::protocols::Stream;
use pingora_core::protocols::l4::stream::Stream as L4Stream;
use pingora_core::protocols::tls::client::handshake;
use pingora_core::tls::{
    self, CertificateDer, ClientConfig, PrivateKeyDer, RootCertStore, TlsConnector, load_ca_file_into_store,
    load_certs_and_key_files, load_platform_certs_incl_env_into_store,
};
use pingora_core::{Error, ErrorType};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// A certificate chain and its key, which is a secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientCertificate {
    chain: Vec<Vec<u8>>,
    key: Vec<u8>,
}

/// How connections to one origin are secured.
pub(super) struct OwnTls(TlsConnector);

impl ClientCertificate {
    /// Reads the files. The error says which of them is wrong.
    pub fn load(files: &ClientFiles) -> Result<ClientCertificate, String> {
        let [certificate, key] = [&files.certificate, &files.key].map(|file| file.display().to_string());
        std::fs::File::open(&files.certificate)
            .map_err(|error| format!("`{certificate}` cannot be read: {error}"))?;
        check_key(&files.key)?;
        let loaded = load_certs_and_key_files(&certificate, &key)
            .map_err(|_| format!("`{certificate}` or `{key}` is not a PEM file"))?;
        let (chain, private) = loaded
            .ok_or_else(|| format!("`{certificate}` has no certificate, or `{key}` has no private key"))?;
        let made = ClientCertificate {
            chain: chain.iter().map(|certificate| certificate.to_vec()).collect(),
            key: private.secret_der().to_vec(),
        };
        made.config(RootCertStore::empty())
            .map_err(|error| format!("`{key}` does not match `{certificate}`: {error}"))?;
        Ok(made)
    }

    fn config(&self, roots: RootCertStore) -> Result<ClientConfig, String> {
        tls::install_default_crypto_provider();
        let chain = self.chain.iter().map(|certificate| CertificateDer::from(certificate.clone())).collect();
        let key = PrivateKeyDer::try_from(self.key.clone()).map_err(str::to_owned)?;
        let config = ClientConfig::builder().with_root_certificates(roots).with_client_auth_cert(chain, key);
        let mut config = config.map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl OwnTls {
    /// The upstream is verified by the authorities in `ca_file`, else by the platform's.
    pub(super) fn new(certificate: &ClientCertificate, ca_file: Option<&Path>) -> Result<OwnTls, String> {
        let mut roots = RootCertStore::empty();
        let loaded = match ca_file {
            Some(file) => load_ca_file_into_store(file, &mut roots),
            None => load_platform_certs_incl_env_into_store(&mut roots),
        };
        // Without authorities nothing is trusted.
        if let Err(error) = loaded {
            tracing::warn!("certificate authorities cannot be read: {}", error.etype.as_str());
        }
        certificate.config(roots).map(|config| OwnTls(TlsConnector::from(Arc::new(config))))
    }

    pub(super) async fn handshake(
        &self,
        stream: TcpStream,
        host: &str,
        limit: Duration,
    ) -> pingora_core::Result<Stream> {
        let secured = handshake(&self.0, host, L4Stream::from(stream));
        match pingora_timeout::timeout(limit, secured).await {
            Ok(secured) => Ok(Box::new(secured?)),
            Err(_) => Error::e_explain(ErrorType::ConnectTimedout, "TLS"),
        }
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCertificate")
    }
}

impl fmt::Debug for OwnTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnTls")
    }
}
