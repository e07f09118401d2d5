//! Upstreams that want a certificate of the edge.

use super::script::{Caller, OK};
use crate::runtime::exposed::write_private;
use crate::settings::ClientFiles;
use crate::upstream::{ClientCertificate, OriginKey, UpstreamError};
use mcp_bundle::wire_enums::Scheme;
use pingora_core::tls::{
    CertificateDer, PrivateKeyDer, RootCertStore, ServerConfig, TlsAcceptor, WebPkiClientVerifier,
};
use rcgen::{CertifiedKey, KeyPair};
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn made(name: &str) -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap()
}

fn files(folder: &Path, name: &str, made: &CertifiedKey<KeyPair>) -> ClientFiles {
    let certificate = folder.join(format!("{name}.pem"));
    let key = folder.join(format!("{name}.key"));
    write_private(&certificate, &made.cert.pem());
    write_private(&key, &made.signing_key.serialize_pem());
    ClientFiles { certificate, key }
}

/// Answers whoever has this certificate.
async fn picky(server: &CertifiedKey<KeyPair>, client: &CertifiedKey<KeyPair>) -> u16 {
    pingora_core::tls::install_default_crypto_provider();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(client.cert.der().to_vec())).unwrap();
    let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
    let key = PrivateKeyDer::try_from(server.signing_key.serialize_der()).unwrap();
    let chain = vec![CertificateDer::from(server.cert.der().to_vec())];
    let config = ServerConfig::builder().with_client_cert_verifier(verifier).with_single_cert(chain, key);
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut buffer = [0; 4096];
                while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                    stream.write_all(OK.as_bytes()).await.unwrap();
                    stream.flush().await.unwrap();
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn an_upstream_that_wants_a_certificate_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let (server, client, stranger) = (made("127.0.0.1"), made("edge.test"), made("stranger.test"));
    let port = picky(&server, &client).await;
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, server.cert.pem()).unwrap();
    let load = |name: &str, made| ClientCertificate::load(&files(folder.path(), name, made)).unwrap();
    let (client, stranger) = (load("client", &client), load("stranger", &stranger));
    let key = OriginKey { scheme: Scheme::Https, host: "127.0.0.1".to_owned(), port };

    let mut caller = Caller::new("127.0.0.1", port, Scheme::Https, Some(ca_file));
    assert!(matches!(caller.get().await, Err(UpstreamError::Closed | UpstreamError::Tls(_))), "without one");
    caller.origin = caller.network.origin_with(&key, client.clone()).unwrap();
    for _ in 0..2 {
        assert_eq!(caller.get().await, Ok(200));
        assert_eq!(caller.body(), "ok");
    }
    assert_eq!(caller.network.stats().reused, 1);
    // A reload that finds the same files goes on with the connections.
    let again = caller.network.origin_with(&key, client).unwrap();
    assert!(Arc::ptr_eq(&again, &caller.origin));
    // Others never share them.
    caller.origin = caller.network.origin_with(&key, stranger).unwrap();
    assert!(!Arc::ptr_eq(&again, &caller.origin));
    assert!(matches!(caller.get().await, Err(UpstreamError::Closed | UpstreamError::Tls(_))));
}

#[test]
fn files_that_are_no_certificate_and_key_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (made("one.test"), made("other.test"));
    let one = files(folder.path(), "one", &one);
    let other = files(folder.path(), "other", &other);
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    let error = |certificate: &Path, key: &Path| {
        let files = ClientFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        ClientCertificate::load(&files).unwrap_err()
    };
    assert!(error(&one.certificate, &other.key).contains("other.key` does not match"));
    assert!(error(&folder.path().join("none.pem"), &one.key).contains("none.pem` cannot be read"));
    assert!(error(&empty, &one.key).contains("has no certificate"));
    assert!(error(&one.certificate, &one.certificate).contains("has no private key"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&other.key, std::fs::Permissions::from_mode(0o604)).unwrap();
        assert!(error(&other.certificate, &other.key).contains("other.key` is readable by everyone"));
    }
    let loaded = ClientCertificate::load(&one).unwrap();
    assert_eq!(format!("{loaded:?}"), "ClientCertificate");
}
