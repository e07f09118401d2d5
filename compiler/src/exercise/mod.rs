//! Runs tools without an edge: tests, trials, and a mock of their upstreams.

#[cfg(feature = "dev")]
pub mod mock;
pub mod placeholders;
pub mod testing;
pub mod trial;
