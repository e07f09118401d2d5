//! `mcpc verify`

use super::keys_file;
use super::{Outcome, Streams, counted, read_bundle, shown};
use mcp_bundle::format::{self, Trust, key_id};
use std::path::PathBuf;

/// Check that a bundle is intact, and who signed it
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The bundle: a file, or `https://…`, `oci://…`, `s3://…`, `gs://…` or `az://…`
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Require a signature by this public key (its text or a file); of several keys, one is enough
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let keys: Vec<_> =
        arguments.key.iter().map(|key| keys_file::read_public(key)).collect::<anyhow::Result<_>>()?;
    let bytes = read_bundle(&arguments.bundle)?;
    let name = shown(&arguments.bundle);
    let trust = if keys.is_empty() { Trust::Any } else { Trust::AnyOf(&keys) };
    let bundle = match format::read(&bytes, &trust) {
        Ok(bundle) => bundle,
        Err(error) => {
            writeln!(streams.err, "error: `{name}`: {error}")?;
            return Ok(Outcome::Failed);
        }
    };
    let tools = counted(bundle.contents.tools.len(), "tool");
    writeln!(streams.out, "ok         {name}: {tools}")?;
    writeln!(streams.out, "revision   {}", bundle.revision)?;
    for signer in &bundle.signers {
        let trusted = if keys.contains(signer) { "trusted" } else { "not checked against a trusted key" };
        writeln!(streams.out, "signed by  {} ({trusted})", key_id(signer))?;
    }
    if bundle.signers.is_empty() {
        writeln!(streams.out, "signed by  no one")?;
    }
    Ok(Outcome::Clean)
}
