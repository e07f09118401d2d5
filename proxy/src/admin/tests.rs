use super::*;
use crate::Edge;
use crate::activation::Inputs;
use crate::activation::source::{BundleSource, FileSource, SourceError};
use crate::settings::Settings;
use crate::upstream::{Network, Upstream};
use pingora_core::services::ServiceReadyNotifier;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::Duration;

/// An admin listener on a real socket; dropping it stops the service.
struct Running {
    address: SocketAddr,
    folder: tempfile::TempDir,
    stop: tokio::sync::watch::Sender<bool>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Running {
    fn start() -> Running {
        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("tools.mcpk");
        Running::with(folder, Inputs::new(FileSource::new(bundle)))
    }

    fn with(folder: tempfile::TempDir, inputs: Inputs) -> Running {
        let network = Network::new(None).unwrap();
        let edge = Arc::new(Edge::new(Settings::default(), Upstream::Network(network)));
        let activation = Arc::new(Activation::new(edge, Some(inputs)));
        let (listener, address) = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut service = service(Admin::new(activation, address), listener);
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).max_blocking_threads(2).enable_all().build().unwrap();
        let (ready, _) = tokio::sync::watch::channel(false);
        runtime.spawn(async move {
            service.start_service(None, stopped, 1, ServiceReadyNotifier::new(ready)).await;
        });
        Running { address, folder, stop, runtime: Some(runtime) }
    }

    fn put_bundle(&self, bytes: &[u8]) {
        std::fs::write(self.folder.path().join("tools.mcpk"), bytes).unwrap();
    }

    /// The socket is bound already, so a connection waits until the service accepts it.
    fn send(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        self.send(&format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n{headers}\r\n", self.address))
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask("GET", path, "")
    }

    fn status(&self) -> serde_json::Value {
        serde_json::from_str(&self.get("/status").1).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn bundle(name: &str) -> Vec<u8> {
    let mut builder = mcp_bundle::strings::PoolBuilder::new();
    let mut contents = mcp_bundle::plan::Contents::default();
    contents.manifest.name = builder.intern(name);
    contents.strings = builder.finish();
    mcp_bundle::format::write(&contents).unwrap()
}

#[test]
fn readiness_follows_the_first_activation() {
    let admin = Running::start();
    assert_eq!(admin.get("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(admin.get("/readyz").0, 503);
    assert_eq!(admin.status()["ready"], false);
    admin.put_bundle(&bundle("one"));
    assert_eq!(admin.ask("POST", "/reload", "content-length: 0\r\n").0, 200);
    assert_eq!(admin.get("/readyz").0, 200);
}

#[test]
fn reload_reports_its_result() {
    let admin = Running::start();
    admin.put_bundle(&bundle("one"));
    let (status, body) = admin.ask("POST", "/reload", "content-length: 0\r\n");
    let revision = serde_json::from_str::<serde_json::Value>(&body).unwrap()["revision"].clone();
    assert_eq!(status, 200);
    assert_eq!(admin.status()["active"]["revision"], revision);
    assert!(admin.status()["last_error"].is_null());

    admin.put_bundle(b"oops");
    let (status, body) = admin.ask("POST", "/reload", "content-length: 0\r\n");
    assert_eq!(status, 422);
    assert!(body.contains("not a bundle"), "{body}");
    let now = admin.status();
    assert_eq!(now["active"]["revision"], revision, "the good one stays");
    assert!(now["last_error"]["message"].as_str().unwrap().contains("not a bundle"));
}

#[test]
fn tools_limits_and_calls_are_described() {
    let admin = Running::start();
    let get = |path: &str| -> serde_json::Value {
        let (status, body) = admin.get(path);
        assert_eq!(status, 200, "{path}");
        serde_json::from_str(&body).unwrap()
    };
    assert_eq!(get("/tools"), serde_json::json!({ "revision": null, "tools": [] }));
    admin.put_bundle(&bundle("one"));
    assert_eq!(admin.ask("POST", "/reload", "content-length: 0\r\n").0, 200);
    assert_eq!(get("/tools")["revision"], admin.status()["active"]["revision"]);
    let limits = get("/limits");
    assert_eq!(limits["inFlight"], serde_json::json!({ "now": 0, "most": 10_000 }));
    assert_eq!(limits["hits"]["rate_of_tool"], 0);
    assert_eq!(
        get("/calls"),
        serde_json::json!({ "kept": 0, "calls": [] }),
        "none are kept unless asked for"
    );
}

#[test]
fn metrics_are_openmetrics_text() {
    let admin = Running::start();
    let (status, body) = admin.get("/metrics");
    assert_eq!(status, 200);
    assert!(body.contains("mcp_edge_tools 0\n") && body.ends_with("# EOF\n"), "{body}");
}

#[test]
fn pages_and_foreign_names_are_refused() {
    let admin = Running::start();
    let origin = "origin: http://127.0.0.1:8080\r\ncontent-length: 0\r\n";
    assert_eq!(admin.ask("POST", "/reload", origin).0, 403);
    for host in ["evil.example", "evil.example:8081", "10.0.0.1", "localhost.evil.example", ""] {
        let answer = admin.send(&format!("GET /status HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        assert_eq!(answer.0, 403, "{host}");
    }
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8081"] {
        let answer = admin.send(&format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        assert_eq!(answer.0, 200, "{host}");
    }
}

#[test]
fn other_paths_and_methods_are_told_apart() {
    let admin = Running::start();
    assert_eq!(admin.get("/").0, 404);
    assert_eq!(admin.get("/reload").0, 405);
    assert_eq!(admin.ask("POST", "/status", "content-length: 0\r\n").0, 405);
    let (status, body) = admin.ask("HEAD", "/healthz", "");
    assert_eq!((status, body.as_str()), (200, ""));
}

#[test]
fn what_could_be_framed_in_two_ways_or_has_no_end_is_refused() {
    let admin = Running::start();
    let both = "content-length: 1\r\ntransfer-encoding: chunked\r\n";
    assert_eq!(admin.ask("POST", "/reload", both).0, 400);
    assert_eq!(admin.ask("GET", "/healthz", "a: b\nc: d\r\n").0, 400);
    let long = format!("x-long: {}\r\n", "x".repeat(200_000));
    assert_eq!(admin.ask("GET", "/healthz", &long).0, 431);
    assert_eq!(admin.get("/healthz").0, 200);
}

/// Says when it is asked, and answers when it may.
#[derive(Debug)]
struct Slow {
    asked: mpsc::Sender<()>,
    may: mpsc::Receiver<()>,
}

impl BundleSource for Slow {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        self.asked.send(()).unwrap();
        // From the moment on at which nobody can say so any more, it always may.
        let _ = self.may.recv();
        Ok(bundle("one"))
    }
}

#[test]
fn those_who_wait_for_a_reload_take_no_thread() {
    const LONG: Duration = Duration::from_secs(20);
    let ((asked, hears), (allow, may)) = (mpsc::channel(), mpsc::channel());
    let admin = Running::with(tempfile::tempdir().unwrap(), Inputs::new(Slow { asked, may }));
    std::thread::scope(|scope| {
        let reload = || admin.ask("POST", "/reload", "content-length: 0\r\n").0;
        let first = scope.spawn(reload);
        hears.recv_timeout(LONG).unwrap();
        let others: Vec<_> = (0..20).map(|_| scope.spawn(reload)).collect();
        for _ in 0..20 {
            assert_eq!(admin.get("/healthz").0, 200);
        }
        // There are two threads for work that blocks, and only one is taken.
        let (done, is_done) = mpsc::channel();
        admin.runtime.as_ref().unwrap().spawn_blocking(move || done.send(()));
        let is_free = is_done.recv_timeout(LONG);
        drop(allow);
        assert_eq!(first.join().unwrap(), 200);
        assert!(others.into_iter().all(|other| other.join().unwrap() == 200));
        is_free.unwrap();
    });
}
