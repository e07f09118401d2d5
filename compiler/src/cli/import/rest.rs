//! `mcpc import higress` and `mcpc import unla`: gateways whose requests are Go templates.

use super::document::{self, Document};
use crate::cli::{Outcome, Streams};
use crate::import::{Imported, document as source, higress, unla};
use anyhow::Context;

/// Write specs for the tools of a Higress MCP server
///
/// Reads the plugin's configuration, YAML or JSON, also inside `WasmPlugin` resources. Templates stay Go templates. Settings
/// (`.config`) become variables.
#[derive(Debug, clap::Args)]
pub struct Higress {
    #[command(flatten)]
    document: Document,
}

/// Write specs for the tools of Unla, one for each of its servers
///
/// Reads a configuration of the gateway, YAML or JSON. Templates stay Go templates. Settings (`.Config`) and `env` become
/// variables.
#[derive(Debug, clap::Args)]
pub struct Unla {
    #[command(flatten)]
    document: Document,
}

pub fn higress(arguments: &Higress, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let document = &arguments.document;
    let documents = document::parsed(document, higress::read(&document.read()?))?;
    let imported = higress::import(&documents, &document.name(), document.stem().as_deref());
    write("higress", imported, document, streams)
}

pub fn unla(arguments: &Unla, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let document = &arguments.document;
    let read = document::parsed(document, source::read(&document.read()?))?;
    let imported = unla::import(&read, &document.name(), document.stem().as_deref());
    write("unla", imported, document, streams)
}

fn write(
    format: &str,
    imported: Result<Imported<'_>, String>,
    document: &Document,
    streams: &mut Streams,
) -> anyhow::Result<Outcome> {
    let imported = imported
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("`{}` cannot be imported", document.name()))?;
    document::write(format, imported, document, streams)
}
