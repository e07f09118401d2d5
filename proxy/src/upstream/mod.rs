//! Calls to upstreams: a bound request out, the whole answer in.

pub mod credentials;
mod error;
mod fixed;
mod http;
pub mod mcp;

pub use self::http::{ClientCertificate, Network, NetworkError, Origin, PoolStats};
pub use error::UpstreamError;
pub use fixed::FixedAnswers;

use self::credentials::Ask;
use crate::limits::budget::{Budget, Share};
use crate::runtime::buffers;
use crate::settings::PoolSettings;
use mcp_bundle::bind::Request;
use mcp_bundle::shape::Answer;
use mcp_bundle::wire_enums::Scheme;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where calls go.
#[derive(Debug, Clone)]
pub enum Upstream {
    Network(Network),
    /// Answers without a network, for `mcpc dev --mock` and tests.
    Fixed(Arc<dyn FixedAnswers>),
}

/// An origin, prepared when a bundle is activated. The same origin of two bundles shares its connections.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OriginKey {
    pub scheme: Scheme,
    /// A name in lower case, or an IP address without brackets.
    pub host: String,
    pub port: u16,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// For fixed answers and logs.
    pub tool: &'a str,
    pub origin: &'a Arc<Origin>,
    /// The `Host` header.
    pub authority: &'a str,
    pub request: &'a Request,
    pub connect_timeout: Duration,
    /// The whole call, retries included.
    pub timeout: Duration,
    /// One attempt, if the tool says so; otherwise attempts share the time that is left.
    pub attempt_timeout: Option<Duration>,
    /// When it begins.
    pub start: Instant,
    /// When its time is over.
    pub deadline: Instant,
    /// Attempts after the first, if the call may be repeated at all.
    pub retries: u8,
    pub idempotent: bool,
    /// Of the body, after decompression.
    pub max_response: usize,
    pub pool: &'a PoolSettings,
    /// Where the upstream's `authorization` comes from, if it is not part of the request.
    pub credential: Option<Ask<'a>>,
    /// The value of the header `authorization`, once it is known.
    pub authorization: Option<&'a str>,
    /// What stands around the body, if the request is a message to an MCP server.
    pub envelope: Option<&'a Envelope<'a>>,
    /// What its answer is counted in, with those of all other calls.
    pub budget: &'a Arc<Budget>,
}

/// Makes a message to an MCP server of a request whose body is a part of it.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The message's id; `None` if no answer ends the stream of events that is asked for.
    pub id: Option<u64>,
    /// More headers, as they go over an HTTP/1 connection.
    pub head: [&'a [u8]; 2],
    pub before: &'a [u8],
    pub after: &'a [u8],
    /// Takes what the server says before its answer, if it answers with a stream of events.
    pub aside: &'a dyn Aside,
}

/// Takes what an MCP server sends on the stream of an answer before the answer. It must not wait.
pub trait Aside: Send + Sync + std::fmt::Debug {
    fn event(&self, kind: mcp::EventKind, data: &[u8]);

    /// The stream begins.
    fn opened(&self) {}
}

/// An upstream's answer. Its memory is used again.
#[derive(Debug, Default)]
pub struct Received {
    pub status: u16,
    /// The `mcp-session-id` header of an MCP server's answer, if it is text.
    pub session: Option<String>,
    /// The `content-type` header, if it is text.
    pub content_type: Option<String>,
    /// The `content-location` header, if it is text.
    pub content_location: Option<String>,
    /// The `location` header of a redirect that was not followed.
    pub location: Option<String>,
    /// Decompressed.
    pub body: Vec<u8>,
    /// The id of the request that the body is a JSON-RPC response to, of an MCP server.
    pub message: Option<u64>,
    /// Requests that were sent, the last one included.
    pub attempts: u8,
    /// When the answer was whole, if that was looked at.
    pub answered: Option<Instant>,
    /// What the body takes of the bytes of all calls.
    pub(crate) held: Share,
    /// What was read from a connection and is not the body yet.
    input: Vec<u8>,
    /// The memory of the last content type.
    spare: String,
}

/// Content types are longer only by mistake or malice, and HTTP/2 lets them have megabytes.
const LONGEST_KEPT_TYPE: usize = 256;

impl Received {
    pub fn clear(&mut self) {
        self.status = 0;
        self.session = None;
        if let Some(last) = self.content_type.take() {
            self.spare = last;
        }
        self.content_location = None;
        self.location = None;
        self.body.clear();
        self.message = None;
        self.held.give();
        self.attempts = 0;
        self.answered = None;
        self.input.clear();
    }

    /// What a result is made of.
    pub fn answer(&self) -> Answer<'_> {
        Answer {
            status: self.status,
            content_type: self.content_type.as_deref(),
            content_location: self.content_location.as_deref(),
            message: self.message,
            body: &self.body,
        }
    }

    /// Gives its memory back for the next call.
    pub fn give_memory(&mut self) {
        self.held.give();
        buffers::give_bytes(&mut self.body);
        buffers::give_bytes(&mut self.input);
        self.content_type.take_if(|text| text.capacity() > LONGEST_KEPT_TYPE);
        if self.spare.capacity() > LONGEST_KEPT_TYPE {
            self.spare = String::new();
        }
        self.content_location = None;
        self.location = None;
    }
}

impl Upstream {
    /// The prepared origin; a known one is shared.
    pub fn origin(&self, key: &OriginKey) -> Arc<Origin> {
        match self {
            Upstream::Network(network) => network.origin(key),
            Upstream::Fixed(_) => Arc::new(Origin::new(key.clone())),
        }
    }

    /// The same for an upstream that wants a certificate of the edge.
    pub fn origin_with(
        &self,
        key: &OriginKey,
        certificate: ClientCertificate,
    ) -> Result<Arc<Origin>, String> {
        match self {
            Upstream::Network(network) => network.origin_with(key, certificate),
            Upstream::Fixed(_) => Ok(Arc::new(Origin::new(key.clone()))),
        }
    }

    /// Performs the call. Dropping the future cancels it: its connection is closed.
    pub async fn call(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        received.clear();
        match self {
            Upstream::Network(network) => network.call(call, received).await,
            Upstream::Fixed(answers) => {
                received.attempts = 1;
                answers.answer(call, received)
            }
        }
    }
}
