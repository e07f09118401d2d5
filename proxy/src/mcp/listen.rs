//! Streams that tell when the list of tools has changed.

use super::{Context, Responded};
use crate::edge::Edge;
use crate::request::accept::Accepts;
use crate::request::events::{EventStream, Guard, event};
use crate::request::failure::Failure;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::{self, Kind};

/// `subscriptions/listen` of the stateless revision.
pub fn respond(context: &Context<'_>, message: &Message<'_>, id: &str) -> Result<Responded, Failure> {
    let wanted = message.params.notifications.filter(|wanted| wanted.kind == Kind::Object);
    let Some(wanted) = wanted else {
        return Err(Failure::InvalidParams("`notifications` must be an object".into()));
    };
    if !Accepts::of(context.headers).events {
        return Err(Failure::NotAcceptable("text/event-stream"));
    }
    let tools =
        json::members(wanted).any(|(key, value)| key.is_text("toolsListChanged") && value.text == "true");
    let honoured = if tools { "\"toolsListChanged\":true" } else { "" };
    let meta = format!("\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{id}}}");
    let opening = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\
         \"params\":{{\"notifications\":{{{honoured}}},{meta}}}}}"
    );
    let changed = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{{{meta}}}}}"
    );
    let closing =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",{meta}}}}}");
    let slot = context.edge.stream_slot().ok_or(Failure::TooManyStreams)?;
    Ok(Responded::Stream(Box::new(EventStream {
        opening: event(opening.as_bytes()),
        changes: tools.then(|| (context.edge.changes(), event(changed.as_bytes()).into())),
        messages: None,
        in_work: None,
        closing: event(closing.as_bytes()),
        guard: Guard(vec![Box::new(slot)]),
    })))
}

/// What older revisions are told.
pub const LEGACY_CHANGED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";

/// The stream that clients of older revisions open with GET.
pub fn legacy_stream(edge: &Edge) -> Result<EventStream, Failure> {
    let slot = edge.stream_slot().ok_or(Failure::TooManyStreams)?;
    Ok(EventStream {
        // Something must be sent for the client to see that the stream is open.
        opening: b":\n\n".to_vec(),
        changes: Some((edge.changes(), event(LEGACY_CHANGED).into())),
        messages: None,
        in_work: None,
        closing: Vec::new(),
        guard: Guard(vec![Box::new(slot)]),
    })
}
