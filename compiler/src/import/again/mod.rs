//! Importing again: the source has changed, and a person has edited what the last import wrote.
//!
//! Three texts are merged tool by tool, and within a tool by lines: the last import, the file as it is now, and what the source
//! gives today. A person's edits stay. What both sides changed differently is a conflict: the file keeps the person's text, and
//! the record of the last import keeps its own, so that the conflict shows again until someone settles it.

pub mod folder;
mod lines;
mod pieces;

use lines::Overlap;
use pieces::{Piece, Pieces};
use similar::TextDiff;

/// The same file three times.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'t> {
    /// As the last import wrote it.
    pub last: &'t str,
    /// As it is now.
    pub now: &'t str,
    /// As the source gives it today.
    pub source: &'t str,
}

/// Whose text a conflict ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Settle {
    /// Nobody's yet: the file keeps the person's, and the conflict shows again.
    #[default]
    Later,
    /// The person's.
    Mine,
    /// The source's.
    Source,
}

/// What became of a part of the file that is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Added,
    Updated,
    Removed,
    /// Changed by the source and by the person, in different lines.
    Merged,
}

/// Both sides changed the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub part: String,
    pub why: &'static str,
    /// What the source changed since the last import, as a diff.
    pub source: String,
    /// What the person changed since then.
    pub mine: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The file.
    pub text: String,
    /// What the next import compares with.
    pub last: String,
    /// Parts that changed, in the order of the file.
    pub changed: Vec<(String, Fate)>,
    pub conflicts: Vec<Conflict>,
}

/// Merges what the source changed into the file.
pub fn merge(versions: Versions<'_>, settle: Settle) -> Merge {
    let newline = if versions.now.contains("\r\n") { "\r\n" } else { "\n" };
    let plain = |text: &str| text.replace("\r\n", "\n");
    let (last, now, source) = (plain(versions.last), plain(versions.now), plain(versions.source));
    let all = [Pieces::of(&last), Pieces::of(&now), Pieces::of(&source)];
    let mut merge = Merging { settle, all: &all, out: Outcome::default() };
    for key in merge.order() {
        merge.piece(&key);
    }
    let Outcome { mut text, last: mut record, changed, conflicts } = merge.out;
    if now == last {
        // In the source's order, too.
        text.clone_from(&source);
    } else if !now.ends_with("\n\n") {
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
    }
    if conflicts.is_empty() {
        record = source;
    }
    Merge { text: text.replace('\n', newline), last: record, changed, conflicts }
}

#[derive(Default)]
struct Outcome {
    text: String,
    last: String,
    changed: Vec<(String, Fate)>,
    conflicts: Vec<Conflict>,
}

struct Merging<'p, 't> {
    settle: Settle,
    /// Last, now, source.
    all: &'p [Pieces<'t>; 3],
    out: Outcome,
}

impl Merging<'_, '_> {
    /// The parts in the order of the file; new ones of the source come after those that they follow there.
    fn order(&self) -> Vec<Piece> {
        let [last, now, source] = self.all;
        let mut order = now.keys();
        for from in [source.keys(), last.keys()] {
            let mut after = None;
            for key in from {
                match order.iter().position(|other| *other == key) {
                    Some(at) => after = Some(at),
                    None => {
                        let at = after.map_or(order.len(), |at: usize| at + 1);
                        order.insert(at, key);
                        after = Some(at);
                    }
                }
            }
        }
        order
    }

    fn piece(&mut self, key: &Piece) {
        let [last, now, source] = self.all.each_ref().map(|pieces| pieces.get(key));
        if source == last {
            // The person's edit, if there is one.
            return self.keep(key, now, last);
        }
        if now == source {
            return self.keep(key, now, source);
        }
        if now == last {
            self.changed(key, fate(last, source));
            return self.keep(key, source, source);
        }
        let why = match (last, now, source) {
            (Some(last), Some(now), Some(source)) => match lines::merge(last, now, source) {
                Ok(merged) if pieces::is_readable(&merged) => {
                    self.changed(key, Fate::Merged);
                    return self.keep(key, Some(&merged), Some(source));
                }
                Ok(_) => "both changed it, and together the changes are no TOML",
                Err(Overlap) => "both changed the same lines",
            },
            (None, ..) => "both have a new one of this name",
            (Some(_), None, _) => "you removed or renamed it, and the source changed it",
            (Some(_), Some(_), None) => "the source removed it, and you edited it",
        };
        match self.settle {
            Settle::Later => {
                let diff = |new: Option<&str>| difference(last.unwrap_or_default(), new.unwrap_or_default());
                let (source, mine) = (diff(source), diff(now));
                self.out.conflicts.push(Conflict { part: key.to_string(), why, source, mine });
                self.keep(key, now, last);
            }
            Settle::Mine => self.keep(key, now, source),
            Settle::Source => {
                self.changed(key, fate(now, source));
                self.keep(key, source, source);
            }
        }
    }

    fn keep(&mut self, key: &Piece, text: Option<&str>, last: Option<&str>) {
        let [_, now, _] = self.all;
        for (out, piece) in [(&mut self.out.text, text), (&mut self.out.last, last)] {
            let Some(piece) = piece else { continue };
            // A part that was the last one may have had no line end.
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            if pieces::begins_tool(piece) && !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
            out.push_str(piece);
        }
        if text.is_some() {
            self.out.text.push_str(now.empty_lines_after(key));
        }
    }

    fn changed(&mut self, key: &Piece, fate: Fate) {
        self.out.changed.push((key.to_string(), fate));
    }
}

fn fate(before: Option<&str>, after: Option<&str>) -> Fate {
    match (before, after) {
        (None, _) => Fate::Added,
        (Some(_), None) => Fate::Removed,
        (Some(_), Some(_)) => Fate::Updated,
    }
}

/// The lines that differ, with two around them.
fn difference(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(2).missing_newline_hint(false).to_string()
}

#[cfg(test)]
mod tests;
