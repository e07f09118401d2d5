//! The MCP servers in `GET /status`.

use super::status_json::time;
use crate::upstream::mcp::server::Server;
use crate::upstream::mcp::{State, Supervised};
use serde_json::{Value, json};
use std::sync::Arc;

/// Each server by its name, with its tools that are not what was reviewed.
pub fn of(servers: &[Arc<Supervised>]) -> Value {
    servers.iter().map(|supervised| server(&supervised.server)).collect()
}

fn server(server: &Server) -> Value {
    let status = server.status();
    let about = match &status.state {
        State::Connected(opened) => json!({
            "name": opened.name,
            "version": opened.server_version,
            "revision": opened.version.as_str(),
            "capabilities": serde_json::from_str::<Value>(&opened.capabilities).unwrap_or_default(),
        }),
        _ => Value::Null,
    };
    let error = match &status.state {
        State::Error(failure) => json!({
            "code": failure.code.as_str(),
            "message": failure.told(),
            "advice": failure.code.advice(),
        }),
        _ => Value::Null,
    };
    let drift = server.pins().into_iter().filter(|pin| pin.has_drifted()).map(|pin| {
        json!({
            "tool": pin.tool,
            "mcp_tool": pin.name,
            "verdict": pin.verdict().as_str(),
            "refused": pin.is_refused(),
            "difference": pin.difference(),
        })
    });
    json!({
        "upstream": server.name,
        "state": status.state.as_str(),
        "since": time(Some(status.since)),
        "server": about,
        "error": error,
        "reconnects": server.reconnects(),
        "drift": drift.collect::<Value>(),
    })
}
