//! `mcpc diff`

pub mod operand;
mod place;
mod print;

use super::{Outcome, Streams};
use crate::diff::{self, Change, Class, semver};
use crate::render::Format;
use operand::Loaded;
use place::Places;

/// Show what changed between two versions of the tools, and what it breaks
///
/// OLD and NEW are bundles (files or URLs), spec files, folders of them, or `git:REV:PATH` for a revision of these in git.
///
/// Exit codes: 0 nothing breaks, 1 something does, 2 could not run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What is served now, such as `git:main:specs` or `old.mcpk`
    #[arg(value_name = "OLD")]
    old: String,
    /// What is to come
    #[arg(value_name = "NEW")]
    new: String,
    /// How to print the changes
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fail on risky changes too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Fail only if `version` in `mcpc.toml` did not move as the changes demand
    #[arg(long, conflicts_with = "deny")]
    semver: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Deny {
    Risky,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let (Some(old), Some(new)) =
        (Loaded::read(&arguments.old, streams)?, Loaded::read(&arguments.new, streams)?)
    else {
        return Ok(Outcome::Incomplete);
    };
    let compared = Compared::new(&old, &new);
    print::write(arguments.format, &compared, &Places::of(&new), streams.out_color, &mut streams.out)?;
    let fails = |class: Class| compared.count(class) > 0;
    let is_failed = match arguments.semver {
        true => !compared.is_declared() && fails(Class::Breaking),
        false => fails(Class::Breaking) || (arguments.deny.is_some() && fails(Class::Risky)),
    };
    Ok(if is_failed { Outcome::Failed } else { Outcome::Clean })
}

/// Both sides and what is different.
pub struct Compared<'l> {
    pub old: &'l Loaded,
    pub new: &'l Loaded,
    pub changes: Vec<Change>,
}

impl<'l> Compared<'l> {
    pub fn new(old: &'l Loaded, new: &'l Loaded) -> Compared<'l> {
        let mut changes = diff::compare(&old.contents, &new.contents);
        if let Some(change) = semver::check(old.version(), new.version(), &changes) {
            changes.insert(0, change);
        }
        Compared { old, new, changes }
    }

    fn count(&self, class: Class) -> usize {
        self.changes.iter().filter(|change| change.class() == class).count()
    }

    /// Whether the version says that something breaks.
    pub fn is_declared(&self) -> bool {
        semver::is_declared(self.old.version(), self.new.version(), &self.changes)
    }
}

/// Compares what is to be built with what was, prints what matters, and says whether the build may go on.
pub fn against(
    old: &str,
    contents: &mcp_bundle::plan::Contents,
    streams: &mut Streams,
) -> anyhow::Result<Outcome> {
    let Some(old) = Loaded::read(old, streams)? else { return Ok(Outcome::Incomplete) };
    let new = Loaded::of_report("the new bundle", contents.clone());
    let compared = Compared::new(&old, &new);
    print::write_grave(&compared, streams.err_color, &mut streams.err)?;
    if compared.count(Class::Breaking) == 0 || compared.is_declared() {
        return Ok(Outcome::Clean);
    }
    let help = match old
        .version()
        .unwrap_or(semver::Version { major: 0, minor: 0, patch: 0 })
        .after(&compared.changes)
    {
        Some(next) => format!("undo them, or declare them with `version = \"{next}\"` in `mcpc.toml`"),
        None => "undo them".to_owned(),
    };
    writeln!(streams.err, "error: nothing was built: these changes break what `{}` has; {help}", old.name)?;
    Ok(Outcome::Failed)
}
