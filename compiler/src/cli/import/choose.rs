//! Which tools are taken: as the command line says, or as a person at a terminal does.

use super::servers::Options;
use crate::cli::{Streams, counted};
use crate::servers::{self, ListedTool, Unusable};
use inquire::{InquireError, MultiSelect};
use mcp_diagnostics::visible::one_line;
use std::fmt;
use std::io::IsTerminal;

/// Tools that a message lists at most.
const LISTED: usize = 40;
/// Characters of a description in a list.
const WIDTH: usize = 70;

/// What a server lists.
pub struct Offer {
    /// What the spec calls it.
    pub server: String,
    pub tools: Vec<ListedTool>,
    pub unusable: Vec<Unusable>,
}

/// Leaves the tools in each offer that are wanted, and in `unusable` those that were wanted and cannot be had.
pub fn choose(
    offers: &mut [Offer],
    options: &Options,
    usual: &[&str],
    streams: &mut Streams,
) -> anyhow::Result<()> {
    if options.all {
        return Ok(());
    }
    let names: Vec<String> = match options.tool.is_empty() {
        false => options.tool.clone(),
        true => usual.iter().map(|name| (*name).to_owned()).collect(),
    };
    if !names.is_empty() {
        let all = offers.iter().flat_map(|offer| offer.tools.iter().cloned()).collect();
        let unusable: Vec<Unusable> =
            offers.iter().flat_map(|offer| offer.unusable.iter().cloned()).collect();
        servers::by_name(all, &unusable, &names).map_err(|why| anyhow::anyhow!(why))?;
        for offer in offers {
            offer.tools.retain(|tool| names.contains(&tool.name));
            offer.unusable.clear();
        }
        return Ok(());
    }
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        anyhow::bail!(how_to_choose(offers));
    }
    for offer in offers {
        for Unusable { name, why } in offer.unusable.drain(..) {
            writeln!(streams.err, "note: `{name}` cannot be imported: {why}")?;
        }
        ask(offer)?;
    }
    Ok(())
}

/// Without a terminal nobody can be asked.
fn how_to_choose(offers: &[Offer]) -> String {
    let mut text =
        "choose tools with `--tool NAME`, which can be repeated, or take all with `--all`".to_owned();
    for offer in offers {
        text.push_str(&format!("\n{} has {}:", offer.server, counted(offer.tools.len(), "tool")));
        for tool in offer.tools.iter().take(LISTED) {
            text.push_str(&format!("\n  {}", Line(tool)));
        }
        let more = offer.tools.len().saturating_sub(LISTED);
        if more > 0 {
            text.push_str(&format!("\n  and {more} more"));
        }
    }
    text
}

fn ask(offer: &mut Offer) -> anyhow::Result<()> {
    if offer.tools.is_empty() {
        return Ok(());
    }
    let question = format!("Tools of {}:", offer.server);
    let lines: Vec<Line<'_>> = offer.tools.iter().map(Line).collect();
    let chosen = match MultiSelect::new(&question, lines)
        .with_help_message("space: take or leave, enter: done")
        .raw_prompt()
    {
        Ok(chosen) => chosen,
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => {
            anyhow::bail!("cancelled; nothing was written")
        }
        Err(error) => return Err(error.into()),
    };
    let chosen: Vec<usize> = chosen.into_iter().map(|line| line.index).collect();
    let mut index = 0..;
    offer.tools.retain(|_| index.next().is_some_and(|index| chosen.contains(&index)));
    Ok(())
}

/// A tool in a list.
struct Line<'t>(&'t ListedTool);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = self.0.description.as_deref().unwrap_or_default();
        let first = one_line(description.trim().lines().next().unwrap_or_default()).into_owned();
        let short: String = first.chars().take(WIDTH).collect();
        let dots = if short.len() < first.len() { "…" } else { "" };
        write!(f, "{}  {short}{dots}", one_line(&self.0.name))
    }
}
