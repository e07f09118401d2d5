//! The edge proxy: loads a bundle and serves its tools.
//!
//! It parses no tool spec, no template and no pattern that the compiler has not already accepted.
//!
//! ```text
//! bundle bytes ─load→ Bundle ─build→ Catalog ─activate→ Edge          (one atomic swap)
//! head ─route, authenticate→ RoutedRequest, body ─answer→ Reply or EventStream   (Edge: no sockets)
//! connection ─transport→ head, body … reply → connection               (Pingora's listeners and streams)
//! ```
//!
//! It runs as a process of its own (`mcp-edge`), as a service of any Pingora `Server`, with listeners of its own:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_edge::{activation::Activation, config::Config};
//! let mut server = pingora_core::server::Server::new(None)?;
//! server.bootstrap();
//! let activation = Activation::start(|| Config::load("edge.toml".as_ref()))?;
//! let mut tools = mcp_edge::service(activation.edge().clone());
//! tools.add_tcp("127.0.0.1:8080");
//! server.add_service(tools);
//! server.add_service(activation.watcher());
//! server.run_forever()
//! # }
//! ```
//!
//! or as a plugin, on the listeners of a Pingora proxy that is there already: [`proxy_http`].

pub mod activation;
pub mod admin;
mod cache;
pub mod call;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod edge;
pub mod jwt;
pub mod limits;
mod mcp;
pub mod observe;
pub mod process;
pub mod programs;
mod protocol;
pub mod proxy_http;
pub mod request;
mod rest;
mod runtime;
pub mod serving;
pub mod settings;
pub mod telemetry;
pub mod tenants;
pub mod transport;
pub mod upstream;

pub use activation::{LoadError, load, load_remote};
pub use edge::Edge;
pub use transport::service;
