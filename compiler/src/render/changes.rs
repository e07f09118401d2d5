//! Which findings are new since the last look, for a command that checks again and again.

use crate::check::Report;
use mcp_diagnostics::{Diagnostic, Severity};
use std::collections::BTreeMap;

/// The findings of the last look. Where they were does not count: an edit above moves them.
#[derive(Debug, Default)]
pub struct KnownFindings(BTreeMap<Key, usize>);

/// File, code and message.
type Key = (String, &'static str, String);

/// A look at the findings of a report.
#[derive(Debug)]
pub struct Changes {
    pub new: Vec<Diagnostic>,
    pub unchanged_errors: usize,
    pub unchanged_warnings: usize,
}

impl KnownFindings {
    /// What is new in a report; from then on it is known.
    pub fn update(&mut self, report: &Report) -> Changes {
        let mut before = std::mem::take(&mut self.0);
        let mut changes = Changes { new: Vec::new(), unchanged_errors: 0, unchanged_warnings: 0 };
        for diagnostic in &report.diagnostics {
            let file = report.sources.file(diagnostic.span.file).name.clone();
            let key = (file, diagnostic.code(), diagnostic.message.clone());
            match before.get_mut(&key).filter(|count| **count > 0) {
                None => changes.new.push(diagnostic.clone()),
                Some(count) => {
                    *count -= 1;
                    match diagnostic.severity {
                        Severity::Error => changes.unchanged_errors += 1,
                        Severity::Warning => changes.unchanged_warnings += 1,
                    }
                }
            }
            *self.0.entry(key).or_default() += 1;
        }
        changes
    }
}

impl Changes {
    /// `1 error and 3 warnings unchanged`; `None` if all are new.
    pub fn unchanged(&self) -> Option<String> {
        let found = super::summary::findings(self.unchanged_errors, self.unchanged_warnings)?;
        Some(format!("{found} unchanged"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    const TOOL: &str = "[[tool]]\nname = \"a\"\nmetod = \"GET\"\n";

    #[test]
    fn findings_are_new_once_wherever_they_are() {
        let mut known = KnownFindings::default();
        let mut look = |text: &str| {
            let changes = known.update(&check_files(&MemoryFiles::one("a.toml", text)));
            let new = changes.new.iter().filter(|finding| finding.message.contains("`metod`")).count();
            (new, changes.unchanged_errors, changes.unchanged())
        };
        let (new, unchanged, words) = look(TOOL);
        assert_eq!((new, unchanged, words), (1, 0, None));
        let (new, unchanged, words) = look(&format!("# moved\n{TOOL}"));
        assert_eq!(new, 0);
        assert!(unchanged > 0 && words.is_some_and(|words| words.ends_with(" unchanged")));
        assert_eq!(look(&format!("{TOOL}{TOOL}")).0, 1, "a second one of the same words is new");
        assert_eq!(look("").0, 0);
        assert_eq!(look(TOOL).0, 1, "it was gone");
    }
}
