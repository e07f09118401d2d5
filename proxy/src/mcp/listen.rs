//! Streams that report changes to the list of tools.

use crate::observe::record::AnswerKind;
use crate::request::accept::Accepts;
use crate::request::failure::Failure;
use crate::serving::changes::Changes;
use crate::serving::context::Context;
use crate::serving::events::{EventStream, Guard, event};
use mcp_bundle::envelope::Message;
use mcp_bundle::json::{self, Kind};

/// `subscriptions/listen` of the stateless revision.
pub fn respond(context: &Context<'_>, message: &Message<'_>, id: &str) -> Result<EventStream, Failure> {
    let wanted = message.params.notifications.filter(|wanted| wanted.kind == Kind::Object);
    let Some(wanted) = wanted else {
        return Err(Failure::InvalidParams("`notifications` must be an object".into()));
    };
    if !Accepts::of(&context.head.headers).events {
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
    let slot = context.shared.stream_slot().ok_or(Failure::TooManyStreams)?;
    Ok(EventStream {
        opening: event(opening.as_bytes()),
        changes: tools.then(|| Changes::of(context, event(changed.as_bytes()))),
        messages: None,
        in_work: None,
        closing: event(closing.as_bytes()),
        guard: Guard(vec![Box::new(slot)]),
    })
}

/// The notification of older revisions.
pub const LEGACY_CHANGED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";

/// The stream that clients of older revisions open with GET.
pub fn legacy_stream(context: &Context<'_>) -> Result<EventStream, Failure> {
    let slot = context.shared.stream_slot().ok_or(Failure::TooManyStreams)?;
    // Something must be sent for the client to see that the stream is open.
    let opening = b":\n\n".to_vec();
    context.answered(None, AnswerKind::Stream, opening.len());
    Ok(EventStream {
        opening,
        changes: Some(Changes::of(context, event(LEGACY_CHANGED))),
        messages: None,
        in_work: None,
        closing: Vec::new(),
        guard: Guard(vec![Box::new(slot)]),
    })
}
