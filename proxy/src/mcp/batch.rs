//! Arrays of messages, which only 2025-03-26 has.

use super::version::VersionHeader;
use super::{Responded, ignore, refuse, respond};
use crate::protocol;
use crate::request::failure::Failure;
use crate::serving::context::Context;
use futures::future::join_all;
use mcp_bundle::envelope::Message;

/// Messages that are worked on at once.
const AT_ONCE: usize = 4;

async fn respond_to_one(context: &Context<'_>, header: VersionHeader<'_>, message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if message.is_method("initialize") {
        let failure = Failure::InvalidRequest("`initialize` cannot be part of a batch");
        refuse(context, message.id_text(), failure, &mut out);
        return out;
    }
    match respond(context, header, message, &mut out).await {
        Responded::Message(_) | Responded::Refused { .. } => out,
        Responded::Nothing | Responded::Stream(_) => Vec::new(),
    }
}

pub async fn respond_to_all(
    context: &Context<'_>,
    header: VersionHeader<'_>,
    messages: &[Message<'_>],
    out: &mut Vec<u8>,
) -> Responded {
    let claims_modern = messages.iter().any(|message| message.params.meta.protocol_version.is_some());
    let refusal = if messages.is_empty() {
        Some("the batch is empty")
    } else if messages.len() > context.settings.limits.batch {
        Some("the batch has too many messages")
    } else if claims_modern
        || header.is_modern()
        || !header.legacy_version(false).is_ok_and(protocol::has_batches)
    {
        Some("this protocol version has no batches")
    } else {
        None
    };
    if let Some(reason) = refusal {
        return refuse(context, None, Failure::InvalidRequest(reason), out);
    }
    let start = out.len();
    for group in messages.chunks(AT_ONCE) {
        // What one call may answer bounds what a batch may: after that, requests are refused without being looked at.
        let full = out.len() - start > context.settings.limits.response_body;
        let answers = if full {
            group.iter().map(|message| refuse_for_size(context, message)).collect()
        } else {
            join_all(group.iter().map(|message| respond_to_one(context, header, message))).await
        };
        for answer in answers.into_iter().filter(|answer| !answer.is_empty()) {
            out.push(if out.len() == start { b'[' } else { b',' });
            out.extend_from_slice(&answer);
        }
    }
    if out.len() == start {
        return Responded::Nothing;
    }
    out.push(b']');
    Responded::Message(200)
}

/// The answer to a request that came too late in its batch; nothing for what wants none.
fn refuse_for_size(context: &Context<'_>, message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    match message.id_text() {
        Some(id) => drop(refuse(context, Some(id), Failure::BatchTooLarge, &mut out)),
        None => drop(ignore(context, &mut out)),
    }
    out
}
