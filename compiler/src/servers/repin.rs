//! Puts what a server lists now into a spec, in place of what was pinned.
//!
//! Only the pinned texts change, where they are: everything else stays byte for byte. A text of the tool itself that differs from the
//! pinned one is a person's, and stays.

use super::compare::Part;
use super::listed::ListedTool;
use crate::language::json::Json;
use crate::language::toml::{self, Style, style_after};
use mcp_bundle::definition::Pin;
use mcp_diagnostics::toml_tree::{self, TomlKey, TomlTable, TomlValue, Value};
use std::ops::Range;

/// A text in place of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    range: Range<usize>,
    text: String,
}

/// Why a tool stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotRepinned {
    #[error("it is not where it was; is the file being edited?")]
    NotFound,
    #[error("its `{0}` is not one value in the spec; write it there as JSON text, or change it by hand")]
    NotAValue(&'static str),
}

/// The text of a spec file with the new definition of a tool. `name_at` is where the value of its `name` begins, and `changed`
/// are the parts that are not as pinned.
pub fn repin(text: &str, name_at: usize, live: &ListedTool, changed: &[Part]) -> Result<String, NotRepinned> {
    let (root, _) = toml_tree::read(text);
    let tools = root.get("tool").and_then(|tools| tools.get_ref().as_array()).unwrap_or_default();
    let is_meant =
        |table: &&TomlTable<'_>| table.get("name").is_some_and(|name| name.span().start == name_at);
    let tool = tools.iter().filter_map(|tool| tool.get_ref().as_table()).find(is_meant);
    let tool = tool.ok_or(NotRepinned::NotFound)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut repinning = Repinning { text, newline, live, tool, edits: Vec::new() };
    let pin = tool.get("pin").ok_or(NotRepinned::NotFound)?;
    repinning.replace(pin, format!("\"{}\"", Pin::of(&live.canonical)));
    for part in changed {
        repinning.part(*part, pin.span().end)?;
    }
    let mut edits = repinning.edits;
    // Of insertions at one place, the first one stays first.
    edits.sort_by_key(|edit| edit.range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for Edit { range, text: new } in &edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Ok(out)
}

struct Repinning<'t> {
    text: &'t str,
    newline: &'static str,
    live: &'t ListedTool,
    tool: &'t TomlTable<'t>,
    edits: Vec<Edit>,
}

impl<'t> Repinning<'t> {
    /// `pin_end` is the end of the pin, after which new keys go.
    fn part(&mut self, part: Part, pin_end: usize) -> Result<(), NotRepinned> {
        let key = part.key();
        let pinned = self.tool.get("pinned").and_then(|pinned| pinned.get_ref().as_table());
        if let Some(value) = pinned.and_then(|pinned| pinned.get(key)) {
            let new = self.pinned_value(part, value)?;
            self.replace(value, new);
            return Ok(());
        }
        let own = self.tool.iter().find(|(name, _)| name.get_ref() == key);
        match (own, self.live_text(part, None)) {
            (Some((_, value)), Some(_)) => {
                let new = self.pinned_value(part, value)?;
                self.replace(value, new);
            }
            // A schema of results that never come: nobody wrote it but the import.
            (Some((name, value)), None) if part == Part::OutputSchema => self.remove(name, value)?,
            (Some(_), None) => self.pin_apart(part, pinned, pin_end),
            // A schema that is made of the parameters stays.
            (None, Some(_)) if part == Part::InputSchema => self.pin_apart(part, pinned, pin_end),
            (None, Some(new)) => self.insert_line(pin_end, &format!("{key} = {new}")),
            (None, None) => {}
        }
        Ok(())
    }

    /// Says under `pinned` what the server's text is.
    fn pin_apart(&mut self, part: Part, pinned: Option<&TomlTable<'_>>, pin_end: usize) {
        let new = self.live_text(part, None).unwrap_or_else(|| none(part));
        let entry = format!("{} = {new}", part.key());
        let first = pinned.and_then(|pinned| pinned.keys().next()).map(|key| key.span().start);
        match first {
            None => self.insert_line(pin_end, &format!("pinned.{entry}")),
            Some(at) => {
                let before = self.text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
                match before.chars().next_back() {
                    Some('\n') | None => self.insert(at, format!("{entry}{}", self.newline)),
                    Some('{' | ',') => self.insert(at, format!("{entry}, ")),
                    // `pinned.description = …`
                    Some(_) => self.insert_line(pin_end, &format!("pinned.{entry}")),
                }
            }
        }
    }

    /// The new value in place of one that is written there.
    fn pinned_value(&self, part: Part, old: &TomlValue<'_>) -> Result<String, NotRepinned> {
        let written = self.text.get(old.span()).unwrap_or_default();
        let is_value = match old.get_ref() {
            Value::String(_) | Value::Boolean(_) => true,
            // A table under a header, or of dotted keys, is in several places; one with `file` is in another file.
            Value::Table(table) => written.starts_with('{') && table.get("file").is_none(),
            _ => false,
        };
        if !is_value {
            return Err(NotRepinned::NotAValue(part.key()));
        }
        Ok(self.live_text(part, Some(written)).unwrap_or_else(|| none(part)))
    }

    /// What the server says, as a value of TOML; `old` is what is in its place.
    fn live_text(&self, part: Part, old: Option<&str>) -> Option<String> {
        let schema = |schema: &Json| toml::json_text(schema, self.newline);
        match part {
            Part::Description => {
                let style = old.map_or(Style::Lines, |old| style_after(old, false));
                Some(toml::string(self.live.description.as_deref()?, style, self.newline))
            }
            Part::InputSchema => Some(schema(&self.live.input_schema)),
            Part::OutputSchema => self.live.output_schema.as_ref().map(schema),
        }
    }

    fn replace(&mut self, value: &TomlValue<'_>, text: String) {
        self.edits.push(Edit { range: value.span(), text });
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { range: at..at, text });
    }

    /// A line after the one that `at` is in.
    fn insert_line(&mut self, at: usize, line: &str) {
        let rest = self.text.get(at..).unwrap_or_default();
        match rest.find('\n') {
            Some(end) => self.insert(at + end + 1, format!("{line}{}", self.newline)),
            None => self.insert(self.text.len(), format!("{}{line}{}", self.newline, self.newline)),
        }
    }

    /// Takes a key and its value out, with their line if nothing else is on it.
    fn remove(&mut self, name: &TomlKey<'_>, value: &TomlValue<'_>) -> Result<(), NotRepinned> {
        let written = self.text.get(value.span()).unwrap_or_default();
        if matches!(value.get_ref(), Value::Table(_)) && !written.starts_with('{') {
            return Err(NotRepinned::NotAValue(Part::OutputSchema.key()));
        }
        let mut range = name.span().start..value.span().end;
        let rest = self.text.get(range.end..).unwrap_or_default();
        let (spaces, line_end) = (rest.trim_start_matches([' ', '\t']), ["\r\n", "\n"]);
        if let Some(end) = line_end.into_iter().find(|end| spaces.starts_with(end)) {
            range.end += rest.len() - spaces.len() + end.len();
        }
        self.edits.push(Edit { range, text: String::new() });
        Ok(())
    }
}

/// How a spec says that the server has no such part.
fn none(part: Part) -> String {
    match part {
        Part::Description => "\"\"".to_owned(),
        Part::InputSchema | Part::OutputSchema => "false".to_owned(),
    }
}
