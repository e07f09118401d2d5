//! Edits of files, as the page asks for them.

use crate::language::json::Json;
use crate::studio::changes::{Change, Edit};
use crate::studio::edits::{self, NewExample, NewResponse};
use crate::studio::error::ApiError;
use crate::studio::json::{Members, object};
use crate::studio::workspace::{Changed, Snapshot, Workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;

const COMMON: [&str; 3] = ["kind", "hashes", "apply"];

pub fn list(workspace: &Workspace) -> Json {
    object([("edits", workspace.edits())])
}

pub fn edit(workspace: &Workspace, body: &Json) -> Result<(Json, Option<Changed>), ApiError> {
    let members = Members::of(body)?;
    let kind = members.needed_text("kind")?;
    let own: &[&str] = match kind {
        "fix" => &["finding"],
        "fix_all" => &["path"],
        "text" => &["tool", "key", "text"],
        "example" => &["tool", "title", "arguments", "response"],
        "source" => &["path", "text"],
        _ => {
            let kinds = "`fix`, `fix_all`, `text`, `example` or `source`";
            return Err(ApiError::bad_request(format!(
                "there is no edit of kind `{kind}`; the kinds are {kinds}"
            )));
        }
    };
    let members = Members::only(body, &[&COMMON, own].concat())?;
    let apply = members.flag("apply")?;
    if apply {
        workspace.refuse_read_only()?;
    }
    let hashes = hashes(&members)?;
    let snapshot = workspace.snapshot();
    let edit = match kind {
        "fix" => edits::fix(&snapshot, members.needed_text("finding")?)?,
        "fix_all" => edits::fix_all(&snapshot, members.text("path")?)?,
        "text" => {
            if !members.has("text") {
                return Err(ApiError::bad_request("`text` is missing; `null` removes the key"));
            }
            let (tool, key) = (members.needed_text("tool")?, members.needed_text("key")?);
            edits::text(&snapshot, tool, key, members.text("text")?)?
        }
        "example" => edits::example(&snapshot, members.needed_text("tool")?, example(&members)?)?,
        _ => source(&snapshot, members.needed_text("path")?, members.needed_text("text")?)?,
    };
    workspace.commit(edit, &hashes, apply)
}

/// The hashes of files as the page knows them.
pub fn hashes(members: &Members<'_>) -> Result<BTreeMap<String, String>, ApiError> {
    let mut hashes = BTreeMap::new();
    for (path, hash) in members.object("hashes")?.unwrap_or_default() {
        let hash = hash.as_str().ok_or_else(|| ApiError::bad_request("`hashes` has paths with texts"))?;
        hashes.insert(path.clone(), hash.to_owned());
    }
    Ok(hashes)
}

fn example(members: &Members<'_>) -> Result<NewExample, ApiError> {
    let arguments = match members.object("arguments")? {
        Some(_) => members.get("arguments").cloned().unwrap_or(Json::Null),
        None => Json::Object(Vec::new()),
    };
    let response = match members.get("response") {
        None => None,
        Some(response) => {
            let response = Members::only(response, &["status", "contentType", "body", "base64"])?;
            let body = match (response.text("body")?, response.text("base64")?) {
                (Some(text), _) => Ok(text.to_owned()),
                (None, Some(code)) => {
                    let bytes = STANDARD.decode(code);
                    Err(bytes.map_err(|_| ApiError::bad_request("`base64` is not base64"))?)
                }
                (None, None) => Ok(String::new()),
            };
            let content_type = response.text("contentType")?.map(str::to_owned);
            Some(NewResponse { status: response.status()?, content_type, body })
        }
    };
    Ok(NewExample { title: members.text("title")?.map(str::to_owned), arguments, response })
}

/// Any text: what is wrong with it is found like in any file.
fn source(snapshot: &Snapshot, path: &str, text: &str) -> Result<Edit, ApiError> {
    let before = snapshot.source(path);
    let before = before.ok_or_else(|| ApiError::not_found(format!("`{path}` is not a file of the specs")))?;
    let change = Change::new(path, before, edits::with_line_ends(before, text));
    Ok(Edit { title: format!("edit {path}"), changes: vec![change] })
}
