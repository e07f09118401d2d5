//! Workflow commands: GitHub shows each finding beside the line it is about.

use crate::check::Report;
use mcp_diagnostics::visible::visible;
use std::io::{Result, Write};

pub fn write(report: &Report, out: &mut dyn Write) -> Result<()> {
    for diagnostic in &report.diagnostics {
        let command = diagnostic.severity.word();
        let file = property(&report.sources.file(diagnostic.span.file).name);
        let start = diagnostic.start(&report.sources);
        let end = diagnostic.end(&report.sources);
        write!(out, "::{command} file={file},line={}", start.line)?;
        // The runner refuses columns where the lines differ, and then drops the annotation.
        if start.line == end.line {
            write!(out, ",col={},endLine={},endColumn={}", start.column, end.line, end.column)?;
        } else {
            write!(out, ",endLine={}", end.line)?;
        }
        let title = format!("{} {}", diagnostic.code(), diagnostic.name());
        writeln!(out, ",title={}::{}", property(&title), data(&super::full_text(diagnostic)))?;
    }
    Ok(())
}

/// Escapes the text after `::`.
pub(crate) fn data(text: &str) -> String {
    visible(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into_owned()
}

/// Escapes a value before `::`, where `:` and `,` end it.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("50%\r\nnext: a, b"), "50%25%0D%0Anext: a, b");
        assert_eq!(property("c:\\a,b%\n.toml"), "c%3A\\a%2Cb%25%0A.toml");
        assert_eq!(data("%0A"), "%250A");
        assert_eq!(data("\u{1b}[31m"), "␛[31m");
    }
}
