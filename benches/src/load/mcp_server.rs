//! The upstream as an MCP server: fixed results, with the id of the request, at next to no cost.

use super::size::Size;
use super::spec::raw_tool;
use memchr::memmem;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{BufRead, Write};

/// The lengths of its results.
pub const SIZES: [Size; 2] = [Size::Small, Size::LongList];

/// The results of its tools.
#[derive(Debug)]
pub struct Results([Tool; SIZES.len()]);

#[derive(Debug)]
struct Tool {
    /// As a request has it: `"name":"get_300"`.
    member: String,
    /// JSON.
    result: String,
}

/// What it says of a tool.
pub fn definition(size: Size) -> Value {
    let id = json!({ "type": "string", "description": "Id of the owner", "maxLength": 64 });
    let schema = json!({ "type": "object", "properties": { "id": id }, "required": ["id"] });
    let description = format!("Gets one record of the size {}, by the id of its owner.", size.label());
    json!({ "name": raw_tool(size), "description": description, "inputSchema": schema })
}

impl Results {
    pub fn new() -> Results {
        Results(SIZES.map(|size| Tool {
            member: format!("\"name\":\"{}\"", raw_tool(size)),
            result: json!({ "content": [{ "type": "text", "text": size.case().body }], "resultType": "complete" })
                .to_string(),
        }))
    }

    /// Appends the answer to a message, head and body; false if it is not known.
    pub fn answer(&self, message: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(id) = id(message) else {
            // A notification.
            out.extend_from_slice(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
            return true;
        };
        let Some(result) = self.result(message) else { return false };
        let around = r#"{"jsonrpc":"2.0","id":,"result":}"#.len();
        let length = around + id.len() + result.len();
        // Writing to a vector cannot fail.
        let _ = write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n\
             {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"
        );
        true
    }

    /// Answers lines of the standard input until that ends.
    pub fn serve_lines(&self) -> std::io::Result<()> {
        let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let (mut line, mut out) = (Vec::new(), Vec::new());
        while input.read_until(b'\n', &mut line)? > 0 {
            if let (Some(id), Some(result)) = (id(&line), self.result(&line)) {
                writeln!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")?;
                output.write_all(&out)?;
                output.flush()?;
            }
            line.clear();
            out.clear();
        }
        Ok(())
    }

    /// The result of a request; `None` if its method is not known.
    fn result(&self, message: &[u8]) -> Option<Cow<'_, str>> {
        let tool = self.0.iter().find(|tool| memmem::find(message, tool.member.as_bytes()).is_some());
        match tool {
            Some(tool) => Some(Cow::Borrowed(&tool.result)),
            None => about_itself(message).map(|about| Cow::Owned(about.to_string())),
        }
    }
}

impl Default for Results {
    fn default() -> Results {
        Results::new()
    }
}

/// The digits of a message's id. Arguments here have ids that are strings.
fn id(message: &[u8]) -> Option<&str> {
    const MEMBER: &[u8] = b"\"id\":";
    memmem::find_iter(message, MEMBER).find_map(|at| {
        let rest = message.get(at + MEMBER.len()..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(rest.get(..digits)?).ok().filter(|digits| !digits.is_empty())
    })
}

/// The results of other methods, which are asked for a few times.
fn about_itself(message: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(message).ok()?;
    let info = json!({ "name": "records", "version": "1" });
    let capabilities = json!({ "tools": {} });
    Some(match message.get("method")?.as_str()? {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
            "_meta": { "io.modelcontextprotocol/serverInfo": info },
        }),
        "initialize" => {
            let version = message.pointer("/params/protocolVersion")?;
            json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": info })
        }
        "tools/list" => json!({ "resultType": "complete", "tools": SIZES.map(definition) }),
        "ping" => json!({}),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(message: &str) -> String {
        let mut out = Vec::new();
        assert!(Results::new().answer(message.as_bytes(), &mut out), "{message}");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn answers_have_the_id_of_the_request() {
        let call =
            r#"{"params":{"name":"get_300","arguments":{"id":"user 42"}},"method":"tools/call","id":77}"#;
        let answer = answer(call);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["id"], 77);
        assert_eq!(body["result"]["content"][0]["text"], Size::Small.case().body.as_str());
    }

    #[test]
    fn it_speaks_both_eras() {
        assert!(answer(r#"{"id":1,"method":"server/discover"}"#).contains("2026-07-28"));
        let old = r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
        assert!(answer(old).contains("2025-06-18"));
        assert!(answer(r#"{"method":"notifications/initialized"}"#).starts_with("HTTP/1.1 202"));
        assert!(!Results::new().answer(br#"{"id":1,"method":"prompts/list"}"#, &mut Vec::new()));
    }
}
