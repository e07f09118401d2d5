//! HTTP+SSE (revision 2024-11-05): one stream of events brings all that a server says, and messages to it are posted where
//! the stream's first event says.
//!
//! ```text
//! SseConnector ─connect→ one task attends to the stream (`attend`): hears it, asks whether the server is alive, sends
//!                        what nobody waits for
//! any thread ─request→ POST, over the pools of all HTTP upstreams; stream ─→ Waiting ─→ the thread that waits
//! ```

mod attend;
mod connection;
#[cfg(test)]
mod tests;

use self::connection::SseConnection;
use super::http::{Deaf, HttpTarget};
use super::incoming::NoMessage;
use super::news::News;
use super::{BoxFuture, Connection, Connector, EventKind, McpCode, McpFailure, Reaction, Waiting};
use crate::upstream::http::same_origin;
use crate::upstream::{Aside, Envelope, Received};
use mcp_bundle::bind::Request;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// Messages that nobody waits for and that are not posted yet.
const MOST_UNSENT: usize = 64;
/// Of the answer to a POST, which says nothing.
const MOST_RECEIPT: usize = 64 << 10;
/// Of a message that nobody waits for.
const NOTIFY: Duration = Duration::from_secs(10);
/// Of what a server sent, to be shown.
const MOST_SHOWN: usize = 200;

/// Opens a stream for each connection.
pub(crate) struct SseConnector {
    target: Arc<HttpTarget>,
    /// Bytes of an event from the server.
    longest: usize,
    patience: Patience,
}

/// How long a server may be silent.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Before it is asked whether it is alive.
    quiet: Duration,
    /// After that.
    ping: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { quiet: Duration::from_secs(30), ping: Duration::from_secs(10) }
    }
}

/// What the task of a stream and the threads that call have in common.
struct Link {
    target: Arc<HttpTarget>,
    longest: usize,
    patience: Patience,
    /// A message to the server, without the message; known once the stream has begun.
    post: OnceLock<Request>,
    waiting: Arc<Waiting>,
    /// To the task, which posts it.
    unsent: mpsc::Sender<Vec<u8>>,
    /// The server has said something.
    heard: Notify,
    news: News,
    /// The server has said where to post, or will not.
    placed: Notify,
    /// For the task: the connection was closed by somebody else.
    over: Notify,
}

impl Connector for SseConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Connection>, McpFailure>> {
        Box::pin(async { self.open().await.map(|connection| Arc::new(connection) as Arc<dyn Connection>) })
    }

    /// The revision with this transport is the oldest one.
    fn may_be_modern(&self) -> bool {
        false
    }
}

impl SseConnector {
    pub(crate) fn new(target: Arc<HttpTarget>, longest: usize) -> SseConnector {
        SseConnector { target, longest, patience: Patience::default() }
    }

    async fn open(&self) -> Result<SseConnection, McpFailure> {
        let (unsent, receiver) = mpsc::channel(MOST_UNSENT);
        let link = Arc::new(Link {
            target: Arc::clone(&self.target),
            longest: self.longest,
            patience: self.patience,
            post: OnceLock::new(),
            waiting: Arc::default(),
            unsent,
            heard: Notify::new(),
            news: News::default(),
            placed: Notify::new(),
            over: Notify::new(),
        });
        // If the wait below is given up, it ends the task.
        let connection = SseConnection::new(Arc::clone(&link));
        tokio::spawn(attend::attend(Arc::clone(&link), receiver));
        while link.post.get().is_none() {
            link.news.check_open()?;
            link.placed.notified().await;
        }
        Ok(connection)
    }
}

impl Link {
    /// Posts a message. Its answer, if it has one, comes over the stream.
    async fn post(&self, message: &[u8], deadline: Instant) -> Result<(), McpFailure> {
        self.news.check_open()?;
        let request =
            self.post.get().ok_or_else(|| wrong("the server has not said where to post messages"))?;
        let head: [&[u8]; 2] = [b"content-type: application/json\r\n", b""];
        let envelope = Envelope { id: None, head, before: message, after: b"", aside: &Deaf };
        let mut received = Received::default();
        self.target.send(request, &envelope, deadline, MOST_RECEIPT, &mut received).await?;
        match received.status {
            200..=299 => Ok(()),
            status => Err(refused("message", status)),
        }
    }

    /// Leaves a message to the task. False if too many wait to be sent.
    fn post_later(&self, message: Vec<u8>) -> bool {
        self.unsent.try_send(message).is_ok()
    }

    fn endpoint(&self, place: &[u8]) -> Result<(), McpFailure> {
        let request = &self.target.request;
        let place = std::str::from_utf8(place).unwrap_or_default();
        let target = same_origin(place, &self.target.origin.key, &request.target).ok_or_else(|| {
            let place = shown(place.as_bytes());
            wrong(format!(
                "the server wants messages to go to `{place}`, which is no place on its own origin"
            ))
        })?;
        let mut post = request.clone();
        post.target = target;
        // A stream has one place. A second one is not asked for.
        let _ = self.post.set(post);
        self.placed.notify_one();
        Ok(())
    }

    fn message(&self, data: &[u8]) -> Result<(), McpFailure> {
        if self.post.get().is_none() {
            return Err(wrong("the server's stream does not begin with an event `endpoint`"));
        }
        // Whom a text without a meaning was for cannot be known, so nobody may wait for it any longer.
        let no_message = |error: NoMessage| {
            let reason =
                format!("the server has sent an event that is no message: {error}: `{}`", shown(data));
            McpFailure::new(McpCode::ParseError, reason)
        };
        match self.waiting.receive(data.to_vec()).map_err(no_message)? {
            // The answer to a request that was given up, or to a `ping`.
            Reaction::Nothing | Reaction::Stray => {}
            Reaction::ToolsChanged => self.news.tools_changed(),
            Reaction::Reply(reply) => {
                if !self.post_later(reply) {
                    return Err(wrong("the server asks more than it takes answers to"));
                }
            }
        }
        Ok(())
    }

    /// The first failure counts.
    fn close(&self, failure: &McpFailure) {
        self.news.close(failure);
        self.waiting.close(failure);
        self.placed.notify_one();
        self.over.notify_one();
    }
}

/// Takes the events of the stream.
impl Aside for Link {
    fn event(&self, kind: EventKind, data: &[u8]) {
        self.heard.notify_one();
        // What arrived together with the reason to end means nothing any more.
        if self.news.check_open().is_err() {
            return;
        }
        let taken = match kind {
            EventKind::Endpoint => self.endpoint(data),
            EventKind::Message if !data.is_empty() => self.message(data),
            EventKind::Message | EventKind::Other => Ok(()),
        };
        if let Err(failure) = taken {
            self.close(&failure);
        }
    }
}

/// What a status other than that of success means.
fn refused(what: &str, status: u16) -> McpFailure {
    let code = match status {
        401 | 403 => McpCode::AuthFailed,
        429 | 500..=599 => McpCode::Unreachable,
        _ => McpCode::ProtocolError,
    };
    McpFailure::new(code, format!("the server refused the {what} with status {status}"))
}

fn wrong(reason: impl Into<String>) -> McpFailure {
    McpFailure::new(McpCode::ProtocolError, reason)
}

/// The beginning of what a server sent.
fn shown(data: &[u8]) -> String {
    let start = data.get(..data.len().min(4 * MOST_SHOWN)).unwrap_or_default();
    let text = String::from_utf8_lossy(start);
    text.chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(MOST_SHOWN)
        .collect()
}

impl fmt::Debug for SseConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SseConnector").field("target", &self.target).finish_non_exhaustive()
    }
}

impl fmt::Debug for Link {
    /// Without the place of messages, which names the session.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("target", &self.target).finish_non_exhaustive()
    }
}
