//! Messages between the edge and an MCP server, around what specs and examples say of them.

use crate::language::json::Json;
use crate::language::variables::TextPart;

/// The id of a message where any will do.
pub const MESSAGE_ID: u64 = 0;

/// The response with a result, which an example gives.
pub fn response(result: &[u8]) -> Vec<u8> {
    let before = format!(r#"{{"jsonrpc":"2.0","id":{MESSAGE_ID},"result":"#);
    [before.as_bytes(), result, b"}"].concat()
}

/// The request that calls a tool.
pub fn call(tool: &str, arguments: Option<Vec<TextPart>>) -> Vec<TextPart> {
    let tool = Json::string(tool).to_text();
    let before = format!(
        r#"{{"jsonrpc":"2.0","id":{MESSAGE_ID},"method":"tools/call","params":{{"name":{tool},"arguments":"#
    );
    let mut parts = vec![TextPart::Literal(before)];
    parts.extend(arguments.unwrap_or_else(|| vec![TextPart::Literal("{}".to_owned())]));
    parts.push(TextPart::Literal("}}".to_owned()));
    parts
}
