//! Changes of a server: its place, its time, its key.

use super::described::{described, key_variable};
use super::{Server, TIMEOUT, retries};
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use crate::servers;
use crate::studio::changes::{Change, Edit};
use crate::studio::edits;
use crate::studio::error::ApiError;
use crate::studio::json::Members;
use crate::studio::secrets;
use crate::studio::workspace::{Changed, Workspace};
use mcp_diagnostics::Severity;
use std::collections::BTreeMap;

/// Changes what is given, and leaves the rest of the spec as it is.
pub fn change(workspace: &Workspace, id: &str, body: &Json) -> Result<(Json, Option<Changed>), ApiError> {
    workspace.refuse_read_only()?;
    let members = Members::only(body, &["url", "timeout", "retryOnError", "maxRetries", "apiKey", "hash"])?;
    let (url, timeout, key) = (
        members.text("url")?,
        members.number("timeout", " of milliseconds", TIMEOUT)?,
        members.text("apiKey")?,
    );
    let retries = retries(&members)?;
    if url.is_none() && timeout.is_none() && retries.is_none() && key.is_none() {
        let message = "give `url`, `timeout`, `maxRetries`, `retryOnError` or `apiKey`";
        return Err(ApiError::bad_request(message));
    }
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    let file = snapshot.report.sources.file(server.toolset.file);
    let mut text = file.text.clone();
    if let Some(url) = url {
        let url = servers::http_url(url).map_err(|error| ApiError::bad_request(error.to_string()))?;
        text = edits::with_server_value(&text, id, "url", &toml::string(&url, Style::Line, "\n"))?;
    }
    if let Some(timeout) = timeout {
        text = edits::with_server_value(&text, id, "timeout_seconds", &servers::seconds(timeout))?;
    }
    if let Some(retries) = retries {
        text = edits::with_server_value(&text, id, "retry_count", &retries.to_string())?;
    }
    let mut changed = None;
    if text != file.text {
        let hash = members.needed_text("hash")?.to_owned();
        let change = Change::new(&file.name, &file.text, text);
        let report = snapshot.with(std::slice::from_ref(&change));
        if report.errors() > snapshot.report.errors() {
            let first = report.diagnostics.iter().find(|finding| finding.severity == Severity::Error);
            let why = first.map(|finding| finding.message.clone()).unwrap_or_default();
            return Err(ApiError::not_possible(why));
        }
        let edit = Edit { title: format!("change server {id}"), changes: vec![change] };
        changed = workspace.commit(edit, &BTreeMap::from([(file.name.clone(), hash)]), true)?.1;
    }
    if let Some(key) = key {
        let variable = key_variable(server).ok_or_else(|| {
            ApiError::not_possible(format!("`{id}` has no key in its spec; add `auth` there"))
        })?;
        let is_ours = workspace.places.secrets.is_none();
        secrets::set(&workspace.secrets_file(), &[(variable, key.to_owned())], is_ours)?;
    }
    // What was known is of the server as it was.
    workspace.forget_server(id);
    let (snapshot, variables) = (workspace.snapshot(), workspace.variables()?);
    let server = Server::find(&snapshot, id)?;
    Ok((described(workspace, &snapshot, server, &variables), changed))
}
