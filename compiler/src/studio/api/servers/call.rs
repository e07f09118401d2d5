//! Calls of tools by the names of their servers.

use super::Server;
use super::listing::{live, with_tools};
use crate::language::json::Json;
use crate::servers;
use crate::studio::api::calls::{self, Called, Callee, Caller};
use crate::studio::error::ApiError;
use crate::studio::json::{Members, extended, milliseconds};
use crate::studio::workspace::{Found, Workspace};

/// What a tool that is not in the specs is called while it is tried.
const TRIED: &str = "mcpc_studio_tried";

pub fn call(workspace: &Workspace, body: &Json) -> Result<Json, ApiError> {
    let members = Members::only(body, &["serverId", "toolName", "name", "arguments"])?;
    let arguments = members.get("arguments").map_or_else(|| "{}".to_owned(), Json::to_text);
    let called = match (members.text("name")?, members.text("serverId")?, members.text("toolName")?) {
        (Some(name), None, None) => of_specs(workspace, name, &arguments)?,
        (None, Some(id), Some(tool)) => of_server(workspace, id, tool, &arguments)?,
        _ => return Err(ApiError::bad_request("give `serverId` and `toolName`, or `name`")),
    };
    Ok(extended(called.result(), [("milliseconds", milliseconds(called.time))]))
}

fn of_specs(workspace: &Workspace, name: &str, arguments: &str) -> Result<Called, ApiError> {
    let snapshot = workspace.snapshot();
    let (found, contents, plan) = snapshot.callable(name)?;
    calls::call(Callee { workspace, found, contents, plan }, arguments, Caller::default())
}

/// A tool that the specs have is called as they say. Any other one becomes a tool of a spec for this call, so that its
/// arguments are checked and its result is read as they would be at the edge.
fn of_server(workspace: &Workspace, id: &str, name: &str, arguments: &str) -> Result<Called, ApiError> {
    let snapshot = workspace.snapshot();
    let server = Server::find(&snapshot, id)?;
    if let Some((tool, _)) = server.tools().find(|(_, theirs)| *theirs == name) {
        return of_specs(workspace, tool.label(), arguments);
    }
    if workspace.places.is_mock {
        let message = format!("`{name}` is not in the specs, and with `--mock` nothing is sent");
        return Err(ApiError::not_usable(message));
    }
    let live = live(workspace, &snapshot, server)?.map_err(|failure| ApiError::server(&failure))?;
    let tools =
        servers::by_name(live.tools, &live.unusable, &[name.to_owned()]).map_err(ApiError::not_found)?;
    let more: Vec<_> = tools.iter().map(|tool| (TRIED, tool)).collect();
    let report = with_tools(&snapshot, server, &more)?;
    let planned = report.contents.as_ref().and_then(|contents| Some((contents, contents.tool(TRIED)?.1)));
    let found = report.toolsets.first().and_then(|toolset| {
        let tool = toolset.tools.iter().find(|tool| tool.label() == TRIED)?;
        Some(Found { report: &report, toolset, tool })
    });
    let (Some((contents, plan)), Some(found)) = (planned, found) else {
        return Err(ApiError::internal("the tool is in no plan"));
    };
    let called = calls::call(Callee { workspace, found, contents, plan }, arguments, Caller::default());
    called.map_err(|error| ApiError { message: error.message.replace(TRIED, name), ..error })
}
