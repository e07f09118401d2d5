//! Templates of a request: which strings are ones, and which parameters only they put anywhere.

use super::{Endpoint, Header, ParameterSpec, TemplateSpec, ToolSpec};
use mcp_bundle::template::Place;
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::Spanned;

/// The end of an endpoint.
pub(super) fn of_endpoint(text: &Spanned<String>, endpoint: &Endpoint) -> Option<TemplateSpec> {
    Some(TemplateSpec::of_text(text, endpoint.template?, Place::Target))
}

/// The headers of a tool, which may read its arguments.
pub(super) fn of_headers(mut headers: Vec<Header>) -> Vec<Header> {
    for header in headers.iter_mut().filter(|header| header.value.value.contains("{{")) {
        header.template = Some(TemplateSpec::of_text(&header.value, 0, Place::Header));
    }
    headers
}

/// Finds the parameters that templates of the request take the place of a position for: those that they read and
/// that have none, and what would be in the body if no template wrote it.
pub(super) fn take_over(tool: &mut ToolSpec) {
    let has_body = tool.body_template.is_some();
    let in_doubt = tool.has_doubtful_template();
    let placeholders = tool.endpoint.as_ref().map(|endpoint| endpoint.value.placeholders.as_slice());
    let is_left = |parameter: &ParameterSpec| {
        let name = &parameter.name.value;
        match parameter.position.as_ref().map(|position| position.value) {
            None => has_body || (!parameter.is_hidden() && (in_doubt || tool.is_templated(name))),
            Some(Position::Body) => has_body,
            // The template is where it stands in the path.
            Some(Position::Path) => {
                !parameter.is_hidden()
                    && placeholders.unwrap_or_default().iter().all(|placeholder| placeholder.name != *name)
                    && tool.endpoint_template.as_ref().is_some_and(|template| template.reads(name))
            }
            Some(_) => false,
        }
    };
    let left: Vec<bool> = tool.parameters.iter().map(is_left).collect();
    for (parameter, templated) in tool.parameters.iter_mut().zip(left) {
        parameter.templated = templated;
    }
}
