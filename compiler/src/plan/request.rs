//! Where a tool's request goes and what it is made of.

use super::arguments::Arguments;
use super::builder::Builder;
use super::{Tool, body, constant, credential, encode};
use crate::checked::CheckedTemplate;
use crate::spec::{Endpoint, Header, ParameterSpec, PathPiece};
use mcp_bundle::plan::{HttpPlan, Part, Placed};
use mcp_bundle::wire_enums::{Method, PartKind, Position};

pub fn plan(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments) -> Option<HttpPlan> {
    let endpoint = &tool.spec.endpoint.as_ref()?.value;
    let base = match tool.upstream {
        Some(upstream) => Some(&upstream.url.as_ref()?.value),
        None => None,
    };
    Some(HttpPlan {
        upstream: builder.upstream(tool, base.unwrap_or(endpoint))?,
        method: tool.spec.method.as_ref().map_or(Method::Get, |method| method.value),
        path: path(builder, tool, arguments, base, endpoint)?,
        query: query(builder, tool, arguments, endpoint),
        headers: headers(builder, tool, arguments),
        cookies: placed(builder, tool, arguments, Position::Cookie),
        body: body::plan(builder, tool.spec, arguments),
    })
}

/// A message to an MCP server, without the message. Its upstream has no index yet.
pub fn to_server(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments) -> Option<HttpPlan> {
    let (path, query) = match tool.upstream?.url.as_ref().map(|url| &url.value) {
        Some(url) => (path(builder, tool, arguments, None, url)?, query(builder, tool, arguments, url)),
        None => (vec![builder.literal("/")], Vec::new()),
    };
    Some(HttpPlan {
        upstream: 0,
        method: Method::Post,
        path,
        query,
        headers: headers(builder, tool, arguments),
        cookies: Vec::new(),
        body: body::none(),
    })
}

fn path(
    builder: &mut Builder,
    tool: Tool<'_>,
    arguments: &Arguments,
    base: Option<&Endpoint>,
    endpoint: &Endpoint,
) -> Option<Vec<Part>> {
    let mut writer = PathWriter { parts: Vec::new(), literal: String::new() };
    for piece in base.map(|base| base.path.as_slice()).unwrap_or_default() {
        if let PathPiece::Literal(text) = piece {
            writer.literal.push_str(text.trim_end_matches('/'));
        }
    }
    for piece in &endpoint.path {
        match piece {
            PathPiece::Literal(text) => writer.literal.push_str(text),
            PathPiece::Placeholder(index) => {
                let name = &endpoint.placeholders.get(*index)?.name;
                let parameter = tool.spec.parameter(name)?;
                writer.flush(builder);
                writer.parts.extend(path_value(builder, parameter, arguments)?);
            }
        }
    }
    if writer.parts.is_empty() && writer.literal.is_empty() {
        writer.literal.push('/');
    }
    writer.flush(builder);
    if let Some(template) = &tool.spec.endpoint_template {
        writer.parts.push(builder.template_part(template.compiled()?));
    }
    Some(writer.parts)
}

fn path_value(builder: &mut Builder, parameter: &ParameterSpec, arguments: &Arguments) -> Option<Vec<Part>> {
    match &parameter.value {
        None => Some(vec![Part::parameter(arguments.index(&parameter.name.value)?)]),
        Some(value) => {
            let style = style_of(parameter, Position::Path);
            let texts = constant::texts(builder, &value.value, style, Position::Path);
            Some(texts.into_iter().next().unwrap_or_default())
        }
    }
}

/// Joins neighbouring literals.
struct PathWriter {
    parts: Vec<Part>,
    literal: String,
}

impl PathWriter {
    fn flush(&mut self, builder: &mut Builder) {
        if !self.literal.is_empty() {
            self.parts.push(builder.literal(&self.literal));
            self.literal.clear();
        }
    }
}

fn query(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments, endpoint: &Endpoint) -> Vec<Placed> {
    let mut query = Vec::new();
    let fixed = endpoint.query.as_deref().unwrap_or_default();
    for pair in fixed.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = vec![builder.literal(value)];
        query.push(Placed { name: builder.intern(name), value });
    }
    query.extend(placed(builder, tool, arguments, Position::Query));
    let auth = tool.upstream.and_then(|upstream| upstream.auth.as_ref());
    if let Some((name, value)) = auth.and_then(|auth| auth.query.as_ref()) {
        let name = builder.intern(&encode::percent_encoded(&name.value));
        query.push(Placed { name, value: constant::text(builder, &value.value, encode::percent_encoded) });
    }
    query
}

/// Upstream headers unless the tool sets the same one, then the tool's, then those of parameters.
fn headers(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments) -> Vec<Placed> {
    let own = &tool.spec.headers;
    let overridden =
        |header: &Header| own.iter().any(|o| o.name.value.eq_ignore_ascii_case(&header.name.value));
    let inherited = tool.upstream.into_iter().flat_map(|u| &u.headers).filter(|h| !overridden(h));
    let mut headers = Vec::new();
    if let Some(auth) = tool.upstream.and_then(|upstream| upstream.auth.as_ref()) {
        let bearer = credential::bearer(auth).map(|value| ("authorization".to_owned(), value));
        let key = auth.header.as_ref().map(|h| (h.name.value.to_ascii_lowercase(), h.value.value.clone()));
        headers.extend(bearer.into_iter().chain(key).map(|(name, value)| Placed {
            name: builder.intern(&name),
            value: constant::text(builder, &value, encode::verbatim),
        }));
    }
    let templates = tool.spec.header_templates.iter().map(Option::as_ref);
    for (header, template) in inherited.map(|header| (header, None)).chain(own.iter().zip(templates)) {
        let name = builder.intern(&header.name.value.to_ascii_lowercase());
        let value = match template.map(CheckedTemplate::compiled) {
            None => constant::text(builder, &header.value.value, encode::verbatim),
            Some(compiled) => compiled.map(|compiled| builder.template_part(compiled)).into_iter().collect(),
        };
        headers.push(Placed { name, value });
    }
    // The bundle wants fixed headers before those of parameters.
    let is_fixed = |header: &Placed| header.value.iter().all(|part| part.kind != PartKind::Parameter);
    let (fixed, given): (Vec<_>, Vec<_>) =
        placed(builder, tool, arguments, Position::Header).into_iter().partition(is_fixed);
    headers.extend(fixed);
    headers.extend(given);
    headers
}

/// The parameters of a position, in the order of the spec.
fn placed(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments, position: Position) -> Vec<Placed> {
    let mut placed = Vec::new();
    for parameter in tool.spec.parameters.iter().filter(|p| tool.spec.position(p) == Some(position)) {
        let wire_name = &parameter.wire_name().value;
        let name = match position {
            Position::Header => builder.intern(&wire_name.to_ascii_lowercase()),
            Position::Cookie => builder.intern(wire_name),
            _ => builder.intern(&encode::percent_encoded(wire_name)),
        };
        match &parameter.value {
            Some(value) => {
                for value in constant::texts(builder, &value.value, style_of(parameter, position), position) {
                    placed.push(Placed { name, value });
                }
            }
            None => {
                if let Some(index) = arguments.index(&parameter.name.value) {
                    let value = vec![Part { kind: PartKind::Parameter, id: index }];
                    placed.push(Placed { name, value });
                }
            }
        }
    }
    placed
}

pub fn style_of(parameter: &ParameterSpec, position: Position) -> mcp_bundle::wire_enums::Style {
    let said = parameter.style.as_ref().map(|style| style.value);
    said.unwrap_or_else(|| encode::default_style(position, Some(parameter.kind.value)))
}
