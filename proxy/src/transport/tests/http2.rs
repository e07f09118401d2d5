//! HTTP/2, with prior knowledge and over TLS.

use super::{Front, LONG, front, front_with};
use crate::process::{self, Listener, Options, TlsFiles};
use crate::runtime::exposed::write_private;
use bytes::Bytes;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use http::{Request, Response};
use pingora_core::tls::{
    CertificateDer, ClientConfig, RootCertStore, ServerName, TlsConnector, install_default_crypto_provider,
};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Runs a client with a time limit.
fn run<T>(client: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, client).await.unwrap() })
}

async fn connect(front: &Front) -> SendRequest<Bytes> {
    speak(TcpStream::connect(front.address).await.unwrap()).await
}

async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> SendRequest<Bytes> {
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(async move {
        // The server may close at any time.
        let _ = connection.await;
    });
    sender.ready().await.unwrap()
}

fn post(path: &str) -> Request<()> {
    Request::post(format!("http://a{path}")).body(()).unwrap()
}

async fn exchange(sender: &mut SendRequest<Bytes>, path: &str, body: &'static [u8]) -> (u16, Vec<u8>) {
    let (answer, mut sending) = sender.send_request(post(path), body.is_empty()).unwrap();
    if !body.is_empty() {
        sending.send_data(Bytes::from_static(body), true).unwrap();
    }
    let answer = answer.await.unwrap();
    (answer.status().as_u16(), all(answer).await)
}

async fn all(answer: Response<RecvStream>) -> Vec<u8> {
    let mut body = answer.into_body();
    let mut all = Vec::new();
    while let Some(data) = next(&mut body).await {
        all.extend_from_slice(&data);
    }
    all
}

async fn next(body: &mut RecvStream) -> Option<Bytes> {
    let data = body.data().await.map(Result::unwrap);
    if let Some(data) = &data {
        body.flow_control().release_capacity(data.len()).unwrap();
    }
    data
}

#[test]
fn prior_knowledge_works_without_tls() {
    let front = front();
    run(async {
        let mut sender = connect(&front).await;
        assert_eq!(exchange(&mut sender, "/echo", b"hello").await, (200, b"hello".to_vec()));
        assert_eq!(exchange(&mut sender, "/unknown", b"").await, (404, Vec::new()));
        let (status, body) = exchange(&mut sender, "/big", b"").await;
        assert_eq!((status, body.len()), (200, 300_000));
        assert_eq!(exchange(&mut sender, "/none", b"").await, (204, Vec::new()));
    });
}

#[test]
fn streams_of_a_connection_do_not_wait_for_each_other() {
    let front = front();
    run(async {
        let mut sender = connect(&front).await;
        let (held, _) = sender.send_request(post("/hold"), true).unwrap();
        assert_eq!(exchange(&mut sender, "/echo", b"meanwhile").await.1, b"meanwhile");
        front.release();
        assert_eq!(all(held.await.unwrap()).await, b"held ");
    });
}

#[test]
fn a_reset_cancels_its_request() {
    let front = front();
    run(async {
        let mut sender = connect(&front).await;
        let (_held, mut sending) = sender.send_request(post("/hold"), true).unwrap();
        // The reset must not overtake the request.
        assert_eq!(exchange(&mut sender, "/echo", b"1").await.1, b"1");
        sending.send_reset(Reason::CANCEL);
        assert_eq!(exchange(&mut sender, "/echo", b"2").await.1, b"2");
        front.hears("started");
        front.hears("cancelled");
    });
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let front = front_with(|settings| settings.limits.request_body = 4);
    run(async {
        let mut sender = connect(&front).await;
        assert_eq!(exchange(&mut sender, "/echo", b"12345").await.0, 413);
        assert_eq!(exchange(&mut sender, "/echo", b"1234").await, (200, b"1234".to_vec()));
    });
}

#[test]
fn head_gets_the_head_only() {
    let front = front();
    run(async {
        let mut sender = connect(&front).await;
        let request = Request::head("http://a/big").body(()).unwrap();
        let answer = sender.send_request(request, true).unwrap().0.await.unwrap();
        assert_eq!(answer.headers().get("content-length").unwrap(), "300000");
        assert_eq!(all(answer).await, b"");
    });
}

#[test]
fn event_streams_stay_open_and_close_when_the_server_leaves() {
    let front = front_with(|settings| settings.timeouts.keep_alive = Duration::from_millis(50));
    run(async {
        let mut sender = connect(&front).await;
        let answer = sender.send_request(post("/silent"), true).unwrap().0.await.unwrap();
        assert_eq!(answer.headers().get("content-type").unwrap(), "text/event-stream");
        assert_eq!(answer.headers().get("x-accel-buffering").unwrap(), "no");
        let mut body = answer.into_body();
        assert_eq!(next(&mut body).await.unwrap(), "data: opening\n\n");
        assert_eq!(next(&mut body).await.unwrap(), ":\n\n");
        let stop = tokio::task::spawn_blocking(move || front.running.stop());
        let mut last = Bytes::new();
        while let Some(data) = next(&mut body).await {
            if !data.is_empty() {
                last = data;
            }
        }
        assert_eq!(last, "data: closing\n\n");
        drop(sender);
        stop.await.unwrap();
    });
}

#[test]
fn a_connection_without_requests_is_closed() {
    let front = front_with(|settings| settings.timeouts.idle = Duration::from_millis(100));
    run(async {
        let stream = TcpStream::connect(front.address).await.unwrap();
        let (_sender, connection) = h2::client::handshake(stream).await.unwrap();
        // Ends, with an error or without.
        let _ = connection.await;
    });
}

#[test]
fn tls_speaks_what_the_client_prefers() {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles::new(folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&files.certificate, own.cert.pem()).unwrap();
    write_private(&files.key, &own.signing_key.serialize_pem());
    let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: Some(files) };
    let front = super::start(|_| {}, listener, Options::default());
    run(async {
        let stream = tls(&front, own.cert.der(), &[b"h2", b"http/1.1"]).await;
        assert_eq!(exchange(&mut speak(stream).await, "/echo", b"hello").await, (200, b"hello".to_vec()));

        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tls(&front, own.cert.der(), &[]).await;
        stream.write_all(b"GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    });
}

async fn tls(
    front: &Front,
    certificate: &CertificateDer<'_>,
    protocols: &[&[u8]],
) -> pingora_core::tls::ClientTlsStream<TcpStream> {
    install_default_crypto_provider();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone().into_owned()).unwrap();
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(front.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

#[test]
fn certificates_that_cannot_be_used_are_reported_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let pair = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (one, other) = (pair(), pair());
    std::fs::write(path("cert.pem"), one.cert.pem()).unwrap();
    write_private(&path("other.pem"), &other.signing_key.serialize_pem());
    write_private(&path("empty.pem"), "");
    for (certificate, key, reason) in [
        ("missing.pem", "other.pem", "missing.pem` cannot be read"),
        ("cert.pem", "missing.pem", "missing.pem` cannot be read"),
        ("cert.pem", "empty.pem", "empty.pem` has no private key"),
        ("cert.pem", "other.pem", "does not match"),
    ] {
        let tls = Some(TlsFiles::new(path(certificate), path(key)));
        let listener = Listener { address: "127.0.0.1:0".to_owned(), tls };
        let error = process::bind(&[listener]).unwrap_err().to_string();
        assert!(error.starts_with("TLS of `127.0.0.1:0`: ") && error.contains(reason), "{error}");
    }
}
