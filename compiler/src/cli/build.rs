//! `mcpc build`

use super::keys_file;
use super::{Outcome, Specs, Streams, check::outcome, counted, grouped};
use crate::check::check;
use crate::files::disk::{self, Disk};
use crate::publish::bundle_view::BundleView;
use crate::render::{TextFormat, render_limited};
use anyhow::Context;
use mcp_bundle::format;
use std::path::PathBuf;

/// Check the specs and write them into one bundle
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// The bundle to write, `*.mcpk`
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Sign the bundle with this key file (see `mcpc keygen`); repeatable
    #[arg(long, value_name = "KEY")]
    sign: Vec<PathBuf>,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<super::check::Deny>,
    /// Refuse to build what breaks this bundle, folder or `git:REV:PATH`, unless `version` in
    /// `mcpc.toml` says so (see `mcpc diff`)
    #[arg(long, value_name = "OLD")]
    against: Option<String>,
    /// How to print findings
    #[arg(long, value_enum, default_value_t = TextFormat::Human)]
    format: TextFormat,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let keys: Vec<_> =
        arguments.sign.iter().map(|path| keys_file::read_secret(path)).collect::<anyhow::Result<_>>()?;
    let input = arguments.specs.discover()?;
    disk::refuse_output(&arguments.output, &input)?;
    let report = check(&input, &Disk);
    let outcome = outcome(&report, arguments.deny.is_some());
    if !report.diagnostics.is_empty() {
        render_limited(arguments.format.into(), &report, streams.err_color, &mut streams.err)?;
    }
    if outcome != Outcome::Clean {
        return Ok(outcome);
    }
    let contents = report.contents.as_ref().context("specs without errors have a plan")?;
    if let Some(old) = &arguments.against {
        let outcome = super::diff::against(old, contents, streams)?;
        if outcome != Outcome::Clean {
            return Ok(outcome);
        }
    }
    let mut bytes = format::write(contents).map_err(|error| anyhow::anyhow!(error.to_string()))?;
    for key in &keys {
        bytes = format::sign(bytes, key)?;
    }
    let bundle = format::read(&bytes, &format::Trust::Any)?;
    let name = disk::display(&arguments.output);
    disk::write_atomically(&arguments.output, &bytes, false)
        .map_err(|error| anyhow::anyhow!(disk::plain(&error)))
        .with_context(|| format!("`{name}` cannot be written"))?;

    let out = &mut streams.out;
    let toolsets = bundle.contents.manifest.toolsets.len();
    writeln!(out, "wrote      {name}")?;
    writeln!(out, "revision   {}", bundle.revision)?;
    let tools = bundle.contents.tools.len();
    writeln!(out, "tools      {} in {}", grouped(tools), counted(toolsets, "toolset"))?;
    writeln!(out, "bytes      {}", grouped(bytes.len()))?;
    writeln!(
        out,
        "tokens     about {} for the whole list",
        grouped(BundleView::new(&bundle, bytes.len()).tokens)
    )?;
    for key in &keys {
        writeln!(out, "signed by  {}", format::key_id(&key.verifying_key()))?;
    }
    let variables: Vec<&str> = bundle.contents.variable_names().collect();
    if !variables.is_empty() {
        writeln!(out, "needs      {}", variables.join(", "))?;
    }
    Ok(Outcome::Clean)
}
