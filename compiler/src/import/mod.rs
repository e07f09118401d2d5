//! Documents and configurations of others that become specs.

pub mod again;
pub mod document;
