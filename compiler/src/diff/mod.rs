//! What changed between two bundles: for models, clients and APIs.
//!
//! Compares what is in the bundles, so it is the same for specs and for files. Nothing here reads or prints anything.

mod compare;
pub mod rules;
mod schemas;
pub mod semver;
mod side;

pub use compare::compare;
pub use rules::{ChangeRule, Class};

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub rule: &'static ChangeRule,
    /// The tool that it is about, by its new name; `None` for the bundle as a whole.
    pub tool: Option<String>,
    /// One line, lower case, literals in backticks.
    pub message: String,
    pub notes: Vec<String>,
}

/// Collects changes.
#[derive(Debug, Default)]
struct Changes {
    found: Vec<Change>,
    /// The tool that is compared.
    tool: Option<String>,
}

impl Changes {
    fn add(&mut self, rule: &'static ChangeRule, message: impl Into<String>) -> &mut Changes {
        let change = Change { rule, tool: self.tool.clone(), message: message.into(), notes: Vec::new() };
        self.found.push(change);
        self
    }

    /// Adds a note to the last change.
    fn note(&mut self, note: impl Into<String>) -> &mut Changes {
        if let Some(last) = self.found.last_mut() {
            last.notes.push(note.into());
        }
        self
    }

    /// Adds one of two changes, by how two numbers compare; none if they are the same.
    fn moved<T: Ord>(
        &mut self,
        (old, new): (T, T),
        [less, more]: [&'static ChangeRule; 2],
        message: impl FnOnce() -> String,
    ) {
        let rule = match new.cmp(&old) {
            std::cmp::Ordering::Less => less,
            std::cmp::Ordering::Greater => more,
            std::cmp::Ordering::Equal => return,
        };
        self.add(rule, message());
    }
}

impl Change {
    pub fn class(&self) -> Class {
        self.rule.class
    }
}
