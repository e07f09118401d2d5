//! A client that writes bytes and reads answers.

use super::LONG;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

pub(crate) struct Client {
    pub(crate) reader: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case, with the status line.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Client { reader: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.reader.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    pub(crate) fn post(&mut self, path: &str, body: &str) {
        let length = body.len();
        self.send(format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}"));
    }

    pub(crate) fn get(&mut self, path: &str) {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
    }

    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_to("POST")
    }

    pub(crate) fn answer_to(&mut self, method: &str) -> Answer {
        let head = self.head();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = Vec::new();
        if method != "HEAD" && status >= 200 {
            if head.contains("transfer-encoding: chunked") {
                while let Some(chunk) = self.chunk() {
                    body.extend_from_slice(&chunk);
                }
            } else if let Some(length) = head.split("content-length: ").nth(1) {
                body.resize(length.lines().next().unwrap().parse().unwrap(), 0);
                self.reader.read_exact(&mut body).unwrap();
            } else {
                assert_eq!(status, 204, "{head}");
            }
        }
        Answer { status, head, body }
    }

    pub(crate) fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.reader.read_line(&mut head).unwrap(), 0, "closed after {head:?}");
        }
        head.to_lowercase()
    }

    /// The next chunk; `None` is the end.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
        let mut data = vec![0; length + 2];
        self.reader.read_exact(&mut data).unwrap();
        assert!(data.ends_with(b"\r\n"));
        data.truncate(length);
        (length > 0).then_some(data)
    }

    /// What is left until the server closes. A reset after it is an end, too.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        match self.reader.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the connection stays open: {error}"),
        }
        rest
    }

    pub(crate) fn assert_closed(&mut self) {
        assert_eq!(String::from_utf8_lossy(&self.rest()), "");
    }

    /// Says that nothing more is sent.
    pub(crate) fn finish(&mut self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Write);
    }

    /// Sends one byte after the other, with pauses, until the server closes; returns how many it took and what the server
    /// said before.
    pub(crate) fn drip(&mut self, bytes: impl IntoIterator<Item = u8>) -> (usize, Vec<u8>) {
        self.reader.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut said = Vec::new();
        for (index, byte) in bytes.into_iter().enumerate() {
            if self.reader.get_mut().write_all(&[byte]).is_err() {
                return (index, said);
            }
            let mut buffer = [0; 512];
            match self.reader.read(&mut buffer) {
                Ok(0) => return (index, said),
                Ok(read) => said.extend_from_slice(buffer.get(..read).unwrap()),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return (index, said),
            }
        }
        panic!("the server listens for as long as we talk");
    }
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn closes(&self) -> bool {
        self.head.contains("connection: close")
    }
}
