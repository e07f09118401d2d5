//! A server whose every word is said by the test.

use super::super::{Patience, SseConnector};
use crate::limits::budget::Budget;
use crate::settings::PoolSettings;
use crate::upstream::mcp::http::HttpTarget;
use crate::upstream::mcp::{Connection, Connector, McpFailure, Outgoing, message};
use crate::upstream::{Network, OriginKey};
use mcp_bundle::bind::Request;
use mcp_bundle::wire_enums::{Method, Scheme};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub(super) const LONGEST: usize = 64 << 10;
const LONG: Duration = Duration::from_secs(60);

pub(super) struct Server {
    pub port: u16,
    asked: mpsc::UnboundedReceiver<Asked>,
}

/// A request that was read whole, on a connection of its own.
#[derive(Debug)]
pub(super) struct Asked {
    pub head: String,
    pub body: String,
    stream: BufReader<TcpStream>,
}

/// A stream of events that is open.
pub(super) struct Stream(BufReader<TcpStream>);

/// A request to make.
pub(super) struct Call {
    pub id: u64,
    message: Vec<u8>,
}

impl Server {
    pub async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    if let Some(asked) = Asked::read(stream).await {
                        let _ = sender.send(asked);
                    }
                });
            }
        });
        Server { port, asked }
    }

    /// The next request.
    pub async fn asked(&mut self) -> Asked {
        tokio::time::timeout(LONG, self.asked.recv()).await.expect("nobody asks").unwrap()
    }

    pub fn connector(&self, patience: Patience) -> SseConnector {
        let network = Network::new(None).unwrap();
        let key = OriginKey { scheme: Scheme::Http, host: "127.0.0.1".to_owned(), port: self.port };
        let headers = [("x-fixed".to_owned(), "yes".to_owned())];
        let target = HttpTarget {
            origin: network.origin(&key),
            network,
            authority: format!("127.0.0.1:{}", self.port),
            request: Request::for_tests(Method::Post, b"/v1/sse?a=b", &headers, Some("")),
            credential: None,
            connect_timeout: LONG,
            pool: PoolSettings::default(),
            budget: Arc::<Budget>::default(),
        };
        SseConnector { patience, ..SseConnector::new(Arc::new(target), LONGEST) }
    }

    /// Connects; the stream begins with `start`.
    pub async fn begin(&mut self, start: &str) -> (Result<Arc<dyn Connection>, McpFailure>, Stream) {
        self.begin_with(Patience::default(), start).await
    }

    pub async fn begin_with(
        &mut self,
        patience: Patience,
        start: &str,
    ) -> (Result<Arc<dyn Connection>, McpFailure>, Stream) {
        let connector = self.connector(patience);
        tokio::join!(connector.connect(), async {
            let mut stream = self.asked().await.stream("").await;
            stream.say(start).await;
            stream
        })
    }

    pub async fn open(&mut self) -> (Arc<dyn Connection>, Stream) {
        let (connection, stream) = self.begin("event: endpoint\ndata: /messages?s=1\n\n").await;
        (connection.unwrap(), stream)
    }
}

impl Asked {
    async fn read(stream: TcpStream) -> Option<Asked> {
        let mut stream = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().ok()?;
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        Some(Asked { head, body: String::from_utf8(body).ok()?, stream })
    }

    /// Answers with a status and nothing else.
    pub async fn answer(mut self, status: u16) {
        let head = format!("HTTP/1.1 {status} So\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        // Who asked may have given up.
        let _ = self.stream.write_all(head.as_bytes()).await;
    }

    /// Answers with a stream of events.
    pub async fn stream(self, more_head: &str) -> Stream {
        let mut stream = Stream(self.stream);
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n{more_head}\r\n");
        stream.say(head).await;
        stream
    }

    /// Waits until who asked has closed the connection.
    pub async fn given_up(mut self) {
        let _ = tokio::time::timeout(LONG, self.stream.read_to_end(&mut Vec::new()))
            .await
            .expect("it stays open");
    }
}

impl Stream {
    /// Nothing, if the other side has closed.
    pub async fn say(&mut self, text: impl AsRef<[u8]>) {
        let _ = self.0.write_all(text.as_ref()).await;
    }

    pub async fn message(&mut self, message: &str) {
        self.say(format!("event: message\ndata: {message}\n\n")).await;
    }

    /// Waits until the other side has closed.
    pub async fn closed(mut self) {
        let _ = tokio::time::timeout(LONG, self.0.read_to_end(&mut Vec::new())).await.expect("it stays open");
    }
}

impl Call {
    pub fn new() -> Call {
        let id = message::next_id();
        Call { id, message: message::request(id, "tools/list", "", None) }
    }

    pub fn outgoing(&self) -> Outgoing<'_> {
        Outgoing {
            id: self.id,
            method: "tools/list",
            name: None,
            message: &self.message,
            deadline: Instant::now() + LONG,
            most: LONGEST,
            notices: None,
        }
    }

    pub fn answer(&self) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, self.id)
    }
}
