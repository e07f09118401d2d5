//! MCP servers whose tools become specs: what they list, the specs written of that, and how far the two have drifted apart.
//!
//! ```text
//! server ─list→ ListedTool ─choose, name→ draft ─check→ spec file       `mcpc import`
//! spec ─plan→ definition ─compare with what the server lists→ changes   `mcpc lock`
//! ```
//!
//! What a server says is hostile until a person has reviewed it: it is bounded, written so that it cannot leave its
//! string, and judged by the same check as any spec.

mod choice;
mod compare;
mod draft;
mod listed;
mod live;
mod names;
mod preset;
mod repin;
mod server;
mod write;

pub use choice::by_name;
pub use compare::{Change, Comparison, Finding, Part, State, compare};
pub use draft::{Draft, DraftError, check_server, draft};
pub use listed::{ListedTool, Unusable, read_all};
pub use live::{
    Call, Failure, Listed, NoValue, NotListed, PATIENCE, Programs, Task, call, expanded, explained, list,
    listing_advice,
};
pub use names::server_name;
pub use preset::{PRESETS, Preset};
pub use repin::{NotRepinned, repin};
pub use server::{
    BadServer, Reach, ServerKey, ServerSource, has_variable, header, http_url, variable, variable_name,
};
pub use write::{Origin, seconds, server_spec, tool_text};

#[cfg(test)]
mod tests;
