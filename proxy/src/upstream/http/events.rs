//! An answer that is a stream of events, of an MCP server: it ends with the event that is the answer, whatever follows.

use crate::upstream::mcp::{EventKind, EventReader, Incoming};
use crate::upstream::{Aside, Exchange};

/// Reads the events of an answer.
pub(super) struct Events<'a> {
    reader: EventReader,
    /// Whether an event is to be an answer.
    awaits_answer: bool,
    aside: &'a dyn Aside,
}

impl<'a> Events<'a> {
    /// For an answer with this status and content type; `None` if it is no stream, or nobody asked for one.
    pub fn of(call: &Exchange<'a>, status: u16, content_type: Option<&str>) -> Option<Box<Events<'a>>> {
        const TYPE: &str = "text/event-stream";
        let envelope = call.envelope?;
        let is_stream = content_type?.get(..TYPE.len())?.eq_ignore_ascii_case(TYPE);
        (is_stream && (200..300).contains(&status)).then(|| {
            envelope.aside.opened();
            Box::new(Events {
                reader: EventReader::default(),
                awaits_answer: envelope.id.is_some(),
                aside: envelope.aside,
            })
        })
    }

    /// Takes the events that are whole. True if one of them is the answer: the buffer holds nothing else then.
    pub fn take(&mut self, buffer: &mut Vec<u8>) -> bool {
        while let Some(event) = self.reader.next(buffer) {
            let data = buffer.get(event.data.clone()).unwrap_or_default();
            let is_aside =
                || matches!(Incoming::read(data), Ok(Incoming::Request { .. } | Incoming::Notification(_)));
            // Servers begin streams that can be resumed with an event without data.
            let is_empty = data.is_empty();
            if event.kind != EventKind::Message || !self.awaits_answer || is_empty || is_aside() {
                self.aside.event(event.kind, data);
                continue;
            }
            buffer.truncate(event.data.end);
            buffer.drain(..event.data.start);
            return true;
        }
        self.reader.compact(buffer);
        false
    }
}
