//! A client that writes bytes and reads answers.

use crate::LONG;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

#[derive(Debug)]
pub struct Client {
    reader: BufReader<TcpStream>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// In lower case, with the status line.
    pub head: String,
    pub body: String,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_write_timeout(Some(LONG)).unwrap();
        Client { reader: BufReader::new(stream) }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.reader.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends a request and reads its answer.
    pub fn ask(&mut self, request: impl AsRef<[u8]>) -> Answer {
        self.send(request);
        self.answer()
    }

    pub fn answer(&mut self) -> Answer {
        let head = self.head();
        let mut body = vec![0; length_in(&head)];
        self.reader.read_exact(&mut body).unwrap();
        Answer::new(head, body)
    }

    /// An answer without a body, whatever its head says.
    pub fn head_only(&mut self) -> Answer {
        Answer::new(self.head(), Vec::new())
    }

    /// The data of the next event of a stream.
    pub fn event(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.reader.read_line(&mut line).unwrap(), 0, "the stream has ended");
            if let Some(data) = line.strip_prefix("data: ") {
                return data.trim_end().to_owned();
            }
        }
    }

    /// Waits for the server to close; a reset is an end, too.
    pub fn assert_closed(&mut self) {
        let mut rest = Vec::new();
        match self.reader.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the connection stays open: {error}"),
        }
        assert_eq!(String::from_utf8_lossy(&rest), "");
    }

    /// Leaves for good.
    pub fn leave(self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Both);
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.reader.read_line(&mut head).unwrap(), 0, "closed after {head:?}");
        }
        head.to_lowercase()
    }
}

impl Answer {
    fn new(head: String, body: Vec<u8>) -> Answer {
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: String::from_utf8(body).unwrap() }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The JSON-RPC result.
    pub fn result(&self) -> Value {
        let mut message = self.json();
        assert!(message["result"].is_object(), "{message}");
        message["result"].take()
    }

    /// The text of the first item of the result.
    pub fn text(&self) -> String {
        let result = self.result();
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    pub fn is_error(&self) -> bool {
        self.result()["isError"] == true
    }

    /// The JSON-RPC error code, or 0.
    pub fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A request with a JSON body.
pub fn post(path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        head.push_str("content-type: application/json\r\n");
    }
    with(head, headers, body)
}

/// A request without a body.
pub fn get(path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    with(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n"), headers, b"")
}

/// A request of the stateless revision.
pub fn modern(method: &str, mut params: Value) -> Vec<u8> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("accept", "application/json, text/event-stream"),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    post("/mcp", &headers, message(method, &params))
}

/// A request of the newest revision with a handshake.
pub fn legacy(method: &str, params: &Value) -> Vec<u8> {
    post("/mcp", &[("mcp-protocol-version", "2025-11-25")], message(method, params))
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn with(mut head: String, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

fn length_in(head: &str) -> usize {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.map_or(0, |length| length.parse().unwrap())
}
