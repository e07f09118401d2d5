//! Applies the safe fixes of a report to the texts of its files.
//!
//! Text that no edit touches stays as it was, byte for byte. A fix is applied whole or not at all,
//! and never if the file would no longer parse. The caller writes the files.

use crate::check::Report;
use mcp_diagnostics::{Applicability, Edit, Fix, Sources, toml_tree};
use std::collections::{BTreeMap, BTreeSet};

/// The new text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedFile {
    pub name: String,
    pub text: String,
    /// The findings that it fixes, at least in part: indices into the report's diagnostics.
    pub fixed: Vec<usize>,
}

/// A finding with a safe fix: its index in the report, and the fix.
type Candidate<'r> = (usize, &'r Fix);

/// Edits by file name: a file that several specs read is in the sources several times.
type Edits<'r> = BTreeMap<&'r str, FileEdits<'r>>;

#[derive(Debug, Clone, Default)]
struct FileEdits<'r> {
    original: &'r str,
    /// Disjoint.
    edits: BTreeSet<Entry<'r>>,
    fixed: Vec<usize>,
}

/// Start, end and new text.
type Entry<'r> = (u32, u32, &'r str);

/// Whether an edit can join those of a file.
enum Fit {
    Free,
    /// Another finding made the same edit.
    There,
    /// It overlaps another edit, or lies outside the text.
    Taken,
}

/// All files that safe fixes change. Of fixes that overlap, the first is applied; check again for
/// the others.
pub fn apply(report: &Report) -> Vec<FixedFile> {
    let fixes = report.diagnostics.iter().enumerate();
    let fixes = fixes.filter_map(|(index, diagnostic)| Some((index, diagnostic.fix.as_ref()?)));
    let fixes: Vec<Candidate<'_>> =
        fixes.filter(|(_, fix)| fix.applicability == Applicability::Safe).collect();
    let mut edits = Edits::new();
    admit(&report.sources, &mut edits, &fixes);
    let changed = edits.into_iter().filter(|(_, file)| !file.fixed.is_empty());
    changed
        .map(|(name, file)| FixedFile { name: name.to_owned(), text: file.text(), fixed: file.fixed })
        .collect()
}

/// Takes as many of the fixes as leave all files readable, halving where some do not.
fn admit<'r>(sources: &'r Sources, edits: &mut Edits<'r>, fixes: &[Candidate<'r>]) {
    let mut with = edits.clone();
    let mut touched = BTreeSet::new();
    for fix in fixes {
        touched.extend(add(sources, &mut with, *fix));
    }
    let is_readable = |name: &&str| with.get(name).is_none_or(|file| file.stays_readable(name));
    if touched.iter().all(is_readable) {
        *edits = with;
    } else if fixes.len() > 1 {
        let (left, right) = fixes.split_at(fixes.len() / 2);
        admit(sources, edits, left);
        admit(sources, edits, right);
    }
}

/// Adds all edits of a fix, or none if one does not fit; returns the files they are in.
fn add<'r>(sources: &'r Sources, edits: &mut Edits<'r>, (index, fix): Candidate<'r>) -> BTreeSet<&'r str> {
    let is_change = |edit: &Edit| sources.text(edit.span) != edit.text;
    if !fix.edits.iter().any(is_change) {
        return BTreeSet::new();
    }
    let mut names = BTreeSet::new();
    let mut added = Vec::new();
    for edit in &fix.edits {
        let file = sources.file(edit.span.file);
        let name = file.name.as_str();
        let slot =
            edits.entry(name).or_insert_with(|| FileEdits { original: &file.text, ..Default::default() });
        let entry = (edit.span.start, edit.span.end, edit.text.as_str());
        names.insert(name);
        match slot.fit(entry) {
            Fit::Free => {
                slot.edits.insert(entry);
                added.push((name, entry));
            }
            Fit::There => {}
            Fit::Taken => {
                for (name, entry) in added {
                    edits.entry(name).and_modify(|file| {
                        file.edits.remove(&entry);
                    });
                }
                return BTreeSet::new();
            }
        }
    }
    for name in &names {
        edits.entry(name).and_modify(|file| file.fixed.push(index));
    }
    names
}

impl<'r> FileEdits<'r> {
    fn fit(&self, (start, end, text): Entry<'r>) -> Fit {
        if self.original.get(start as usize..end as usize).is_none() {
            return Fit::Taken;
        }
        if start < end && self.edits.contains(&(start, end, text)) {
            return Fit::There;
        }
        // They are disjoint, so their ends are sorted as well.
        let mut near = self.edits.range(..(end + 1, 0, "")).rev().take_while(|other| other.1 >= start);
        let overlaps = |other: &Entry<'_>| {
            let is_same_place = (other.0, other.1) == (start, end);
            is_same_place || (other.0 < end && start < other.1)
        };
        if near.any(overlaps) { Fit::Taken } else { Fit::Free }
    }

    fn text(&self) -> String {
        let mut out = String::with_capacity(self.original.len());
        let mut at = 0;
        for (start, end, text) in &self.edits {
            out.push_str(self.original.get(at..*start as usize).unwrap_or_default());
            out.push_str(text);
            at = *end as usize;
        }
        out.push_str(self.original.get(at..).unwrap_or_default());
        out
    }

    /// Renaming a key to one that already exists would make the whole file unreadable.
    fn stays_readable(&self, name: &str) -> bool {
        let parses = |text: &str| toml_tree::is_toml(text);
        !name.ends_with(".toml") || parses(&self.text()) || !parses(self.original)
    }
}
