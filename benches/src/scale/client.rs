//! A keep-alive connection that asks one request after the other and checks every answer.

use crate::AnyError;
use crate::load::answer::{Body, parse_head};
use serde_json::Value;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Must hold a head.
const BUFFER: usize = 16 << 10;

#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub async fn open(address: SocketAddr) -> Result<Client, AnyError> {
        Client::over(TcpStream::connect(address).await?)
    }

    pub fn over(stream: TcpStream) -> Result<Client, AnyError> {
        stream.set_nodelay(true)?;
        Ok(Client { stream, buffer: vec![0; BUFFER] })
    }

    /// Reads long answers in fewer steps.
    pub fn with_buffer(mut self, bytes: usize) -> Client {
        self.buffer.resize(bytes.max(BUFFER), 0);
        self
    }

    /// Asks and reads the whole answer, which must have status 200 and a body of this length.
    pub async fn ask(&mut self, request: &[u8], length: usize) -> Result<(), AnyError> {
        let seen = self.exchange(request, None).await?;
        if seen == length {
            return Ok(());
        }
        Err(format!("an answer has {seen} bytes instead of {length}").into())
    }

    /// Asks for a call and gives the answer's length. The call must have succeeded.
    pub async fn ask_first(&mut self, request: &[u8]) -> Result<usize, AnyError> {
        let mut body = Vec::new();
        let length = self.exchange(request, Some(&mut body)).await?;
        let answer: Value = serde_json::from_slice(&body)?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        let failed = answer.pointer("/result/isError").is_some_and(|error| error != &Value::Bool(false));
        if text.is_some_and(|text| !text.is_empty()) && !failed {
            return Ok(length);
        }
        let start: String = String::from_utf8_lossy(&body).chars().take(400).collect();
        Err(format!("a call failed: {start}").into())
    }

    /// Gives the length of the body, and the body itself to who wants it.
    async fn exchange(&mut self, request: &[u8], mut body: Option<&mut Vec<u8>>) -> Result<usize, AnyError> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let head = loop {
            filled += self.read_at(filled).await?;
            let read = self.buffer.get(..filled).unwrap_or_default();
            if let Some(head) = parse_head(read)? {
                if head.status != 200 {
                    let said = String::from_utf8_lossy(read).into_owned();
                    return Err(format!("an answer has status {}: {said}", head.status).into());
                }
                break head;
            }
        };
        let Body::Length(length) = head.body else { return Err("an answer has no length".into()) };
        let (mut start, mut received) = (head.head_length, filled - head.head_length);
        loop {
            if let Some(body) = &mut body {
                body.extend_from_slice(self.buffer.get(start..filled).unwrap_or_default());
            }
            if received >= length {
                break;
            }
            (start, filled) = (0, self.read_at(0).await?);
            received += filled;
        }
        if received > length {
            return Err("there is more than the answer".into());
        }
        Ok(length)
    }

    async fn read_at(&mut self, filled: usize) -> Result<usize, AnyError> {
        let free = self.buffer.get_mut(filled..).filter(|free| !free.is_empty());
        match self.stream.read(free.ok_or("the head of an answer is too long")?).await? {
            0 => Err("the server closed a connection".into()),
            count => Ok(count),
        }
    }
}

/// The request of a `tools/call`, as clients send it.
pub fn call(tool: &str, arguments: &str) -> Vec<u8> {
    call_with("", tool, arguments)
}

/// The same with an API key.
pub fn call_as(key: &str, tool: &str, arguments: &str) -> Vec<u8> {
    call_with(&format!("Authorization: Bearer {key}\r\n"), tool, arguments)
}

fn call_with(header: &str, tool: &str, arguments: &str) -> Vec<u8> {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\
         \"arguments\":{arguments}}}}}"
    );
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nUser-Agent: mcp-client/1.0\r\n\
         Accept: application/json, text/event-stream\r\n{header}MCP-Protocol-Version: 2025-06-18\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// A client whose first request is answered with these bytes in pieces.
    async fn client(answer: String) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            stream.read_exact(&mut [0; 3]).await.expect("a request");
            for piece in answer.as_bytes().chunks(11) {
                stream.write_all(piece).await.expect("a reader");
            }
        });
        Client::open(address).await.expect("a connection")
    }

    fn answer(status: u16, body: &str) -> String {
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn only_the_expected_length_is_accepted() {
        assert!(client(answer(200, "hello")).await.ask(b"ask", 5).await.is_ok());
        let error = client(answer(200, "hello")).await.ask(b"ask", 6).await.expect_err("another length");
        assert_eq!(error.to_string(), "an answer has 5 bytes instead of 6");
        assert!(client(answer(500, "hello")).await.ask(b"ask", 5).await.is_err());
        assert!(client(answer(200, "hello") + "x").await.ask(b"ask", 5).await.is_err());
    }

    #[tokio::test]
    async fn the_first_answer_must_be_a_result_with_text() {
        let good = r#"{"result":{"content":[{"type":"text","text":"hi"}],"isError":false}}"#;
        assert_eq!(client(answer(200, good)).await.ask_first(b"ask").await.expect("good"), good.len());
        for bad in [
            r#"{"result":{"content":[{"type":"text","text":"hi"}],"isError":true}}"#,
            r#"{"result":{"content":[{"type":"text","text":""}]}}"#,
            r#"{"error":{"code":-32602}}"#,
        ] {
            assert!(client(answer(200, bad)).await.ask_first(b"ask").await.is_err(), "{bad}");
        }
    }
}
