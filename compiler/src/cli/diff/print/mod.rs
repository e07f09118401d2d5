//! Changes in the formats that findings have.

mod json;
mod sarif;

use super::Compared;
use super::place::Places;
use crate::cli::counted;
use crate::diff::{Change, Class};
use crate::render::{Format, github};
use mcp_diagnostics::visible::{one_line, visible};
use std::io::{Result, Write};

pub fn write(
    format: Format,
    compared: &Compared<'_>,
    places: &Places<'_>,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    match format {
        Format::Human => {
            let all = compared.changes.iter();
            all.clone().try_for_each(|change| write_change(change, Some(places), color, out))?;
            writeln!(out, "{}", summary(compared))
        }
        Format::Concise => compared.changes.iter().try_for_each(|change| {
            let place = places.of_change(change);
            let (file, at) = (one_line(place.file), place.start);
            writeln!(out, "{file}:{}:{}: {}", at.line, at.column, one_line(&headline(change)))
        }),
        Format::Json => json::write(compared, places, out),
        Format::Sarif => sarif::write(compared, places, out),
        Format::Github => write_github(compared, places, out),
    }
}

/// Only what is not safe, for a command that does something else.
pub fn write_grave(compared: &Compared<'_>, color: bool, out: &mut dyn Write) -> Result<()> {
    let grave = || compared.changes.iter().filter(|change| change.class() != Class::Safe);
    grave().try_for_each(|change| write_change(change, None, color, out))?;
    if grave().next().is_some() { writeln!(out, "{}", summary(compared)) } else { Ok(()) }
}

fn write_change(
    change: &Change,
    places: Option<&Places<'_>>,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let (start, bold, end) = match change.class() {
        _ if !color => ("", "", ""),
        Class::Breaking => ("\x1b[1m\x1b[91m", "\x1b[0m\x1b[1m", "\x1b[0m"),
        Class::Risky => ("\x1b[1m\x1b[93m", "\x1b[0m\x1b[1m", "\x1b[0m"),
        Class::Safe => ("\x1b[1m\x1b[92m", "\x1b[0m\x1b[1m", "\x1b[0m"),
    };
    let subject = subject(change);
    writeln!(
        out,
        "{start}{}[{}]{bold}: {subject}{}{end}",
        change.class(),
        change.rule.code,
        one_line(&change.message)
    )?;
    if let Some(place) = places.map(|places| places.of_change(change)) {
        writeln!(out, "  --> {}:{}:{}", one_line(place.file), place.start.line, place.start.column)?;
    }
    for note in &change.notes {
        for (index, line) in visible(note).lines().enumerate() {
            writeln!(out, "  {} {line}", if index == 0 { "= note:" } else { "       " })?;
        }
    }
    writeln!(out)
}

/// `breaking[MCD0301] get_order: …`.
fn headline(change: &Change) -> String {
    format!("{}[{}] {}{}", change.class(), change.rule.code, subject(change), change.message)
}

/// `get_order: `, or nothing for the bundle as a whole.
fn subject(change: &Change) -> String {
    change.tool.as_ref().map(|tool| format!("{tool}: ")).unwrap_or_default()
}

/// All of a change in one text, for formats that have a single message.
fn full_text(change: &Change) -> String {
    let notes = change.notes.iter().map(|note| format!("\nnote: {note}"));
    std::iter::once(format!("{}{}", subject(change), change.message)).chain(notes).collect()
}

fn summary(compared: &Compared<'_>) -> String {
    let (was, now) = (compared.old.contents.tools.len(), compared.new.contents.tools.len());
    let tools =
        if was == now { counted(now, "tool") } else { format!("{}, was {was}", counted(now, "tool")) };
    let parts: Vec<String> = Class::ALL
        .iter()
        .map(|class| (compared.count(*class), class))
        .filter(|(count, _)| *count > 0)
        .map(|(count, class)| counted(count, &format!("{class} change")))
        .collect();
    let changes = if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") };
    let versions = match (compared.old.version(), compared.new.version()) {
        (Some(was), Some(now)) if was != now => format!("; version {now}, was {was}"),
        (_, Some(now)) => format!("; version {now}"),
        _ => String::new(),
    };
    format!("{changes} ({tools}){versions}")
}

fn write_github(compared: &Compared<'_>, places: &Places<'_>, out: &mut dyn Write) -> Result<()> {
    compared.changes.iter().try_for_each(|change| {
        let command = match change.class() {
            Class::Breaking => "error",
            Class::Risky => "warning",
            Class::Safe => "notice",
        };
        let place = places.of_change(change);
        let file = github::property(place.file);
        let title = github::property(&format!("{} {}", change.rule.code, change.rule.name));
        writeln!(
            out,
            "::{command} file={file},line={},title={title}::{}",
            place.start.line,
            github::data(&full_text(change))
        )
    })
}
