//! The tools of a server: all pages of `tools/list`.

use super::handshake::{Opened, ask_text};
use super::message::text_member;
use super::{Connection, McpCode, McpFailure};
use mcp_bundle::json::{self, Kind, MAX_DEPTH, Scanner, Value};
use std::time::Instant;

/// Of one page.
const MOST_BYTES: usize = 16 << 20;
/// Of a list. A server that goes on has a fault, or means harm.
const MOST_PAGES: usize = 100;
const MOST_TOOLS: usize = 10_000;

/// The JSON text of each tool, in the server's order.
pub(super) async fn list_tools(
    connection: &dyn Connection,
    opened: &Opened,
    deadline: Instant,
) -> Result<Vec<Box<str>>, McpFailure> {
    let mut tools = Vec::new();
    let mut params = String::new();
    for _ in 0..MOST_PAGES {
        let page =
            ask_text(connection, "tools/list", &params, Some(opened.version), deadline, MOST_BYTES).await?;
        match read(&page, &mut tools)? {
            None => return Ok(tools),
            Some(cursor) => params = text_member("cursor", &cursor),
        }
        if tools.len() > MOST_TOOLS {
            break;
        }
    }
    Err(wrong("the server's list of tools does not end"))
}

/// Takes the tools of a page; gives the cursor of the next one.
fn read(page: &[u8], tools: &mut Vec<Box<str>>) -> Result<Option<String>, McpFailure> {
    let scanned = Scanner::new(page, MAX_DEPTH).and_then(|mut scanner| {
        let value = scanner.value()?;
        scanner.finish()?;
        Ok(value)
    });
    let message = scanned.map_err(|error| {
        McpFailure::new(McpCode::ParseError, format!("the server's list of tools is not JSON: {error}"))
    })?;
    let Some(result) = member(message, "result") else {
        let said = member(message, "error").and_then(|error| member(error, "message"));
        let said =
            said.map_or(String::new(), |said| said.unescaped(&mut String::new()).chars().take(200).collect());
        return Err(wrong(&format!("the server does not list its tools: {said}")));
    };
    let list = member(result, "tools").filter(|tools| tools.kind == Kind::Array);
    let list = list.ok_or_else(|| wrong("the server's list of tools has no array `tools`"))?;
    tools.extend(json::elements(list).map(|tool| Box::from(tool.text)));
    let cursor = member(result, "nextCursor").filter(|cursor| cursor.kind == Kind::String);
    Ok(cursor.map(|cursor| cursor.unescaped(&mut String::new()).to_owned()))
}

fn member<'a>(object: Value<'a>, name: &str) -> Option<Value<'a>> {
    json::members(object).find(|(key, _)| key.is_text(name)).map(|(_, value)| value)
}

fn wrong(reason: &str) -> McpFailure {
    McpFailure::new(McpCode::ProtocolError, reason)
}
