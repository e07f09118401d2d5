//! Upstreams behind TLS.

use super::script::{Caller, OK};
use crate::upstream::UpstreamError;
use mcp_bundle::wire_enums::Scheme;
use pingora_core::tls::{CertificateDer, PrivateKeyDer, ServerConfig, ServerTlsStream, TlsAcceptor};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

struct Secure {
    port: u16,
    ca_file: PathBuf,
    _folder: tempfile::TempDir,
}

/// Answers every request on every connection; its certificate is good for `name`.
async fn secure(name: &str, protocol: &str) -> Secure {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, made.cert.pem()).unwrap();
    pingora_core::tls::install_default_crypto_provider();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let certificate = CertificateDer::from(made.cert.der().to_vec());
    let mut config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    answer_streams(stream).await;
                } else {
                    answer_requests(stream).await;
                }
            });
        }
    });
    Secure { port, ca_file, _folder: folder }
}

async fn answer_requests(mut stream: ServerTlsStream<TcpStream>) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
        stream.write_all(OK.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// Says what it was asked, and how long the body was.
async fn answer_streams(stream: ServerTlsStream<TcpStream>) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        tokio::spawn(async move {
            let (head, mut body) = request.into_parts();
            let mut length = 0;
            while let Some(Ok(bytes)) = body.data().await {
                length += bytes.len();
                body.flow_control().release_capacity(bytes.len()).unwrap();
            }
            let text = format!("{} {} {length}", head.method, head.uri);
            let mut stream = respond.send_response(http::Response::new(()), false).unwrap();
            stream.send_data(text.into(), true).unwrap();
        });
    }
}

#[tokio::test]
async fn http_2_is_spoken_where_the_upstream_chooses_it() {
    let secure = secure("127.0.0.1", "h2").await;
    let mut caller = Caller::new("127.0.0.1", secure.port, Scheme::Https, Some(secure.ca_file));
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.body(), "GET https://upstream.test/things/7?a=b 0");
    assert_eq!(caller.post(&"x".repeat(200_000)).await, Ok(200));
    assert_eq!(caller.body(), "POST https://upstream.test/things 200011");
    caller.max_response = 3;
    assert_eq!(caller.get().await, Err(UpstreamError::TooLarge { status: 200, limit: 3 }));
    let stats = caller.network.stats();
    assert_eq!((stats.opened, stats.reused, stats.idle), (1, 2, 1));
}

#[tokio::test]
async fn a_verified_upstream_is_called_and_its_connection_used_again() {
    let secure = secure("127.0.0.1", "http/1.1").await;
    let mut caller = Caller::new("127.0.0.1", secure.port, Scheme::Https, Some(secure.ca_file));
    for _ in 0..2 {
        assert_eq!(caller.get().await, Ok(200));
        assert_eq!(caller.body(), "ok");
    }
    assert_eq!(caller.network.stats().opened, 1);
}

#[tokio::test]
async fn an_upstream_that_cannot_prove_its_name_is_not_called() {
    let named = secure("other.test", "http/1.1").await;
    let mut caller = Caller::new("127.0.0.1", named.port, Scheme::Https, Some(named.ca_file.clone()));
    assert_eq!(caller.get().await, Err(UpstreamError::Tls("its certificate is for another name".to_owned())));
    let unknown = secure("127.0.0.1", "http/1.1").await;
    let mut caller = Caller::new("127.0.0.1", unknown.port, Scheme::Https, Some(named.ca_file.clone()));
    assert!(
        matches!(caller.get().await, Err(UpstreamError::Tls(_))),
        "an unknown authority of the same name"
    );
}

#[test]
fn a_file_without_authorities_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.pem");
    std::fs::write(&path, "nothing").unwrap();
    for path in [path, folder.path().join("none.pem")] {
        assert!(crate::upstream::Network::new(Some(path)).is_err());
    }
}
