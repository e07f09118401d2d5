//! What open pages hear of: event streams, one for each.

use super::json::Json;
use mcp_edge::serving::events::{EventStream, Guard, Message};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// Events that wait for a page that reads slowly. One that has more waiting is cut off, and connects again.
const WAITING: usize = 64;

/// Pages at once.
const MAX_PAGES: usize = 64;

#[derive(Debug, Default)]
pub struct Subscribers(Mutex<Vec<mpsc::Sender<Message>>>);

impl Subscribers {
    /// A stream that begins with an event; `None` if there are too many. What happens after the event's data were made is
    /// on the stream.
    pub fn open(&self, kind: &str, data: impl FnOnce() -> Json) -> Option<EventStream> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|sender| !sender.is_closed());
        if all.len() >= MAX_PAGES {
            return None;
        }
        all.push(sender);
        Some(EventStream {
            opening: event(kind, &data()).into_bytes(),
            changes: None,
            messages: Some(receiver),
            in_work: None,
            closing: event("goodbye", &Json::Object(Vec::new())).into_bytes(),
            guard: Guard::default(),
        })
    }

    pub fn send(&self, kind: &str, data: &Json) {
        let bytes = event(kind, data);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|sender| {
            sender.try_send(Message { bytes: bytes.clone().into(), guard: Guard::default() }).is_ok()
        });
    }
}

/// The text of JSON has no line breaks.
fn event(kind: &str, data: &Json) -> String {
    format!("event: {kind}\ndata: {}\n\n", data.to_text())
}
