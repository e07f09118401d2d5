//! The edge's answers, without sockets.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails should stop"
)]

mod calls;
mod identity;
mod interfaces;
mod legacy;
mod lists;
mod modern;
mod mutated;
mod observe;
mod paths;
mod rest;
mod streams;
mod support;
