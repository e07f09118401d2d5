//! The `mcpServers` file of desktop clients and editors: which MCP servers there are, and how each is reached.
//!
//! ```json
//! { "mcpServers": {
//!     "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"] },
//!     "wiki": { "type": "http", "url": "https://mcp.example.com/mcp" }
//! } }
//! ```
//!
//! The file is taken as it is: comments and last commas are fine, members that a client has for itself are left alone.
//! What must not be guessed is an error: an entry with both `command` and `url`, or with neither.

mod comments;
mod lower;
#[cfg(test)]
mod tests;

use crate::{Diagnostic, FileId, Problems, Sources, Spanned};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    pub name: Spanned<String>,
    pub kind: McpServerKind,
    /// The client has switched it off.
    pub disabled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServerKind {
    Program(Program),
    Remote(Remote),
}

/// A program that speaks over its standard input and output. Arguments and values of the environment may hold `${NAME}` and
/// `${NAME:-default}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    pub command: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// As it is written.
    pub directory: Option<PathBuf>,
}

/// A server with a URL. URL and values of headers may hold `${NAME}` and `${NAME:-default}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// HTTP+SSE of 2024-11-05, not Streamable HTTP.
    pub is_sse: bool,
    pub url: Spanned<String>,
    pub headers: BTreeMap<String, String>,
}

/// Why there are no servers.
#[derive(Debug, thiserror::Error)]
pub enum McpServersError {
    #[error("`{path}` cannot be read: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("`{path}` has more than {LONGEST} bytes, which is too large for a file of MCP servers")]
    TooLarge { path: String },
    #[error("`{path}` is not UTF-8 text")]
    NotText { path: String },
    #[error("{0}")]
    Wrong(Problems),
}

const LONGEST: u64 = 1 << 20;

/// The text of a file; [`read`] says what is in it.
pub fn load(path: &Path) -> Result<String, McpServersError> {
    let name = || path.display().to_string();
    let unreadable = |error| McpServersError::Unreadable { path: name(), error };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LONGEST {
        return Err(McpServersError::TooLarge { path: name() });
    }
    String::from_utf8(bytes).map_err(|_| McpServersError::NotText { path: name() })
}

/// The servers of a file, in its order.
pub fn parse(path: &Path) -> Result<Vec<McpServer>, McpServersError> {
    let text = load(path)?;
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), text.as_str());
    let mut diagnostics = Vec::new();
    let servers = read(&text, file, &mut diagnostics);
    if diagnostics.is_empty() {
        return Ok(servers);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Err(McpServersError::Wrong(Problems { sources, diagnostics }))
}

/// A server by its name in the file, or why it cannot be understood.
pub type Entry = (String, Result<McpServer, Problems>);

/// The servers of a file, in its order. One that cannot be understood stops no other.
pub fn parse_each(path: &Path) -> Result<Vec<Entry>, McpServersError> {
    let text = load(path)?;
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), text.as_str());
    let mut diagnostics = Vec::new();
    let entries = lower::lower(&text, file, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(McpServersError::Wrong(Problems { sources, diagnostics }));
    }
    let each = entries.into_iter().filter_map(|lower::Entry { name, server, problems: diagnostics }| {
        let server = match diagnostics.is_empty() {
            true => Ok(server?),
            false => Err(Problems { sources: sources.clone(), diagnostics }),
        };
        Some((name, server))
    });
    Ok(each.collect())
}

/// The servers that could be understood, in the order of the file; diagnostics for the rest.
pub fn read(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<McpServer> {
    let mut servers = Vec::new();
    for entry in lower::lower(text, file, diagnostics) {
        diagnostics.extend(entry.problems);
        servers.extend(entry.server);
    }
    servers
}

/// Values may be secret.
impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Program { command, args, env, directory } = self;
        f.debug_struct("Program")
            .field("command", command)
            .field("args", &args.len())
            .field("env", &env.keys())
            .field("directory", directory)
            .finish()
    }
}

/// Values may be secret.
impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Remote { is_sse, url, headers } = self;
        f.debug_struct("Remote")
            .field("is_sse", is_sse)
            .field("url", &url.value)
            .field("headers", &headers.keys())
            .finish()
    }
}
