//! Requests to a child: some at a time, in order, each with a limit of its own.

use super::Link;
use super::outbox::NotTaken;
use crate::runtime::deadline::{Elapsed, until};
use crate::upstream::mcp::connection::bounded;
use crate::upstream::mcp::{BoxFuture, Connection, Event, McpCode, McpFailure, Outgoing, message};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};

/// A running program, from the side of who calls it. Dropping it ends the program.
#[derive(Debug)]
pub(super) struct StdioConnection {
    link: Arc<Link>,
    /// One for each call that the program may work on at the same time; they are handed out in order.
    places: Semaphore,
    /// Requests that wait for a place.
    queued: AtomicUsize,
    /// Its end is how the child's task learns that nobody needs the child.
    stays: Mutex<Option<oneshot::Sender<()>>>,
}

/// Requests that may wait for a place; the limits of an upstream are usually lower.
const MOST_QUEUED: usize = 10_000;

impl StdioConnection {
    pub(super) fn new(link: Arc<Link>, stays: oneshot::Sender<()>, calls_at_once: usize) -> StdioConnection {
        let places = Semaphore::new(calls_at_once.max(1));
        StdioConnection { link, places, queued: AtomicUsize::new(0), stays: Mutex::new(Some(stays)) }
    }

    async fn answer(&self, request: &Outgoing<'_>) -> Result<Vec<u8>, McpFailure> {
        let _place = self.place(request).await?;
        let mut ticket = self.link.waiting.register(request.id, request.notices.is_some())?;
        self.send(request.message)?;
        let mut cancellation = Cancellation { link: &self.link, id: Some(request.id) };
        let answer = pin!(ticket.answer(request.notices));
        let answer = match until(request.deadline, answer).await {
            Ok(answer) => {
                cancellation.id = None;
                answer?
            }
            Err(Elapsed) => {
                self.link.suspected.notify_one();
                return Err(McpFailure::new(McpCode::Timeout, "the server did not answer in time"));
            }
        };
        bounded(answer, request.most)
    }

    /// Waits for its turn.
    async fn place(&self, request: &Outgoing<'_>) -> Result<SemaphorePermit<'_>, McpFailure> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        let before = self.queued.fetch_add(1, Ordering::Relaxed);
        let _queued = Queued(&self.queued);
        if before >= MOST_QUEUED {
            return Err(McpFailure::new(McpCode::Unreachable, "too many calls wait for the program"));
        }
        let place = pin!(self.places.acquire());
        match until(request.deadline, place).await {
            Ok(Ok(place)) => Ok(place),
            // Nobody closes it.
            Ok(Err(_)) | Err(Elapsed) => {
                let reason = "the program worked on other calls all the time";
                Err(McpFailure::new(McpCode::Timeout, reason))
            }
        }
    }

    fn send(&self, message: &[u8]) -> Result<(), McpFailure> {
        self.link.outbox.send(message).map_err(|reason| match reason {
            NotTaken::Closed => McpFailure::new(McpCode::Unreachable, "the program has ended"),
            NotTaken::Full => McpFailure::new(McpCode::Unreachable, "the program does not read its input"),
        })
    }
}

impl Connection for StdioConnection {
    fn request<'a>(&'a self, request: Outgoing<'a>) -> BoxFuture<'a, Result<Vec<u8>, McpFailure>> {
        Box::pin(async move { self.answer(&request).await })
    }

    fn notify<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<(), McpFailure>> {
        Box::pin(async { self.send(message) })
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(self.link.news.next_event())
    }

    fn close(&self) {
        self.stays.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A request that was sent. If it is dropped with the id, the server learns that nobody waits for the answer.
struct Cancellation<'a> {
    link: &'a Link,
    id: Option<u64>,
}

impl Drop for Cancellation<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        // A server that does not read need not hear it.
        let _ = self.link.outbox.send(&message::cancelled(id));
    }
}

/// Counts who waits; dropping it counts one less.
struct Queued<'a>(&'a AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
