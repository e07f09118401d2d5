//! What is served where. Decided from a request's head alone, before its body is read.

use crate::protocol::{MODERN, VERSION_HEADER};
use crate::request::accept::Accepts;
use crate::request::access;
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::{Head, visible};
use crate::request::id::RequestId;
use crate::request::identity::{Caller, Peer};
use crate::request::reply::{BodyKind, Reply};
use crate::request::resource::Resource;
use crate::settings::{Interfaces, Settings};
use http::Method;

/// What a request head asks for.
#[derive(Debug)]
pub enum Route {
    /// The reply is already written: the body does not matter.
    Answered,
    /// The body is read, at most `settings.limits.request_body` bytes, and handed to [`crate::Edge::answer`].
    Serve(RoutedRequest),
}

/// A request whose head was accepted: what serves it, and who asks.
#[derive(Debug, Clone)]
pub struct RoutedRequest {
    pub path: Path,
    pub request_id: RequestId,
    /// The origin that a browser's answer must name.
    pub origin: Option<String>,
    pub caller: Caller,
    pub peer: Peer,
}

/// The paths that are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path {
    /// `POST /mcp`, `POST /mcp/{toolset}`
    Mcp { toolset: Option<Box<str>> },
    /// `GET /mcp`, `GET /mcp/{toolset}`: the event stream of older revisions.
    McpStream { toolset: Option<Box<str>> },
    /// `GET /sse`, `GET /sse/{toolset}`: a session of HTTP+SSE.
    Sse { toolset: Option<Box<str>> },
    /// `POST /messages?session=…`
    SseMessages,
    /// `GET /api/v1/mcp/tools`
    ApiList,
    /// `POST /api/v1/mcp/tools/call`
    ApiCall,
    /// `GET /mcp/tools`
    GatewayList,
    /// `POST /mcp/invoke`
    GatewayInvoke,
}

/// Where a head leads, and the origin that a browser's answer must name.
pub type Found<'h> = (Result<Option<Path>, Failure>, Option<&'h str>);

/// Decides what serves a request; `Ok(None)` if the reply is already written.
pub fn route<'h>(
    head: &'h Head,
    settings: &Settings,
    resource: Option<&Resource>,
    reply: &mut Reply,
) -> Found<'h> {
    match access::check(head, &settings.access) {
        Ok(origin) => (find(head, settings, resource, reply), origin),
        // A page from another origin must not learn why.
        Err(failure) => (Err(failure), None),
    }
}

impl RoutedRequest {
    /// What observers see, before there is a view.
    pub fn facts(&self) -> RequestFacts<'_> {
        let RoutedRequest { request_id, caller, peer, .. } = self;
        RequestFacts { request_id, caller, peer, toolset: None, revision: None, protocol: None }
    }
}

/// Whether a path is one that is served, with any method.
pub fn is_known(path: &str, settings: &Settings) -> bool {
    allowed(path).is_some() && is_on(path, settings.interfaces)
}

/// Whether the interface that a served path belongs to is switched on.
fn is_on(path: &str, interfaces: Interfaces) -> bool {
    if is_rest(path) {
        interfaces.rest
    } else if path.starts_with("/mcp") {
        interfaces.mcp
    } else {
        interfaces.sse
    }
}

/// Whether a path belongs to the REST forms.
pub(super) fn is_rest(path: &str) -> bool {
    path.starts_with("/api/") || path == "/mcp/tools" || path == "/mcp/invoke"
}

/// The methods of a path; `None` if it is not served.
fn allowed(path: &str) -> Option<&'static str> {
    match path {
        "/mcp/tools" | "/api/v1/mcp/tools" => Some("GET, HEAD"),
        "/mcp/invoke" | "/api/v1/mcp/tools/call" | "/messages" => Some("POST"),
        _ if toolset(path, "/mcp").is_some() => Some("POST, GET"),
        _ if toolset(path, "/sse").is_some() => Some("GET"),
        _ => None,
    }
}

/// `Ok(None)` if the reply is already written.
fn find(
    head: &Head,
    settings: &Settings,
    resource: Option<&Resource>,
    reply: &mut Reply,
) -> Result<Option<Path>, Failure> {
    let path = head.uri.path();
    let is_on = is_on(path, settings.interfaces);
    let Some(allowed) = allowed(path).filter(|_| is_on) else {
        return metadata(head, resource, reply).map(|()| None);
    };
    if head.method == Method::OPTIONS {
        access::preflight(head, allowed, reply);
        return Ok(None);
    }
    let is_get = head.method == Method::GET;
    let is_post = head.method == Method::POST;
    let takes = |wanted: bool| if wanted { Ok(()) } else { Err(Failure::MethodNotAllowed(allowed)) };
    let found = match path {
        "/mcp/tools" | "/api/v1/mcp/tools" => {
            takes(is_get || head.method == Method::HEAD)?;
            if path == "/mcp/tools" { Path::GatewayList } else { Path::ApiList }
        }
        "/mcp/invoke" => Path::GatewayInvoke,
        "/api/v1/mcp/tools/call" => Path::ApiCall,
        "/messages" => Path::SseMessages,
        _ => {
            if let Some(toolset) = toolset(path, "/sse") {
                takes(is_get)?;
                needs_events(head)?;
                return Ok(Some(Path::Sse { toolset: toolset.map(Into::into) }));
            }
            let toolset = toolset(path, "/mcp").unwrap_or_default().map(Into::into);
            if is_get {
                stream_of(head)?;
                return Ok(Some(Path::McpStream { toolset }));
            }
            Path::Mcp { toolset }
        }
    };
    if !matches!(found, Path::GatewayList | Path::ApiList) {
        takes(is_post)?;
        check_body(head, settings)?;
    }
    Ok(Some(found))
}

/// Writes the metadata of RFC 9728, if that is what is asked for. Everyone may read them: they say how to authenticate.
#[cold]
fn metadata(head: &Head, resource: Option<&Resource>, reply: &mut Reply) -> Result<(), Failure> {
    let document = resource.and_then(|resource| resource.metadata(head.uri.path()));
    let document = document.ok_or(Failure::UnknownPath)?;
    match head.method {
        Method::OPTIONS => access::preflight(head, "GET, HEAD", reply),
        Method::GET | Method::HEAD => {
            reply.kind = BodyKind::Json;
            reply.body = document;
        }
        _ => return Err(Failure::MethodNotAllowed("GET, HEAD")),
    }
    Ok(())
}

/// `Some(None)` for the path itself, `Some(Some(name))` for one segment below it.
fn toolset<'p>(path: &'p str, base: &str) -> Option<Option<&'p str>> {
    match path.strip_prefix(base)? {
        "" => Some(None),
        rest => rest.strip_prefix('/').filter(|name| !name.is_empty() && !name.contains('/')).map(Some),
    }
}

/// Whether GET opens a stream. The stateless revision has none, and a client that does not ask for events by name is only
/// looking, and would wait for ever.
fn stream_of(head: &Head) -> Result<(), Failure> {
    if head.headers.first(VERSION_HEADER) == Some(MODERN.as_str().as_bytes()) {
        return Err(Failure::MethodNotAllowed("POST"));
    }
    if Accepts::of(&head.headers).events_by_name { Ok(()) } else { Err(Failure::MethodNotAllowed("POST")) }
}

fn needs_events(head: &Head) -> Result<(), Failure> {
    if Accepts::of(&head.headers).events { Ok(()) } else { Err(Failure::NotAcceptable("text/event-stream")) }
}

/// What can be wrong with a body before it is read. Browsers send other types than JSON without asking first.
fn check_body(head: &Head, settings: &Settings) -> Result<(), Failure> {
    let content_type = head.headers.one("content-type").ok().flatten().unwrap_or_default();
    if content_type != b"application/json" && !visible(content_type).is_some_and(is_json) {
        return Err(Failure::UnsupportedMediaType);
    }
    let limit = settings.limits.request_body;
    if head.declares_more(limit) {
        return Err(Failure::BodyTooLarge(limit));
    }
    Ok(())
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}
