//! End-to-end tests, and the vocabulary they are written in: spec text → bundle → edge on a real
//! socket → a scripted upstream.
//!
//! ```text
//! let world = World::new(SPEC);
//! world.upstream.answers(json(r#"{"id":1}"#));
//! assert_eq!(world.call("get_order", json!({"id": 1})).text(), r#"{"id":1}"#);
//! assert_eq!(world.upstream.request(0).line(), "GET /orders/1 HTTP/1.1");
//! ```
//!
//! Nothing here waits without a deadline, and everything stops when it is dropped.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

mod client;
mod process;
mod script;
mod served;
#[cfg(target_os = "linux")]
mod terminal;
mod upstream;
mod world;

pub use client::{Answer, Client, get, legacy, modern, post};
pub use process::{Process, binary, build, mcp_edge, start, start_with_files};
pub use script::{Script, answer, echo, json, raw, reply};
pub use served::{Served, tools_of};
#[cfg(target_os = "linux")]
pub use terminal::Terminal;
pub use upstream::{Request, Upstream};
pub use world::{TOKEN, World, call, spec};

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Longer than anything here takes: a test that waits this long has failed.
pub const LONG: Duration = Duration::from_secs(20);

/// Writes a file that only its owner can read, as keys must be.
pub fn write_private(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
