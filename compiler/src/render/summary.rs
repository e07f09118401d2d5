//! The line after the findings.

use crate::check::Report;
use mcp_diagnostics::{Applicability, Diagnostic};

pub fn of(report: &Report) -> String {
    let files = count(report.files, "file");
    let tools = count(report.tools(), "tool");
    let Some(findings) = findings(report.errors(), report.warnings()) else {
        return format!("checked {files}: {tools}, no problems");
    };
    let fixable = report.diagnostics.iter().filter(|diagnostic| is_fixable(diagnostic)).count();
    let hint = match fixable {
        0 => String::new(),
        fixable => format!("; {} fixable with --fix", super::grouped(fixable)),
    };
    format!("{findings} in {files} ({tools}){hint}")
}

/// `1 error and 3 warnings`; `None` without any.
pub fn findings(errors: usize, warnings: usize) -> Option<String> {
    Some(match (errors, warnings) {
        (0, 0) => return None,
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", count(errors, "error"), count(warnings, "warning")),
    })
}

fn is_fixable(diagnostic: &Diagnostic) -> bool {
    diagnostic.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe)
}

fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", super::grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(count(0, "tool"), "0 tools");
        assert_eq!(count(1, "tool"), "1 tool");
        assert_eq!(count(2, "tool"), "2 tools");
    }
}
