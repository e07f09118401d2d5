//! `mcpc lock --update`

use super::{Server, different};
use crate::check::{Report, check};
use crate::cli::{Streams, counted};
use crate::files::disk::{self, Disk};
use crate::files::{Files, Input, Overlay};
use crate::servers::{self, Finding, ListedTool, Part, State};
use inquire::{Confirm, InquireError};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;

/// Re-pins what changed. Returns how many tools are not as pinned afterwards.
pub fn update(
    input: &Input,
    checked: &Report,
    servers: &[Server],
    yes: bool,
    streams: &mut Streams,
) -> anyhow::Result<usize> {
    let open = different(servers).count();
    let changed: Vec<&Finding> = different(servers).filter(|finding| live(finding).is_some()).collect();
    if changed.is_empty() || !(yes || confirmed(changed.len())?) {
        return Ok(open);
    }
    let mut files = Overlay::new(&Disk);
    let mut written = BTreeSet::new();
    let mut done = 0;
    for finding in changed {
        match repin(input, checked, finding, &mut files) {
            Ok(name) => {
                written.insert(name);
                done += 1;
            }
            Err(why) => writeln!(streams.err, "not pinned again: `{}`: {why}", finding.tool)?,
        }
    }
    for name in written {
        let text = files.read(&name).unwrap_or_default();
        disk::rewrite(Path::new(&name), &text)
            .map_err(|error| anyhow::anyhow!("`{name}` cannot be written: {}", disk::plain(&error)))?;
        writeln!(streams.out, "updated {name}")?;
    }
    writeln!(streams.out, "pinned {} again", counted(done, "tool"))?;
    Ok(open - done)
}

fn live(finding: &Finding) -> Option<(&ListedTool, Vec<Part>)> {
    match &finding.state {
        State::Changed(changes, live) => Some((live, changes.iter().map(|change| change.part).collect())),
        State::Same | State::Gone | State::Unusable(_) => None,
    }
}

fn confirmed(tools: usize) -> anyhow::Result<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        anyhow::bail!("nobody is here to say yes; review what changed, then add `--yes`");
    }
    let question = format!("Pin {} again, as the servers say now?", counted(tools, "tool"));
    match Confirm::new(&question).with_default(false).prompt() {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Changes the text of the tool's file in `files`, if the specs have no error then; returns the name of the file.
fn repin(
    input: &Input,
    checked: &Report,
    finding: &Finding,
    files: &mut Overlay<'_>,
) -> Result<String, String> {
    let (live, parts) = live(finding).ok_or("it has not changed")?;
    // The tools before it may have moved it: where it is now, a new check says.
    let now = check(input, files);
    let report = if now.contents.is_some() { &now } else { checked };
    let mut tools = report.toolsets.iter().flat_map(|toolset| &toolset.tools);
    let name = tools.find_map(|tool| tool.name.as_ref().filter(|name| name.value == finding.tool));
    let span = name.ok_or("it is in none of the files any more")?.span;
    let file = report.sources.file(span.file);
    let text =
        servers::repin(&file.text, span.start as usize, live, &parts).map_err(|error| error.to_string())?;
    let before = file.text.clone();
    let file = file.name.clone();
    files.replace(&file, Ok(text));
    match problem(&check(input, files), &finding.tool, live) {
        None => Ok(file),
        Some(why) => {
            files.replace(&file, Ok(before));
            Err(why)
        }
    }
}

/// Why the specs cannot stay as they now are.
fn problem(report: &Report, tool: &str, live: &ListedTool) -> Option<String> {
    let Some(contents) = &report.contents else {
        let first =
            report.diagnostics.iter().find(|finding| finding.severity == mcp_diagnostics::Severity::Error);
        let said = first.map(|finding| format!("{} ({})", finding.message, finding.code()));
        return Some(format!("the spec would not pass the check: {}", said.unwrap_or_default()));
    };
    let plan = contents.tool(tool).and_then(|(_, plan)| plan.mcp());
    let definition = plan.map(|plan| contents.strings.get(plan.definition));
    (definition != Some(&live.canonical)).then(|| "the spec would not say what the server says".to_owned())
}
