//! One line for each finding, for editors and `grep`.

use mcp_diagnostics::visible::one_line;
use mcp_diagnostics::{Diagnostic, Sources};
use std::io::{Result, Write};

pub fn write(sources: &Sources, diagnostics: &[Diagnostic], out: &mut dyn Write) -> Result<()> {
    for diagnostic in diagnostics {
        let file = one_line(&sources.file(diagnostic.span.file).name);
        let start = diagnostic.start(sources);
        let severity = diagnostic.severity.word();
        let code = diagnostic.code();
        let message = one_line(&diagnostic.message);
        writeln!(out, "{file}:{}:{}: {severity}[{code}] {message}", start.line, start.column)?;
    }
    Ok(())
}
