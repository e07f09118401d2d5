//! The edge proxy: loads a bundle and serves its tools.
//!
//! It parses no tool spec, no template and no pattern that the compiler has not already accepted.
//!
//! ```text
//! bundle bytes ─load→ Bundle ─build→ Catalog ─activate→ Edge          (one atomic swap)
//! head ─route→ Endpoint, body ─answer→ Reply or EventStream            (Edge: no sockets)
//! connection ─http→ head, body … reply → connection                    (Pingora's listeners and streams)
//! ```

mod accept;
mod access;
pub mod activation;
pub mod admin;
mod buffers;
mod call;
pub mod caller;
pub mod catalog;
mod cells;
pub mod cli;
mod clock;
pub mod config;
pub mod edge;
pub mod events;
pub mod failure;
pub mod head;
pub mod http;
mod in_flight;
mod load;
pub mod logging;
pub mod mcp;
mod memory;
pub mod metrics;
mod random;
pub mod record;
pub mod reply;
mod rest;
pub mod route;
pub mod server;
pub mod settings;
mod time_limit;
pub mod upstream;

pub use edge::Edge;
pub use http::service;
pub use load::{LoadError, load};
