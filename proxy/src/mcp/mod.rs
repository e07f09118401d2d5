//! MCP over HTTP: all revisions on one endpoint.
//!
//! `version` decides which revision a message speaks and what that means; everything else is given the version.

mod batch;
mod call;
mod headers;
mod lifecycle;
mod list;
mod listen;
mod progress;
pub mod sse;
mod version;

pub use listen::legacy_stream;

use crate::call::{PendingCall, admit_message, counted};
use crate::observe::record::AnswerKind;
use crate::protocol::MODERN;
use crate::request::accept::Accepts;
use crate::request::failure::Failure;
use crate::request::refuse::write_rpc;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::Answered;
use crate::serving::context::Context;
use crate::serving::events::{EVENT_END, EVENT_START, EventStream};
use mcp_bundle::envelope::{self, Body, Id, Message};
use mcp_bundle::json::Kind;
use mcp_bundle::wire_enums::ProtocolVersion;
use version::{ProtocolKind, VersionHeader};

/// What a message led to.
#[derive(Debug)]
pub enum Responded {
    /// An answer was appended, to be sent with this status.
    Message(u16),
    /// An error was appended, to be sent with this status and header.
    Refused { status: u16, header: Option<(&'static str, String)> },
    /// A notification or an answer: nothing is said.
    Nothing,
    /// Events, and perhaps a result at their end.
    Stream(Box<EventStream>),
}

/// A body or message that was looked at.
#[expect(clippy::large_enum_variant, reason = "nearly all are calls, and a box would cost each of them")]
enum Handled<'a> {
    Responded(Responded),
    /// A tool is called, and its result is opened.
    Call(PendingCall<'a>),
    Batch(Vec<Message<'a>>),
}

/// Answers the body of a POST.
pub async fn answer(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Answered {
    let header = VersionHeader::of(&context.head.headers);
    // Errors are plain JSON, whatever the client accepts; so the event is opened first and taken back.
    let as_event = Accepts::of(&context.head.headers).only_events();
    if as_event {
        reply.body.extend_from_slice(EVENT_START);
    }
    let responded = match read(context, header, body, &mut reply.body) {
        Handled::Responded(responded) => responded,
        Handled::Call(call) => finish(call, &mut reply.body).await,
        // Boxed, as all that is rare.
        Handled::Batch(messages) => {
            let context = &Context { may_stream: false, ..*context };
            Box::pin(batch::respond_to_all(context, header, &messages, &mut reply.body)).await
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
        Responded::Message(status) => as_json(status, as_event, reply),
        // Errors are results of a call in the older revisions, and so events.
        Responded::Refused { status: 200, .. } if as_event => {
            reply.body.extend_from_slice(EVENT_END);
            reply.kind = BodyKind::Events;
        }
        Responded::Refused { status, header } => {
            as_json(status, as_event, reply);
            reply.headers.extend(header);
        }
    }
    Answered::Reply
}

/// Takes the event back that was opened.
fn as_json(status: u16, as_event: bool, reply: &mut Reply) {
    if as_event {
        reply.body.drain(..EVENT_START.len());
    }
    reply.status = status;
    reply.kind = BodyKind::Json;
}

/// Looks at a body, as [`handle`] does at a message; a batch is left to be answered. The message is large, and gone before
/// anything has to wait.
fn read<'a>(
    context: &Context<'a>,
    header: VersionHeader<'a>,
    body: &'a [u8],
    out: &mut Vec<u8>,
) -> Handled<'a> {
    let limits = &context.settings.limits;
    let mut message = None;
    let failure = match envelope::read(body, limits.json_depth, limits.batch, &mut message) {
        Ok(Body::One(message)) => return handle(context, header, message, out),
        Ok(Body::Batch(messages)) => return Handled::Batch(messages),
        Ok(Body::Other) => Failure::InvalidRequest("the body must be a JSON object"),
        Err(error) => Failure::NotJson(error.to_string()),
    };
    Handled::Responded(refuse(context, None, failure, out))
}

/// Answers one message.
pub async fn respond<'a>(
    context: &Context<'a>,
    header: VersionHeader<'a>,
    message: &Message<'a>,
    out: &mut Vec<u8>,
) -> Responded {
    match handle(context, header, message, out) {
        Handled::Responded(responded) => responded,
        Handled::Call(call) => finish(call, out).await,
        // Of one message there is none.
        Handled::Batch(_) => Responded::Nothing,
    }
}

async fn finish(mut call: PendingCall<'_>, out: &mut Vec<u8>) -> Responded {
    call.execute().await;
    call.finish(out);
    close_result(out);
    Responded::Message(200)
}

/// Answers one message, unless it calls a tool: that call is only begun.
fn handle<'a>(
    context: &Context<'a>,
    header: VersionHeader<'a>,
    message: &Message<'a>,
    out: &mut Vec<u8>,
) -> Handled<'a> {
    let invalid = |reason, out: &mut Vec<u8>| {
        // The id of an answer is that of a request of ours, of which there are none.
        let id = if message.is_ambiguous || message.is_answer { None } else { message.id_text() };
        Handled::Responded(refuse(context, id, Failure::InvalidRequest(reason), out))
    };
    if message.is_ambiguous {
        return invalid("the message has a duplicate member", out);
    }
    if !message.is_rpc {
        return invalid("`jsonrpc` must be \"2.0\"", out);
    }
    match message.method {
        None if message.is_answer && !header.is_modern() => return Handled::Responded(ignore(context, out)),
        None if message.is_answer => return invalid("responses are not accepted", out),
        Some(method) if method.kind == Kind::String && !message.is_answer => {}
        _ => return invalid("`method` must be a string", out),
    }
    let id = match message.id {
        Id::Absent => {
            return Handled::Responded(match header.legacy_version(false) {
                Err(failure) if !header.is_modern() => refuse(context, None, failure, out),
                _ => ignore(context, out),
            });
        }
        Id::Invalid => return invalid("`id` must be a string or an integer", out),
        Id::Text(id) => id,
    };
    let kind = match version::kind(header, message) {
        Ok(kind) => kind,
        Err(failure) => return Handled::Responded(refuse(context, Some(id), failure, out)),
    };
    let start = out.len();
    let handled = match kind {
        ProtocolKind::Modern => modern(context, header, message, id, out),
        ProtocolKind::Legacy(version) => legacy(context, version, message, id, out),
    };
    handled.unwrap_or_else(|failure| {
        out.truncate(start);
        let version = match kind {
            ProtocolKind::Modern => MODERN,
            ProtocolKind::Legacy(version) => version,
        };
        Handled::Responded(fail(context, Some(version), Some(id), &failure, out))
    })
}

/// What needs no answer, unless there are too many of it.
fn ignore(context: &Context<'_>, out: &mut Vec<u8>) -> Responded {
    if let Err(failure) = admit_message(context) {
        return fail(context, None, None, &failure, out);
    }
    context.answered(None, AnswerKind::Notification, 0);
    Responded::Nothing
}

/// The order of the checks is part of the protocol.
fn modern<'a>(
    context: &Context<'a>,
    header: VersionHeader<'a>,
    message: &Message<'a>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Handled<'a>, Failure> {
    let checked = version::check_modern(header, message)
        .and_then(|()| headers::check_routing(&context.head.headers, message));
    checked.map_err(|failure| counted(context, failure))?;
    if message.is_method("tools/call") {
        return call::begin(context, MODERN, message, id, out);
    }
    admit_message(context)?;
    let start = out.len();
    let mut responded = Responded::Message(200);
    let kind = if message.is_method("tools/list") {
        list::respond(context, MODERN, message, id, out)?;
        AnswerKind::List
    } else if message.is_method("server/discover") {
        lifecycle::discover(context, id, out);
        AnswerKind::Discover
    } else if message.is_method("subscriptions/listen") {
        responded = Responded::Stream(Box::new(listen::respond(context, message, id)?));
        AnswerKind::Stream
    } else {
        return Err(unknown_method(message));
    };
    context.answered(Some(MODERN), kind, out.len() - start);
    Ok(Handled::Responded(responded))
}

fn legacy<'a>(
    context: &Context<'a>,
    version: ProtocolVersion,
    message: &Message<'a>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Handled<'a>, Failure> {
    if message.is_method("tools/call") {
        return call::begin(context, version, message, id, out);
    }
    admit_message(context)?;
    let start = out.len();
    let kind = if message.is_method("tools/list") {
        list::respond(context, version, message, id, out)?;
        AnswerKind::List
    } else if message.is_method("initialize") {
        lifecycle::initialize(context, message, id, out)?;
        AnswerKind::Initialize
    } else if message.is_method("ping") {
        lifecycle::ping(id, out);
        AnswerKind::Ping
    } else {
        return Err(unknown_method(message));
    };
    context.answered(Some(version), kind, out.len() - start);
    Ok(Handled::Responded(Responded::Message(200)))
}

fn unknown_method(message: &Message<'_>) -> Failure {
    let mut buffer = String::new();
    Failure::UnknownMethod(message.method.map_or("", |method| method.unescaped(&mut buffer)).to_owned())
}

/// Appends an error about a message that was not admitted yet.
fn refuse(context: &Context<'_>, id: Option<&str>, failure: Failure, out: &mut Vec<u8>) -> Responded {
    fail(context, None, id, &counted(context, failure), out)
}

/// Appends an error. Its status depends on the revision that the request speaks, if that is known.
fn fail(
    context: &Context<'_>,
    version: Option<ProtocolVersion>,
    id: Option<&str>,
    failure: &Failure,
    out: &mut Vec<u8>,
) -> Responded {
    let status = if version == Some(MODERN) { failure.modern_status() } else { failure.legacy_status() };
    context.refused(version, failure, status);
    write_rpc(id, failure, out);
    Responded::Refused { status, header: failure.header() }
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
