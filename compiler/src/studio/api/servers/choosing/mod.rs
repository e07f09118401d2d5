//! Which tools of a server the specs have.

use super::Server;
use super::listing::{Live, live};
use crate::language::json::Json;
use crate::servers::{self, DraftError, Finding, ListedTool, Origin, Part, Reach, ServerSource, State};
use crate::studio::changes::{Change, Edit};
use crate::studio::edits::{self, Patch};
use crate::studio::error::ApiError;
use crate::studio::json::{Members, array, extended, object};
use crate::studio::workspace::{Changed, Snapshot, Workspace};
use mcp_bundle::wire_enums::Transport;
use mcp_diagnostics::toml_tree;
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// A tool that cannot be had, and why.
type LeftOut = (String, String);

pub fn choose(workspace: &Workspace, id: &str, body: &Json) -> Result<(Json, Option<Changed>), ApiError> {
    let members = Members::only(body, &["tools", "repin", "hash", "apply"])?;
    let apply = members.flag("apply")?;
    if apply {
        workspace.refuse_read_only()?;
    }
    let wanted = members.texts("tools")?.ok_or_else(|| ApiError::bad_request("`tools` is missing"))?;
    let repin = members.texts("repin")?.unwrap_or_default();
    let hash = members.text("hash")?;
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    let live = live(workspace, &snapshot, server)?.map_err(|failure| ApiError::server(&failure))?;
    let file = snapshot.report.sources.file(server.toolset.file);
    let has = |name: &String| server.tools().any(|(_, theirs)| theirs == name);
    let new: Vec<String> = wanted.iter().filter(|name| !has(name)).cloned().collect();
    let new = servers::by_name(live.tools.clone(), &live.unusable, &new).map_err(ApiError::not_possible)?;
    let mut text = without_unwanted(&file.text, server, &wanted)?;
    for name in &repin {
        text = repinned(&text, &live, name)?;
    }
    let (text, left_out) = with_new(&snapshot, server, text, new)?;
    let change = Change::new(&file.name, &file.text, text);
    if change.before == change.after {
        let why: Vec<String> = left_out.iter().map(|(name, why)| format!("`{name}`: {why}")).collect();
        let why = if why.is_empty() { "nothing is different".to_owned() } else { why.join("; ") };
        return Err(ApiError::not_possible(why));
    }
    let edit = Edit { title: format!("choose tools of {id}"), changes: vec![change] };
    let known = hash.map(|hash| (file.name.clone(), hash.to_owned())).into_iter().collect::<BTreeMap<_, _>>();
    if apply && known.is_empty() {
        return Err(ApiError::bad_request("`hash` is missing: that of the server's file"));
    }
    let (answer, changed) = workspace.commit(edit, &known, apply)?;
    let left_out =
        left_out.into_iter().map(|(name, why)| object([("name", name.into()), ("why", why.into())]));
    Ok((extended(answer, [("leftOut", array(left_out))]), changed))
}

/// The text without the tools that are not wanted. Comments above them stay.
fn without_unwanted(text: &str, server: Server<'_>, wanted: &[String]) -> Result<String, ApiError> {
    let mut patches: Vec<Patch> = Vec::new();
    for (tool, theirs) in server.tools() {
        if wanted.iter().any(|name| name == theirs) {
            continue;
        }
        let extent = edits::extent(text, tool)
            .filter(|extent| text.get(extent.start..).is_some_and(|rest| rest.starts_with('[')));
        let extent = extent.ok_or_else(|| {
            ApiError::not_possible(format!(
                "`{}` is not under a `[[tool]]` of its own; remove it by hand",
                tool.label()
            ))
        })?;
        let mut end = after_line(text, edits::line_end(text, extent.end));
        // With the empty line that kept it apart.
        let next = after_line(text, end);
        if text.get(end..next).is_some_and(|line| line.trim().is_empty()) {
            end = next;
        }
        patches.push((extent.start..end, String::new()));
    }
    edits::patched_toml("the spec", text, patches)
}

/// Where the line after the one that a place is in begins.
fn after_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The text with what the server says of a tool now, in place of what was pinned.
fn repinned(text: &str, live: &Live, name: &str) -> Result<String, ApiError> {
    let finding = live.states.iter().find(|finding| finding.mcp_tool == name);
    let Some(Finding { tool, state: State::Changed(changes, now), .. }) = finding else {
        return Err(ApiError::not_possible(format!("`{name}` is not a tool whose definition has changed")));
    };
    let (root, _) = toml_tree::read(text);
    let tools = root.get("tool").and_then(|tools| tools.get_ref().as_array()).unwrap_or_default();
    let mut names = tools.iter().filter_map(|tool| tool.get_ref().as_table()?.get("name"));
    let at = names.find(|own| own.get_ref().as_str() == Some(tool)).map(|own| own.span().start);
    let at = at.ok_or_else(|| ApiError::not_possible(format!("`{name}` is not among the wanted tools")))?;
    let parts: Vec<Part> = changes.iter().map(|change| change.part).collect();
    servers::repin(text, at, now, &parts)
        .map_err(|error| ApiError::not_possible(format!("`{name}`: {error}")))
}

/// The text with more tools at its end; those that a check refuses are left out.
fn with_new(
    snapshot: &Snapshot,
    server: Server<'_>,
    mut text: String,
    new: Vec<ListedTool>,
) -> Result<(String, Vec<LeftOut>), ApiError> {
    if new.is_empty() {
        return Ok((text, Vec::new()));
    }
    let id = server.id();
    let draft = servers::draft(&plain(server), id, id, &Origin::default(), new);
    let draft = match draft {
        Ok(draft) => draft,
        Err(DraftError::NoTools(left_out)) => {
            return Ok((text, left_out.into_iter().map(|tool| (tool.name, tool.why)).collect()));
        }
        Err(DraftError::Server(why)) => return Err(ApiError::not_possible(why)),
    };
    let mut left_out: Vec<LeftOut> = draft.left_out.into_iter().map(|tool| (tool.name, tool.why)).collect();
    let tools = snapshot.report.toolsets.iter().flat_map(|toolset| &toolset.tools);
    let taken: BTreeSet<&str> = tools.map(|tool| tool.label()).collect();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    for (name, place) in draft.tools.iter().zip(draft.places) {
        if taken.contains(name.as_str()) {
            left_out.push((name.clone(), "the specs have a tool of this name already".to_owned()));
            continue;
        }
        if !text.ends_with('\n') {
            text.push_str(newline);
        }
        text.push_str(newline);
        let tool = draft.text.get(place).unwrap_or_default();
        text.push_str(&if newline == "\n" { tool.to_owned() } else { tool.replace('\n', newline) });
    }
    Ok((text, left_out))
}

/// The server alone: what else is written of it is the spec's, and stays there.
fn plain(server: Server<'_>) -> ServerSource {
    let upstream = server.upstream;
    let url = upstream.url.as_ref().map(|url| url.value.text.clone());
    let transport = upstream.server.as_ref().map_or(Transport::Http, |server| server.transport);
    let reach = match url {
        Some(url) => Reach::Url { transport, url, headers: Vec::new(), auth: None, timeout_ms: None },
        None => Reach::Program(server.id().to_owned()),
    };
    ServerSource { name: Some(server.id().to_owned()), title: None, reach }
}
