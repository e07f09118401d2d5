//! Servers that a bundle may come from, played by a script.

#[cfg(feature = "buckets")]
mod bucket;
mod registry;
mod support;
mod web;
