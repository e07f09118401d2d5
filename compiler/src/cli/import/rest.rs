//! `mcpc import higress` and its like: configurations of gateways.

use super::document::{self, Document};
use crate::cli::{Outcome, Streams};
use crate::import::higress;
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

pub fn higress(arguments: &Higress, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let document = &arguments.document;
    let documents = document::parsed(document, higress::read(&document.read()?))?;
    let name = document.name();
    let imported = higress::import(&documents, &name, document.stem().as_deref())
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("`{name}` cannot be imported"))?;
    document::write("higress", imported, document, streams)
}
