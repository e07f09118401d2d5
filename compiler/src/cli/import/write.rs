//! Lists the servers, and writes the specs of what was chosen.

use super::choose::{self, Offer};
use super::servers::Options;
use super::sources::Found;
use crate::cli::progress::Progress;
use crate::cli::{Outcome, Streams, counted};
use crate::files::disk;
use crate::servers::{self, Draft, DraftError, Listed, ListedTool, Origin, ServerSource, Task, Unusable};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A server that was listed.
struct Server {
    source: ServerSource,
    origin: Origin,
    offer: Offer,
}

/// A spec that can be written.
struct Ready {
    path: PathBuf,
    draft: Draft,
}

pub fn import(found: Found, options: &Options, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let Found { sources: all, variables, programs, usual, new_variables, mut not_ready } = found;
    let (mut sources, mut tasks) = (Vec::new(), Vec::new());
    for source in all {
        let name = source.spec_name(None);
        if source.name.is_some() {
            refuse_existing(&path(options, &name), options)?;
        }
        match servers::check_server(&source, &name) {
            Ok(contents) => {
                tasks.push(Task { name, contents, server: 0 });
                sources.push(source);
            }
            Err(why) => not_ready.push((name, why.into())),
        }
    }
    let progress = Progress::of(tasks.len());
    let patience = Duration::from_secs(options.timeout);
    let listed = servers::list(&tasks, &variables, &programs, patience, &|name| progress.one_more(name));
    drop(progress);
    let mut outcome = Outcome::Clean;
    for (name, why) in not_ready {
        writeln!(streams.err, "error: `{name}` cannot be listed: {why:#}")?;
        outcome = Outcome::Incomplete;
    }
    let mut all = Vec::new();
    for ((source, task), listed) in sources.into_iter().zip(&tasks).zip(listed?) {
        match listed {
            Ok(listed) => all.push(server(source, listed)),
            Err(why) => {
                writeln!(streams.err, "error: `{}` cannot be listed: {why}", task.name)?;
                outcome = Outcome::Incomplete;
            }
        }
    }
    if all.is_empty() {
        return Ok(outcome);
    }
    let mut offers: Vec<Offer> = Vec::new();
    let mut rest = Vec::new();
    for Server { source, origin, offer } in all {
        refuse_existing(&path(options, &offer.server), options)?;
        offers.push(offer);
        rest.push((source, origin));
    }
    choose::choose(&mut offers, options, usual, streams)?;
    let mut ready = Vec::new();
    for (offer, (source, origin)) in offers.into_iter().zip(rest) {
        let Offer { server, tools, unusable } = offer;
        let mut left_out = unusable;
        match draft(&source, &server, &origin, tools, options)? {
            Ok(mut draft) => {
                left_out.append(&mut draft.left_out);
                ready.push(Ready { path: path(options, &server), draft });
            }
            Err(mut none) => left_out.append(&mut none),
        }
        for Unusable { name, why } in left_out {
            writeln!(streams.err, "left out: `{name}` of `{server}`: {why}")?;
            outcome = if outcome == Outcome::Clean { Outcome::Failed } else { outcome };
        }
    }
    write(&ready, options, streams)?;
    let is_written =
        |variable: &String| ready.iter().any(|ready| ready.draft.text.contains(&format!("${{{variable}}}")));
    for variable in new_variables.into_iter().filter(is_written) {
        let what = "stands for a value of the file; set it where the specs run";
        writeln!(streams.err, "note: `{variable}` {what}")?;
    }
    Ok(outcome)
}

fn server(source: ServerSource, listed: Listed) -> Server {
    let name = source.spec_name(listed.name.as_deref());
    let (tools, unusable) = servers::read_all(listed.tools.iter().map(String::as_str));
    let said = listed.name.as_deref().unwrap_or("without a name");
    let version = listed.version.map(|version| format!(" {version}")).unwrap_or_default();
    let origin = Origin { server: format!("{said}{version}"), revision: listed.revision };
    Server { source, origin, offer: Offer { server: name, tools, unusable } }
}

/// The spec, or the tools that none is left without.
fn draft(
    source: &ServerSource,
    server: &str,
    origin: &Origin,
    tools: Vec<ListedTool>,
    options: &Options,
) -> anyhow::Result<Result<Draft, Vec<Unusable>>> {
    let prefix = options.prefix.as_deref().unwrap_or(server);
    match servers::draft(source, server, prefix, origin, tools) {
        Ok(draft) => Ok(Ok(draft)),
        Err(DraftError::NoTools(left_out)) => Ok(Err(left_out)),
        Err(error) => Err(error).with_context(|| format!("the server `{server}`")),
    }
}

fn path(options: &Options, server: &str) -> PathBuf {
    options.output.join(format!("{server}.toml"))
}

fn refuse_existing(path: &Path, options: &Options) -> anyhow::Result<()> {
    let is_free = options.force || !path.exists();
    let name = disk::display(path);
    anyhow::ensure!(
        is_free,
        "`{name}` already exists; choose another folder with `-o`, or replace it with `--force`"
    );
    Ok(())
}

fn write(ready: &[Ready], options: &Options, streams: &mut Streams) -> anyhow::Result<()> {
    if ready.is_empty() {
        writeln!(streams.err, "note: nothing was chosen, so nothing was written")?;
        return Ok(());
    }
    let folder = &options.output;
    std::fs::create_dir_all(folder)
        .map_err(|error| anyhow::anyhow!(disk::plain(&error)))
        .with_context(|| format!("the folder `{}` cannot be made", disk::display(folder)))?;
    for Ready { path, draft } in ready {
        let name = disk::display(path);
        disk::write_atomically(path, draft.text.as_bytes(), false)
            .map_err(|error| anyhow::anyhow!(disk::plain(&error)))
            .with_context(|| format!("`{name}` cannot be written"))?;
        let warnings = match draft.warnings {
            0 => String::new(),
            some => format!(", {}", counted(some, "warning")),
        };
        writeln!(streams.out, "wrote {name}: {}{warnings}", counted(draft.tools.len(), "tool"))?;
    }
    writeln!(
        streams.out,
        "review what the servers say, then check it with `mcpc check {}`",
        disk::display(folder)
    )?;
    Ok(())
}
