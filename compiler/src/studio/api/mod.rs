//! The calls of the API: from a path to an answer.

mod calls;
mod edge;
mod editing;
mod examples;
mod render;
pub mod servers;
pub mod session;
mod specs;
mod tools;

use super::error::ApiError;
use super::json::Json;
use super::workspace::{Changed, Workspace};
use super::{RunningEdge, Studio, Subject};
use http::Method;
use percent_encoding::percent_decode_str;

/// A call whose head was read.
#[derive(Debug, Clone)]
pub struct Call {
    endpoint: Endpoint,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Endpoint {
    Session,
    Events,
    Specs,
    Source(String),
    Findings,
    Tools,
    Tool(String),
    Preview(String),
    Send(String),
    Render(String),
    RunExamples,
    Edits,
    Edit,
    Undo(String),
    Servers,
    AddServer,
    ChangeServer(String),
    DeleteServer(String),
    TestServer(String),
    TestUnsaved,
    ServerTools(String),
    ChooseTools(String),
    CallTool,
    Presets,
    /// What the admin listener of a running edge says at this path.
    Edge(&'static str),
}

/// What follows a good call.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Json,
}

impl Call {
    pub fn is_events(&self) -> bool {
        self.endpoint == Endpoint::Events
    }
}

impl From<Json> for Answer {
    fn from(body: Json) -> Answer {
        Answer { status: 200, body }
    }
}

const METHODS: [Method; 4] = [Method::GET, Method::POST, Method::PUT, Method::DELETE];

/// What a head asks for.
pub fn route(studio: &Studio, method: &Method, path: &str, query: &str) -> Result<Call, ApiError> {
    let mut segments = Vec::new();
    for segment in path.split('/').skip(1) {
        let text = percent_decode_str(segment).decode_utf8();
        segments.push(text.map_err(|_| ApiError::bad_request("the path is not UTF-8"))?.into_owned());
    }
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let is_edge = matches!(studio.subject, Subject::Edge(_));
    let find = |method: &Method| find(method, &segments, query).filter(|endpoint| endpoint.is_of(is_edge));
    // A `HEAD` is the `GET` without its body.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    if let Some(endpoint) = find(method) {
        return Ok(Call { endpoint });
    }
    let allowed: Vec<&str> =
        METHODS.iter().filter(|method| find(method).is_some()).map(Method::as_str).collect();
    Err(match allowed.as_slice() {
        [] => ApiError::not_found("there is no such path in the API; `docs/STUDIO.md` lists them"),
        allowed => ApiError::method_not_allowed(allowed),
    })
}

fn find(method: &Method, segments: &[&str], query: &str) -> Option<Endpoint> {
    use Endpoint::*;
    let owned = |text: &str| text.to_owned();
    Some(match (method.as_str(), segments) {
        ("GET", ["api", "studio"]) => Session,
        ("GET", ["api", "studio", "events"]) => Events,
        ("GET", ["api", "studio", "specs"]) => Specs,
        ("GET", ["api", "studio", "source"]) => Source(value_of(query, "path")),
        ("GET", ["api", "studio", "findings"]) => Findings,
        ("GET", ["api", "studio", "tools"]) => Tools,
        ("GET", ["api", "studio", "tools", name]) => Tool(owned(name)),
        ("POST", ["api", "studio", "tools", name, "preview"]) => Preview(owned(name)),
        ("POST", ["api", "studio", "tools", name, "send"]) => Send(owned(name)),
        ("POST", ["api", "studio", "tools", name, "render"]) => Render(owned(name)),
        ("POST", ["api", "studio", "examples", "run"]) => RunExamples,
        ("GET", ["api", "studio", "edits"]) => Edits,
        ("POST", ["api", "studio", "edits"]) => Edit,
        ("POST", ["api", "studio", "edits", id, "undo"]) => Undo(owned(id)),
        ("GET", ["api", "studio", "edge"]) => Edge("/status"),
        ("GET", ["api", "studio", "edge", "tools"]) => Edge("/tools"),
        ("GET", ["api", "studio", "edge", "limits"]) => Edge("/limits"),
        ("GET", ["api", "studio", "edge", "calls"]) => Edge("/calls"),
        ("GET", ["api", "mcp", "servers"]) => Servers,
        ("POST", ["api", "mcp", "servers"]) => AddServer,
        ("POST", ["api", "mcp", "servers", "test"]) => TestUnsaved,
        ("PUT", ["api", "mcp", "servers", id]) => ChangeServer(owned(id)),
        ("DELETE", ["api", "mcp", "servers", id]) => DeleteServer(owned(id)),
        ("POST", ["api", "mcp", "servers", id, "test"]) => TestServer(owned(id)),
        ("GET", ["api", "mcp", "servers", id, "tools"]) => ServerTools(owned(id)),
        ("PUT", ["api", "mcp", "servers", id, "tools"]) => ChooseTools(owned(id)),
        ("POST", ["api", "mcp", "tools", "call"]) => CallTool,
        ("GET", ["api", "mcp", "presets"]) => Presets,
        _ => return None,
    })
}

/// The first value of a name in a query.
fn value_of(query: &str, name: &str) -> String {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.replace('+', " ")).next();
    percent_decode_str(&value.unwrap_or_default()).decode_utf8_lossy().into_owned()
}

impl Endpoint {
    /// Whether it is there for a running edge, or for specs.
    fn is_of(&self, is_edge: bool) -> bool {
        match self {
            Endpoint::Session | Endpoint::Events => true,
            Endpoint::Edge(_) => is_edge,
            _ => !is_edge,
        }
    }
}

/// Answers a call. It may take as long as an upstream does.
pub fn answer(studio: &Studio, call: &Call, body: &[u8]) -> Result<Answer, ApiError> {
    match &studio.subject {
        Subject::Edge(running) => of_edge(studio, running, &call.endpoint),
        Subject::Specs(workspace) => of_specs(studio, workspace, &call.endpoint, body),
    }
}

fn of_edge(studio: &Studio, running: &RunningEdge, endpoint: &Endpoint) -> Result<Answer, ApiError> {
    match endpoint {
        Endpoint::Edge("/status") => Ok(edge::status(running).into()),
        Endpoint::Edge(path) => edge::document(running, path).map(Answer::from),
        _ => Ok(session::session(studio).into()),
    }
}

fn of_specs(
    studio: &Studio,
    workspace: &Workspace,
    endpoint: &Endpoint,
    body: &[u8],
) -> Result<Answer, ApiError> {
    let json = || read(body);
    let answer = match endpoint {
        Endpoint::Session | Endpoint::Events | Endpoint::Edge(_) => session::session(studio),
        Endpoint::Specs => specs::specs(workspace),
        Endpoint::Source(path) => specs::source(workspace, path)?,
        Endpoint::Findings => specs::findings(workspace)?,
        Endpoint::Tools => tools::list(workspace),
        Endpoint::Tool(name) => tools::tool(workspace, name)?,
        Endpoint::Preview(name) => calls::preview(workspace, name, &json()?)?,
        Endpoint::Send(name) => calls::send(workspace, name, &json()?)?,
        Endpoint::Render(name) => render::render(workspace, name, &json()?)?,
        Endpoint::RunExamples => examples::run(workspace, &json()?)?,
        Endpoint::Edits => editing::list(workspace),
        Endpoint::Edit => told(studio, workspace, editing::edit(workspace, &json()?)?),
        Endpoint::Undo(id) => {
            workspace.refuse_read_only()?;
            told(studio, workspace, workspace.undo(id)?)
        }
        Endpoint::Servers => servers::list(workspace)?,
        Endpoint::AddServer => {
            let added = servers::add(workspace, &json()?)?;
            return Ok(Answer { status: 201, body: told(studio, workspace, added) });
        }
        Endpoint::ChangeServer(id) => told(studio, workspace, servers::change(workspace, id, &json()?)?),
        Endpoint::DeleteServer(id) => told(studio, workspace, servers::delete(workspace, id)?),
        Endpoint::TestServer(id) => {
            let tested = servers::test(workspace, id)?;
            tell_server(studio, id, &tested);
            tested
        }
        Endpoint::TestUnsaved => servers::test_unsaved(workspace, &json()?)?,
        Endpoint::ServerTools(id) => {
            let listed = servers::tools(workspace, id);
            tell_server(studio, id, &servers::state(workspace, id));
            listed?
        }
        Endpoint::ChooseTools(id) => told(studio, workspace, servers::choose(workspace, id, &json()?)?),
        Endpoint::CallTool => servers::call(workspace, &json()?)?,
        Endpoint::Presets => servers::presets(),
    };
    Ok(answer.into())
}

/// Tells the open pages what an edit changed.
fn told(studio: &Studio, workspace: &Workspace, (answer, changed): (Json, Option<Changed>)) -> Json {
    if let Some(changed) = changed {
        studio.subscribers.send("specs", &session::changed(workspace, &changed));
    }
    answer
}

fn tell_server(studio: &Studio, id: &str, state: &Json) {
    let status = state.get("status").cloned().unwrap_or(Json::Null);
    studio.subscribers.send("server", &super::json::object([("id", id.into()), ("status", status)]));
}

/// The body of a request; none is an empty object.
fn read(body: &[u8]) -> Result<Json, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| ApiError::bad_request("the body is not UTF-8"))?;
    if text.trim().is_empty() {
        return Ok(Json::Object(Vec::new()));
    }
    Json::read(text).map_err(|error| {
        let at = mcp_diagnostics::SourceFile::new("", text).location(error.range.start);
        let place = format!("line {}, column {}", at.line, at.column);
        ApiError::bad_request(format!("the body is not JSON: {}, at {place}", error.message))
    })
}
