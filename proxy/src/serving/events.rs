//! Event streams that stay open: what is sent on them, and when.

use super::changes::Changes;
use bytes::Bytes;
use std::any::Any;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

/// An open event stream (`text/event-stream`). The connection writes `opening`, then what [`EventStream::next`] gives
/// until it gives `None`, then nothing. It sends comments to keep the stream alive, and drops it when the client leaves.
#[derive(Debug)]
pub struct EventStream {
    pub opening: Vec<u8>,
    /// Notices that the list of tools has changed.
    pub changes: Option<Changes>,
    /// Answers to requests that arrive on other connections (HTTP+SSE of 2024-11-05).
    pub messages: Option<mpsc::Receiver<Message>>,
    /// The requests whose answers come that way.
    pub in_work: Option<InWork>,
    /// Sent when the edge shuts down, before the end.
    pub closing: Vec<u8>,
    /// What lasts as long as the stream is open.
    pub guard: Guard,
}

/// An event, and what is given back once it is on its way.
#[derive(Debug)]
pub struct Message {
    pub bytes: Bytes,
    pub guard: Guard,
}

/// The requests that a stream still owes answers to: each holds one of `all` permits.
#[derive(Debug)]
pub struct InWork {
    pub room: Arc<Semaphore>,
    pub all: u32,
}

/// Given back when the stream is dropped.
#[derive(Debug, Default)]
pub struct Guard(pub Vec<Box<dyn Held>>);

/// Something that is only kept.
pub trait Held: Any + Send + Sync + std::fmt::Debug {}

impl<T: Any + Send + Sync + std::fmt::Debug> Held for T {}

/// What begins an event of type `message`; its data have no line breaks.
pub const EVENT_START: &[u8] = b"event: message\ndata: ";

pub const EVENT_END: &[u8] = b"\n\n";

/// One event of type `message`.
pub fn event(data: &[u8]) -> Vec<u8> {
    [EVENT_START, data, EVENT_END].concat()
}

impl InWork {
    /// Waits until there are none. Safe to cancel.
    pub async fn done(&self) {
        let _ = self.room.acquire_many(self.all).await;
    }
}

impl EventStream {
    /// Waits for the next bytes to send; `None` ends the stream. Safe to cancel.
    pub async fn next(&mut self) -> Option<Bytes> {
        let EventStream { changes, messages, .. } = self;
        let changed = async {
            match changes {
                Some(changes) => changes.next().await,
                None => std::future::pending().await,
            }
        };
        let message = async {
            match messages {
                Some(messages) => messages.recv().await.map(|message| message.bytes),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            bytes = changed => bytes,
            bytes = message => bytes,
        }
    }
}
