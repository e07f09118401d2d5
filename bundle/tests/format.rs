//! The bundle file: what is written can be read, and nothing else can.

#[path = "format/container.rs"]
mod container;
#[path = "format/documented.rs"]
mod documented;
#[path = "format/requests.rs"]
mod requests;
#[path = "format/rules.rs"]
mod rules;
#[path = "format/signatures.rs"]
mod signatures;
#[path = "format/support.rs"]
mod support;
