//! The edge proxy: loads a bundle and serves its tools.
//!
//! It parses no tool spec, no template and no pattern that the compiler has not already accepted.
//!
//! ```text
//! bundle bytes ─load→ Bundle ─build→ Catalog ─activate→ Edge          (one atomic swap)
//! head ─route→ Endpoint, body ─answer→ Reply or EventStream            (Edge: no sockets)
//! connection ─transport→ head, body … reply → connection               (Pingora's listeners and streams)
//! ```

pub mod activation;
pub mod admin;
pub mod call;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod edge;
pub mod mcp;
pub mod process;
pub mod proxy_http;
pub mod request;
mod rest;
mod runtime;
pub mod settings;
pub mod telemetry;
pub mod transport;
pub mod upstream;

pub use activation::{LoadError, load};
pub use edge::Edge;
pub use transport::service;
