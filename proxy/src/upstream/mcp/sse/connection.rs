//! Requests of any thread: each is posted by the thread that makes it, and answered over the stream.

use super::{Link, NOTIFY};
use crate::runtime::deadline::{Elapsed, until};
use crate::upstream::mcp::connection::bounded;
use crate::upstream::mcp::{BoxFuture, Connection, Event, McpCode, McpFailure, Outgoing, message};
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinHandle;

/// Requests that may wait for their answers; the limits of an upstream are usually lower.
const MOST_WAITING: usize = 10_000;

/// An open stream, from the side of who calls. Dropping it ends the stream.
#[derive(Debug)]
pub(super) struct SseConnection {
    link: Arc<Link>,
}

/// A request on its way. Its answer may overtake the receipt, which is then read by nobody but the task.
struct Posted<'a> {
    link: &'a Link,
    task: JoinHandle<Result<(), McpFailure>>,
    /// Somebody waits for the answer.
    is_wanted: bool,
    /// That of a request that may be cancelled.
    id: Option<u64>,
}

impl SseConnection {
    pub(super) fn new(link: Arc<Link>) -> SseConnection {
        SseConnection { link }
    }

    async fn answer(&self, request: &Outgoing<'_>) -> Result<Vec<u8>, McpFailure> {
        let link = &self.link;
        if link.waiting.count() >= MOST_WAITING {
            return Err(McpFailure::new(McpCode::Unreachable, "too many calls wait for the server"));
        }
        let mut ticket = link.waiting.register(request.id, request.notices.is_some())?;
        let mut posted = Posted::new(link, request);
        let answer = {
            let answer = pin!(async {
                tokio::select! {
                    biased;
                    answer = ticket.answer(request.notices) => answer,
                    failure = posted.refused() => Err(failure),
                }
            });
            until(request.deadline, answer).await
        };
        let answer = match answer {
            Ok(answer) => {
                posted.is_wanted = false;
                answer?
            }
            Err(Elapsed) => {
                return Err(McpFailure::new(McpCode::Timeout, "the server did not answer in time"));
            }
        };
        bounded(answer, request.most)
    }
}

impl Connection for SseConnection {
    fn request<'a>(&'a self, request: Outgoing<'a>) -> BoxFuture<'a, Result<Vec<u8>, McpFailure>> {
        Box::pin(async move { self.answer(&request).await })
    }

    fn notify<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<(), McpFailure>> {
        Box::pin(self.link.post(message, Instant::now() + NOTIFY))
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(self.link.news.next_event())
    }

    fn tell(&self, message: Vec<u8>) {
        if !self.link.post_later(message) {
            tracing::debug!("a message to an MCP server was dropped: too many wait to be sent");
        }
    }

    fn close(&self) {
        let failure = McpFailure::new(McpCode::Unreachable, "the connection to the server was closed");
        self.link.close(&failure);
    }
}

impl Drop for SseConnection {
    fn drop(&mut self) {
        self.close();
    }
}

impl<'a> Posted<'a> {
    fn new(link: &'a Arc<Link>, request: &Outgoing<'_>) -> Posted<'a> {
        // Its receipt may come late: the deadline of the request is watched by who waits, who then cancels it.
        let (sender, message, deadline) =
            (Arc::clone(link), request.message.to_vec(), request.deadline + NOTIFY);
        let task = tokio::spawn(async move { sender.post(&message, deadline).await });
        // A handshake is not cancelled: the protocol forbids it.
        let id = (request.method != "initialize").then_some(request.id);
        Posted { link, task, is_wanted: true, id }
    }

    /// Why the server did not take it; waits for ever if it did.
    async fn refused(&mut self) -> McpFailure {
        match (&mut self.task).await {
            Ok(Ok(())) => pending().await,
            Ok(Err(failure)) => failure,
            Err(_) => McpFailure::new(McpCode::Unreachable, "the message was not sent"),
        }
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        if !self.is_wanted {
            return;
        }
        self.task.abort();
        if let Some(id) = self.id {
            // A server that does not take messages need not hear it.
            self.link.post_later(message::cancelled(id));
        }
    }
}
