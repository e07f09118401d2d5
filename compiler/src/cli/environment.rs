//! Files of variables that a command reads.

use super::try_tool::read_file;
use anyhow::Context;
use mcp_diagnostics::EnvFile;

/// Reads files in turn; a later one wins. Unlike other files, they may be pipes: a secret need not be on disk.
pub fn read(names: &[String]) -> anyhow::Result<EnvFile> {
    let mut variables = EnvFile::default();
    for name in names {
        let text = String::from_utf8(read_file(name)?);
        let text = text.ok().with_context(|| format!("`{name}` is not UTF-8 text"))?;
        let file = EnvFile::parse(&text);
        variables
            .extend(file.map_err(|error| anyhow::anyhow!("`{name}` line {}: {}", error.line, error.why))?);
    }
    Ok(variables)
}
