//! Who is compared, what each is asked, and what it must answer.

use super::process::Server;
use super::round::{Question, ask_once};
use super::servers::{FILE, Servers};
use super::size::Size;
use super::spec::{TOOLS, raw_tool, template_tool};
use crate::Failure;
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
    /// `tools/list` of `mcp-edge`, 20 tools
    List,
    /// nginx with the bytes of that list as a file
    NginxFile,
}

impl Contender {
    pub const ALL: [Contender; 7] = [
        Contender::Direct,
        Contender::Nginx,
        Contender::Passthrough,
        Contender::Call,
        Contender::Template,
        Contender::List,
        Contender::NginxFile,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Contender::Direct => "direct",
            Contender::Nginx => "nginx `proxy_pass`",
            Contender::Passthrough => "Pingora pass-through",
            Contender::Call => "`tools/call`, raw",
            Contender::Template => "`tools/call`, template",
            Contender::List => "`tools/list`, 20 tools",
            Contender::NginxFile => "nginx, the list as a file",
        }
    }

    /// `None` if it is not installed.
    pub fn server(self, servers: &Servers) -> Option<&Server> {
        match self {
            Contender::Direct => Some(&servers.upstream),
            Contender::Nginx | Contender::NginxFile => servers.nginx.as_ref(),
            Contender::Passthrough => Some(&servers.passthrough),
            Contender::Call | Contender::Template | Contender::List => Some(&servers.edge),
        }
    }

    /// Asks once, makes sure that the answer holds what it must, and expects its status and length from then on.
    pub async fn question(self, servers: &Servers, size: Size) -> Result<Option<Question>, Failure> {
        let Some(server) = self.server(servers) else { return Ok(None) };
        if self == Contender::NginxFile {
            let request = Contender::List.request(size);
            let (_, list) = ask_once(servers.edge.address, &request).await?;
            std::fs::write(servers.folder.path().join(FILE), list)?;
        }
        let request = self.request(size);
        let (status, body) = ask_once(server.address, &request).await?;
        if status != 200 || !self.is_right(&body, size)? {
            let start: String = String::from_utf8_lossy(&body).chars().take(400).collect();
            return Err(format!("{}: wrong answer, status {status}: {start}", self.name()).into());
        }
        Ok(Some(Question { address: server.address, request, status, length: body.len() }))
    }

    fn request(self, size: Size) -> Vec<u8> {
        let call = |tool: String| {
            let params = format!("{{\"name\":\"{tool}\",\"arguments\":{{\"id\":\"user 42\"}}}}");
            post("tools/call", &params)
        };
        match self {
            Contender::Direct | Contender::Nginx | Contender::Passthrough => {
                get(&format!("{}user%2042", size.path()))
            }
            Contender::Call => call(raw_tool(size)),
            Contender::Template => call(template_tool(size)),
            Contender::List => post("tools/list", "{}"),
            Contender::NginxFile => get(&format!("/{FILE}")),
        }
    }

    fn is_right(self, body: &[u8], size: Size) -> Result<bool, Failure> {
        let case = size.case();
        if matches!(self, Contender::Direct | Contender::Nginx | Contender::Passthrough) {
            return Ok(body == case.body.as_bytes());
        }
        let answer: Value = serde_json::from_slice(body)?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        Ok(match self {
            Contender::Call => text == Some(case.body.as_str()),
            Contender::Template => {
                let mut expected = Vec::new();
                let rendered = Theirs::new(case.handlebars)?.render(case.body.as_bytes(), &mut expected);
                rendered && text == Some(serde_json::from_slice::<String>(&expected)?.as_str())
            }
            _ => {
                let tools = answer.pointer("/result/tools").and_then(Value::as_array);
                tools.is_some_and(|tools| tools.len() == TOOLS)
            }
        })
    }
}

/// What clients send with every request; those that only hand on get it too.
const HEADERS: &str = "Host: localhost\r\nUser-Agent: mcp-client/1.0\r\nAccept: application/json, text/event-stream\r\n\
    Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789\r\nMCP-Protocol-Version: 2025-06-18\r\n";

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{HEADERS}\r\n").into_bytes()
}

fn post(method: &str, params: &str) -> Vec<u8> {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":\"{method}\",\"params\":{params}}}");
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\n{HEADERS}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
