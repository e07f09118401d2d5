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

use self::call::ToolCall;
use crate::catalog::{Catalog, View};
use crate::edge::{Answered, Edge};
use crate::request::accept::Accepts;
use crate::request::events::{EVENT_END, EVENT_START, EventStream};
use crate::request::failure::Failure;
use crate::request::head::Headers;
use crate::request::identity::Caller;
use crate::request::reply::{BodyKind, Reply};
use crate::telemetry::logging::RequestId;
use mcp_bundle::envelope::{self, Body, Id, Message};
use mcp_bundle::json::Kind;
use mcp_bundle::wire_enums::ProtocolVersion;
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

/// A message that was looked at.
enum Begun<'p, 'a> {
    Responded(Responded),
    /// A tool is called. The call is where it was made, for it is large.
    Call(&'p mut ToolCall<'a>),
    Batch(Vec<Message<'a>>),
}

/// Answers the body of a POST.
pub async fn answer(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Answered {
    let told = Told::of(context.headers);
    // Errors are plain JSON, whatever the client accepts; so the event is opened first and taken back.
    let as_event = Accepts::of(context.headers).only_events();
    if as_event {
        reply.body.extend_from_slice(EVENT_START);
    }
    let mut place = None;
    let responded = match read(context, told, body, &mut reply.body, &mut place) {
        Begun::Responded(responded) => responded,
        Begun::Call(call) => finish(call, &mut reply.body).await,
        // Boxed, as all that is rare.
        Begun::Batch(messages) => {
            Box::pin(batch::respond_to_all(context, told, &messages, &mut reply.body)).await
        }
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

/// Looks at a body, as [`begin`] does at a message; a batch is left to be answered. The message is large, and gone before
/// anything has to wait.
fn read<'p, 'a>(
    context: &Context<'a>,
    told: Told<'a>,
    body: &'a [u8],
    out: &mut Vec<u8>,
    place: &'p mut Option<ToolCall<'a>>,
) -> Begun<'p, 'a> {
    let limits = &context.catalog.settings.limits;
    let mut message = None;
    let expect = |tool: &str| context.catalog.prepared.expect(tool);
    let read = envelope::read_expecting(body, limits.json_depth, limits.batch, &mut message, expect);
    let failure = match read {
        Ok(Body::One(message)) => return begin(context, told, message, out, place),
        Ok(Body::Batch(messages)) => return Begun::Batch(messages),
        Ok(Body::Other) => Failure::InvalidRequest("the body must be a JSON object"),
        Err(error) => Failure::NotJson(error.to_string()),
    };
    Begun::Responded(fail(context, None, true, &failure, out))
}

/// Answers one message.
pub async fn respond<'a>(
    context: &Context<'a>,
    told: Told<'a>,
    message: &Message<'a>,
    out: &mut Vec<u8>,
) -> Responded {
    let mut place = None;
    match begin(context, told, message, out, &mut place) {
        Begun::Responded(responded) => responded,
        Begun::Call(call) => finish(call, out).await,
        // Of one message there is none.
        Begun::Batch(_) => Responded::Nothing,
    }
}

async fn finish(call: &mut ToolCall<'_>, out: &mut Vec<u8>) -> Responded {
    call.fetch().await;
    call.write(out);
    Responded::Message(200)
}

/// Answers one message, unless it calls a tool: that call is made in `place`.
fn begin<'p, 'a>(
    context: &Context<'a>,
    told: Told<'a>,
    message: &Message<'a>,
    out: &mut Vec<u8>,
    place: &'p mut Option<ToolCall<'a>>,
) -> Begun<'p, 'a> {
    let refuse = |reason, out: &mut Vec<u8>| {
        // The id of an answer is that of a request of ours, of which there are none.
        let id = if message.is_ambiguous || message.is_answer { None } else { message.id_text() };
        Begun::Responded(fail(context, id, true, &Failure::InvalidRequest(reason), out))
    };
    if message.is_ambiguous {
        return refuse("a member stands twice", out);
    }
    if !message.is_rpc {
        return refuse("`jsonrpc` must be \"2.0\"", out);
    }
    match message.method {
        None if message.is_answer && !told.is_modern() => return Begun::Responded(Responded::Nothing),
        None if message.is_answer => return refuse("answers are not taken", out),
        Some(method) if method.kind == Kind::String && !message.is_answer => {}
        _ => return refuse("`method` must be a string", out),
    }
    let id = match message.id {
        Id::Absent => {
            return Begun::Responded(match told.legacy_era(false) {
                Err(failure) if !told.is_modern() => fail(context, None, false, &failure, out),
                _ => Responded::Nothing,
            });
        }
        Id::Invalid => return refuse("`id` must be a string or an integer", out),
        Id::Text(id) => id,
    };
    let lane = match version::lane(told, message) {
        Ok(lane) => lane,
        Err(failure) => return Begun::Responded(fail(context, Some(id), false, &failure, out)),
    };
    let start = out.len();
    let done = match lane {
        Lane::Modern => modern(context, told, message, id, out, place),
        Lane::Legacy(era) => legacy(context, era, message, id, out, place),
    };
    done.unwrap_or_else(|failure| {
        out.truncate(start);
        Begun::Responded(fail(context, Some(id), lane == Lane::Modern, &failure, out))
    })
}

/// The order of the checks is part of the protocol.
fn modern<'p, 'a>(
    context: &Context<'a>,
    told: Told<'a>,
    message: &Message<'a>,
    id: &'a str,
    out: &mut Vec<u8>,
    place: &'p mut Option<ToolCall<'a>>,
) -> Result<Begun<'p, 'a>, Failure> {
    version::check_modern(told, message)?;
    headers::check_routing(context.headers, message)?;
    if message.is_method("tools/call") {
        return call::begin(context, MODERN, message, id, place).map(Begun::Call);
    }
    let responded = if message.is_method("tools/list") {
        list::respond(context, MODERN, message, id, out)?
    } else if message.is_method("server/discover") {
        lifecycle::discover(context, id, out)
    } else if message.is_method("subscriptions/listen") {
        listen::respond(context, message, id)?
    } else {
        return Err(unknown_method(message));
    };
    Ok(Begun::Responded(responded))
}

fn legacy<'p, 'a>(
    context: &Context<'a>,
    era: ProtocolVersion,
    message: &Message<'a>,
    id: &'a str,
    out: &mut Vec<u8>,
    place: &'p mut Option<ToolCall<'a>>,
) -> Result<Begun<'p, 'a>, Failure> {
    if message.is_method("tools/call") {
        return call::begin(context, era, message, id, place).map(Begun::Call);
    }
    let responded = if message.is_method("tools/list") {
        list::respond(context, era, message, id, out)?
    } else if message.is_method("initialize") {
        lifecycle::initialize(context, message, id, out)?
    } else if message.is_method("ping") {
        lifecycle::ping(id, out)
    } else {
        return Err(unknown_method(message));
    };
    Ok(Begun::Responded(responded))
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
