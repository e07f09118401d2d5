//! MCP over HTTP: all revisions on one endpoint.
//!
//! `version` decides which revision a message speaks and what that means; everything else is told the era.

mod batch;
mod call;
mod headers;
mod lifecycle;
mod list;
mod listen;
pub mod sse;
mod version;

pub use listen::legacy_stream;
pub use version::{MODERN, VERSION_HEADER, has_audio, has_structured, has_titles};

use crate::accept::Accepts;
use crate::caller::Caller;
use crate::catalog::{Catalog, View};
use crate::edge::{Answered, Edge};
use crate::events::{EVENT_END, EVENT_START, EventStream};
use crate::failure::Failure;
use crate::head::Headers;
use crate::logging::RequestId;
use crate::reply::{BodyKind, Reply};
use mcp_bundle::envelope::{self, Body, Id, Message};
use mcp_bundle::json::Kind;
use mcp_bundle::tag::Era;
use version::{Lane, Told};

/// What a message is answered with.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub edge: &'a Edge,
    pub catalog: &'a Catalog,
    pub view: &'a View,
    pub headers: &'a Headers,
    pub caller: &'a Caller,
    pub request_id: &'a RequestId,
}

/// What a message led to.
#[derive(Debug)]
pub enum Responded {
    /// An answer was appended, to be sent with this status.
    Message(u16),
    /// A notification or an answer: nothing is said.
    Nothing,
    Stream(Box<EventStream>),
}

/// Answers the body of a POST.
pub async fn answer(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Answered {
    let limits = &context.edge.settings.limits;
    let told = Told::of(context.headers);
    // Errors are plain JSON, whatever the client accepts; so the event is opened first and taken back.
    let as_event = Accepts::of(context.headers).only_events();
    if as_event {
        reply.body.extend_from_slice(EVENT_START);
    }
    let mut place = None;
    let responded = match envelope::read(body, limits.json_depth, limits.batch, &mut place) {
        Err(error) => fail(context, None, true, &Failure::NotJson(error.to_string()), &mut reply.body),
        Ok(Body::Other) => {
            let failure = Failure::InvalidRequest("the body must be a JSON object");
            fail(context, None, true, &failure, &mut reply.body)
        }
        Ok(Body::Batch(messages)) => batch::respond_to_all(context, told, &messages, &mut reply.body).await,
        Ok(Body::One(message)) => respond(context, told, message, &mut reply.body).await,
    };
    match responded {
        Responded::Stream(stream) => return Answered::Stream(stream),
        Responded::Nothing => {
            reply.body.clear();
            reply.status = 202;
        }
        Responded::Message(200) if as_event => {
            reply.body.extend_from_slice(EVENT_END);
            reply.kind = BodyKind::Events;
        }
        Responded::Message(status) => {
            if as_event {
                reply.body.drain(..EVENT_START.len());
            }
            reply.status = status;
            reply.kind = BodyKind::Json;
        }
    }
    Answered::Reply
}

/// Answers one message.
pub async fn respond(
    context: &Context<'_>,
    told: Told<'_>,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Responded {
    let refuse = |reason, out: &mut Vec<u8>| {
        // The id of an answer is that of a request of ours, of which there are none.
        let id = if message.is_ambiguous || message.is_answer { None } else { message.id_text() };
        fail(context, id, true, &Failure::InvalidRequest(reason), out)
    };
    if message.is_ambiguous {
        return refuse("a member stands twice", out);
    }
    if !message.is_rpc {
        return refuse("`jsonrpc` must be \"2.0\"", out);
    }
    match message.method {
        None if message.is_answer && !told.is_modern() => return Responded::Nothing,
        None if message.is_answer => return refuse("answers are not taken", out),
        Some(method) if method.kind == Kind::String && !message.is_answer => {}
        _ => return refuse("`method` must be a string", out),
    }
    let id = match message.id {
        Id::Absent => {
            return match told.legacy_era(false) {
                Err(failure) if !told.is_modern() => fail(context, None, false, &failure, out),
                _ => Responded::Nothing,
            };
        }
        Id::Invalid => return refuse("`id` must be a string or an integer", out),
        Id::Text(id) => id,
    };
    let lane = match version::lane(told, message) {
        Ok(lane) => lane,
        Err(failure) => return fail(context, Some(id), false, &failure, out),
    };
    let start = out.len();
    let done = match lane {
        Lane::Modern => modern(context, told, message, id, out).await,
        Lane::Legacy(era) => legacy(context, era, message, id, out).await,
    };
    done.unwrap_or_else(|failure| {
        out.truncate(start);
        fail(context, Some(id), lane == Lane::Modern, &failure, out)
    })
}

/// The order of the checks is part of the protocol.
async fn modern(
    context: &Context<'_>,
    told: Told<'_>,
    message: &Message<'_>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Responded, Failure> {
    version::check_modern(told, message)?;
    headers::check_routing(context.headers, message)?;
    if message.is_method("tools/call") {
        return call::respond(context, MODERN, message, id, out).await;
    }
    if message.is_method("tools/list") {
        return list::respond(context, MODERN, message, id, out);
    }
    if message.is_method("server/discover") {
        return Ok(lifecycle::discover(context, id, out));
    }
    if message.is_method("subscriptions/listen") {
        return listen::respond(context, message, id);
    }
    Err(unknown_method(message))
}

async fn legacy(
    context: &Context<'_>,
    era: Era,
    message: &Message<'_>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Responded, Failure> {
    if message.is_method("tools/call") {
        return call::respond(context, era, message, id, out).await;
    }
    if message.is_method("tools/list") {
        return list::respond(context, era, message, id, out);
    }
    if message.is_method("initialize") {
        return lifecycle::initialize(context, message, id, out);
    }
    if message.is_method("ping") {
        return Ok(lifecycle::ping(id, out));
    }
    Err(unknown_method(message))
}

fn unknown_method(message: &Message<'_>) -> Failure {
    let mut buffer = String::new();
    Failure::UnknownMethod(message.method.map_or("", |method| method.unescaped(&mut buffer)).to_owned())
}

/// Appends an error and counts it.
fn fail(
    context: &Context<'_>,
    id: Option<&str>,
    modern: bool,
    failure: &Failure,
    out: &mut Vec<u8>,
) -> Responded {
    context.edge.metrics.protocol_error(failure.code());
    write_error(id, failure, out);
    Responded::Message(if modern { failure.modern_status() } else { failure.legacy_status() })
}

/// Appends an error message; one whose request has no readable id goes without.
pub fn write_error(id: Option<&str>, failure: &Failure, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        out.extend_from_slice(b"\"id\":");
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(b"\"error\":");
    failure.write_error(out);
    out.push(b'}');
}

/// Opens a result; members and [`close_result`] follow.
fn open_result(id: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":{");
}

fn close_result(out: &mut Vec<u8>) {
    out.extend_from_slice(b"}}");
}
