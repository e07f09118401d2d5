//! What an exchange over one connection ends with.

use super::{Received, UpstreamError};
use http::HeaderMap;
use http::header::{AsHeaderName, CONTENT_LOCATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use pingora_core::{Error, ErrorType};
use pingora_http::ResponseHeader;

/// What the head of an answer says about the next request.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Of a redirect.
    pub location: Option<String>,
    /// Of a 502, 503 or 504.
    pub retry_after: Option<String>,
}

/// An exchange without an answer.
#[derive(Debug)]
pub(super) struct Failure {
    pub error: UpstreamError,
    /// Whether the upstream may have seen the request.
    pub sent: bool,
    /// Whether the head of an answer arrived.
    pub answered: bool,
}

impl Failure {
    pub fn unsent(error: UpstreamError) -> Failure {
        Failure { error, sent: false, answered: false }
    }

    pub fn unanswered(error: UpstreamError) -> Failure {
        Failure { error, sent: true, answered: false }
    }

    pub fn answered(error: UpstreamError) -> Failure {
        Failure { error, sent: true, answered: true }
    }

    /// The connection ended and the request may be repeated on another one without doing it twice.
    pub fn may_repeat(&self, idempotent: bool) -> bool {
        self.error == UpstreamError::Closed && !self.answered && (idempotent || !self.sent)
    }
}

/// Takes what is wanted of a head.
pub(super) fn take_head(head: &ResponseHeader, received: &mut Received) -> Hints {
    let status = head.status.as_u16();
    received.status = status;
    received.content_type = text(&head.headers, CONTENT_TYPE);
    received.content_location = text(&head.headers, CONTENT_LOCATION);
    let wanted = |condition: bool, name| if condition { text(&head.headers, name) } else { None };
    Hints {
        location: wanted((300..400).contains(&status), LOCATION),
        retry_after: wanted((502..=504).contains(&status), RETRY_AFTER),
    }
}

/// A header's first value, if it is visible ASCII.
pub(super) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

/// Tells a connection that ended from an answer that is none.
pub(super) fn read_error(error: &Error) -> UpstreamError {
    match error.etype {
        ErrorType::ConnectionClosed | ErrorType::ReadError | ErrorType::WriteError => UpstreamError::Closed,
        _ => UpstreamError::Protocol,
    }
}
