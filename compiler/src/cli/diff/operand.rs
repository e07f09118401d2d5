//! What is compared: a bundle, specs, or a revision of either in git.
//!
//! [`Operand::of`] is the one place that decides what a text names.

use crate::check::{Report, check};
use crate::cli::{Streams, read_bundle, shown};
use crate::diff::semver::Version;
use crate::files::disk::{self, Disk};
use crate::files::git::GitFiles;
use crate::files::{Files, Input, ReadError};
use crate::render::{TextFormat, render_limited};
use anyhow::Context;
use mcp_bundle::format::{self, MAGIC, Trust};
use mcp_bundle::plan::Contents;
use mcp_sources::Location;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One of the two sides, ready to be compared.
#[derive(Debug)]
pub struct Loaded {
    /// As it was typed.
    pub name: String,
    pub contents: Contents,
    /// Of specs, not of bundles.
    pub report: Option<Report>,
}

enum Operand<'t> {
    /// A file or a URL.
    Bundle(&'t Path),
    Specs(&'t Path),
    Git {
        rev: &'t str,
        path: &'t str,
    },
}

impl<'t> Operand<'t> {
    fn of(text: &'t str) -> anyhow::Result<Operand<'t>> {
        if let Some(revision) = text.strip_prefix("git:") {
            let (rev, path) = revision.split_once(':').unwrap_or((revision, ""));
            return Ok(Operand::Git { rev, path });
        }
        let path = Path::new(text);
        if Location::find(text).is_some() {
            return Ok(Operand::Bundle(path));
        }
        anyhow::ensure!(
            path.as_os_str() != "-",
            "standard input cannot be compared; give the path of a file"
        );
        Ok(if is_bundle(path) { Operand::Bundle(path) } else { Operand::Specs(path) })
    }
}

impl Loaded {
    /// Reads one side. `None` if its specs have errors, which are printed.
    pub fn read(text: &str, streams: &mut Streams) -> anyhow::Result<Option<Loaded>> {
        match Operand::of(text)? {
            Operand::Bundle(path) => Ok(Some(Loaded::of_bundle(&shown(path), &read_bundle(path)?)?)),
            Operand::Specs(path) => {
                let input = disk::discover(&[PathBuf::from(path)], None)?;
                Loaded::of_specs(text, &input, &Disk, streams)
            }
            Operand::Git { rev, path } => {
                let files = GitFiles::open(rev, path)?;
                match files.bytes() {
                    Some(Ok(bytes)) if bytes.starts_with(&MAGIC) => {
                        Ok(Some(Loaded::of_bundle(text, &bytes)?))
                    }
                    Some(Err(ReadError::Unreadable(why))) => anyhow::bail!("`{text}` cannot be read: {why}"),
                    _ => Loaded::of_specs(text, &files.input()?, &files, streams),
                }
            }
        }
    }

    /// The side of a check that is done.
    pub fn of_report(name: &str, contents: Contents) -> Loaded {
        Loaded { name: name.to_owned(), contents, report: None }
    }

    fn of_bundle(text: &str, bytes: &[u8]) -> anyhow::Result<Loaded> {
        let bundle = format::read(bytes, &Trust::Any).with_context(|| format!("`{text}` cannot be read"))?;
        Ok(Loaded { name: text.to_owned(), contents: bundle.contents, report: None })
    }

    fn of_specs(
        text: &str,
        input: &Input,
        files: &dyn Files,
        streams: &mut Streams,
    ) -> anyhow::Result<Option<Loaded>> {
        let mut report = check(input, files);
        let Some(contents) = report.contents.take() else {
            render_limited(TextFormat::Human.into(), &report, streams.err_color, &mut streams.err)?;
            writeln!(streams.err, "error: `{text}` cannot be compared before its errors are fixed")?;
            return Ok(None);
        };
        Ok(Some(Loaded { name: text.to_owned(), contents, report: Some(report) }))
    }

    /// The version that its `mcpc.toml` has, or had.
    pub fn version(&self) -> Option<Version> {
        self.contents.version()?.parse().ok()
    }
}

/// Whether a file begins like a bundle, or is called like one.
fn is_bundle(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let is_magic = path.is_file()
        && std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == MAGIC;
    is_magic || path.extension().is_some_and(|extension| extension == "mcpk")
}
