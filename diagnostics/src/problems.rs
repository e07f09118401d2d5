//! Every problem in a file of a configuration.

use crate::visible::one_line;
use crate::{Diagnostic, Sources, human};
use std::fmt;

/// All problems of a file, in its order.
#[derive(Debug)]
pub struct Problems {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

impl Problems {
    /// As `mcpc check` shows findings.
    pub fn render(&self, color: bool) -> String {
        let count = self.diagnostics.len();
        let noun = if count == 1 { "error" } else { "errors" };
        let name = self.sources.files().next().map_or("", |(_, file)| &file.name);
        let mut out = Vec::new();
        // Writing to memory cannot fail.
        let summary = format!("`{name}` has {count} {noun}");
        let _ = human::write(&self.sources, &self.diagnostics, &summary, color, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// All of them on one line, for logs and responses.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.diagnostics.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            let file = one_line(&self.sources.file(problem.span.file).name);
            let start = problem.start(&self.sources);
            let message = one_line(&problem.message);
            write!(f, "{separator}{file}:{}:{}: {message}", start.line, start.column)?;
            let advice = problem.help.iter().chain(&problem.notes).next();
            if let Some(advice) = advice {
                write!(f, " ({})", one_line(advice))?;
            }
        }
        Ok(())
    }
}
