//! The URLs of a file.

use crate::source::Span;
use crate::spec::{Endpoint, ToolsetSpec, parse_endpoint};
use std::borrow::Cow;

/// An upstream's URL or a tool's endpoint.
#[derive(Debug)]
pub struct SpecUrl<'a> {
    pub endpoint: Cow<'a, Endpoint>,
    pub span: Span,
    pub is_upstream: bool,
}

/// The URLs of the upstreams, then the endpoints of the tools.
pub fn all(toolset: &ToolsetSpec) -> impl Iterator<Item = SpecUrl<'_>> {
    let upstreams = toolset.upstreams.iter().filter_map(|upstream| upstream.url.as_ref());
    let upstreams = upstreams.map(|url| SpecUrl {
        endpoint: Cow::Owned(parse_endpoint(&url.value)),
        span: url.span,
        is_upstream: true,
    });
    let tools = toolset.tools.iter().filter_map(|tool| tool.endpoint.as_ref());
    upstreams.chain(tools.map(|endpoint| SpecUrl {
        endpoint: Cow::Borrowed(&endpoint.value),
        span: endpoint.span,
        is_upstream: false,
    }))
}
