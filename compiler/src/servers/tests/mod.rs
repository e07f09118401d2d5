//! Specs of servers, from what a server lists to what the compiler plans.

mod drafts;
mod repins;

use super::{Draft, ListedTool, Origin, Reach, ServerSource, draft, read_all};
use mcp_bundle::wire_enums::Transport;
use serde_json::Value;

fn source() -> ServerSource {
    ServerSource {
        name: Some("wiki".into()),
        title: None,
        reach: Reach::Url {
            transport: Transport::Http,
            url: "https://mcp.example.com/mcp".into(),
            headers: Vec::new(),
            auth: None,
            timeout_ms: None,
        },
    }
}

fn origin() -> Origin {
    Origin { server: "Wiki 1.0".into(), revision: "2025-11-25".into() }
}

fn listed(tools: &[Value]) -> Vec<ListedTool> {
    let texts: Vec<String> = tools.iter().map(Value::to_string).collect();
    read_all(texts.iter().map(String::as_str)).0
}

fn drafted(tools: &[Value]) -> Draft {
    draft(&source(), "wiki", "wiki", &origin(), listed(tools)).unwrap()
}
