//! `mcpc keygen`

use super::keys_file;
use super::{Outcome, Streams};
use crate::files::disk;
use anyhow::Context;
use ed25519_dalek::SigningKey;
use mcp_bundle::format::key_id;
use mcp_bundle::format::key_text;
use std::path::PathBuf;

/// Make a key to sign bundles with, or print its public part
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where to write the secret key, readable only by you; the public key goes to FILE.pub
    #[arg(short, long, value_name = "FILE", required_unless_present = "public", conflicts_with = "public")]
    output: Option<PathBuf>,
    /// Print the public key of this key file
    #[arg(long, value_name = "KEY")]
    public: Option<String>,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    if let Some(key) = &arguments.public {
        let key = keys_file::read_public(key)?;
        writeln!(streams.out, "{}", key_text::write_public(&key))?;
        return Ok(Outcome::Clean);
    }
    let path = arguments.output.as_ref().context("`--output` is missing")?;
    let mut public_path = path.clone().into_os_string();
    public_path.push(".pub");
    let public_path = PathBuf::from(public_path);
    for file in [path, &public_path] {
        if file.exists() {
            anyhow::bail!(
                "`{}` already exists; keys are never overwritten, choose another name",
                disk::display(file)
            );
        }
    }
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
    let key = SigningKey::from_bytes(&seed);
    let public = key_text::write_public(&key.verifying_key());
    write(path, &format!("{}\n", key_text::write_secret(&key)), true)?;
    write(&public_path, &format!("{public}\n"), false)?;
    writeln!(streams.out, "secret key  {} (keep it to yourself)", disk::display(path))?;
    writeln!(streams.out, "public key  {public}")?;
    writeln!(streams.out, "key id      {}", key_id(&key.verifying_key()))?;
    Ok(Outcome::Clean)
}

fn write(path: &std::path::Path, text: &str, private: bool) -> anyhow::Result<()> {
    disk::write_atomically(path, text.as_bytes(), private)
        .map_err(|error| anyhow::anyhow!(disk::plain(&error)))
        .with_context(|| format!("`{}` cannot be written", disk::display(path)))
}
