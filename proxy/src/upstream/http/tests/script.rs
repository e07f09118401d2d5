//! The scripted upstream, and the shortest way to call it.

use crate::limits::budget::Budget;
use crate::settings::PoolSettings;
use crate::upstream::{Exchange, Network, Origin, OriginKey, Received, UpstreamError};
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{self, Arguments, Binder, PreparedTools, Request};
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::Scheme;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier, LazyLock};
use std::time::{Duration, Instant};

pub(super) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const SPEC: &str = r#"
[toolset]
name = "script"
[upstream.script]
url = "http://upstream.test"
[[tool]]
name = "get"
description = "Reads a thing by its number, for tests of the network."
upstream = "script"
method = "GET"
endpoint = "/things/7?a=b"
headers = { accept = "application/json" }
[[tool]]
name = "head"
description = "Looks at a thing without reading it, for tests of the network."
upstream = "script"
method = "HEAD"
endpoint = "/things/7"
[[tool]]
name = "post"
description = "Makes a thing with a text in it, for tests of the network."
upstream = "script"
method = "POST"
endpoint = "/things"
[[tool.parameters]]
name = "text"
type = "string"
description = "What is in the thing that is made"
"#;

static CONTENTS: LazyLock<Contents> = LazyLock::new(|| {
    let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("script.toml", SPEC));
    report.contents.unwrap_or_else(|| panic!("{:#?}", report.diagnostics))
});

/// What the upstream does on a connection, one after the other; then it closes the connection.
#[derive(Clone)]
pub(super) enum Step {
    /// Reads a request, then answers.
    Answer(Vec<u8>),
    /// Says something unasked.
    Say(Vec<u8>),
    /// Reads a request and says nothing.
    Read,
    /// Waits until the other side closes.
    Wait,
    /// Waits for the test.
    Meet(Arc<Barrier>),
}

pub(super) struct Script {
    pub port: u16,
    requests: Receiver<Vec<u8>>,
    closed: Receiver<()>,
}

/// A call to make; the fields are those of [`Exchange`].
pub(super) struct Caller {
    pub network: Network,
    pub origin: Arc<Origin>,
    pub attempt_timeout: Option<Duration>,
    pub retries: u8,
    pub idempotent: bool,
    pub max_response: usize,
    pub timeout: Duration,
    pub received: Received,
    pub budget: Arc<Budget>,
}

pub(super) fn answer(text: impl AsRef<[u8]>) -> Step {
    Step::Answer(text.as_ref().to_vec())
}

/// One list of steps for each connection, in the order they are opened.
pub(super) fn upstream(connections: Vec<Vec<Step>>) -> Script {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, requests) = mpsc::channel();
    let (say_closed, closed) = mpsc::channel();
    std::thread::spawn(move || {
        for steps in connections {
            let Ok((stream, _)) = listener.accept() else { return };
            let (sender, say_closed) = (sender.clone(), say_closed.clone());
            std::thread::spawn(move || {
                act(stream, steps, &sender);
                let _ = say_closed.send(());
            });
        }
    });
    Script { port, requests, closed }
}

impl Script {
    /// The next request that was read; waits for it.
    pub fn request(&self) -> String {
        let request = self.requests.recv_timeout(Duration::from_secs(20)).unwrap();
        String::from_utf8(request).unwrap()
    }

    /// Waits until the upstream has closed a connection. Nothing else happens on this thread meanwhile.
    pub fn closes(&self) {
        self.closed.recv_timeout(Duration::from_secs(20)).unwrap();
    }

    pub fn caller(&self) -> Caller {
        Caller::new("127.0.0.1", self.port, Scheme::Http, None)
    }
}

impl Caller {
    pub fn new(host: &str, port: u16, scheme: Scheme, ca_file: Option<PathBuf>) -> Caller {
        let network = Network::new(ca_file).unwrap();
        let origin = network.origin(&OriginKey { scheme, host: host.to_owned(), port });
        Caller {
            network,
            origin,
            retries: 0,
            attempt_timeout: None,
            idempotent: true,
            max_response: 1 << 20,
            timeout: Duration::from_secs(20),
            received: Received::default(),
            budget: Arc::default(),
        }
    }

    pub async fn get(&mut self) -> Result<u16, UpstreamError> {
        self.call(&request("get", "{}")).await
    }

    pub async fn head(&mut self) -> Result<u16, UpstreamError> {
        self.call(&request("head", "{}")).await
    }

    /// Not idempotent.
    pub async fn post(&mut self, text: &str) -> Result<u16, UpstreamError> {
        self.idempotent = false;
        self.call(&request("post", &format!(r#"{{"text":"{text}"}}"#))).await
    }

    pub fn body(&self) -> &str {
        std::str::from_utf8(&self.received.body).unwrap()
    }

    async fn call(&mut self, request: &Request) -> Result<u16, UpstreamError> {
        let start = Instant::now();
        let call = Exchange {
            tool: "test",
            origin: &self.origin,
            authority: "upstream.test",
            request,
            connect_timeout: Duration::from_secs(10),
            start,
            deadline: start + self.timeout,
            timeout: self.timeout,
            attempt_timeout: self.attempt_timeout,
            retries: self.retries,
            idempotent: self.idempotent,
            max_response: self.max_response,
            pool: &PoolSettings::default(),
            credential: None,
            authorization: None,
            envelope: None,
            budget: &self.budget,
        };
        self.received.clear();
        self.network.call(&call, &mut self.received).await.map(|()| self.received.status)
    }
}

fn request(tool: &str, arguments: &str) -> Request {
    let limits = &bind::Limits { body: 64 << 20, ..bind::Limits::default() };
    let prepared = PreparedTools::new(&CONTENTS, &[], limits);
    let (matchers, scratch) = (&Matchers::new(&CONTENTS), &mut bind::Scratch::default());
    let mut binder = Binder { contents: &CONTENTS, matchers, limits, scratch };
    let (tool, mut request) = (prepared.find(tool).unwrap(), Request::new());
    let arguments = Arguments::of_text(arguments);
    binder.bind(tool, &arguments, &bind::Values::default(), &mut request).unwrap();
    request
}

fn act(mut stream: TcpStream, steps: Vec<Step>, requests: &Sender<Vec<u8>>) {
    for step in steps {
        // A test that does not look at requests has dropped the other end.
        let read = || read_request(&stream).map(|request| drop(requests.send(request))).is_some();
        let said = match step {
            Step::Answer(bytes) => {
                if !read() {
                    return;
                }
                bytes
            }
            Step::Say(bytes) => bytes,
            Step::Read => {
                read();
                continue;
            }
            Step::Wait => {
                let _ = stream.read_to_end(&mut Vec::new());
                continue;
            }
            Step::Meet(barrier) => {
                barrier.wait();
                continue;
            }
        };
        if stream.write_all(&said).is_err() {
            return;
        }
    }
}

fn read_request(stream: &TcpStream) -> Option<Vec<u8>> {
    let mut reader = BufReader::new(stream);
    let (mut request, mut length) = (Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        request.extend_from_slice(&line);
        let line = String::from_utf8_lossy(&line).into_owned();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.extend_from_slice(&body);
    Some(request)
}
