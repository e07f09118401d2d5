//! `GET /mcp/tools` and `POST /mcp/invoke`.

use super::{Asked, error_type, read_call};
use crate::call::record::Outcome;
use crate::call::{self, Call};
use crate::catalog::Catalog;
use crate::edge::Edge;
use crate::mcp::MODERN;
use crate::request::failure::Failure;
use crate::request::identity::Caller;
use crate::request::reply::{BodyKind, Reply};
use crate::telemetry::logging::RequestId;
use mcp_bundle::json::{self, Kind, Value};

/// `{"tools":[{"name", "description", "parameters"}]}`
pub fn list(edge: &Edge, catalog: &Catalog, reply: &mut Reply) {
    let list = catalog.gateway_list.get_or_init(|| make_list(catalog));
    reply.body.extend_from_slice(list);
    reply.kind = BodyKind::Json;
    edge.metrics.list();
}

/// `{"tool_name", "params"}` → `{"success", "result", "error"}`, and what kind of error it is.
pub async fn invoke(
    edge: &Edge,
    catalog: &Catalog,
    caller: &Caller,
    request_id: &RequestId,
    body: &[u8],
    reply: &mut Reply,
) -> Result<(), Failure> {
    let depth = catalog.settings.limits.json_depth;
    let Asked { tool, arguments } = read_call(catalog, body, depth, "tool_name", "params")?;
    let call = Call { catalog, tool, arguments, caller, era: None, request_id };
    reply.kind = BodyKind::Json;
    reply.body.extend_from_slice(b"{\"success\":true,\"result\":{");
    let start = reply.body.len();
    let done = call::perform(edge, &call, &mut reply.body).await;
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

fn make_list(catalog: &Catalog) -> Vec<u8> {
    let contents = &catalog.contents;
    let mut out = b"{\"tools\":[".to_vec();
    for (index, entry) in contents.list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let text = format!("{}}}", entry.open_form(&contents.strings, MODERN));
        let of = |name: &str| member(&text, name).map_or("null", |value| value.text);
        let (name, description, parameters) = (of("name"), of("description"), of("inputSchema"));
        let object = format!("{{\"name\":{name},\"description\":{description},\"parameters\":{parameters}}}");
        out.extend_from_slice(object.as_bytes());
    }
    out.extend_from_slice(b"]}");
    out
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
