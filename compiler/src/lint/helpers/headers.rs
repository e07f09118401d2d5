//! The headers that a file sets, and HTTP's rules for their names.

use crate::checked::{CheckedTool, CheckedToolset};
use crate::spec::{Header, ParameterSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::Spanned;

/// Fixed headers: those of the upstreams with their API keys, then those of the tools.
pub fn fixed(toolset: &CheckedToolset) -> impl Iterator<Item = &Header> {
    let upstreams = toolset.upstreams.iter().flat_map(|upstream| {
        let key = upstream.auth.as_ref().and_then(|auth| auth.header.as_ref());
        upstream.headers.iter().chain(key)
    });
    upstreams.chain(toolset.tools.iter().flat_map(|tool| &tool.headers))
}

/// The parameters of all tools that go to a position.
pub fn parameters(toolset: &CheckedToolset, position: Position) -> impl Iterator<Item = &ParameterSpec> {
    toolset.tools.iter().flat_map(move |tool| at(tool, position))
}

/// The parameters of a tool that go to a position.
pub fn at(tool: &CheckedTool, position: Position) -> impl Iterator<Item = &ParameterSpec> {
    tool.parameters.iter().filter(move |parameter| tool.position(parameter) == Some(position))
}

/// All names of headers: fixed ones, then those of parameters.
pub fn names(toolset: &CheckedToolset) -> impl Iterator<Item = &Spanned<String>> {
    let fixed = fixed(toolset).map(|header| &header.name);
    fixed.chain(parameters(toolset, Position::Header).map(ParameterSpec::wire_name))
}

/// RFC 9110 §5.6.2.
pub fn is_token(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_token_char)
}

pub fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}
