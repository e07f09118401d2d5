//! The answer of an MCP server: a JSON-RPC response in, the members of a result out.
//!
//! | the response | the result |
//! |---|---|
//! | a result | its blocks as they came, or what `response_template` makes of it |
//! | a result with `isError` | the same, still an error; or what `error_template` makes of it |
//! | a result that asks for input | the same for callers whose revision has it, else an error |
//! | an `error`, or anything else | an error: what the server says, or what is wrong with the response |
//!
//! It is scanned once and then copied: large results cost hardly more than that. What a caller's revision does not know
//! (audio, links to resources) is written in a form that it does.

mod code;
mod reply;
mod surrogates;

pub use code::McpCode;

use super::content::Content;
use super::failure::bounded;
use super::media::MediaType;
use super::success::{check, write_json};
use super::uri::Uri;
use super::{Answer, Scratch, ShapeContext, ShapeFailure, Shaped, Structured};
use crate::json::{self, Kind, ScanError, ScanErrorKind, Scanner, Value};
use crate::template::{Ambient, Trace};
use reply::{Reply, RpcError, ToolResult};

/// Bytes of a response that cannot be used which a result shows.
const MAX_SHOWN: usize = 8 << 10;
const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;

/// Why the response of an MCP server is no good result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpFault {
    /// It is not JSON, or its result is not one of a tool.
    Unreadable(String),
    /// It is no response to the request.
    NotTheResponse(&'static str),
    /// The server refused the call.
    Refused { code: Option<i64>, message: String },
    /// The tool failed; its result says why.
    ToolFailed,
    /// The server asks for something that the caller cannot give.
    InputRequired,
}

impl McpFault {
    pub fn code(&self) -> McpCode {
        match self {
            McpFault::Unreadable(_) => McpCode::ParseError,
            McpFault::NotTheResponse(_) | McpFault::InputRequired => McpCode::ProtocolError,
            McpFault::Refused { code: Some(METHOD_NOT_FOUND), .. } => McpCode::ToolNotFound,
            // The protocol has one code for both.
            McpFault::Refused { code: Some(INVALID_PARAMS), message } if names_unknown_tool(message) => {
                McpCode::ToolNotFound
            }
            McpFault::Refused { code: Some(INVALID_PARAMS), .. } => McpCode::InvalidParams,
            McpFault::Refused { .. } | McpFault::ToolFailed => McpCode::ExecutionError,
        }
    }

    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            McpFault::Unreadable(_) => "mcp_unreadable",
            McpFault::NotTheResponse(_) => "mcp_not_the_response",
            McpFault::Refused { .. } => "mcp_refused",
            McpFault::ToolFailed => "mcp_tool_failed",
            McpFault::InputRequired => "mcp_input_required",
        }
    }

    /// The message for the model that called.
    pub(super) fn words(&self) -> String {
        match self {
            McpFault::Unreadable(reason) => {
                format!("The response of the MCP server cannot be read: {reason}.")
            }
            McpFault::NotTheResponse(reason) => {
                format!("The MCP server did not answer as the protocol demands: {reason}.")
            }
            McpFault::Refused { message, .. } => format!("The MCP server refused the call: {message}"),
            McpFault::ToolFailed => "The tool failed.".to_owned(),
            McpFault::InputRequired => {
                "The MCP server asks for more input, which this client cannot be asked for.".to_owned()
            }
        }
    }
}

/// As SDKs put it: `Unknown tool: x`, `Tool x not found`.
fn names_unknown_tool(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    message.contains("tool") && ["unknown", "not found", "no such"].iter().any(|word| message.contains(word))
}

/// Appends the members of the result. `id` is that of the request.
pub(super) fn write(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    id: u64,
    ambient: &Ambient,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Shaped {
    let repaired;
    let mut read = reply::read(answer.body, call.limits.depth);
    if let Err(ScanError { kind: ScanErrorKind::LoneSurrogate, .. }) = read {
        repaired = surrogates::replaced(answer.body);
        read = reply::read(&repaired, call.limits.depth);
    }
    let reply = match read {
        Ok(reply) => reply,
        Err(error) => return fail(call, answer, McpFault::Unreadable(error.to_string()), out),
    };
    match reply {
        Reply { is_ambiguous: true, .. } => {
            fail(call, answer, McpFault::NotTheResponse("it is not one response"), out)
        }
        Reply { id: found, .. } if !found.is_some_and(|found| is_id(found, id)) => {
            fail(call, answer, McpFault::NotTheResponse("it is the response to another request"), out)
        }
        Reply { error: Some(error), .. } => refused(call, &error, out),
        Reply { result: Some(result), .. } => {
            self::result(call, answer, &result, ambient, scratch, trace, out)
        }
        Reply { .. } => fail(call, answer, McpFault::NotTheResponse("it is not one response"), out),
    }
}

/// We send numbers; some servers answer with the same digits as a string.
fn is_id(found: Value<'_>, id: u64) -> bool {
    let digits = match found.kind {
        Kind::Number => found.text,
        Kind::String => found.raw(),
        _ => return false,
    };
    digits.parse() == Ok(id)
}

fn refused(call: &ShapeContext<'_>, error: &RpcError<'_>, out: &mut Vec<u8>) -> Shaped {
    let mut buffer = String::new();
    let message = error.message.map_or("it did not say why", |message| message.unescaped(&mut buffer));
    let fault = McpFault::Refused { code: error.code, message: bounded(&message) };
    let failure = ShapeFailure::Mcp(fault);
    let mut content = Content::new(out);
    content.text(&call.words(&failure));
    content.end_error();
    Shaped::failed(failure)
}

fn result(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    result: &ToolResult<'_>,
    ambient: &Ambient,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Shaped {
    if result.input_required {
        return input_required(call, answer, result, out);
    }
    let fault = result.fault.clone().or_else(|| {
        let missing = result.content.is_none().then_some("`result` has no `content`");
        missing.map(str::to_owned)
    });
    let Some(blocks) = result.content.filter(|_| fault.is_none()) else {
        return fail(call, answer, McpFault::Unreadable(fault.unwrap_or_default()), out);
    };
    let response = &call.tool.response;
    let template = match result.is_error {
        true => response.error_template.map(|index| ("error_template", index)),
        false => response.template.map(|index| ("response_template", index)),
    };
    let is_object = match response.output_schema.filter(|_| !result.is_error) {
        None => result.structured.map(|structured| structured.kind == Kind::Object),
        Some(index) => {
            let data = result.structured.map_or("", |structured| structured.text);
            match check(call, index, data, data) {
                Ok(is_object) => Some(is_object),
                Err(failure) => return fail_with(call, answer, failure, out),
            }
        }
    };
    let start = out.len();
    let mut rendered = false;
    if let Some((key, index)) = template {
        let Scratch { template, selection, .. } = scratch;
        let data = data(result, blocks, selection, call.limits.depth);
        let mut content = Content::new(out);
        let written = content.text_with(|out| {
            let before = out.len();
            call.render(index, data, ambient, template, trace, out)?;
            rendered = !result.is_error || out.len() > before;
            Ok(())
        });
        match written {
            Ok(()) if rendered => drop(content.end()),
            // A template that has nothing to say leaves it to the server.
            Ok(()) => out.truncate(start),
            Err(error) => {
                out.truncate(start);
                return fail_with(call, answer, ShapeFailure::Template { key, error }, out);
            }
        }
    }
    if !rendered {
        write_blocks(call, result, blocks, out);
    }
    let mut shaped = Shaped::good(None);
    if result.is_error {
        out.extend_from_slice(b",\"isError\":true");
        shaped = Shaped::failed(ShapeFailure::Mcp(McpFault::ToolFailed));
    }
    // What a template replaces is the whole result, unless the tool promises structured content.
    let is_kept = !rendered || response.output_schema.is_some();
    if let Some(structured) = result.structured.filter(|_| is_kept && !result.is_error) {
        let start = out.len();
        out.extend_from_slice(b",\"structuredContent\":");
        write_json(structured.text, out);
        shaped.structured = is_object.map(|is_object| Structured { start, is_object });
    }
    shaped.meta.clone_from(&result.meta);
    shaped
}

/// What a template sees: the structured content, or the first text, as JSON where it is that.
fn data<'a>(result: &ToolResult<'a>, blocks: &'a str, buffer: &'a mut String, depth: usize) -> &'a str {
    if let Some(structured) = result.structured {
        return structured.text;
    }
    let text_of = |block: Value<'a>| member(block, "text").filter(|_| is_type(block, "text"));
    let Some(token) = json::elements(Value::of_valid(blocks)).find_map(text_of) else { return "null" };
    buffer.clear();
    json::unescape(token.raw(), buffer);
    let mut scanner = Scanner::of_text(buffer, depth);
    let is_json = scanner.value().is_ok() && scanner.finish().is_ok();
    if is_json { buffer } else { token.text }
}

fn write_blocks(call: &ShapeContext<'_>, result: &ToolResult<'_>, blocks: &str, out: &mut Vec<u8>) {
    let (limits, longest) = (call.limits, call.text_limit());
    let is_plain = (limits.audio || !result.has_audio)
        && (limits.resource_links || !result.has_links)
        && result.longest_text <= longest;
    if is_plain {
        out.extend_from_slice(b"\"content\":");
        return write_json(blocks, out);
    }
    let mut content = Content::new(out);
    let (mut buffer, mut other) = (String::new(), String::new());
    for block in json::elements(Value::of_valid(blocks)) {
        let text = |name: &str| member(block, name);
        if let Some(text) = text("text").filter(|text| text.raw().len() > longest && is_type(block, "text")) {
            content.cut_text(text.unescaped(&mut buffer), longest);
        } else if !limits.audio && is_type(block, "audio") {
            let uri = Uri { tool: call.name(), location: None, part: None };
            let media = text("mimeType").map(|media| media.unescaped(&mut buffer)).unwrap_or_default();
            let data = text("data").map(|data| data.unescaped(&mut other)).unwrap_or_default();
            content.encoded_blob(&uri, &MediaType::of(Some(media)), data);
        } else if !limits.resource_links && is_type(block, "resource_link") {
            let name = text("name").map(|name| name.unescaped(&mut buffer)).unwrap_or_default();
            let uri = text("uri").map(|uri| uri.unescaped(&mut other)).unwrap_or_default();
            content.text(&format!("{name}: {uri}"));
        } else {
            content.item(|out| write_json(block.text, out));
        }
    }
    content.end();
}

/// The string of that name in a block.
fn member<'a>(block: Value<'a>, name: &str) -> Option<Value<'a>> {
    let found = json::members(block).find(|(key, value)| key.is_text(name) && value.kind == Kind::String);
    found.map(|(_, value)| value)
}

fn is_type(block: Value<'_>, name: &str) -> bool {
    member(block, "type").is_some_and(|kind| kind.is_text(name))
}

/// What the server asks for, for callers who can be asked.
fn input_required(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    result: &ToolResult<'_>,
    out: &mut Vec<u8>,
) -> Shaped {
    let ToolResult { input_requests, request_state, .. } = result;
    if !call.limits.input_required || (input_requests.is_none() && request_state.is_none()) {
        return fail(call, answer, McpFault::InputRequired, out);
    }
    let parts = [("\"inputRequests\":", input_requests), ("\"requestState\":", request_state)];
    let mut is_first = true;
    for (name, value) in parts {
        let Some(value) = value else { continue };
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        out.extend_from_slice(name.as_bytes());
        write_json(value, out);
    }
    let meta = result.meta.clone();
    Shaped { input_required: true, meta, ..Shaped::good(None) }
}

fn fail(call: &ShapeContext<'_>, answer: &Answer<'_>, fault: McpFault, out: &mut Vec<u8>) -> Shaped {
    fail_with(call, answer, ShapeFailure::Mcp(fault), out)
}

/// A result that says what went wrong, and then the raw response.
fn fail_with(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    failure: ShapeFailure,
    out: &mut Vec<u8>,
) -> Shaped {
    let mut content = Content::new(out);
    content.text(&call.words(&failure));
    let limit = call.text_limit().min(MAX_SHOWN);
    // A character that the limit cuts is shown as a replacement, like one that is none.
    let shown = answer.body.get(..limit).unwrap_or(answer.body);
    if !shown.is_empty() {
        let mut raw = String::from_utf8_lossy(shown).into_owned();
        if shown.len() < answer.body.len() {
            raw.push_str(&format!("… ({} more bytes)", answer.body.len() - shown.len()));
        }
        content.text(&raw);
    }
    content.end_error();
    Shaped::failed(failure)
}
