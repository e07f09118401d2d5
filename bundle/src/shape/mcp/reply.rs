//! A response of an MCP server, from one scan that validates all of it. What it holds are slices of it.

use crate::json::{Kind, ScanError, Scanner, Value};

/// Who the server is, in the `_meta` of its results: callers are told who the edge is instead.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A JSON-RPC response.
#[derive(Debug, Default)]
pub(super) struct Reply<'a> {
    pub id: Option<Value<'a>>,
    pub result: Option<ToolResult<'a>>,
    pub error: Option<RpcError<'a>>,
    /// It is no response: not an object, or a member that matters is there twice.
    pub is_ambiguous: bool,
}

/// What a tool answered.
#[derive(Debug, Default)]
pub(super) struct ToolResult<'a> {
    /// The list of blocks, if it is one.
    pub content: Option<&'a str>,
    /// What is wrong with a block.
    pub fault: Option<String>,
    /// What callers of some revisions do not know.
    pub has_audio: bool,
    pub has_links: bool,
    /// The longest text of a block, as it is written.
    pub longest_text: usize,
    pub structured: Option<Value<'a>>,
    pub is_error: bool,
    /// The members of `_meta` that are for the caller.
    pub meta: Option<String>,
    /// The server asks for something before it goes on.
    pub input_required: bool,
    pub input_requests: Option<&'a str>,
    pub request_state: Option<&'a str>,
}

/// The `error` of a response.
#[derive(Debug, Default)]
pub(super) struct RpcError<'a> {
    pub code: Option<i64>,
    pub message: Option<Value<'a>>,
}

/// Reads a response. An error means that it is not JSON.
pub(super) fn read(message: &[u8], depth: usize) -> Result<Reply<'_>, ScanError> {
    let mut scanner = Scanner::new(message, depth)?;
    let mut reply = Reply::default();
    let mut twice = false;
    if scanner.peek()? == Kind::Object {
        scanner.enter_object()?;
        while let Some(key) = scanner.next_key()? {
            if key.is_text("id") {
                twice |= reply.id.replace(scanner.value()?).is_some();
            } else if key.is_text("result") {
                twice |= reply.result.is_some();
                reply.result = Some(result(&mut scanner)?);
            } else if key.is_text("error") {
                twice |= reply.error.is_some();
                reply.error = Some(error(&mut scanner)?);
            } else {
                scanner.value()?;
            }
        }
    } else {
        scanner.value()?;
        twice = true;
    }
    scanner.finish()?;
    reply.is_ambiguous = twice || reply.result.is_some() == reply.error.is_some();
    Ok(reply)
}

fn error<'a>(scanner: &mut Scanner<'a>) -> Result<RpcError<'a>, ScanError> {
    let mut error = RpcError::default();
    members(scanner, |scanner, key| {
        let value = scanner.value()?;
        if key.is_text("code") {
            error.code = value.text.parse().ok();
        } else if key.is_text("message") {
            error.message = Some(value).filter(|value| value.kind == Kind::String);
        }
        Ok(())
    })?;
    Ok(error)
}

fn result<'a>(scanner: &mut Scanner<'a>) -> Result<ToolResult<'a>, ScanError> {
    let mut result = ToolResult::default();
    let mut seen = 0_u8;
    let mut once = |bit: u8| {
        let is_new = seen & bit == 0;
        seen |= bit;
        is_new
    };
    let mut twice = false;
    let is_object = members(scanner, |scanner, key| {
        if key.is_text("content") {
            twice |= !once(1);
            content(scanner, &mut result)?;
        } else if key.is_text("structuredContent") {
            twice |= !once(2);
            result.structured = Some(scanner.value()?);
        } else if key.is_text("isError") {
            twice |= !once(4);
            result.is_error = scanner.value()?.text == "true";
        } else if key.is_text("_meta") {
            twice |= !once(8);
            result.meta = meta(scanner)?;
        } else if key.is_text("resultType") {
            twice |= !once(16);
            result.input_required = scanner.value()?.is_text("input_required");
        } else if key.is_text("inputRequests") {
            result.input_requests = Some(scanner.value()?.text);
        } else if key.is_text("requestState") {
            result.request_state = Some(scanner.value()?.text);
        } else {
            scanner.value()?;
        }
        Ok(())
    })?;
    if !is_object {
        result.fault = Some("`result` is not an object".to_owned());
    } else if twice {
        result.fault = Some("a member of `result` is there twice".to_owned());
    }
    Ok(result)
}

/// Members but that of the server itself, which need no copy where there are no others.
fn meta(scanner: &mut Scanner<'_>) -> Result<Option<String>, ScanError> {
    let mut kept = None;
    members(scanner, |scanner, key| {
        let value = scanner.value()?;
        if !key.is_text(SERVER_INFO) {
            let kept = kept.get_or_insert_with(String::new);
            if !kept.is_empty() {
                kept.push(',');
            }
            kept.push_str(key.text);
            kept.push(':');
            kept.push_str(value.text);
        }
        Ok(())
    })?;
    Ok(kept)
}

fn content<'a>(scanner: &mut Scanner<'a>, result: &mut ToolResult<'a>) -> Result<(), ScanError> {
    if scanner.peek()? != Kind::Array {
        scanner.value()?;
        result.fault = Some("`content` is not a list".to_owned());
        return Ok(());
    }
    let start = scanner.offset();
    scanner.enter_array()?;
    let mut number = 0_usize;
    while scanner.next_item()? {
        let fault = block(scanner, result)?;
        if let Some(fault) = fault.filter(|_| result.fault.is_none()) {
            result.fault = Some(format!("block {number} of `content` {fault}"));
        }
        number += 1;
    }
    result.content = Some(scanner.since(start));
    Ok(())
}

/// The string members that a block has.
#[derive(Debug, Default)]
struct Block<'a> {
    kind: Option<Value<'a>>,
    text: Option<usize>,
    data: bool,
    mime_type: bool,
    uri: bool,
    name: bool,
    /// `resource` is an object with a URI, and either text or bytes.
    resource: bool,
}

/// What is wrong with the next block.
fn block<'a>(
    scanner: &mut Scanner<'a>,
    result: &mut ToolResult<'a>,
) -> Result<Option<&'static str>, ScanError> {
    let mut block = Block::default();
    let mut twice = false;
    let is_object = members(scanner, |scanner, key| {
        if key.is_text("resource") {
            twice |= block.resource;
            block.resource = resource(scanner)?;
            return Ok(());
        }
        let value = scanner.value()?;
        if value.kind != Kind::String {
            return Ok(());
        }
        if key.is_text("type") {
            twice |= block.kind.replace(value).is_some();
        } else if key.is_text("text") {
            twice |= block.text.replace(value.raw().len()).is_some();
        } else if key.is_text("data") {
            block.data = true;
        } else if key.is_text("mimeType") {
            block.mime_type = true;
        } else if key.is_text("uri") {
            block.uri = true;
        } else if key.is_text("name") {
            block.name = true;
        }
        Ok(())
    })?;
    let Some(kind) = block.kind.filter(|_| is_object && !twice) else {
        return Ok(Some("is no object with one `type`"));
    };
    let is_whole = if kind.is_text("text") {
        result.longest_text = result.longest_text.max(block.text.unwrap_or_default());
        block.text.is_some()
    } else if kind.is_text("image") {
        block.data && block.mime_type
    } else if kind.is_text("audio") {
        result.has_audio = true;
        block.data && block.mime_type
    } else if kind.is_text("resource") {
        block.resource
    } else if kind.is_text("resource_link") {
        result.has_links = true;
        block.uri && block.name
    } else {
        return Ok(Some("has a type that no revision of MCP knows"));
    };
    Ok(if is_whole { None } else { Some("lacks a member that its type needs") })
}

fn resource(scanner: &mut Scanner<'_>) -> Result<bool, ScanError> {
    let (mut uri, mut body) = (false, false);
    members(scanner, |scanner, key| {
        let is_string = scanner.value()?.kind == Kind::String;
        if key.is_text("uri") {
            uri |= is_string;
        } else if key.is_text("text") || key.is_text("blob") {
            body |= is_string;
        }
        Ok(())
    })?;
    Ok(uri && body)
}

/// Goes through the members of the next value; `false` if it is no object.
fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut member: impl FnMut(&mut Scanner<'a>, Value<'a>) -> Result<(), ScanError>,
) -> Result<bool, ScanError> {
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return Ok(false);
    }
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        member(scanner, key)?;
    }
    Ok(true)
}
