//! What the edge says to a request, before it is bytes on a connection.

use crate::limits::budget::Share;

/// A whole answer. The body's memory is used again by the next request of a connection.
#[derive(Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub kind: BodyKind,
    /// Beside what every answer has; names in lower case. Empty for nearly all answers.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The connection is closed after it.
    pub close: bool,
    /// What it takes of the bytes of all calls, until it is sent.
    pub held: Share,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// No content type; the body is empty.
    #[default]
    Empty,
    Json,
    /// A whole event stream: one or more events, and its end.
    Events,
    Text,
    /// The text form of metrics.
    Metrics,
    /// A file of a page, with its content type.
    File(&'static str),
}

impl Reply {
    /// One line of text.
    pub fn text(status: u16, line: &str) -> Reply {
        let body = format!("{line}\n").into_bytes();
        Reply { status, kind: BodyKind::Text, body, ..Reply::default() }
    }

    pub fn clear(&mut self) {
        let Reply { status, kind, headers, body, close, held } = self;
        *status = 200;
        *kind = BodyKind::Empty;
        headers.clear();
        body.clear();
        *close = false;
        held.give();
    }
}

impl BodyKind {
    pub const fn content_type(self) -> Option<&'static str> {
        match self {
            BodyKind::Empty => None,
            BodyKind::Json => Some("application/json"),
            BodyKind::Events => Some("text/event-stream"),
            BodyKind::Text => Some("text/plain; charset=utf-8"),
            BodyKind::Metrics => Some("application/openmetrics-text; version=1.0.0; charset=utf-8"),
            BodyKind::File(content_type) => Some(content_type),
        }
    }
}
