//! Who is compared, what each is asked, and what it must answer.

use super::connection::{Question, ask_once};
use super::servers::{FILE, Role, Servers};
use super::size::Size;
use super::spec::{CACHED_TOOL, LIMITED_TOOL, TOOLS, mcp_tool, raw_tool, template_tool};
use crate::AnyError;
use crate::credentials::Credentials;
use crate::render::Theirs;
use serde_json::Value;

/// What is measured against the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Contender {
    /// The upstream itself: what generator and upstream can do at most
    Direct,
    /// nginx with `proxy_pass`
    Nginx,
    /// A bare `ProxyHttp` of Pingora
    Passthrough,
    /// `tools/call` of `mcp-edge`, the answer handed on as it is
    Call,
    /// `tools/call` of `mcp-edge` with a template
    Template,
    /// As `call`, with an API key
    CallKey,
    /// As `call`, with a JWT that was seen before
    CallJwt,
    /// As `call`, from the cache
    CallCached,
    /// As `call`, with metrics off and only errors logged
    CallOff,
    /// As `call`, with all that can be on: an API key, rates of tenant and tool, audit log, metrics that are scraped once a
    /// second, log
    CallOn,
    /// `tools/call` of `mcp-edge`, the tool being one of an MCP server
    Mcp,
    /// nginx with `proxy_pass` to that server: the same POST
    NginxPost,
    /// A small proxy of the Rust SDK's server and client, to that server
    RmcpProxy,
    /// The same call by hand: axum, hyper's client, serde_json
    AxumHyper,
    /// The same call with the Rust SDK and reqwest
    Rmcp,
    /// The same call with FastMCP and httpx, on uvicorn
    #[value(name = "fastmcp")]
    FastMcp,
    /// The same call with the TypeScript SDK and undici
    #[value(name = "typescript")]
    TypeScript,
    /// `tools/list` of `mcp-edge`, 20 tools
    List,
    /// nginx with the bytes of that list as a file
    NginxFile,
}

impl Contender {
    pub const fn name(self) -> &'static str {
        match self {
            Contender::Direct => "direct",
            Contender::Nginx => "nginx `proxy_pass`",
            Contender::Passthrough => "Pingora pass-through",
            Contender::Call => "`mcp-edge`, raw",
            Contender::Template => "`mcp-edge`, template",
            Contender::CallKey => "`mcp-edge`, raw, API key",
            Contender::CallJwt => "`mcp-edge`, raw, JWT",
            Contender::CallCached => "`mcp-edge`, raw, from the cache",
            Contender::CallOff => "`mcp-edge`, raw, all off",
            Contender::CallOn => "`mcp-edge`, raw, all on",
            Contender::Mcp => "`mcp-edge`, MCP server",
            Contender::NginxPost => "nginx `proxy_pass`, POST",
            Contender::RmcpProxy => "rmcp, server and client",
            Contender::AxumHyper => "axum + hyper",
            Contender::Rmcp => "rmcp + reqwest",
            Contender::FastMcp => "FastMCP",
            Contender::TypeScript => "TypeScript SDK",
            Contender::List => "`mcp-edge`, `tools/list`",
            Contender::NginxFile => "nginx, the list as a file",
        }
    }

    /// Who answers.
    pub const fn role(self) -> Role {
        match self {
            Contender::Direct => Role::Upstream,
            Contender::Nginx | Contender::NginxPost | Contender::NginxFile => Role::Nginx,
            Contender::Passthrough => Role::Passthrough,
            Contender::Call
            | Contender::Template
            | Contender::CallCached
            | Contender::Mcp
            | Contender::List => Role::Edge,
            Contender::CallKey | Contender::CallJwt => Role::EdgeAuth,
            Contender::CallOff => Role::EdgeOff,
            Contender::CallOn => Role::EdgeOn,
            Contender::RmcpProxy => Role::RmcpProxy,
            Contender::AxumHyper => Role::AxumHyper,
            Contender::Rmcp => Role::Rmcp,
            Contender::FastMcp => Role::FastMcp,
            Contender::TypeScript => Role::TypeScript,
        }
    }

    /// Asks once, makes sure that the answer holds what it must, and expects its status and length from then on.
    pub async fn question(self, servers: &Servers, size: Size) -> Result<Question, AnyError> {
        let credentials = &servers.credentials;
        if self == Contender::NginxFile {
            let request = Contender::List.request(size, credentials);
            let (_, list) = ask_once(servers.get(Role::Edge)?.address, &request).await?;
            std::fs::write(servers.folder.path().join(FILE), list)?;
        }
        let address = servers.get(self.role())?.address;
        let request = self.request(size, credentials);
        if self == Contender::CallCached {
            // The first answer comes from the upstream.
            ask_once(address, &request).await?;
        }
        let asked = ask_once(address, &request).await;
        let (status, body) = asked.map_err(|error| format!("{}: {error}", self.name()))?;
        if status != 200 || !self.is_right(&body, size)? {
            let start: String = String::from_utf8_lossy(&body).chars().take(400).collect();
            return Err(format!("{}: wrong answer, status {status}: {start}", self.name()).into());
        }
        // Its age begins with one digit.
        let longer = if self == Contender::CallCached { 4 } else { 0 };
        Ok(Question { address, request, status, length: body.len(), longer })
    }

    fn request(self, size: Size, credentials: &Credentials) -> Vec<u8> {
        match self {
            Contender::Direct | Contender::Nginx | Contender::Passthrough => {
                get(&format!("{}user%2042", size.path()))
            }
            Contender::Template => call(&template_tool(size), USUAL),
            Contender::CallKey => call(&raw_tool(size), &credentials.api_key),
            Contender::CallJwt => call(&raw_tool(size), &credentials.token),
            Contender::CallOn => call(LIMITED_TOOL, &credentials.api_key),
            Contender::CallCached => call(CACHED_TOOL, USUAL),
            Contender::Mcp => call(&mcp_tool(size), USUAL),
            Contender::List => post("tools/list", "{}", USUAL),
            Contender::NginxFile => get(&format!("/{FILE}")),
            _ => call(&raw_tool(size), USUAL),
        }
    }

    fn is_right(self, body: &[u8], size: Size) -> Result<bool, AnyError> {
        let case = size.case();
        if matches!(self, Contender::Direct | Contender::Nginx | Contender::Passthrough) {
            return Ok(body == case.body.as_bytes());
        }
        let answer: Value = serde_json::from_slice(body)?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        Ok(match self {
            Contender::List | Contender::NginxFile => {
                let tools = answer.pointer("/result/tools").and_then(Value::as_array);
                tools.is_some_and(|tools| tools.len() == TOOLS)
            }
            Contender::Template => {
                let mut expected = Vec::new();
                let rendered = Theirs::new(case.handlebars)?.render(case.body.as_bytes(), &mut expected);
                rendered && text == Some(serde_json::from_slice::<String>(&expected)?.as_str())
            }
            Contender::CallCached => {
                let hit = answer.pointer("/result/_meta/mcp-edge~1cache/hit").and_then(Value::as_bool);
                hit == Some(true) && text == Some(case.body.as_str())
            }
            _ => text == Some(case.body.as_str()),
        })
    }
}

/// The credential where none is looked at: those that only hand on get it too.
const USUAL: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// What clients send with every request.
fn headers(credential: &str) -> String {
    format!(
        "Host: localhost\r\nUser-Agent: mcp-client/1.0\r\nAccept: application/json, text/event-stream\r\n\
         Authorization: Bearer {credential}\r\nMCP-Protocol-Version: 2025-06-18\r\n"
    )
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{}\r\n", headers(USUAL)).into_bytes()
}

fn call(tool: &str, credential: &str) -> Vec<u8> {
    let params = format!("{{\"name\":\"{tool}\",\"arguments\":{{\"id\":\"user 42\"}}}}");
    post("tools/call", &params, credential)
}

fn post(method: &str, params: &str, credential: &str) -> Vec<u8> {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":\"{method}\",\"params\":{params}}}");
    let (length, headers) = (body.len(), headers(credential));
    format!("POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_text_is_right() {
        let answer = |text: &str| {
            let content = serde_json::json!([{ "type": "text", "text": text }]);
            serde_json::json!({ "result": { "content": content, "more": 1 } }).to_string().into_bytes()
        };
        let right = answer(&Size::Small.case().body);
        let wrong = answer(&Size::Small.case().body.replace("Ada", "ada"));
        for contender in [Contender::Call, Contender::CallOn, Contender::AxumHyper, Contender::FastMcp] {
            assert!(contender.is_right(&right, Size::Small).expect("JSON"));
            assert!(!contender.is_right(&wrong, Size::Small).expect("JSON"));
        }
        assert!(!Contender::Template.is_right(&right, Size::Small).expect("JSON"));
        // It does not say that it was kept.
        assert!(!Contender::CallCached.is_right(&right, Size::Small).expect("JSON"));
        assert!(!Contender::List.is_right(&right, Size::Small).expect("JSON"));
        assert!(!Contender::Nginx.is_right(&right, Size::Small).expect("a comparison"));
    }
}
