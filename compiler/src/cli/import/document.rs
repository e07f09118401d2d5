//! Imports of documents: what their commands share.

use crate::cli::{Outcome, Streams, counted};
use crate::files::disk;
use crate::import::again::folder::{self, Change, Existing};
use crate::import::again::{Fate, Settle};
use crate::import::fidelity::{About, ReportFormat};
use crate::import::output::File;
use crate::import::{Finished, Imported, document, finish};
use anyhow::Context;
use mcp_diagnostics::visible::visible;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The document, and where the specs go.
#[derive(Debug, clap::Args)]
pub struct Document {
    /// The document, JSON or YAML; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub source: PathBuf,
    /// Folder of the specs
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Replace files that are there, and all edits in them
    #[arg(long)]
    force: bool,
    /// Where you and the source changed the same since the last import, take this side
    #[arg(long, value_name = "SIDE", conflicts_with = "force")]
    resolve: Option<Side>,
    /// Print the fidelity report, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How to print the fidelity report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    /// Keep your text
    Mine,
    /// Take the source's text
    Source,
}

impl Document {
    fn existing(&self) -> Existing {
        match (self.force, self.resolve) {
            (true, _) => Existing::Replace,
            (false, None) => Existing::Merge(Settle::Later),
            (false, Some(Side::Mine)) => Existing::Merge(Settle::Mine),
            (false, Some(Side::Source)) => Existing::Merge(Settle::Source),
        }
    }

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
        read_file(&self.source)
    }
}

/// The bytes of a file.
pub fn read_file(source: &Path) -> anyhow::Result<Vec<u8>> {
    let text = source.to_string_lossy();
    anyhow::ensure!(
        !(text.starts_with("https://") || text.starts_with("http://")),
        "an import reads files and nothing from the network; download it first: \
         `curl -fsSL {text} | mcpc import … -`"
    );
    let name = disk::display(source);
    let read = || {
        // Before it is opened: opening a pipe waits until someone writes to it.
        let metadata = std::fs::metadata(source).map_err(|e| anyhow::anyhow!(disk::plain(&e)))?;
        anyhow::ensure!(!metadata.is_dir(), "it is a folder");
        anyhow::ensure!(metadata.is_file(), "it is a pipe or a device; `-` reads standard input");
        anyhow::ensure!(metadata.len() <= document::MAX_BYTES as u64, too_long(metadata.len()));
        let file = std::fs::File::open(source).map_err(|e| anyhow::anyhow!(disk::plain(&e)))?;
        bounded(file)
    };
    read().with_context(|| format!("`{name}` cannot be read"))
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
    let update = folder::plan(&arguments.output, files, arguments.existing())?;
    if !arguments.dry_run {
        update.write(&arguments.output)?;
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
    let mut conflicts = 0;
    for ((name, count), change) in names.iter().zip(counts).zip(&update.changes) {
        let path = disk::display(&arguments.output.join(name));
        conflicts += write_change(&path, count, change, arguments.dry_run, notes)?;
    }
    if conflicts > 0 {
        let what = counted(conflicts, "conflict");
        writeln!(
            notes,
            "{what}: your text stays; edit it, or take one side of all with `--resolve mine` or `--resolve source`"
        )?;
    }
    write_warnings(&warnings, notes)?;
    if !arguments.dry_run {
        let folder = disk::display(&arguments.output);
        writeln!(notes, "review the tools, then run `mcpc check {folder}` and `mcpc test {folder}`")?;
    }
    Ok(if tools.refused > 0 || conflicts > 0 { Outcome::Failed } else { Outcome::Clean })
}

/// Says what becomes of a file; returns how many conflicts it has.
fn write_change(
    path: &str,
    tools: usize,
    change: &Change,
    dry_run: bool,
    out: &mut dyn std::io::Write,
) -> std::io::Result<usize> {
    let (changed, conflicts) = match change {
        Change::New => {
            let wrote = if dry_run { "would write" } else { "wrote" };
            writeln!(out, "{wrote} {path}: {}", counted(tools, "tool"))?;
            return Ok(0);
        }
        Change::Merged { changed, conflicts } => (changed, conflicts),
    };
    let kinds = [
        (Fate::Added, "added"),
        (Fate::Updated, "updated"),
        (Fate::Merged, "merged with your edits"),
        (Fate::Removed, "removed"),
    ];
    let of = |kind: Fate| changed.iter().filter(move |(_, fate)| *fate == kind).count();
    let counts = kinds.map(|(kind, word)| (of(kind), word));
    let parts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    match (parts.is_empty(), dry_run) {
        (true, _) if conflicts.is_empty() => writeln!(out, "unchanged {path}")?,
        (true, _) => {}
        (false, true) => writeln!(out, "would update {path}: {}", parts.join(", "))?,
        (false, false) => writeln!(out, "updated {path}: {}", parts.join(", "))?,
    }
    for conflict in conflicts {
        writeln!(out, "conflict in {path}: {}: {}", conflict.part, conflict.why)?;
        for (side, diff) in [("the source", &conflict.source), ("you", &conflict.mine)] {
            writeln!(out, "  what {side} changed:")?;
            visible(diff).lines().try_for_each(|line| writeln!(out, "    {line}"))?;
        }
    }
    Ok(conflicts.len())
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
