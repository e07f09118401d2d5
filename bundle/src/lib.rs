//! The contract between `mcpc`, which writes bundles, and `mcp-edge`, which serves them.
//!
//! A bundle is plans, not configuration: everything that can be decided before a request arrives is
//! decided in it. This crate holds the format ([`mod@format`]), what is in it ([`plan`]), and the pure part
//! of a call: a message is taken apart ([`envelope`]), its tool found ([`bind::PreparedTools`]), its arguments turned into
//! an upstream request ([`bind`]) and the answer into a result ([`shape`]).
//!
//! It does no IO, reads no clock and no environment, holds no `unsafe`, and never panics on input.

pub mod bind;
pub mod definition;
pub mod difference;
pub mod envelope;
pub mod format;
pub mod json;
pub mod origin;
pub mod plan;
pub mod shape;
pub mod strings;
pub mod template;
pub mod wire_enums;
