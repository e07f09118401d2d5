//! One line for each finding, for editors and `grep`.

use crate::check::Report;
use mcp_diagnostics::visible::one_line;
use std::io::{Result, Write};

pub fn write(report: &Report, out: &mut dyn Write) -> Result<()> {
    for diagnostic in &report.diagnostics {
        let file = one_line(&report.sources.file(diagnostic.span.file).name);
        let start = diagnostic.start(&report.sources);
        let severity = diagnostic.severity.word();
        let code = diagnostic.code();
        let message = one_line(&diagnostic.message);
        writeln!(out, "{file}:{}:{}: {severity}[{code}] {message}", start.line, start.column)?;
    }
    Ok(())
}
