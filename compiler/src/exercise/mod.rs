//! Runs tools without an edge: examples, tests, trials, and a mock of their upstreams.

pub mod examples;
#[cfg(feature = "dev")]
pub mod mock;
pub mod placeholders;
pub mod testing;
pub mod trial;
