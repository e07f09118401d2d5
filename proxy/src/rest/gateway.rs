//! `GET /mcp/tools` and `POST /mcp/invoke`.

use super::{error_type, read_call, say_when};
use crate::call::{self, ERROR_KEY};
use crate::catalog::View;
use crate::observe::record::{AnswerKind, Outcome};
use crate::protocol::MODERN;
use crate::request::failure::{ErrorType, Failure};
use crate::request::refuse::write_type;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::context::Context;
use mcp_bundle::json::{self, Kind, Value};
use std::time::Instant;

/// `{"tools":[{"name", "description", "parameters"}]}`
pub fn list(context: &Context<'_>, reply: &mut Reply) {
    let view = context.view;
    reply.body.extend_from_slice(view.gateway_list(|| make_list(&view)));
    reply.kind = BodyKind::Json;
    context.answered(None, AnswerKind::List, reply.body.len());
}

/// `{"tool_name", "params"}` → `{"success", "result", "error", "processing_time_ms"}`. A failure adds
/// `user_message`, `error_type` and `details`.
pub async fn invoke(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Result<(), Failure> {
    let started = Instant::now();
    let call = read_call(context, body, "tool_name", "params")?;
    reply.kind = BodyKind::Json;
    reply.body.extend_from_slice(SUCCESS);
    reply.body.push(b'{');
    let done = call::perform(context, &call, &mut reply.body).await;
    reply.body.push(b'}');
    if done.outcome != Outcome::Ok {
        let result = reply.body.split_off(SUCCESS.len());
        let upstreams = &context.view.catalog().contents.upstreams;
        let upstream = call.tool.upstream().and_then(|index| upstreams.get(index as usize));
        let of_upstream = match upstream {
            Some(upstream) if upstream.is_database => ErrorType::Database,
            _ => ErrorType::Service,
        };
        fail(error_type(&done, of_upstream), &String::from_utf8_lossy(&result), reply);
        say_when(&done, reply);
    } else {
        if done.has_structured {
            only_structured(&mut reply.body);
        }
        reply.body.extend_from_slice(b",\"error\":null");
    }
    reply.body.extend_from_slice(b",\"processing_time_ms\":");
    let elapsed = started.elapsed().as_millis();
    reply.body.extend_from_slice(itoa::Buffer::new().format(elapsed).as_bytes());
    reply.body.push(b'}');
    Ok(())
}

const SUCCESS: &[u8] = b"{\"success\":true,\"result\":";

/// Replaces the MCP result at the end of `out` with its structured content.
fn only_structured(out: &mut Vec<u8>) {
    let result = out.split_off(SUCCESS.len());
    let result = String::from_utf8_lossy(&result);
    let structured = member(&result, "structuredContent").map_or(&*result, |value| value.text);
    out.extend_from_slice(structured.as_bytes());
    // What the result says beside the data: how many elements were left out.
    if let Some(note) = text(&result, 1) {
        out.extend_from_slice(b",\"note\":");
        out.extend_from_slice(note.as_bytes());
    }
}

/// Writes the failure that an MCP result describes, up to the last member.
fn fail((error_type, status): (ErrorType, u16), result: &str, reply: &mut Reply) {
    reply.status = status;
    reply.body.clear();
    let out = &mut reply.body;
    out.extend_from_slice(b"{\"success\":false,\"result\":null,\"error\":");
    let error = text(result, 0).unwrap_or("\"the call failed\"");
    out.extend_from_slice(error.as_bytes());
    write_type(error_type, status, out);
    out.extend_from_slice(b",\"details\":");
    // The same facts that programs find in an MCP result.
    let facts = member(result, "_meta").and_then(|meta| member(meta.text, ERROR_KEY));
    let facts = facts.and_then(|facts| facts.text.strip_suffix('}')).unwrap_or("{\"reason\":\"internal\"");
    out.extend_from_slice(facts.as_bytes());
    // A result that could not be made of an upstream's response has that as its second item.
    if let Some(raw) = text(result, 1) {
        out.extend_from_slice(b",\"raw_response\":");
        out.extend_from_slice(raw.as_bytes());
    }
    out.push(b'}');
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

/// The JSON text of the text in an item of a result's `content`.
fn text(result: &str, item: usize) -> Option<&str> {
    let item = json::elements(member(result, "content")?).nth(item)?;
    Some(member(item.text, "text").filter(|text| text.kind == Kind::String)?.text)
}
