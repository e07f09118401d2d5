//! The studio over loopback: real sockets, real files.

mod edge;
mod editing;
mod hidden;
mod robust;
mod safety;
mod servers;
mod tools;

use super::{Places, Studio, Subject, Token, Workspace};
use mcp_edge::process::{self, Listener, Running};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Nothing here takes as long unless it is broken.
const PATIENCE: Duration = Duration::from_secs(60);

pub const SHOP: &str = r#"# The shop.
[upstream.shop]
url = "https://shop.example"   # where it is
headers = { authorization = "Bearer ${SHOP_TOKEN_OF_TESTS}" }

[[tool]]
name = "get_order"
description = "Gets one order of the shop."
upstream = "shop"
method = "GET"
endpoint = "/orders/{id}"
response_template = "order {{.id}} is {{.state}}"

[[tool.parameters]]
name = "id"
description = "Id of the order"
required = true
position = "path"

[[tool.examples]]
title = "paid"
arguments = { id = "1" }
response = { body = { id = "1", state = "paid" } }
"#;

/// A running studio of a folder.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub studio: Arc<Studio>,
    pub address: SocketAddr,
    token: String,
    _running: Running,
}

/// An answer: status, head and body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }

    /// The code of a problem.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

impl Place {
    /// A studio of these files that answers calls from examples.
    pub fn mock(files: &[(&str, &str)]) -> Place {
        Place::with(folder(files), |places| places.is_mock = true)
    }

    pub fn with(folder: tempfile::TempDir, change: impl FnOnce(&mut Places)) -> Place {
        let mut places = Places { paths: vec![folder.path().to_path_buf()], ..Places::default() };
        change(&mut places);
        let subject = Subject::Specs(Box::new(Workspace::open(places).unwrap()));
        Place::of(folder, subject)
    }

    pub fn of(folder: tempfile::TempDir, subject: Subject) -> Place {
        let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: None };
        let bound = process::bind(&[listener]).unwrap();
        let address = *bound.addresses().first().unwrap();
        let token = Token::new().unwrap();
        let text = token.as_str().to_owned();
        let studio = Studio::new(subject, token, address.port()).unwrap();
        let running = studio.serve(bound);
        Place { folder, studio, address, token: text, _running: running }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path as the studio calls it.
    pub fn name(&self, name: &str) -> String {
        crate::files::disk::display(&self.path(name))
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Sends bytes as they are, and reads until the end.
    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let (address, length) = (self.address, body.len());
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    }

    /// With the token and a JSON body.
    pub fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        let headers = format!("authorization: Bearer {}\r\ncontent-type: application/json\r\n", self.token);
        self.ask(method, path, &headers, body)
    }

    pub fn get(&self, path: &str) -> Value {
        let answer = self.send("GET", path, "");
        assert_eq!(answer.status, 200, "{path} {}", answer.body);
        answer.json()
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &body.to_string())
    }

    /// A good answer.
    pub fn posted(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert!(answer.status < 300, "{path} {body} {}", answer.body);
        answer.json()
    }

    /// An edit that is made.
    pub fn edit(&self, edit: &Value, file: &str) -> Answer {
        let mut edit = edit.clone();
        let source = self.get(&format!("/api/studio/source?path={}", self.name(file)));
        edit["hashes"] = json!({ self.name(file): source["hash"] });
        edit["apply"] = json!(true);
        self.post("/api/studio/edits", &edit)
    }

    /// The events of an open page.
    pub fn events(&self) -> Events {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (address, token) = (self.address, &self.token);
        let head = "GET /api/studio/events HTTP/1.1\r\nhost: ";
        write!(stream, "{head}{address}\r\nauthorization: Bearer {token}\r\n\r\n").unwrap();
        let mut events = Events(BufReader::new(stream));
        assert_eq!(events.next("hello")["generation"], 1);
        events
    }
}

/// An open event stream.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// The data of the next event, which must be of that kind.
    pub fn next(&mut self, kind: &str) -> Value {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended before `{kind}`");
            if let Some(event) = line.strip_prefix("event: ") {
                assert_eq!(event.trim(), kind);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}
