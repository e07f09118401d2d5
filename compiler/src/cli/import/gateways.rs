//! Imports of the configurations of other gateways.

use super::document::{self, Document};
use crate::cli::{Outcome, Streams};
use crate::import;
use crate::import::gateways::{Importer, Source};
use anyhow::Context;

pub fn run(
    format: &str,
    importer: Importer,
    arguments: &Document,
    streams: &mut Streams,
) -> anyhow::Result<Outcome> {
    let (name, stem) = (arguments.name(), arguments.stem());
    let tree = document::parsed(arguments, import::document::read(&arguments.read()?))?;
    let imported = importer(&Source { name: &name, stem: stem.as_deref() }, &tree)
        .with_context(|| format!("`{name}` cannot be imported as {format}"))?;
    document::write(format, imported, arguments, streams)
}
