//! One JSON document, on one line. Scripts rely on its shape: a key is added with a reason and never removed.

use super::super::Compared;
use super::super::operand::Loaded;
use super::super::place::Places;
use crate::diff::{Change, Class};
use crate::render::JsonPosition;
use serde::Serialize;
use std::io::{Result, Write};

#[derive(Serialize)]
struct Document<'c> {
    version: u32,
    old: Side<'c>,
    new: Side<'c>,
    changes: Vec<JsonChange<'c>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Side<'c> {
    name: &'c str,
    version: Option<&'c str>,
    tools: usize,
}

#[derive(Serialize)]
struct JsonChange<'c> {
    code: &'static str,
    rule: &'static str,
    class: &'static str,
    /// `null` for the bundle as a whole.
    tool: Option<&'c str>,
    message: &'c str,
    notes: &'c [String],
    file: &'c str,
    start: JsonPosition,
    end: JsonPosition,
}

#[derive(Serialize)]
struct Summary {
    breaking: usize,
    risky: usize,
    safe: usize,
}

pub fn write(compared: &Compared<'_>, places: &Places<'_>, out: &mut dyn Write) -> Result<()> {
    let [breaking, risky, safe] = Class::ALL.map(|class| compared.count(class));
    let document = Document {
        version: 1,
        old: Side::of(compared.old),
        new: Side::of(compared.new),
        changes: compared.changes.iter().map(|change| JsonChange::of(change, places)).collect(),
        summary: Summary { breaking, risky, safe },
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

impl<'c> Side<'c> {
    fn of(loaded: &'c Loaded) -> Side<'c> {
        let contents = &loaded.contents;
        Side { name: &loaded.name, version: contents.version(), tools: contents.tools.len() }
    }
}

impl<'c> JsonChange<'c> {
    fn of(change: &'c Change, places: &Places<'c>) -> JsonChange<'c> {
        let place = places.of_change(change);
        JsonChange {
            code: change.rule.code,
            rule: change.rule.name,
            class: change.class().word(),
            tool: change.tool.as_deref(),
            message: &change.message,
            notes: &change.notes,
            file: place.file,
            start: place.start.into(),
            end: place.end.into(),
        }
    }
}
