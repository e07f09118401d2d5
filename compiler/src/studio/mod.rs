//! `mcpc studio`: a page for people, and the API that it uses. `docs/STUDIO.md` describes both.
//!
//! ```text
//! head ─guard→ a file of the page | a call of the API ─api→ JSON          (blocking, on a thread of its own)
//! change on disk or edit ─refresh→ Snapshot ─events→ open pages
//! edit ─patch→ new texts ─files→ disk, if nobody changed them meanwhile ─journal→ undo
//! ```
//!
//! It binds, shapes, checks and lists with the code that the other commands use, and has no rules of its own.

mod api;
mod assets;
mod changes;
mod edits;
mod error;
mod events;
mod files;
mod guard;
mod http;
mod json;
mod secrets;
mod workspace;

pub use guard::Token;
pub use workspace::{Places, Workspace};

use crate::exercise::trial;
use error::ApiError;
use events::Subscribers;
use mcp_bundle::bind::Request;
use mcp_bundle::origin::Origin;
use mcp_bundle::wire_enums::Method;
use mcp_edge::Edge;
use mcp_edge::process::{self, Bound, Options, Running};
use mcp_edge::settings::Settings;
use mcp_edge::upstream::{Network, NetworkError, Upstream};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a request's body.
pub const MAX_BODY: usize = 4 << 20;

/// Connections at once: a page has a few.
const MAX_CONNECTIONS: usize = 128;

/// Threads that serve: what takes time runs beside them.
const THREADS: usize = 2;

/// How long calls in flight may take once the studio is stopped.
const GRACE: Duration = Duration::from_secs(2);

/// How long an edge may take to answer.
const EDGE_PATIENCE: Duration = Duration::from_secs(5);

/// What the page is about.
#[derive(Debug)]
pub enum Subject {
    Specs(Box<Workspace>),
    /// The admin listener of a running edge.
    Edge(RunningEdge),
}

/// The admin listener of an edge.
#[derive(Debug)]
pub struct RunningEdge {
    url: String,
    origin: Origin,
}

/// The server of the page.
#[derive(Debug)]
pub struct Studio {
    subject: Subject,
    token: Token,
    /// Differs with each start.
    start: String,
    port: u16,
    subscribers: Subscribers,
    /// Serves no tool: it only holds the settings of the connections.
    host: Edge,
}

impl Studio {
    /// For a listener on that port of a loopback address.
    pub fn new(subject: Subject, token: Token, port: u16) -> Result<Arc<Studio>, NetworkError> {
        let mut settings = Settings::default();
        settings.limits.request_body = MAX_BODY;
        settings.limits.connections = MAX_CONNECTIONS;
        settings.timeouts.grace = GRACE;
        settings.without_metrics = true;
        let host = Edge::with(
            settings,
            Upstream::Network(Network::new(None)?),
            mcp_edge::edge::Hooks { observers: Vec::new(), ..mcp_edge::edge::Hooks::default() },
        );
        let start = format!("{:016x}", getrandom::u64().unwrap_or_default());
        Ok(Arc::new(Studio { subject, token, start, port, subscribers: Subscribers::default(), host }))
    }

    /// Serves in threads of its own.
    pub fn serve(self: &Arc<Self>, bound: Bound) -> Running {
        let options = Options { threads: THREADS, ..Options::default() };
        process::start_with(http::Service(Arc::clone(self)), bound, options)
    }

    /// Where a browser finds the page; the token is in the fragment, which browsers send nowhere.
    pub fn url(&self, address: std::net::SocketAddr) -> String {
        format!("http://{address}/#token={}", self.token.as_str())
    }

    /// `None` for a studio of a running edge.
    pub fn workspace(&self) -> Option<&Workspace> {
        match &self.subject {
            Subject::Specs(workspace) => Some(workspace),
            Subject::Edge(_) => None,
        }
    }

    /// Reads the specs again, and tells the open pages if they are not what they were.
    pub fn refresh(&self) {
        let Some(workspace) = self.workspace() else { return };
        if let Some(changed) = workspace.refresh() {
            self.subscribers.send("specs", &api::session::changed(workspace, &changed));
        }
    }
}

impl RunningEdge {
    /// The admin listener at a URL, `http://127.0.0.1:8081`.
    pub fn at(url: &str) -> Result<RunningEdge, String> {
        let text = url.strip_suffix('/').unwrap_or(url);
        let origin = Origin::parse(text).map_err(|error| {
            format!("`{url}` is not the URL of an admin listener, such as `http://127.0.0.1:8081`: {error}")
        })?;
        Ok(RunningEdge { url: text.to_owned(), origin })
    }

    /// The body of a `GET`; the error says in one line why there is none.
    fn get(&self, path: &str) -> Result<String, ApiError> {
        let request = Request::form(path, &[], Vec::new()).without_body(Method::Get);
        let limits = trial::SendLimits {
            connect_timeout: EDGE_PATIENCE,
            timeout: EDGE_PATIENCE,
            max_response: trial::MAX_RESPONSE_BYTES,
        };
        let unreachable = |why: String| ApiError::upstream(format!("`{}` did not answer: {why}", self.url));
        let sent = trial::send(&request, "edge", &self.origin, &limits, None)
            .map_err(|error| unreachable(error.to_string()))?;
        let received = sent.map_err(|error| unreachable(error.to_string()))?;
        let text = String::from_utf8(received.body).unwrap_or_default();
        match received.status {
            200 => Ok(text),
            404 => Err(ApiError::upstream(format!(
                "`{}` has no `{path}`: is it the admin listener of an edge of this version?",
                self.url
            ))),
            status => Err(ApiError::upstream(format!("`{}` answered with status {status}", self.url))),
        }
    }
}

#[cfg(test)]
mod tests;
