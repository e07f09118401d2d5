//! A client of HTTP/1 that keeps its connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn new(address: &str) -> Client {
        Client { stream: BufReader::new(TcpStream::connect(address).unwrap()) }
    }

    /// Calls the tool; gives the status.
    pub fn call(&mut self, id: &str, arguments: &str) -> u16 {
        self.try_call(id, arguments).unwrap()
    }

    /// `None` if the other end is gone.
    pub fn try_call(&mut self, id: &str, arguments: &str) -> Option<u16> {
        let body = format!("{{\"tool_name\":\"hello\",\"params\":{arguments}}}");
        let head = "POST /mcp/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
        let length = body.len();
        let request = format!("{head}\r\nx-request-id: {id}\r\ncontent-length: {length}\r\n\r\n{body}");
        self.stream.get_mut().write_all(request.as_bytes()).ok()?;
        self.answer().map(|(status, _)| status)
    }

    pub fn get(address: &str, path: &str) -> (u16, String) {
        let mut client = Client::new(address);
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        client.stream.get_mut().write_all(request.as_bytes()).unwrap();
        client.answer().unwrap()
    }

    fn answer(&mut self) -> Option<(u16, String)> {
        let (mut status, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if status.is_none() {
                status = Some(line.split(' ').nth(1)?.parse().ok()?);
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        Some((status?, String::from_utf8(body).ok()?))
    }
}
