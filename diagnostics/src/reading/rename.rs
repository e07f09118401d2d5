//! Keys that a table does not have: which one was meant, and the edits that rename it.

use super::Reading;
use crate::diagnostic::{Applicability, Diagnostic, Edit};
use crate::keys::{Key, Table};
use crate::source::Span;
use crate::suggest;
use crate::toml_tree::{TomlKey, TomlTable, TomlValue, Value};
use std::ops::Range;

impl Reading<'_> {
    /// Reports an unknown key and returns the one that was meant, unless that is given too.
    pub(super) fn unknown_key(
        &mut self,
        table: &'static Table,
        toml: &TomlTable<'_>,
        written: &TomlKey<'_>,
        value: &TomlValue<'_>,
    ) -> Option<&'static Key> {
        let name: &str = written.get_ref();
        let span = self.span(written.span());
        let rule = self.language.rules.unknown_key;
        let diagnostic = Diagnostic::of(rule, span, format!("{} has no key `{name}`", table.name));
        let elsewhere = table.find_elsewhere(name);
        let near = || suggest::nearest(name, table.keys.iter().flat_map(Key::names));
        let Some(meant) = elsewhere.map(|key| key.name).or_else(near) else {
            self.report(match (self.language.home)(name, table) {
                Some(home) => diagnostic.help(home),
                None => {
                    let names: Vec<String> = table.names().map(|name| format!("`{name}`")).collect();
                    diagnostic.note(format!("its keys are {}", names.join(", ")))
                }
            });
            return None;
        };
        let key = table.find(meant)?;
        let mut diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        let same_key =
            |other: &TomlKey<'_>| table.find(other.get_ref()).is_some_and(|other| std::ptr::eq(other, key));
        // Renaming it to a key that is there too would break the file.
        if toml.keys().any(same_key) {
            self.report(diagnostic);
            return None;
        }
        // What another language calls so may be written in another way there, too.
        if elsewhere.is_some() && (is_in_other_unit(name) || !self.fits_silently(key, value)) {
            self.report(diagnostic.note(super::as_note(key.doc)));
            return None;
        }
        if let Some(edits) = self.rename(span, name, meant, value) {
            diagnostic = diagnostic.fix(Applicability::Safe, edits);
        }
        self.report(diagnostic);
        Some(key)
    }

    fn fits_silently(&mut self, key: &Key, value: &TomlValue<'_>) -> bool {
        let before = self.diagnostics.len();
        let fits = self.shape_fits(key, value);
        self.diagnostics.truncate(before);
        fits
    }

    /// The edits that give a key another name. A key of headers has it in each of them.
    fn rename(&self, span: Span, name: &str, meant: &str, value: &TomlValue<'_>) -> Option<Vec<Edit>> {
        let before = self.text.get(..span.start as usize).unwrap_or_default().trim_end();
        let in_header = before.ends_with('[') || before.ends_with('.');
        let mut places = Vec::new();
        if !headers(value, self.text, name, &mut places) {
            return None;
        }
        if !in_header || places.is_empty() {
            places.push(span.range());
        }
        places.sort_by_key(|place| place.start);
        places.dedup();
        Some(
            places.into_iter().map(|place| Edit { span: self.span(place), text: meant.to_owned() }).collect(),
        )
    }
}

/// Numbers in another unit than seconds.
fn is_in_other_unit(name: &str) -> bool {
    name.ends_with("_ms") || name.ends_with("Ms") || name.ends_with("_millis") || name.ends_with("_minutes")
}

/// Collects where a name is written in the headers of a value's tables; `false` if some header has it
/// more than once, or not plainly.
fn headers(value: &TomlValue<'_>, text: &str, name: &str, places: &mut Vec<Range<usize>>) -> bool {
    match value.get_ref() {
        Value::Array(items) => items.iter().all(|item| headers(item, text, name, places)),
        Value::Table(table) => {
            let span = value.span();
            let written = text.get(span.clone()).unwrap_or_default();
            if written.starts_with('[') {
                let mut at = span.start;
                let mut found = Vec::new();
                for part in written.split_inclusive(['[', '.', ']']) {
                    let word = part.trim_end_matches(['[', '.', ']']);
                    if word.trim() == name {
                        let start = at + (word.len() - word.trim_start().len());
                        found.push(start..start + name.len());
                    }
                    at += part.len();
                }
                match found.pop() {
                    Some(place) if found.is_empty() => places.push(place),
                    _ => return false,
                }
            }
            table.values().all(|value| headers(value, text, name, places))
        }
        _ => true,
    }
}
