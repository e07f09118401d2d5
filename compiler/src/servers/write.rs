//! The text of a spec for tools of a server.
//!
//! Whatever the server says stays inside its string: texts are TOML strings with everything escaped that people cannot see, and
//! schemas are JSON text without a quote that could end the literal around it.

use super::listed::ListedTool;
use super::server::{Reach, ServerKey, ServerSource};
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use mcp_bundle::definition::Pin;
use std::fmt::Write;
use std::ops::Range;

/// Where a spec comes from, for its first line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// What the server calls itself, with its version.
    pub server: String,
    /// The revision of MCP that was spoken.
    pub revision: String,
}

/// A spec, and where each of its tools is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecText {
    pub text: String,
    pub tools: Vec<Range<usize>>,
}

/// Writes the spec of a server, called `name` there; each tool comes with its name in the spec.
pub fn spec<'t>(
    source: &ServerSource,
    name: &str,
    origin: &Origin,
    tools: impl IntoIterator<Item = (&'t str, &'t ListedTool)>,
) -> SpecText {
    let place = match &source.reach {
        Reach::Url { url, .. } => url.as_str(),
        Reach::Program(_) => "stdio",
    };
    let Origin { server, revision } = origin;
    let line =
        format!("Tools of the MCP server {server} ({place}, MCP {revision}), written by `mcpc import`.");
    let mut out = toml::comment(&line);
    out.push_str(&toml::comment("`mcpc lock --check` compares them with the server."));
    out.push('\n');
    head(source, name, &mut out);
    let mut ranges = Vec::new();
    for (own, listed) in tools {
        out.push('\n');
        let start = out.len();
        tool(own, listed, name, &mut out);
        ranges.push(start..out.len());
    }
    SpecText { text: out, tools: ranges }
}

/// The spec of a server whose tools are chosen later.
pub fn server_spec(source: &ServerSource, name: &str) -> String {
    let mut out = toml::comment("An MCP server. `mcpc studio` or `mcpc import` adds its tools.");
    out.push('\n');
    head(source, name, &mut out);
    out
}

/// A tool of a server as a spec has it.
pub fn tool_text(own: &str, listed: &ListedTool, upstream: &str) -> String {
    let mut out = String::new();
    tool(own, listed, upstream, &mut out);
    out
}

/// The toolset and the server.
fn head(source: &ServerSource, name: &str, out: &mut String) {
    let _ = writeln!(out, "[toolset]\nname = {}", line_text(name));
    if let Some(title) = &source.title {
        let _ = writeln!(out, "title = {}", line_text(title));
    }
    let _ = writeln!(
        out,
        "\n[upstream.{name}]\nkind = \"mcp\"\ntransport = \"{}\"",
        source.reach.transport().as_str()
    );
    match &source.reach {
        Reach::Url { url, headers, auth, timeout_ms, .. } => {
            let _ = writeln!(out, "url = {}", line_text(url));
            if !headers.is_empty() {
                let each =
                    headers.iter().map(|(name, value)| format!("{} = {}", toml::key(name), line_text(value)));
                let _ = writeln!(out, "headers = {{ {} }}", each.collect::<Vec<_>>().join(", "));
            }
            if let Some(milliseconds) = timeout_ms {
                let _ = writeln!(out, "timeout_seconds = {}", seconds(*milliseconds));
            }
            match auth {
                None => {}
                Some(ServerKey::Bearer { variable }) => {
                    let _ = writeln!(out, "auth = {{ kind = \"bearer\", token = \"${{{variable}}}\" }}");
                }
                Some(ServerKey::Header { name, variable }) => {
                    let name = line_text(name);
                    let key = format!("\"${{{variable}}}\"");
                    let _ = writeln!(out, "auth = {{ kind = \"api_key\", name = {name}, value = {key} }}");
                }
            }
        }
        Reach::Program(program) if program == name => {}
        Reach::Program(program) => {
            let _ = writeln!(out, "server = {}", line_text(program));
        }
    }
}

/// A time as TOML writes it.
pub fn seconds(milliseconds: u32) -> String {
    match milliseconds % 1000 {
        0 => (milliseconds / 1000).to_string(),
        rest => format!("{}.{rest:03}", milliseconds / 1000).trim_end_matches('0').to_owned(),
    }
}

fn tool(own: &str, listed: &ListedTool, upstream: &str, out: &mut String) {
    let _ = writeln!(out, "[[tool]]\nname = {}", line_text(own));
    if let Some(title) = &listed.title {
        let _ = writeln!(out, "title = {}", line_text(title));
    }
    if let Some(description) = &listed.description {
        let _ = writeln!(out, "description = {}", toml::string(description, Style::Lines, "\n"));
    }
    let _ = writeln!(out, "upstream = \"{upstream}\"");
    if listed.name != own {
        let _ = writeln!(out, "mcp_tool = {}", line_text(&listed.name));
    }
    let _ = writeln!(out, "pin = \"{}\"", Pin::of(&listed.canonical));
    if let Some(annotations) =
        toml::value(&Json::Object(listed.annotations.clone())).filter(|text| text != "{}")
    {
        let _ = writeln!(out, "annotations = {annotations}");
    }
    let _ = writeln!(out, "input_schema = {}", toml::json_text(&listed.input_schema, "\n"));
    if let Some(output) = &listed.output_schema {
        let _ = writeln!(out, "output_schema = {}", toml::json_text(output, "\n"));
    }
}

fn line_text(text: &str) -> String {
    toml::string(text, Style::Line, "\n")
}
