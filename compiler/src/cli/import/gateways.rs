//! Imports of the configurations of other gateways.

use super::document::{self, Document};
use crate::cli::{Outcome, Streams};
use crate::files::disk;
use crate::import;
use crate::import::Ledger;
use crate::import::gateways::wrapped::{self, Reader, Target, Wanted};
use crate::import::gateways::{Importer, Source};
use crate::language::json::Json;
use anyhow::Context;
use std::path::{Component, Path, PathBuf};

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

/// The configuration of a gateway that reads OpenAPI documents
///
/// These are read from files, beside the configuration or where `--openapi` says, and never from the network.
#[derive(Debug, clap::Args)]
pub struct Wrapped {
    #[command(flatten)]
    document: Document,
    /// The OpenAPI document of the first target that names a URL; repeatable, for the next ones
    #[arg(long, value_name = "FILE")]
    openapi: Vec<PathBuf>,
}

pub fn run_wrapped(
    format: &str,
    reader: Reader,
    arguments: &Wrapped,
    streams: &mut Streams,
) -> anyhow::Result<Outcome> {
    let document = &arguments.document;
    let (name, stem) = (document.name(), document.stem());
    let tree = document::parsed(document, import::document::read(&document.read()?))?;
    let ledger = Ledger::new(&tree);
    let targets =
        reader(&ledger, &tree).with_context(|| format!("`{name}` cannot be imported as {format}"))?;
    let mut given = arguments.openapi.iter();
    let mut documents = Vec::new();
    for target in &targets {
        documents.push(arguments.openapi_of(target, &mut given)?);
    }
    if let Some(more) = given.next() {
        anyhow::bail!("no target is left for `--openapi {}`", disk::display(more));
    }
    let source = Source { name: &name, stem: stem.as_deref() };
    let imported = wrapped::import(&source, format, ledger, &targets, &documents);
    document::write(format, imported, document, streams)
}

impl Wrapped {
    fn openapi_of<'a>(
        &self,
        target: &Target<'_>,
        given: &mut impl Iterator<Item = &'a PathBuf>,
    ) -> anyhow::Result<Json> {
        let of = target.name.as_deref().unwrap_or(&target.place);
        let path = match &target.wanted {
            Wanted::Text(text) => {
                return import::document::read(text.as_bytes())
                    .map_err(|error| anyhow::anyhow!("the OpenAPI document in `{of}` cannot be read: {error}"));
            }
            Wanted::File(file) => self.beside(file, of)?,
            Wanted::Url(url) => given.next().cloned().with_context(|| {
                format!("the OpenAPI document of `{of}` is at {url}, and an import fetches nothing; download it and name it with `--openapi FILE`")
            })?,
        };
        let bytes = document::read_file(&path)?;
        let name = disk::display(&path);
        import::document::read(&bytes).map_err(|error| anyhow::anyhow!("`{name}` cannot be read: {error}"))
    }

    /// A file beside the configuration or below it.
    fn beside(&self, file: &str, of: &str) -> anyhow::Result<PathBuf> {
        let path = Path::new(file);
        let stays = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        anyhow::ensure!(
            stays && !file.is_empty(),
            "the OpenAPI document of `{of}` is `{file}`, which is not in the folder of the configuration; put it there"
        );
        let folder = self.document.source.parent().unwrap_or(Path::new("."));
        Ok(folder.join(path))
    }
}
