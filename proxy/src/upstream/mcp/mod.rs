//! MCP servers: connections to them, and what is known of each.
//!
//! ```text
//! Connector ─connect→ Connection ─handshake→ Opened      one supervisor for each server opens and reopens (`server`)
//! request ─→ Connection ─→ the text of one JSON-RPC message, which `shape` reads
//! ```
//!
//! Streamable HTTP does without a connection of its own: its calls are requests like those of other HTTP upstreams.

pub(crate) mod call;
pub mod client;
mod connection;
mod events;
mod failure;
mod handshake;
pub(crate) mod http;
mod incoming;
mod listing;
mod message;
mod mirror;
mod news;
pub(crate) mod pin;
pub(crate) mod server;
pub(crate) mod servers;
mod sse;
pub(crate) mod stdio;
mod supervisor;
#[cfg(test)]
mod tests;
pub(crate) mod tool;
mod waiting;

pub(crate) use connection::{BoxFuture, Connection, Connector, Event, Notices, Outgoing};
pub use events::EventKind;
pub use events::EventReader;
pub use failure::{McpCode, McpFailure};
pub use handshake::Opened;
pub(crate) use incoming::Incoming;
pub(crate) use message::next_id;
pub use server::{State, Status};
pub(crate) use sse::SseConnector;
pub(crate) use supervisor::Supervised;
pub(crate) use waiting::{Reaction, Waiting};
