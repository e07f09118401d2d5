//! Templates of a request: which strings are ones.

use super::{Endpoint, Header, TemplateSpec};
use mcp_bundle::template::Destination;
use mcp_diagnostics::Spanned;

/// The end of an endpoint.
pub(super) fn of_endpoint(text: &Spanned<String>, endpoint: &Endpoint) -> Option<TemplateSpec> {
    Some(TemplateSpec::of_text(text, endpoint.template?, Destination::Target))
}

/// The headers of a tool, which may read its arguments.
pub(super) fn of_headers(mut headers: Vec<Header>) -> Vec<Header> {
    for header in headers.iter_mut().filter(|header| header.value.value.contains("{{")) {
        header.template = Some(TemplateSpec::of_text(&header.value, 0, Destination::Header));
    }
    headers
}
