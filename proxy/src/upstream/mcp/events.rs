//! Event streams of servers (`text/event-stream`), read as their bytes arrive.

use memchr::memchr2;
use std::ops::Range;

/// Finds the events in a buffer that grows at its end.
#[derive(Debug, Default)]
pub struct EventReader {
    /// Where the line begins that is being read.
    line: usize,
    /// Everything before has been looked at.
    seen: usize,
    /// The last line ended with a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    /// The data of the event so far. Further lines of it are moved behind the first.
    data: Option<Range<usize>>,
    kind: EventKind,
}

/// What an event is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventKind {
    #[default]
    Message,
    /// Says where to post (HTTP+SSE).
    Endpoint,
    Other,
}

/// An event, and where its data are in the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    pub data: Range<usize>,
}

impl EventReader {
    /// The next event that is whole. Until then the buffer may only grow, or be shortened by [`EventReader::compact`].
    pub fn next(&mut self, buffer: &mut [u8]) -> Option<Event> {
        loop {
            let rest = buffer.get(self.seen..)?;
            if self.after_return && rest.first() == Some(&b'\n') {
                self.seen += 1;
                self.line = self.seen;
                self.after_return = false;
                continue;
            }
            self.after_return &= rest.is_empty();
            let Some(length) = memchr2(b'\n', b'\r', rest) else {
                self.seen = buffer.len();
                return None;
            };
            let end = self.seen + length;
            self.after_return = buffer.get(end) == Some(&b'\r');
            let line = self.line..end;
            self.seen = end + 1;
            self.line = self.seen;
            if let Some(event) = self.take_line(buffer, line) {
                return Some(event);
            }
        }
    }

    /// Forgets what was read.
    pub fn compact(&mut self, buffer: &mut Vec<u8>) {
        let start = self.data.as_ref().map_or(self.line, |data| data.start).min(buffer.len());
        if start == 0 {
            return;
        }
        buffer.drain(..start);
        self.line -= start;
        self.seen -= start;
        if let Some(data) = &mut self.data {
            *data = data.start - start..data.end - start;
        }
    }

    /// A line without its end; an empty one ends the event.
    fn take_line(&mut self, buffer: &mut [u8], line: Range<usize>) -> Option<Event> {
        if line.is_empty() {
            let kind = std::mem::take(&mut self.kind);
            return self.data.take().map(|data| Event { kind, data });
        }
        let text = buffer.get(line.clone()).unwrap_or_default();
        // A stream may begin with a byte order mark.
        let mark = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = text.get(mark..).unwrap_or_default();
        let colon = text.iter().take(8).position(|byte| *byte == b':');
        let name = text.get(..colon.unwrap_or(text.len())).unwrap_or_default();
        let value = colon.map_or(text.len(), |colon| colon + 1);
        let value = value + usize::from(text.get(value) == Some(&b' '));
        match name {
            b"data" => self.take_data(buffer, line.start + mark + value..line.end),
            b"event" => {
                self.kind = match text.get(value..).unwrap_or_default() {
                    b"message" | b"" => EventKind::Message,
                    b"endpoint" => EventKind::Endpoint,
                    _ => EventKind::Other,
                }
            }
            // `id`, `retry`, comments and what nobody knows.
            _ => {}
        }
        None
    }

    fn take_data(&mut self, buffer: &mut [u8], value: Range<usize>) {
        let Some(data) = &mut self.data else {
            self.data = Some(value);
            return;
        };
        // The name of the field is longer than the line feed, so there is room.
        if let Some(place) = buffer.get_mut(data.end) {
            *place = b'\n';
        }
        let end = data.end + 1 + value.len();
        if value.end <= buffer.len() && end <= buffer.len() {
            buffer.copy_within(value, data.end + 1);
            data.end = end;
        }
    }
}
