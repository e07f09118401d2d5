//! Key files.

use crate::files::disk;
use anyhow::Context;
use ed25519_dalek::{SigningKey, VerifyingKey};
use mcp_bundle::format::key_text::{self, KeyError};
use std::path::Path;

/// A key is one line; a longer file is something else.
const MAX_KEY_BYTES: u64 = 4096;

pub fn read_secret(path: &Path) -> anyhow::Result<SigningKey> {
    key_text::read_secret(&read(path)?).with_context(|| format!("`{}` cannot sign", disk::display(path)))
}

/// A public key: its text, or a file with it. The file of a secret key works too.
pub fn read_public(text_or_path: &str) -> anyhow::Result<VerifyingKey> {
    if let Ok(key) = key_text::read_public(text_or_path) {
        return Ok(key);
    }
    let text = read(Path::new(text_or_path))?;
    match key_text::read_public(&text) {
        Err(KeyError::SecretKey) => Ok(key_text::read_secret(&text)?.verifying_key()),
        other => other.with_context(|| format!("`{text_or_path}` cannot be used as a key")),
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let name = disk::display(path);
    let context = || format!("key `{name}` cannot be read");
    let plain = |error: std::io::Error| anyhow::anyhow!(disk::plain(&error));
    if std::fs::metadata(path).map_err(plain).with_context(context)?.len() > MAX_KEY_BYTES {
        anyhow::bail!("`{name}` is too long for a key; `mcpc keygen` makes one");
    }
    let bytes = std::fs::read(path).map_err(plain).with_context(context)?;
    String::from_utf8(bytes).ok().with_context(|| format!("`{name}` is not a key"))
}
