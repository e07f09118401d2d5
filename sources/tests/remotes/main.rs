//! Servers that a bundle may come from, played by a script.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

#[cfg(feature = "buckets")]
mod bucket;
mod registry;
mod support;
mod web;
