//! What we say to servers, beside the calls of tools.

use crate::protocol::MODERN;
use mcp_bundle::json::write_string;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who we are.
pub(super) const CLIENT_INFO: &str =
    concat!(r#"{"name":"mcp-edge","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// Ids of one thread; the number of the thread is above these bits. All of them are exact as JavaScript's numbers.
const ID_BITS: u32 = 40;
const THREADS: u64 = 1 << (53 - ID_BITS);

/// An id that no other request of this process has.
pub(crate) fn next_id() -> u64 {
    static THREAD: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NEXT: Cell<u64> = Cell::new((THREAD.fetch_add(1, Ordering::Relaxed) % THREADS) << ID_BITS);
    }
    NEXT.with(|next| next.replace(next.get().wrapping_add(1)))
}

/// A request. `params` are members without braces.
pub(super) fn request(id: u64, method: &str, params: &str, version: Option<ProtocolVersion>) -> Vec<u8> {
    let meta = match version {
        Some(MODERN) => modern_meta("{}"),
        _ => String::new(),
    };
    let comma = if params.is_empty() || meta.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{params}{comma}{meta}}},"id":{id}}}"#)
        .into_bytes()
}

/// The member `_meta` of a request of the stateless revision, without its closing brace removed.
fn modern_meta(capabilities: &str) -> String {
    format!(r#""_meta":{{{}}}"#, meta_members(capabilities))
}

/// What each request of the stateless revision says of its client.
pub(super) fn meta_members(capabilities: &str) -> String {
    format!(
        r#""io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientInfo":{CLIENT_INFO},"io.modelcontextprotocol/clientCapabilities":{capabilities}"#,
        MODERN.as_str()
    )
}

/// The parameters of `initialize`.
pub(super) fn initialize(version: ProtocolVersion) -> String {
    format!(r#""protocolVersion":"{}","capabilities":{{}},"clientInfo":{CLIENT_INFO}"#, version.as_str())
}

pub(super) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Tells a server that nobody waits for the answer to a request any more.
pub(crate) fn cancelled(id: u64) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the caller gave up"}}}}"#)
        .into_bytes()
}

/// A member with a text, without a comma.
pub(super) fn text_member(name: &str, value: &str) -> String {
    let mut out = format!("\"{name}\":").into_bytes();
    write_string(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}
