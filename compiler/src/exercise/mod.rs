//! Runs tools without an edge: tests, trials, calls of an audit log, and a mock of their upstreams.

mod bytes;
#[cfg(feature = "dev")]
pub mod mock;
pub mod placeholders;
pub mod replay;
pub mod rpc;
pub mod testing;
pub mod trial;
