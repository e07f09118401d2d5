//! The text of a spec for tools of a server.
//!
//! Whatever the server says stays inside its string: texts are TOML strings with everything escaped that people cannot see, and
//! schemas are JSON text without a quote that could end the literal around it.

use super::listed::ListedTool;
use super::server::{Reach, ServerSource};
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use mcp_bundle::definition::Pin;
use mcp_diagnostics::visible::one_line;
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
    let mut out = String::new();
    let place = match &source.reach {
        Reach::Url { url, .. } => url.as_str(),
        Reach::Program(_) => "stdio",
    };
    let Origin { server, revision } = origin;
    let line =
        format!("Tools of the MCP server {server} ({place}, MCP {revision}), written by `mcpc import`.");
    let _ = writeln!(out, "# {}", comment(&line));
    let _ = writeln!(out, "# `mcpc lock --check` compares them with the server.\n");
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
        Reach::Url { url, headers, bearer, .. } => {
            let _ = writeln!(out, "url = {}", line_text(url));
            if !headers.is_empty() {
                let each =
                    headers.iter().map(|(name, value)| format!("{} = {}", toml::key(name), line_text(value)));
                let _ = writeln!(out, "headers = {{ {} }}", each.collect::<Vec<_>>().join(", "));
            }
            if let Some(variable) = bearer {
                let _ = writeln!(out, "auth = {{ kind = \"bearer\", token = \"${{{variable}}}\" }}");
            }
        }
        Reach::Program(program) if program == name => {}
        Reach::Program(program) => {
            let _ = writeln!(out, "server = {}", line_text(program));
        }
    }
    let mut ranges = Vec::new();
    for (own, listed) in tools {
        out.push('\n');
        let start = out.len();
        tool(own, listed, name, &mut out);
        ranges.push(start..out.len());
    }
    SpecText { text: out, tools: ranges }
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
    let _ = writeln!(out, "input_schema = {}", schema(&listed.input_schema, "\n"));
    if let Some(output) = &listed.output_schema {
        let _ = writeln!(out, "output_schema = {}", schema(output, "\n"));
    }
}

/// A schema as JSON text in a literal string.
pub fn schema(schema: &Json, newline: &str) -> String {
    let pretty = schema.to_pretty();
    let mut text = String::with_capacity(pretty.len());
    for c in pretty.chars() {
        // Only strings of JSON hold these: line breaks between values aside, all its own text is plain.
        if c == '\'' || (c != '\n' && !toml::is_plain(c)) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else if c == '\n' {
            text.push_str(newline);
        } else {
            text.push(c);
        }
    }
    format!("'''{newline}{text}'''")
}

fn line_text(text: &str) -> String {
    toml::string(text, Style::Line, "\n")
}

/// One line, in which nothing is hidden.
fn comment(text: &str) -> String {
    one_line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::toml_to_json;
    use proptest::prelude::*;

    #[test]
    fn no_text_of_a_schema_ends_its_literal() {
        let hostile = Json::read(r#"{"a":"'''\n[[tool]]","b":"\u202e🦀\udb40\udc41","c'":{}}"#).unwrap();
        let text = schema(&hostile, "\n");
        assert_eq!(
            text,
            "'''\n{\n  \"a\": \"\\u0027\\u0027\\u0027\\n[[tool]]\",\n  \"b\": \"\\u202e🦀\\udb40\\udc41\",\n  \"c\\u0027\": {}\n}'''"
        );
    }

    proptest! {
        #[test]
        fn schemas_come_back(name in "(?s).{0,12}", text in "(?s)[ '\"\\\\\n\r\t\u{0}\u{7f}\u{202e}\u{e0041}a🦀é{$]{0,24}", crlf: bool) {
            let json = Json::Object(vec![(name, Json::Array(vec![Json::String(text)]))]);
            let newline = if crlf { "\r\n" } else { "\n" };
            let file = format!("a = {}{newline}", schema(&json, newline));
            let read = toml_to_json(&file).unwrap_or_else(|| panic!("{file:?}"));
            let written = read.get("a").and_then(Json::as_str).unwrap();
            prop_assert_eq!(Json::read(written).unwrap(), json, "{:?}", file);
        }
    }
}
