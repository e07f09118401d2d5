//! `GET /mcp/tools` and `POST /mcp/invoke`.

use super::{error_type, read_call};
use crate::call;
use crate::call::record::{AnswerKind, Outcome};
use crate::catalog::View;
use crate::mcp::MODERN;
use crate::request::context::Context;
use crate::request::failure::Failure;
use crate::request::reply::{BodyKind, Reply};
use mcp_bundle::json::{self, Kind, Value};

/// `{"tools":[{"name", "description", "parameters"}]}`
pub fn list(context: &Context<'_>, reply: &mut Reply) {
    let view = context.view;
    reply.body.extend_from_slice(view.gateway_list(|| make_list(&view)));
    reply.kind = BodyKind::Json;
    context.answered(None, AnswerKind::List, reply.body.len());
}

/// `{"tool_name", "params"}` → `{"success", "result", "error"}`, and what kind of error it is.
pub async fn invoke(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Result<(), Failure> {
    let call = read_call(context, body, "tool_name", "params")?;
    reply.kind = BodyKind::Json;
    reply.body.extend_from_slice(b"{\"success\":true,\"result\":{");
    let start = reply.body.len();
    let done = call::perform(context, &call, &mut reply.body).await;
    if done.outcome == Outcome::Ok {
        reply.body.extend_from_slice(b"},\"error\":null}");
        return Ok(());
    }
    let members = reply.body.split_off(start);
    let (error_type, status) = error_type(done.outcome);
    reply.status = status;
    reply.body.clear();
    let out = &mut reply.body;
    out.extend_from_slice(b"{\"success\":false,\"result\":null,\"error\":");
    out.extend_from_slice(first_text(&members).as_bytes());
    out.extend_from_slice(b",\"error_type\":\"");
    out.extend_from_slice(error_type.as_str().as_bytes());
    out.extend_from_slice(b"\",\"details\":{\"reason\":\"");
    out.extend_from_slice(done.reason.unwrap_or(done.outcome.as_str()).as_bytes());
    out.push(b'"');
    if let Some(status) = done.upstream_status {
        out.extend_from_slice(b",\"upstream_status\":");
        out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

fn make_list(view: &View<'_>) -> Vec<u8> {
    let mut entries = b"[".to_vec();
    view.write_entries(MODERN, 0, view.count(), &mut entries);
    entries.push(b']');
    let entries = String::from_utf8_lossy(&entries);
    let objects = json::elements(Value::of_valid(&entries)).map(|entry| {
        let of = |name: &str| member(entry.text, name).map_or("null", |value| value.text);
        let (name, description, parameters) = (of("name"), of("description"), of("inputSchema"));
        format!("{{\"name\":{name},\"description\":{description},\"parameters\":{parameters}}}")
    });
    let objects: Vec<String> = objects.collect();
    format!("{{\"tools\":[{}]}}", objects.join(",")).into_bytes()
}

fn member<'a>(object: &'a str, name: &str) -> Option<Value<'a>> {
    json::members(Value::of_valid(object)).find(|(key, _)| key.is_text(name)).map(|(_, value)| value)
}

/// The JSON text of the first text in a result's `content`.
fn first_text(members: &[u8]) -> String {
    let object = format!("{{{}}}", String::from_utf8_lossy(members));
    let content = member(&object, "content").and_then(|content| json::elements(content).next());
    let text = content.and_then(|first| member(first.text, "text")).filter(|text| text.kind == Kind::String);
    text.map_or_else(|| "\"the call failed\"".to_owned(), |text| text.text.to_owned())
}
