//! Arguments in, an upstream request out.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed helper is a failed test"
)]

mod built;
mod bytes;
mod hardening;
mod lenient;
mod messages;
mod oracle;
mod problems;
mod properties;
mod requests;
mod support;
