//! What is asked of every transport.

use super::handshake::Opened;
use super::{McpCode, McpFailure};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

/// A future of a trait that is used as an object.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Knows how a server is reached. One supervisor for each server asks it, never twice at a time.
pub(crate) trait Connector: Send + Sync + fmt::Debug {
    /// Opens a connection; no message has been sent on it yet. What it needs to run goes on as tasks of the runtime that
    /// this is called on, until the connection is dropped. The supervisor limits the time it takes.
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Connection>, McpFailure>>;

    /// Whether the server may speak the stateless revision.
    fn may_be_modern(&self) -> bool {
        true
    }

    /// Whether it is connected to again when the connection ends or cannot be opened.
    fn reconnects(&self) -> bool {
        true
    }
}

/// A connection to a server. Any thread may use it.
pub(crate) trait Connection: Send + Sync + fmt::Debug {
    /// Sends a request and waits for the text of the message that answers it. Its id is the request's; nothing else of it has
    /// been looked at. Dropping the future cancels the request: the server is told, and its answer is dropped when it comes.
    fn request<'a>(&'a self, request: Outgoing<'a>) -> BoxFuture<'a, Result<Vec<u8>, McpFailure>>;

    /// Sends a message that has no answer.
    fn notify<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<(), McpFailure>>;

    /// Waits for what the supervisor has to know. Only one waits. Safe to cancel.
    fn event(&self) -> BoxFuture<'_, Event>;

    /// Says which revision messages are from now on, for transports that repeat it beside them; `None` before it is agreed on.
    fn speak(&self, _version: Option<ProtocolVersion>) {}

    /// The headers of calls, for [`super::http`].
    fn call_head(&self) -> Box<[u8]> {
        Box::default()
    }

    /// The handshake is over: what the server then says by itself is listened to. Called on the supervisor's runtime.
    fn follow(&self, _opened: &Opened) {}

    /// Sends a message that has no answer, beside everything else; it may get lost.
    fn tell(&self, _message: Vec<u8>) {}

    /// Nobody will use it any more. Called on the supervisor's runtime.
    fn close(&self) {}
}

/// The answer, unless it has more bytes than it may have.
pub(super) fn bounded(answer: Vec<u8>, most: usize) -> Result<Vec<u8>, McpFailure> {
    if answer.len() > most {
        let reason = format!("the answer has {} bytes; {most} are allowed", answer.len());
        return Err(McpFailure::new(McpCode::ProtocolError, reason));
    }
    Ok(answer)
}

/// What happens to a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// The server says that its tools have changed.
    ToolsChanged,
    /// The connection cannot be used any more. Requests that waited have failed.
    Closed(McpFailure),
}

/// A request to a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    /// Unique for the server, of all connections to it. It is also the progress token, if notices are wanted.
    pub id: u64,
    pub method: &'a str,
    /// That of the tool, if one is called.
    pub name: Option<&'a str>,
    /// The whole message: JSON without a line break.
    pub message: &'a [u8],
    pub deadline: Instant,
    /// The most bytes that the answer may have.
    pub most: usize,
    /// Who is told of what the server says meanwhile.
    pub notices: Option<&'a dyn Notices>,
}

/// Takes the notifications that a server sends while it works on a request.
pub(crate) trait Notices: Send + Sync + fmt::Debug {
    /// The text of one JSON-RPC notification: `notifications/progress` of this request, or `notifications/message`. It must
    /// not wait; what finds no room is dropped.
    fn notice(&self, message: &[u8]);
}
