//! Which host each `${NAME}` of the specs is sent to.

use super::nested;
use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::variables::{TextPart, Variable, split_variables};
use crate::spec::{AuthSpec, Endpoint, UpstreamSpec};
use mcp_bundle::origin::{self, Piece};
use mcp_diagnostics::{Sources, Span, Spanned};
use std::collections::BTreeMap;

/// One `${NAME}` of a spec.
#[derive(Debug, Clone)]
pub struct Use {
    pub name: String,
    pub to: Destination,
    /// The text that has it.
    span: Span,
    /// Where in the text, if the text is not that of a template.
    at: Option<usize>,
}

/// What becomes of a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Destination {
    /// It is sent to this origin, which may be written with variables itself.
    Host(String),
    /// It is a part of a URL: it decides where requests go.
    Url,
}

/// The first use of each variable, over all files.
#[derive(Debug, Default)]
pub struct Reach(BTreeMap<String, Use>);

impl Reach {
    pub fn of(toolsets: &[CheckedToolset]) -> Reach {
        let mut first = BTreeMap::new();
        for found in toolsets.iter().flat_map(uses) {
            first.entry(found.name.clone()).or_insert(found);
        }
        Reach(first)
    }

    pub fn first(&self, name: &str) -> Option<&Use> {
        self.0.get(name)
    }
}

impl Use {
    /// Where it is written.
    pub fn written(&self, sources: &Sources) -> Span {
        match self.at {
            // With its `${` and `}`.
            Some(at) => sources.inside(self.span, at..at + self.name.len() + 3),
            None => self.span,
        }
    }
}

/// All variables of a file, in the order of upstreams and tools.
pub fn uses(toolset: &CheckedToolset) -> Vec<Use> {
    let mut found = Vec::new();
    for upstream in &toolset.upstreams {
        let url = upstream.url.as_ref();
        in_url(url, &mut found);
        let Some(host) = url.and_then(|url| host(&url.value)) else { continue };
        upstream.headers.iter().for_each(|header| in_text(&header.value, &host, &mut found));
        if let Some(auth) = &upstream.auth {
            in_auth(auth, &host, &mut found);
        }
    }
    toolset.tools.iter().for_each(|tool| in_tool(toolset, tool, &mut found));
    found
}

fn in_auth(auth: &AuthSpec, api: &str, found: &mut Vec<Use>) {
    in_url(auth.token_url.as_ref(), found);
    // What a token server is told does not reach the API.
    let server = auth.token_url.as_ref().map(|url| host(&url.value).unwrap_or_default());
    let to = server.as_deref().unwrap_or(api);
    auth.texts().for_each(|text| in_text(text.text, to, found));
}

fn in_tool(toolset: &CheckedToolset, tool: &CheckedTool, found: &mut Vec<Use>) {
    let named = |u: &&UpstreamSpec| Some(&u.name.value) == tool.upstream.as_ref().map(|name| &name.value);
    let upstream = toolset.upstreams.iter().find(named).and_then(|upstream| upstream.url.as_ref());
    let Some(host) = upstream.or(tool.endpoint.as_ref()).and_then(|url| host(&url.value)) else { return };
    for header in tool.headers.iter().filter(|header| header.template.is_none()) {
        in_text(&header.value, &host, found);
    }
    for (_, template) in tool.request_templates() {
        for name in template.compiled().into_iter().flat_map(|compiled| &compiled.variables) {
            let to = Destination::Host(host.clone());
            let span = template.span;
            found.push(Use { name: name.clone(), to, span, at: None });
        }
    }
    for value in tool.parameters.iter().filter_map(|parameter| parameter.value.as_ref()) {
        for text in nested::texts(value) {
            for (name, _) in variables(text.text) {
                let to = Destination::Host(host.clone());
                found.push(Use { name, to, span: value.span, at: None });
            }
        }
    }
}

fn in_text(text: &Spanned<String>, host: &str, found: &mut Vec<Use>) {
    for (name, at) in variables(&text.value) {
        found.push(Use { name, to: Destination::Host(host.to_owned()), span: text.span, at });
    }
}

fn in_url(url: Option<&Spanned<Endpoint>>, found: &mut Vec<Use>) {
    let Some((url, location)) = url.and_then(|url| Some((url, url.value.location.as_deref()?))) else {
        return;
    };
    for piece in origin::pieces(location).unwrap_or_default() {
        if let Piece::Variable { name, .. } = piece {
            found.push(Use { name: name.to_owned(), to: Destination::Url, span: url.span, at: None });
        }
    }
}

/// The variables of a text, and where they are.
fn variables(text: &str) -> Vec<(String, Option<usize>)> {
    let named = split_variables(text).0.into_iter().filter_map(|part| match part {
        TextPart::Variable(Variable::Named(name)) => Some(name),
        _ => None,
    });
    named.map(|name| (name.clone(), text.find(&format!("${{{name}}}")))).collect()
}

fn host(url: &Endpoint) -> Option<String> {
    let fixed = url.origin.as_ref().map(|origin| format!("{}://{}", origin.scheme, origin.authority));
    fixed.or_else(|| url.location.clone())
}
