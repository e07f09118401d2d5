//! What servers list, and how the specs differ from it.

use super::Server;
use super::adding::Described;
use super::described::{Known, key_variable, known_json};
use crate::check::{Report, check};
use crate::files::Input;
use crate::language::json::Json;
use crate::publish::tokens;
use crate::servers::{
    self, Change, Failure, Listed, ListedTool, NoValue, NotListed, Programs, Reach, ServerKey, State, Task,
    Unusable,
};
use crate::studio::error::ApiError;
use crate::studio::files;
use crate::studio::json::{array, extended, milliseconds, object};
use crate::studio::workspace::{Snapshot, Workspace, lock};
use mcp_bundle::difference::pieces;
use mcp_bundle::plan::Contents;
use mcp_diagnostics::{EnvFile, Severity};
use std::time::{Duration, Instant};

/// A tool that stands for those of a server: a server without tools is not in a bundle.
const STAND_IN: &str = "mcpc_studio_stand_in";

/// What a server lists now, beside the specs.
#[derive(Debug)]
pub struct Live {
    pub tools: Vec<ListedTool>,
    pub unusable: Vec<Unusable>,
    /// Of each tool of the specs.
    pub states: Vec<servers::Finding>,
    pub listed: Listed,
}

/// The report of a server's file with more tools of it, each with its name in the spec.
pub fn with_tools(
    snapshot: &Snapshot,
    server: Server<'_>,
    more: &[(&str, &ListedTool)],
) -> Result<Report, ApiError> {
    let file = snapshot.report.sources.file(server.toolset.file);
    let mut text = file.text.clone();
    for (own, tool) in more {
        text.push('\n');
        text.push_str(&servers::tool_text(own, tool, server.id()));
    }
    let mut files = snapshot.files();
    files.replace(&file.name, Ok(text));
    let input =
        Input { specs: vec![file.name.clone()], config: snapshot.input.config.clone(), ..Input::default() };
    let report = check(&input, &files);
    if report.contents.is_some() {
        return Ok(report);
    }
    let errors = report.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
    let first = errors.map(|finding| finding.message.clone()).next().unwrap_or_default();
    Err(ApiError::not_usable(format!("`{}` has errors: {first}", file.name)))
}

/// The index of a server in a bundle.
pub fn index_of(contents: &Contents, id: &str) -> Result<usize, ApiError> {
    let mut all = 0..contents.servers.len();
    let found = all.find(|index| contents.server_name(*index) == Some(id));
    found.ok_or_else(|| ApiError::internal(format!("the server `{id}` is in no plan")))
}

/// Connects to a server of the specs, and compares.
pub fn live(
    workspace: &Workspace,
    snapshot: &Snapshot,
    server: Server<'_>,
) -> Result<Result<Live, Failure>, ApiError> {
    let stand_in = servers::read_all([r#"{"name":"any","inputSchema":{"type":"object"}}"#]).0;
    let more: Vec<(&str, &ListedTool)> = stand_in.iter().map(|tool| (STAND_IN, tool)).collect();
    let report = with_tools(snapshot, server, &more)?;
    let contents = report.contents.as_ref().ok_or_else(|| ApiError::internal("there is no plan"))?;
    let index = index_of(contents, server.id())?;
    let key = key_variable(server);
    let variables = workspace.variables()?;
    let listed = list(server.id(), contents, index, key.as_deref(), &variables, &workspace.places.programs)?;
    let known = Known::of(&listed);
    lock(&workspace.servers).insert(server.id().to_owned(), known);
    Ok(listed.map(|listed| {
        let (tools, unusable) = servers::read_all(listed.tools.iter().map(String::as_str));
        let compared = servers::compare(contents, index, &tools, &unusable);
        let states = compared.tools.into_iter().filter(|finding| finding.tool != STAND_IN).collect();
        Live { tools, unusable, states, listed }
    }))
}

fn list(
    id: &str,
    contents: &Contents,
    server: usize,
    key: Option<&str>,
    variables: &EnvFile,
    programs: &Programs,
) -> Result<Result<Listed, Failure>, ApiError> {
    let task = Task { name: id.to_owned(), contents, server };
    let listed = servers::list(&[task], variables, programs, servers::PATIENCE, &|_| {});
    let mut listed = listed.map_err(|error| ApiError::not_usable(format!("{error:#}")))?;
    match listed.pop() {
        Some(Ok(listed)) => Ok(Ok(listed)),
        Some(Err(NotListed::Failed(failure))) => Ok(Err(failure)),
        Some(Err(NotListed::NotReady(why))) => match why.downcast_ref::<NoValue>() {
            Some(missing) => Err(no_value(missing.name(), key)),
            None => Err(ApiError::not_usable(format!("{why:#}"))),
        },
        None => Err(ApiError::internal("nothing was listed")),
    }
}

fn no_value(variable: &str, key: Option<&str>) -> ApiError {
    let elsewhere = "set it in the environment or in an `--env-file`";
    let how = match key == Some(variable) {
        true => format!("type the key of the server (`apiKey`), or {elsewhere}"),
        false => elsewhere.to_owned(),
    };
    ApiError::not_usable(format!("`{variable}` has no value: {how}"))
        .with(object([("variables", array([format!("${{{variable}}}")]))]))
}

/// Whether a server of the specs answers.
pub fn test(workspace: &Workspace, id: &str) -> Result<Json, ApiError> {
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    let begin = Instant::now();
    let live = live(workspace, &snapshot, server)?;
    let tools = live.as_ref().ok().map(|live| live.listed.tools.len());
    Ok(tested(id, &super::state(workspace, id), tools, begin.elapsed()))
}

/// Whether a server that is not saved answers. Nothing is written.
pub fn test_unsaved(workspace: &Workspace, body: &Json) -> Result<Json, ApiError> {
    let Described { id, source, secrets, .. } = Described::read(body)?;
    let contents = servers::check_server(&source, &id);
    let contents = contents.map_err(|error| ApiError::not_possible(error.to_string()))?;
    let mut variables = workspace.variables()?;
    variables.extend(EnvFile::from_iter(secrets));
    let begin = Instant::now();
    let key = match &source.reach {
        Reach::Url {
            auth: Some(ServerKey::Bearer { variable } | ServerKey::Header { variable, .. }),
            ..
        } => Some(variable.as_str()),
        _ => None,
    };
    let listed = list(&id, &contents, 0, key, &variables, &workspace.places.programs)?;
    let tools = listed.as_ref().ok().map(|listed| listed.tools.len());
    Ok(tested(&id, &known_json(Some(&Known::of(&listed))), tools, begin.elapsed()))
}

fn tested(id: &str, state: &Json, tools: Option<usize>, time: Duration) -> Json {
    let member = |name: &str| state.get(name).cloned().unwrap_or(Json::Null);
    object([
        ("id", id.into()),
        ("status", member("status")),
        ("serverInfo", member("serverInfo")),
        ("capabilities", member("capabilities")),
        ("protocolVersion", member("protocolVersion")),
        ("tools", tools.into()),
        ("milliseconds", milliseconds(time)),
        ("error", member("error")),
    ])
}

/// The tools of a server, with what the specs have of them.
pub fn tools(workspace: &Workspace, id: &str) -> Result<Json, ApiError> {
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    let live = live(workspace, &snapshot, server)?.map_err(|failure| ApiError::server(&failure))?;
    let file = snapshot.report.sources.file(server.toolset.file);
    let tools = live.tools.iter().map(|tool| {
        let pinned = live.states.iter().find(|finding| finding.mcp_tool == tool.name);
        let (state, changes) = match pinned.map(|finding| &finding.state) {
            None => ("new", &[][..]),
            Some(State::Changed(changes, _)) => ("changed", changes.as_slice()),
            Some(State::Same | State::Gone | State::Unusable(_)) => ("same", &[][..]),
        };
        extended(
            listed(tool),
            [
                ("enabled", pinned.is_some().into()),
                ("tool", pinned.map(|finding| &finding.tool).into()),
                ("state", state.into()),
                ("changes", array(changes.iter().map(changed))),
            ],
        )
    });
    let unusable = live
        .unusable
        .iter()
        .map(|tool| object([("name", tool.name.as_str().into()), ("why", tool.why.as_str().into())]));
    let gone = live.states.iter().filter(|finding| finding.state == State::Gone).map(|finding| {
        object([("name", finding.mcp_tool.as_str().into()), ("tool", finding.tool.as_str().into())])
    });
    Ok(object([
        ("tools", array(tools)),
        ("unusable", array(unusable)),
        ("gone", array(gone)),
        ("hash", files::hash(&file.text).into()),
    ]))
}

fn listed(tool: &ListedTool) -> Json {
    object([
        ("name", tool.name.as_str().into()),
        ("title", tool.title.as_deref().into()),
        ("description", tool.description.as_deref().into()),
        ("inputSchema", tool.input_schema.clone()),
        ("outputSchema", tool.output_schema.clone().into()),
        ("tokens", tokens::estimate(&tool.canonical).into()),
    ])
}

fn changed(change: &Change) -> Json {
    let words = match (&change.old, &change.new) {
        (Some(old), Some(new)) => pieces(old, new),
        _ => Vec::new(),
    };
    let words =
        words.into_iter().map(|(kind, text)| object([("kind", kind.as_str().into()), ("text", text.into())]));
    object([
        ("part", change.part.key().into()),
        ("old", change.old.as_deref().into()),
        ("new", change.new.as_deref().into()),
        ("words", array(words)),
    ])
}
