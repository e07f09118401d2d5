//! Servers that come and go.

use super::described::described;
use super::{Server, TIMEOUT, TRANSPORT, retries};
use crate::checked::CheckedTool;
use crate::files::disk;
use crate::language::json::Json;
use crate::servers::{self, PRESETS, Preset, Reach, ServerKey, ServerSource};
use crate::studio::changes::{Change, Edit};
use crate::studio::edits;
use crate::studio::error::ApiError;
use crate::studio::files;
use crate::studio::json::{Members, object};
use crate::studio::secrets;
use crate::studio::workspace::{Changed, Workspace};
use mcp_bundle::wire_enums::Transport;
use mcp_diagnostics::suggest;
use std::collections::BTreeMap;

/// The header of a key, where nobody says otherwise.
const KEY_HEADER: &str = "x-api-key";

/// A server as somebody describes it, and the values of its variables.
#[derive(Debug)]
pub struct Described {
    pub id: String,
    pub source: ServerSource,
    /// `None`: as often as any server.
    retries: Option<u32>,
    pub secrets: Vec<(String, String)>,
}

impl Described {
    /// Reads the document of a server. It may have members of other programs.
    pub fn read(body: &Json) -> Result<Described, ApiError> {
        let members = Members::of(body)?;
        let preset = members.text("preset")?.map(preset).transpose()?;
        let url = members.text("url")?.or(preset.map(|preset| preset.url));
        let url = url.ok_or_else(|| ApiError::bad_request("`url` is missing, or `preset`"))?;
        let url = &servers::http_url(url).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let transport = match members.text("transport")?.unwrap_or(TRANSPORT) {
            "http" => Transport::Http,
            "sse" => Transport::Sse,
            other => {
                return Err(ApiError::bad_request(format!("`transport` is `http` or `sse`, not `{other}`")));
            }
        };
        let title = members.text("name")?.or(preset.map(|preset| preset.title));
        let id = match members.text("id")? {
            Some(id) => named(id)?,
            None => {
                let source = ServerSource {
                    name: preset.map(|preset| preset.name().to_owned()),
                    title: None,
                    reach: reach(transport, url),
                };
                source.spec_name(title)
            }
        };
        let mut secrets = Vec::new();
        let auth = auth(&members, &id, &mut secrets)?;
        let mut headers: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in members.object("headers")?.unwrap_or_default() {
            let value =
                value.as_str().ok_or_else(|| ApiError::bad_request("`headers` has names with texts"))?;
            let name = name.to_ascii_lowercase();
            let value = match servers::has_variable(value) {
                true => value.to_owned(),
                // It may be secret.
                false => {
                    let variable = servers::variable_name(&id, &name);
                    secrets.push((variable.clone(), value.to_owned()));
                    format!("${{{variable}}}")
                }
            };
            headers.insert(name, value);
        }
        let timeout_ms = members.number("timeout", " of milliseconds", TIMEOUT)?;
        let retries = retries(&members)?;
        let title = title.filter(|title| *title != id).map(str::to_owned);
        let reach = Reach::Url {
            transport,
            url: url.to_owned(),
            headers: headers.into_iter().collect(),
            auth,
            timeout_ms,
        };
        let source = ServerSource { name: Some(id.clone()), title, reach };
        // What the check says of it is said before anything is sent or written.
        servers::check_server(&source, &id).map_err(|error| ApiError::not_possible(error.to_string()))?;
        Ok(Described { id, source, retries, secrets })
    }
}

fn reach(transport: Transport, url: &str) -> Reach {
    Reach::Url { transport, url: url.to_owned(), headers: Vec::new(), auth: None, timeout_ms: None }
}

fn preset(id: &str) -> Result<&'static Preset, ApiError> {
    Preset::find(id).ok_or_else(|| {
        let known = suggest::one_of(PRESETS.iter().map(|preset| preset.id));
        ApiError::bad_request(format!("there is no preset `{id}`; write {known}"))
    })
}

/// The name that a person gave, which must be one already.
fn named(id: &str) -> Result<String, ApiError> {
    match servers::server_name(id) {
        Some(fitting) if fitting == id => Ok(fitting),
        Some(fitting) => {
            Err(ApiError::bad_request(format!("`{id}` cannot be the `id` of a server; write `{fitting}`")))
        }
        None => Err(ApiError::bad_request("an `id` has 1 to 32 letters, digits, `_` and `-`")),
    }
}

fn auth(
    members: &Members<'_>,
    id: &str,
    secrets: &mut Vec<(String, String)>,
) -> Result<Option<ServerKey>, ApiError> {
    let key = members.text("apiKey")?.filter(|key| !key.is_empty());
    let kind = members.text("authType")?.unwrap_or(if key.is_some() { "bearer" } else { "none" });
    let (auth, variable) = match kind {
        "none" if key.is_some() => {
            return Err(ApiError::bad_request("`apiKey` needs an `authType`: `api-key` or `bearer`"));
        }
        "none" => return Ok(None),
        "bearer" => {
            let variable = servers::variable_name(id, "token");
            (ServerKey::Bearer { variable: variable.clone() }, variable)
        }
        "api-key" => {
            let name = members.text("apiKeyHeader")?.unwrap_or(KEY_HEADER).to_ascii_lowercase();
            let variable = servers::variable_name(id, &name);
            (ServerKey::Header { name, variable: variable.clone() }, variable)
        }
        other => {
            let kinds = "`none`, `api-key` or `bearer`";
            return Err(ApiError::bad_request(format!("`authType` is {kinds}, not `{other}`")));
        }
    };
    match key {
        // A variable that is set elsewhere is named by itself.
        Some(key) if servers::has_variable(key) => {
            let named = key.strip_prefix("${").and_then(|key| key.strip_suffix('}'));
            let named = named.filter(|named| servers::variable(named).is_ok());
            let named =
                named.ok_or_else(|| ApiError::bad_request("`apiKey` is a key, or a variable `${NAME}`"))?;
            Ok(Some(match auth {
                ServerKey::Bearer { .. } => ServerKey::Bearer { variable: named.to_owned() },
                ServerKey::Header { name, .. } => ServerKey::Header { name, variable: named.to_owned() },
            }))
        }
        Some(key) => {
            secrets.push((variable, key.to_owned()));
            Ok(Some(auth))
        }
        None => Ok(Some(auth)),
    }
}

/// Writes a spec for a server, and its keys to the file of secrets.
pub fn add(workspace: &Workspace, body: &Json) -> Result<(Json, Option<Changed>), ApiError> {
    workspace.refuse_read_only()?;
    let Described { id, source, retries, secrets } = Described::read(body)?;
    let snapshot = workspace.snapshot();
    let is_taken = snapshot.report.toolsets.iter().any(|toolset| {
        toolset.name.value == id || toolset.upstreams.iter().any(|upstream| upstream.name.value == id)
    });
    let path = workspace.folder()?.join(format!("{id}.toml"));
    if is_taken || path.exists() {
        return Err(ApiError::exists(format!("`{id}` is taken; give the server another `id`")));
    }
    let mut spec = servers::server_spec(&source, &id);
    if let Some(retries) = retries {
        spec = edits::with_server_value(&spec, &id, "retry_count", &retries.to_string())?;
    }
    let is_ours = workspace.places.secrets.is_none();
    secrets::set(&workspace.secrets_file(), &secrets, is_ours)?;
    let change = Change { path: disk::display(&path), before: None, after: Some(spec) };
    let edit = Edit { title: format!("add server {id}"), changes: vec![change] };
    let (_, changed) = workspace.commit(edit, &BTreeMap::new(), true)?;
    let (snapshot, variables) = (workspace.snapshot(), workspace.variables()?);
    let server = Server::find(&snapshot, &id)?;
    Ok((described(workspace, &snapshot, server, &variables), changed))
}

/// Removes the file of a server that is about nothing else.
pub fn delete(workspace: &Workspace, id: &str) -> Result<(Json, Option<Changed>), ApiError> {
    workspace.refuse_read_only()?;
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    let its: Vec<&CheckedTool> = server.tools().map(|(tool, _)| tool).collect();
    let toolset = server.toolset;
    let file = snapshot.report.sources.file(toolset.file);
    if toolset.upstreams.len() > 1 || its.len() < toolset.tools.len() {
        let message = format!("`{}` holds more than the server `{id}`; remove it there by hand", file.name);
        return Err(ApiError::not_possible(message));
    }
    let change = Change { path: file.name.clone(), before: Some(file.text.clone()), after: None };
    let known = BTreeMap::from([(file.name.clone(), files::hash(&file.text))]);
    let edit = Edit { title: format!("delete server {id}"), changes: vec![change] };
    let (answer, changed) = workspace.commit(edit, &known, true)?;
    workspace.forget_server(id);
    let edit = answer.get("id").cloned().unwrap_or(Json::Null);
    Ok((object([("deleted", true.into()), ("edit", edit)]), changed))
}
