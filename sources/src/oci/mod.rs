//! A bundle that is an artifact of an OCI registry.

mod artifact;
pub mod challenge;
pub mod manifest;
mod push;
mod registry;

pub use artifact::Artifact;
pub use push::push;

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The digest of bytes, as registries write it.
fn digest_of(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
