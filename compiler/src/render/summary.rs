//! The line after the findings.

use crate::check::Report;
use mcp_diagnostics::{Applicability, Diagnostic};

pub fn of(report: &Report) -> String {
    let files = count(report.files, "file");
    let tools = count(report.tools(), "tool");
    let findings = match (report.errors(), report.warnings()) {
        (0, 0) => return format!("checked {files}: {tools}, no problems"),
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", count(errors, "error"), count(warnings, "warning")),
    };
    let mendable = report.diagnostics.iter().filter(|diagnostic| is_mendable(diagnostic)).count();
    let hint = match (mendable, report.diagnostics.len()) {
        (0, _) => String::new(),
        (_, 1) => "; it can be mended with --fix".into(),
        (mendable, _) => format!("; {mendable} of them can be mended with --fix"),
    };
    format!("{findings} in {files} ({tools}){hint}")
}

fn is_mendable(diagnostic: &Diagnostic) -> bool {
    diagnostic.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe)
}

fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
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
