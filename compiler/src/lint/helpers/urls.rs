//! The URLs of a file.

use crate::checked::CheckedToolset;
use crate::spec::Endpoint;
use crate::template::Compiled;
use mcp_diagnostics::Span;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::ops::Range;

/// An upstream's URL or a tool's endpoint.
#[derive(Debug)]
pub struct SpecUrl<'a> {
    pub endpoint: &'a Endpoint,
    pub span: Span,
    /// It stands alone: an upstream's, or that of a token server.
    pub is_upstream: bool,
    pub is_token: bool,
    /// All of it is where an MCP server is.
    pub is_server: bool,
}

/// The URLs of the upstreams and their token servers, then the endpoints of the tools.
pub fn all(toolset: &CheckedToolset) -> impl Iterator<Item = SpecUrl<'_>> {
    let upstreams = toolset.upstreams.iter().flat_map(|upstream| {
        let token = upstream.auth.as_ref().and_then(|auth| auth.token_url.as_ref());
        let own = upstream.url.iter().map(|url| (url, false, upstream.server.is_some()));
        own.chain(token.map(|url| (url, true, false)))
    });
    let upstreams = upstreams.map(|(url, is_token, is_server)| SpecUrl {
        endpoint: &url.value,
        span: url.span,
        is_upstream: true,
        is_token,
        is_server,
    });
    let tools = toolset.tools.iter().filter_map(|tool| tool.endpoint.as_ref());
    upstreams.chain(tools.map(|endpoint| SpecUrl {
        endpoint: &endpoint.value,
        span: endpoint.span,
        is_upstream: false,
        is_token: false,
        is_server: false,
    }))
}

/// A name in an endpoint's own query.
#[derive(Debug)]
pub struct FixedName<'a> {
    /// As an upstream reads it.
    pub decoded: Cow<'a, str>,
    /// In the endpoint's text, as it is written there.
    pub range: Range<usize>,
}

/// The names in the query of an endpoint.
pub fn fixed_names(endpoint: &Endpoint) -> impl Iterator<Item = FixedName<'_>> {
    let mut at = endpoint.text.find('?').map_or(0, |mark| mark + 1);
    let pairs = endpoint.query.as_deref().unwrap_or_default().split('&');
    pairs.filter_map(move |pair| {
        let start = at;
        at += pair.len() + 1;
        let name = pair.split('=').next().unwrap_or_default();
        let decoded = percent_decode_str(name).decode_utf8_lossy();
        (!pair.is_empty()).then(|| FixedName { decoded, range: start..start + name.len() })
    })
}

/// The names in the query of an endpoint's template, in all branches. Names with a value in them do
/// not count.
pub fn template_names(template: &Compiled) -> Vec<String> {
    /// No URL has it.
    const VALUE: char = '\0';
    let outline = template.outline(|text| text.push(VALUE));
    let query = outline.split_once('?').map_or("", |(_, query)| query);
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    let fixed = names.filter(|name| !name.is_empty() && !name.contains(VALUE));
    fixed.map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::parse_endpoint;
    use crate::template::{Dialect, compile_for};
    use mcp_bundle::template::Destination;

    #[test]
    fn fixed_names_are_decoded_and_located() {
        let endpoint = parse_endpoint("https://a.example/x?r%6fle=a=b&&flag&a%5Bb%5D=?c");
        let names: Vec<_> = fixed_names(&endpoint)
            .map(|name| (name.decoded, endpoint.text.get(name.range).unwrap()))
            .collect();
        let expected = [("role", "r%6fle"), ("flag", "flag"), ("a[b]", "a%5Bb%5D")];
        assert_eq!(names, expected.map(|(decoded, written)| (decoded.into(), written)));
        assert_eq!(fixed_names(&parse_endpoint("/x")).count(), 0);
    }

    #[test]
    fn names_in_a_template_are_found_in_all_its_branches() {
        let source = "{{ .id }}?r%6fle=a{{ if .x }}&x={{ .x }}{{ else }}&y=1{{ end }}&z";
        let template = compile_for(Destination::Target, Dialect::Go, source).unwrap();
        assert_eq!(template_names(&template), ["role", "x", "y", "z"]);
    }
}
