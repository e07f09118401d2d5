//! What `mcpc lock` found, for people and for programs.

use super::{Server, different};
use crate::cli::counted;
use crate::language::json::Json;
use crate::servers::{self, Change, Comparison, Finding, NotListed, State};
use mcp_bundle::difference::difference;
use mcp_diagnostics::visible::{one_line, visible};
use std::io::{Result, Write};

/// Characters of a part that are shown at most.
const LONGEST: usize = 4_000;
/// New tools that a note names.
const NAMED: usize = 10;

pub fn write_text(servers: &[Server], out: &mut dyn Write) -> Result<()> {
    let mut same = 0;
    for Server { name, result } in servers {
        let comparison = match result {
            Ok(comparison) => comparison,
            Err(why) => {
                writeln!(out, "not listed   {name}: {}", one_line(&why.to_string()))?;
                continue;
            }
        };
        for Finding { tool, mcp_tool, state } in &comparison.tools {
            let theirs = one_line(mcp_tool);
            match state {
                State::Same => same += 1,
                State::Gone => {
                    writeln!(out, "gone         {tool}: `{name}` has no tool `{theirs}` any more")?;
                }
                State::Unusable(why) => writeln!(out, "unusable     {tool}: {why}")?,
                State::Changed(changes, _) => {
                    writeln!(out, "changed      {tool}")?;
                    changes.iter().try_for_each(|change| write_change(change, out))?;
                }
            }
        }
        write_new(name, comparison, out)?;
    }
    let failed = servers.iter().filter(|server| server.result.is_err()).count();
    let parts = [
        Some(format!("{} as pinned", counted(same, "tool"))),
        Some(different(servers).count()).filter(|n| *n > 0).map(|n| format!("{} not", counted(n, "tool"))),
        Some(failed).filter(|n| *n > 0).map(|n| format!("{} not listed", counted(n, "server"))),
    ];
    writeln!(out, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn write_new(name: &str, comparison: &Comparison, out: &mut dyn Write) -> Result<()> {
    let new = &comparison.new;
    if new.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = new.iter().take(NAMED).map(|name| format!("`{}`", one_line(name))).collect();
    let more = new.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(
        out,
        "note         `{name}` has {} that no spec has: {}{more}",
        counted(new.len(), "tool"),
        shown.join(", ")
    )
}

fn write_change(change: &Change, out: &mut dyn Write) -> Result<()> {
    let key = change.part.key();
    let text = match (&change.old, &change.new) {
        (Some(old), Some(new)) => difference(old, new),
        (Some(_), None) => "there is none any more".to_owned(),
        (None, new) => format!("new: {}", new.as_deref().unwrap_or_default()),
    };
    writeln!(out, "  {key}")?;
    let cut: String = text.chars().take(LONGEST).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    visible(&format!("{cut}{dots}")).lines().try_for_each(|line| writeln!(out, "    {line}"))
}

pub fn write_json(servers: &[Server], out: &mut dyn Write) -> Result<()> {
    let servers = servers.iter().map(|Server { name, result }| {
        let mut members = vec![("name".to_owned(), Json::string(name))];
        match result {
            Ok(comparison) => {
                members.push(("tools".into(), Json::Array(comparison.tools.iter().map(finding).collect())));
                members.push(("new".into(), Json::Array(comparison.new.iter().map(Json::string).collect())));
            }
            Err(NotListed::Failed(failure)) => {
                let error = [
                    ("code", failure.code.as_str()),
                    ("message", &failure.told()),
                    ("advice", servers::listing_advice(failure.code)),
                ];
                members.push(("error".into(), object(error)));
            }
            Err(NotListed::NotReady(why)) => {
                members.push(("error".into(), object([("message", format!("{why:#}").as_str())])));
            }
        }
        Json::Object(members)
    });
    let document = Json::Object(vec![("servers".into(), Json::Array(servers.collect()))]);
    writeln!(out, "{}", document.to_text())
}

fn finding(finding: &Finding) -> Json {
    let Finding { tool, mcp_tool, state } = finding;
    let word = match state {
        State::Same => "same",
        State::Changed(..) => "changed",
        State::Gone => "gone",
        State::Unusable(_) => "unusable",
    };
    let Json::Object(mut members) =
        object([("tool", tool.as_str()), ("mcp_tool", mcp_tool), ("state", word)])
    else {
        return Json::Null;
    };
    match state {
        State::Changed(changes, live) => {
            let pin = mcp_bundle::definition::Pin::of(&live.canonical).to_string();
            members.push(("pin".into(), Json::String(pin)));
            members.push(("changes".into(), Json::Array(changes.iter().map(changed).collect())));
        }
        State::Unusable(why) => members.push(("reason".into(), Json::string(why))),
        State::Same | State::Gone => {}
    }
    Json::Object(members)
}

fn changed(change: &Change) -> Json {
    let text = |text: &Option<String>| text.as_ref().map_or(Json::Null, Json::string);
    let part = ("part".to_owned(), Json::string(change.part.key()));
    Json::Object(vec![part, ("old".into(), text(&change.old)), ("new".into(), text(&change.new))])
}

fn object<'t>(members: impl IntoIterator<Item = (&'t str, &'t str)>) -> Json {
    Json::Object(members.into_iter().map(|(name, text)| (name.to_owned(), Json::string(text))).collect())
}
