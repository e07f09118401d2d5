//! `mcpc push`

use super::progress::Progress;
use super::{Outcome, Streams, grouped, read_bundle, remote, shown};
use anyhow::Context;
use mcp_bundle::format::{self, Trust, key_text};
use mcp_sources::{Facts, Location};
use std::path::PathBuf;

/// Upload a signed bundle to a registry or an object store, for edges to fetch
///
/// Nothing is sent if it is there already. Credentials are looked up where `docker login` and the command lines of clouds
/// keep them, or in variables: see docs/SHIPPING.md.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The bundle
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Where to: `oci://HOST/REPOSITORY:TAG`, `s3://BUCKET/KEY`, `gs://BUCKET/KEY` or `az://CONTAINER/KEY`
    #[arg(value_name = "URL")]
    to: String,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let to = Location::find(&arguments.to).with_context(|| {
        format!("`{}` is not a URL: write `oci://…`, `s3://…`, `gs://…` or `az://…`", arguments.to)
    })?;
    let to = remote::location(to)?;
    let bytes = read_bundle(&arguments.bundle)?;
    let name = shown(&arguments.bundle);
    let bundle = match format::read(&bytes, &Trust::Any) {
        Ok(bundle) => bundle,
        Err(error) => {
            writeln!(streams.err, "error: `{name}`: {error}")?;
            return Ok(Outcome::Failed);
        }
    };
    if bundle.signers.is_empty() {
        writeln!(streams.err, "error: `{name}` is not signed, and edges take nothing else from a network")?;
        writeln!(streams.err, "help: build it with `--sign KEY`; `mcpc keygen` makes a key")?;
        return Ok(Outcome::Failed);
    }
    let facts = Facts {
        name: bundle.contents.strings.get(bundle.contents.manifest.name).to_owned(),
        revision: bundle.revision.to_string(),
        tools: bundle.contents.tools.len(),
        signers: bundle.signers.iter().map(key_text::write_public).collect(),
    };
    let bar = Progress::of_bytes(bytes.len() as u64);
    let pushed = mcp_sources::push(&to, &bytes, &facts, &remote::options(), &mut |sent| bar.at(sent));
    drop(bar);
    let pushed = pushed?;
    let out = &mut streams.out;
    let done = if pushed.was_there { "is there" } else { "pushed" };
    writeln!(out, "{done:<11}{to}")?;
    if let Some(digest) = &pushed.version.digest {
        writeln!(out, "digest     {digest}")?;
    }
    if let Some(etag) = &pushed.version.etag {
        writeln!(out, "etag       {etag}")?;
    }
    writeln!(out, "revision   {}", facts.revision)?;
    writeln!(out, "tools      {}", grouped(facts.tools))?;
    writeln!(out, "bytes      {}", grouped(bytes.len()))?;
    writeln!(out, "signed by  {}", facts.signers.join(", "))?;
    let keys: Vec<String> = facts.signers.iter().map(|key| format!("\"{key}\"")).collect();
    writeln!(out, "\nPut this at the top of edge.toml:\n")?;
    writeln!(out, "bundle      = \"{to}\"")?;
    writeln!(out, "bundle_copy = \"{}.last-good.mcpk\"", to.stem())?;
    writeln!(out, "keys        = [{}]", keys.join(", "))?;
    Ok(Outcome::Clean)
}
