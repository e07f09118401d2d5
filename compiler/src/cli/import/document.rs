//! Imports of documents: what their commands share.

use crate::cli::{Outcome, Streams, counted};
use crate::files::disk;
use crate::import::fidelity::{About, ReportFormat};
use crate::import::output::{self, File};
use crate::import::{Finished, Imported, document, finish};
use anyhow::Context;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

/// The document, and where the specs go.
#[derive(Debug, clap::Args)]
pub struct Document {
    /// The document, JSON or YAML; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub source: PathBuf,
    /// Folder of the specs
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    /// Print the fidelity report, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How to print the fidelity report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

impl Document {
    /// What messages and comments call the document.
    pub fn name(&self) -> String {
        match self.is_stdin() {
            true => "standard input".to_owned(),
            false => self.source.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The file's name without its ending, for a spec that has no better name.
    pub fn stem(&self) -> Option<String> {
        let stem = self.source.file_stem().filter(|_| !self.is_stdin())?;
        Some(stem.to_string_lossy().into_owned())
    }

    fn is_stdin(&self) -> bool {
        self.source.as_os_str() == "-"
    }

    /// The bytes of the document.
    pub fn read(&self) -> anyhow::Result<Vec<u8>> {
        if self.is_stdin() {
            return bounded(std::io::stdin().lock()).context("standard input cannot be read");
        }
        let text = self.source.to_string_lossy();
        anyhow::ensure!(
            !(text.starts_with("https://") || text.starts_with("http://")),
            "an import reads files and nothing from the network; download it first: \
             `curl -fsSL {text} | mcpc import … -`"
        );
        let name = disk::display(&self.source);
        let read = || {
            // Before it is opened: opening a pipe waits until someone writes to it.
            let metadata = std::fs::metadata(&self.source).map_err(|e| anyhow::anyhow!(disk::plain(&e)))?;
            anyhow::ensure!(!metadata.is_dir(), "it is a folder");
            anyhow::ensure!(metadata.is_file(), "it is a pipe or a device; `-` reads standard input");
            anyhow::ensure!(metadata.len() <= document::MAX_BYTES as u64, too_long(metadata.len()));
            let file = std::fs::File::open(&self.source).map_err(|e| anyhow::anyhow!(disk::plain(&e)))?;
            bounded(file)
        };
        read().with_context(|| format!("`{name}` cannot be read"))
    }
}

/// Checks what an importer made, writes it, and prints the report.
pub fn write(
    format: &str,
    imported: Imported<'_>,
    arguments: &Document,
    streams: &mut Streams,
) -> anyhow::Result<Outcome> {
    let Finished { files, fidelity, tools, warnings } = finish(imported);
    let source = arguments.name();
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let counts: Vec<usize> = files.iter().map(|file| file.tools).collect();
    let about = About { format, source: &source, tools, files: &names };
    let files: Vec<File> = files.into_iter().map(|file| File { name: file.name, text: file.text }).collect();
    if !arguments.dry_run {
        output::write_all(&arguments.output, &files, arguments.force)?;
    }
    fidelity.write(&about, arguments.format, &mut streams.out)?;
    let notes = match arguments.format {
        ReportFormat::Text => &mut streams.out,
        ReportFormat::Json => &mut streams.err,
    };
    if tools.imported == 0 {
        writeln!(notes, "\nno tool could be imported, so nothing was written")?;
        return Ok(Outcome::Failed);
    }
    writeln!(notes)?;
    for (name, count) in names.iter().zip(counts) {
        let wrote = if arguments.dry_run { "would write" } else { "wrote" };
        let path = disk::display(&arguments.output.join(name));
        writeln!(notes, "{wrote} {path}: {}", counted(count, "tool"))?;
    }
    write_warnings(&warnings, notes)?;
    if !arguments.dry_run {
        let folder = disk::display(&arguments.output);
        writeln!(notes, "review the tools, then run `mcpc check {folder}` and `mcpc test {folder}`")?;
    }
    Ok(if tools.refused > 0 { Outcome::Failed } else { Outcome::Clean })
}

fn write_warnings(
    warnings: &BTreeMap<&'static str, usize>,
    out: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    let each: Vec<String> = warnings.iter().map(|(rule, number)| format!("{rule} {number}")).collect();
    writeln!(out, "warnings of `mcpc check`: {}", each.join(", "))
}

fn bounded(from: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = document::MAX_BYTES as u64;
    from.take(limit + 1).read_to_end(&mut bytes).map_err(|error| anyhow::anyhow!(disk::plain(&error)))?;
    anyhow::ensure!(bytes.len() as u64 <= limit, too_long(bytes.len() as u64));
    Ok(bytes)
}

fn too_long(bytes: u64) -> String {
    let limit = document::MAX_BYTES >> 20;
    format!("it has {} MiB or more; an import reads at most {limit} MiB", bytes >> 20)
}

/// The document as values, or what is wrong with its text.
pub fn parsed<T>(arguments: &Document, read: Result<T, document::DocumentError>) -> anyhow::Result<T> {
    read.map_err(|error| anyhow::anyhow!("`{}` cannot be read: {error}", arguments.name()))
}
