//! A server on loopback that says what a test tells it to, and remembers what it was asked.

use mcp_sources::{Options, Patience, Variables};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How much of the body is sent before the connection is closed.
    pub cut: Option<usize>,
    /// How much of the body is sent before nothing comes any more.
    pub stall: Option<usize>,
}

impl Answer {
    pub fn new(status: u16) -> Answer {
        Answer { status, ..Answer::default() }
    }

    pub fn with(mut self, name: &str, value: impl ToString) -> Answer {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn body(mut self, body: impl AsRef<[u8]>) -> Answer {
        self.body = body.as_ref().to_vec();
        self
    }
}

type Script = dyn FnMut(&Asked) -> Answer + Send;

pub struct Server {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    script: Arc<Mutex<Box<Script>>>,
}

impl Server {
    pub fn start(script: impl FnMut(&Asked) -> Answer + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            script: Arc::new(Mutex::new(Box::new(script))),
        };
        let (asked, script) = (Arc::clone(&server.asked), Arc::clone(&server.script));
        // It ends with the process: nobody connects after the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, script) = (Arc::clone(&asked), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &asked, &script));
            }
        });
        server
    }

    pub fn then(&self, script: impl FnMut(&Asked) -> Answer + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
    }

    /// What was asked since the last time.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// The same as `METHOD target`.
    pub fn lines(&self) -> Vec<String> {
        self.asked().iter().map(|asked| format!("{} {}", asked.method, asked.target)).collect()
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<Asked>>, script: &Mutex<Box<Script>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(request) = read(&mut reader) {
        asked.lock().unwrap().push(request.clone());
        let answer = script.lock().unwrap()(&request);
        if !write(&mut stream, &request, &answer) {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    assert!(!headers.contains_key("transfer-encoding"), "bodies have a length: {headers:?}");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, target, headers, body })
}

/// Whether the connection goes on.
fn write(stream: &mut TcpStream, request: &Asked, answer: &Answer) -> bool {
    let mut head = format!("HTTP/1.1 {} X\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !answer.headers.iter().any(|(name, _)| name == "content-length") && answer.status != 304 {
        head.push_str(&format!("content-length: {}\r\n", answer.body.len()));
    }
    let body = if request.method == "HEAD" { &[][..] } else { &answer.body };
    let shown = answer.cut.or(answer.stall).unwrap_or(body.len());
    let bytes = [head.as_bytes(), b"\r\n", &body[..shown]].concat();
    if stream.write_all(&bytes).is_err() || answer.cut.is_some() {
        return false;
    }
    // Until the client gives up.
    answer.stall.is_none() || stream.read(&mut [0]).is_ok_and(|_| false)
}

/// With these variables, and no more patience than a test has.
pub fn options(pairs: &[(&str, &str)]) -> Options {
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Options {
        ca_file: None,
        variables: Variables::new(move |name| pairs.get(name).cloned()),
        limit: 1000,
        patience: Patience { silence: Duration::from_millis(300), ..Patience::default() },
    }
}
