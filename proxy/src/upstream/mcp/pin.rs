//! Tools whose definition was reviewed, compared with what their server says now.

use mcp_bundle::definition::{Pin, canonical};
use mcp_bundle::difference::difference;
use mcp_bundle::wire_enums::OnDrift;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A tool of a bundle, as its server should define it.
#[derive(Debug)]
pub(crate) struct PinnedTool {
    /// Ours.
    pub tool: String,
    /// Theirs.
    pub name: String,
    /// The canonical text that was reviewed.
    pub definition: Box<str>,
    pub on_drift: OnDrift,
    /// A [`Verdict`]; calls look at it without a lock.
    verdict: AtomicU8,
    /// What differs, in words.
    difference: Mutex<Option<String>>,
}

/// How a tool's definition compares with that which was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The server has not said yet.
    Unknown = 0,
    Same = 1,
    Changed = 2,
    /// The server has no such tool.
    Missing = 3,
}

impl Verdict {
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Unknown => "unknown",
            Verdict::Same => "same",
            Verdict::Changed => "changed",
            Verdict::Missing => "missing",
        }
    }
}

/// The canonical text of each tool that a server listed, by its name.
pub(crate) type Definitions = BTreeMap<String, String>;

/// Those of a list; a tool that cannot be read is none.
pub(crate) fn definitions(tools: &[Box<str>]) -> Definitions {
    let read = tools.iter().filter_map(|tool| {
        let value = serde_json::from_str::<serde_json::Value>(tool).ok()?;
        Some((value.get("name")?.as_str()?.to_owned(), canonical(&value)?))
    });
    read.collect()
}

impl PinnedTool {
    pub fn new(tool: &str, name: &str, definition: &str, on_drift: OnDrift) -> PinnedTool {
        PinnedTool {
            tool: tool.to_owned(),
            name: name.to_owned(),
            definition: definition.into(),
            on_drift,
            verdict: AtomicU8::new(Verdict::Unknown as u8),
            difference: Mutex::default(),
        }
    }

    pub fn verdict(&self) -> Verdict {
        match self.verdict.load(Relaxed) {
            1 => Verdict::Same,
            2 => Verdict::Changed,
            3 => Verdict::Missing,
            _ => Verdict::Unknown,
        }
    }

    /// Whether it is not called until it is reviewed again.
    pub fn is_refused(&self) -> bool {
        self.on_drift == OnDrift::Refuse && self.has_drifted()
    }

    pub fn has_drifted(&self) -> bool {
        matches!(self.verdict(), Verdict::Changed | Verdict::Missing)
    }

    /// What differs, in words.
    pub fn difference(&self) -> Option<String> {
        self.difference.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compares it with what the server says; a change of the verdict is logged.
    pub fn judge(&self, server: &str, live: &Definitions) {
        let found = live.get(&self.name);
        let verdict = match found {
            None => Verdict::Missing,
            Some(found) if **found == *self.definition => Verdict::Same,
            Some(_) => Verdict::Changed,
        };
        let words = match (verdict, found) {
            (Verdict::Changed, Some(found)) => Some(difference(&self.definition, found)),
            (Verdict::Missing, _) => Some(format!("the server has no tool `{}`", self.name)),
            _ => None,
        };
        let before = self.verdict();
        let is_new = {
            let mut kept = self.difference.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *kept, words.clone()) != words
        };
        self.verdict.store(verdict as u8, Relaxed);
        let (tool, refused) = (self.tool.as_str(), self.on_drift == OnDrift::Refuse);
        match words {
            Some(difference) if is_new || before != verdict => {
                let pin = found.map_or_else(String::new, |found| Pin::of(found).to_string());
                tracing::warn!(server, tool, refused, pin, difference, "a tool is not what was reviewed");
            }
            None if matches!(before, Verdict::Changed | Verdict::Missing) => {
                tracing::info!(server, tool, "a tool is again what was reviewed");
            }
            _ => {}
        }
    }
}
