//! What an exchange over one connection ends with.

use super::retry::is_temporary;
use crate::request::head::visible;
use crate::upstream::{Received, UpstreamError};
use mcp_http1::is_named;

/// What the head of an answer says about the next request.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Of a redirect.
    pub location: Option<String>,
    /// Of a 429, 502, 503 or 504.
    pub retry_after: Option<String>,
}

/// An exchange without an answer.
#[derive(Debug)]
pub(super) struct ExchangeFailure {
    pub error: UpstreamError,
    /// Whether the upstream may have seen the request.
    pub sent: bool,
    /// Whether the head of an answer arrived.
    pub answered: bool,
}

impl ExchangeFailure {
    pub fn unsent(error: UpstreamError) -> ExchangeFailure {
        ExchangeFailure { error, sent: false, answered: false }
    }

    pub fn unanswered(error: UpstreamError) -> ExchangeFailure {
        ExchangeFailure { error, sent: true, answered: false }
    }

    pub fn answered(error: UpstreamError) -> ExchangeFailure {
        ExchangeFailure { error, sent: true, answered: true }
    }

    /// The same failure, of a connection that was kept since an earlier exchange.
    pub fn of_kept(self) -> ExchangeFailure {
        match self.error {
            UpstreamError::Closed if !self.answered => {
                ExchangeFailure { error: UpstreamError::KeptClosed, ..self }
            }
            _ => self,
        }
    }

    /// The connection ended and the request may be repeated on another one without doing it twice.
    pub fn may_repeat(&self, idempotent: bool) -> bool {
        self.error == UpstreamError::Closed && !self.answered && (idempotent || !self.sent)
    }
}

/// The headers of an answer that count, each the first of its name.
#[derive(Debug, Default)]
pub(super) struct Wanted<'h> {
    content_type: Option<&'h [u8]>,
    content_location: Option<&'h [u8]>,
    location: Option<&'h [u8]>,
    retry_after: Option<&'h [u8]>,
    session: Option<&'h [u8]>,
    pub keep_alive: Option<&'h [u8]>,
    pub content_encoding: Option<&'h [u8]>,
    /// The body is said to be encoded several times.
    pub is_encoded_again: bool,
}

impl<'h> Wanted<'h> {
    /// Names in any case.
    pub fn of(headers: impl Iterator<Item = (&'h [u8], &'h [u8])>) -> Wanted<'h> {
        let mut wanted = Wanted::default();
        for (name, value) in headers {
            let is = |known: &str| is_named(name, known);
            // The length rules out nearly all other headers.
            let slot = match name.len() {
                8 if is("location") => &mut wanted.location,
                10 if is("keep-alive") => &mut wanted.keep_alive,
                11 if is("retry-after") => &mut wanted.retry_after,
                12 if is("content-type") => &mut wanted.content_type,
                14 if is("mcp-session-id") => &mut wanted.session,
                16 if is("content-location") => &mut wanted.content_location,
                16 if is("content-encoding") => {
                    wanted.is_encoded_again |= wanted.content_encoding.is_some();
                    &mut wanted.content_encoding
                }
                _ => continue,
            };
            slot.get_or_insert(value);
        }
        wanted
    }

    /// Fills in what is known after the head.
    pub fn take(&self, status: u16, received: &mut Received) -> Hints {
        received.status = status;
        received.content_type = self.content_type.and_then(|value| {
            let mut text = std::mem::take(&mut received.spare);
            // Mostly it is that of the answer before.
            if text.as_bytes() != value {
                visible_part(value)?.clone_into(&mut text);
            }
            Some(text)
        });
        received.content_location = text(self.content_location);
        received.session = text(self.session);
        Hints {
            location: self
                .location
                .filter(|_| (300..400).contains(&status))
                .and_then(|value| text(Some(value))),
            retry_after: self
                .retry_after
                .filter(|_| is_temporary(status))
                .and_then(|value| text(Some(value))),
        }
    }
}

/// A header's value, if it is visible ASCII.
pub(super) fn text(value: Option<&[u8]>) -> Option<String> {
    value.and_then(visible_part).map(str::to_owned)
}

fn visible_part(value: &[u8]) -> Option<&str> {
    visible(value.trim_ascii())
}
