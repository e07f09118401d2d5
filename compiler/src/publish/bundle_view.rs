//! A bundle as people and scripts look at it.

use crate::publish::limits_view::{self, CacheView, RateView, UpstreamView};
use crate::publish::tokens;
use mcp_bundle::definition::Pin;
use mcp_bundle::format::{Bundle, key_id};
use mcp_bundle::plan::{Contents, HttpPlan, McpPlan, Part, Placed, ToolPlan};
use mcp_bundle::strings::StrId;
use mcp_bundle::template::OpCode;
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind, PartKind, ProtocolVersion};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

#[derive(Debug, Serialize)]
pub struct BundleView<'a> {
    /// Version of this shape.
    pub version: u32,
    pub name: &'a str,
    pub revision: String,
    /// The version that its makers gave it.
    pub release: Option<&'a str>,
    pub format_version: u16,
    pub features: Vec<&'static str>,
    pub bytes: usize,
    pub tokens: usize,
    /// Key ids.
    pub signers: Vec<String>,
    pub variables: Vec<&'a str>,
    pub upstreams: Vec<UpstreamView<'a>>,
    pub toolsets: Vec<ToolsetView<'a>>,
    pub tools: Vec<ToolView<'a>>,
}

#[derive(Debug, Serialize)]
pub struct ToolsetView<'a> {
    pub name: &'a str,
    pub title: Option<&'a str>,
    pub instructions: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct ToolView<'a> {
    pub name: &'a str,
    pub toolset: &'a str,
    /// Empty where no HTTP request is sent.
    pub method: &'static str,
    /// The tool of an MCP server that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerView<'a>>,
    /// With `{name}` for parameters, `${NAME}` for variables, and `{{…}}` in templates.
    pub url: String,
    /// `name: value` lines, likewise.
    pub headers: Vec<String>,
    /// The kind of credential that the edge adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<&'static str>,
    /// `name=value`, likewise.
    pub cookies: Vec<String>,
    pub body: &'static str,
    /// `name: value` of each member of the body, nested names dotted.
    pub body_members: Vec<String>,
    /// A fixed answer.
    pub respond: Option<&'a str>,
    pub timeout_ms: u32,
    pub retry_count: u8,
    pub rate: Option<RateView>,
    pub cache: Option<CacheView>,
    /// The name of the upstream that it calls.
    pub upstream: Option<&'a str>,
    pub scopes: Vec<&'a str>,
    pub tokens: usize,
    /// Dialect of the response template.
    pub response_template: Option<&'static str>,
    /// Likewise.
    pub error_template: Option<&'static str>,
    /// Paths of the answer that are kept; all of it if there are none.
    pub select: Vec<&'a str>,
    /// Whether results are checked against a schema.
    pub output_schema: bool,
    pub full_schema: bool,
    /// It also takes arguments that can be converted without loss.
    pub lenient: bool,
    pub parameters: Vec<ParameterView<'a>>,
    /// As the newest protocol revision shows it.
    pub entry: String,
}

/// An MCP server, and what a tool is there.
#[derive(Debug, Serialize)]
pub struct ServerView<'a> {
    pub name: &'a str,
    pub transport: &'static str,
    /// What the place calls the program, over `stdio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<&'a str>,
    pub tool: &'a str,
    pub pin: String,
    pub on_drift: &'static str,
}

#[derive(Debug, Serialize)]
pub struct ParameterView<'a> {
    pub name: &'a str,
    /// `template` if only templates place it.
    pub position: &'static str,
    pub types: Vec<&'static str>,
    pub required: bool,
    /// JSON text.
    pub default: Option<&'a str>,
    pub sensitive: bool,
}

impl<'a> BundleView<'a> {
    pub fn new(bundle: &'a Bundle, bytes: usize) -> BundleView<'a> {
        let contents = &bundle.contents;
        let text = |id| contents.strings.get(id);
        let toolsets = contents.manifest.toolsets.iter().map(|toolset| ToolsetView {
            name: text(toolset.name),
            title: toolset.title.map(text),
            instructions: toolset.instructions.map(text),
        });
        let tools: Vec<ToolView<'a>> = (0..contents.tools.len()).filter_map(|i| tool(contents, i)).collect();
        BundleView {
            version: 1,
            name: text(contents.manifest.name),
            revision: bundle.revision.to_string(),
            release: contents.version(),
            format_version: bundle.version,
            features: bundle.features.names().collect(),
            bytes,
            tokens: tools.iter().map(|tool| tool.tokens).sum(),
            signers: bundle.signers.iter().map(|key| key_id(key).to_string()).collect(),
            variables: contents.variable_names().collect(),
            upstreams: limits_view::upstreams(contents),
            toolsets: toolsets.collect(),
            tools,
        }
    }
}

fn tool(contents: &Contents, index: usize) -> Option<ToolView<'_>> {
    let plan = contents.tools.get(index)?;
    let text = |id| contents.strings.get(id);
    let policy = contents.policies.get(plan.policy as usize)?;
    let entry = contents.list.get(index)?.open_form(&contents.strings, ProtocolVersion::V20260728);
    let entry = format!("{entry}}}");
    let dialect = |index: Option<u32>| {
        let program = contents.templates.programs.get(index? as usize)?;
        Some(program.dialect.as_str())
    };
    let placed = placed_parameters(plan);
    let http = plan.request();
    let server = plan.mcp().and_then(|call| server(contents, call));
    let is_program = server.as_ref().is_some_and(|server| server.program.is_some());
    let has_template = plan.request_templates().next().is_some();
    let parameters = plan.parameters.iter().enumerate().map(|(index, parameter)| {
        let by_template = has_template && !placed.contains(&index);
        let check = plan.checks.get(parameter.check as usize);
        ParameterView {
            name: text(parameter.name),
            position: if by_template { "template" } else { parameter.position.as_str() },
            types: check.map(|check| check.types.names().collect()).unwrap_or_default(),
            required: parameter.required,
            default: parameter.default.map(text),
            sensitive: parameter.sensitive,
        }
    });
    Some(ToolView {
        name: text(plan.name),
        toolset: contents.manifest.toolsets.get(plan.toolset as usize).map(|t| text(t.name))?,
        method: http.filter(|_| !is_program).map(|http| http.method.as_str()).unwrap_or_default(),
        url: match (http, server.as_ref().and_then(|server| server.program)) {
            (_, Some(program)) => format!("(program `{program}`)"),
            (Some(http), None) => url(contents, plan, http),
            (None, None) => "(fixed answer)".to_owned(),
        },
        server,
        headers: lines(contents, plan, http.map(|http| http.headers.as_slice()), ": "),
        credential: http
            .and_then(|http| contents.credential(http.upstream))
            .map(|credential| credential.kind.as_str()),
        cookies: lines(contents, plan, http.map(|http| http.cookies.as_slice()), "="),
        body: http.map_or(BodyKind::None, |http| http.body.kind).as_str(),
        body_members: http.map(|http| body_members(contents, plan, http)).unwrap_or_default(),
        respond: plan.fixed_answer().map(text),
        timeout_ms: policy.timeout_ms,
        retry_count: policy.retry_count,
        rate: limits_view::rate(contents, index),
        cache: limits_view::cache(contents, index, policy),
        upstream: http.and_then(|http| contents.upstream_name(http.upstream as usize)),
        scopes: policy.scopes.iter().map(|scope| text(*scope)).collect(),
        tokens: tokens::estimate(&entry),
        response_template: dialect(plan.response.template),
        error_template: dialect(plan.response.error_template),
        select: plan.response.select.iter().map(|path| text(*path)).collect(),
        output_schema: plan.response.output_schema.is_some(),
        full_schema: plan.schema.is_some(),
        lenient: contents.lenient.binary_search(&(index as u32)).is_ok(),
        parameters: parameters.collect(),
        entry,
    })
}

fn server<'a>(contents: &'a Contents, call: &'a McpPlan) -> Option<ServerView<'a>> {
    let text = |id| contents.strings.get(id);
    let server = contents.servers.get(call.server as usize)?;
    Some(ServerView {
        name: contents.server_name(call.server as usize)?,
        transport: server.transport.as_str(),
        program: server.program.map(text),
        tool: text(call.name),
        pin: Pin::of(text(call.definition)).to_string(),
        on_drift: call.on_drift.as_str(),
    })
}

/// Indices of the parameters that have a place of their own.
fn placed_parameters(plan: &ToolPlan) -> BTreeSet<usize> {
    let Some(http) = plan.request() else { return BTreeSet::new() };
    let own = http.parts().filter(|part| part.kind == PartKind::Parameter).map(|part| part.id);
    own.chain(http.body.whole).map(|id| id as usize).collect()
}

/// The URL with `{name}` for parameters, `${NAME}` for variables, and `{{…}}` in templates.
pub(crate) fn url(contents: &Contents, plan: &ToolPlan, http: &HttpPlan) -> String {
    let mut url = String::new();
    if let Some(upstream) = contents.upstreams.get(http.upstream as usize) {
        url = contents.origin_text(upstream);
    }
    write_parts(contents, plan, &http.path, &mut url);
    for placed in &http.query {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&line(contents, plan, placed, "="));
    }
    url
}

/// The fields of a body that is made of some, by their dotted names.
pub(crate) fn body_fields<'a>(contents: &'a Contents, http: &'a HttpPlan) -> Vec<(String, &'a [Part])> {
    let mut open: Vec<Cow<'_, str>> = Vec::new();
    let mut fields = Vec::new();
    for op in &http.body.ops {
        let name = contents.strings.get(op.name);
        let name = match http.body.kind {
            // The lines above the part, on one.
            BodyKind::Multipart => {
                let name = name.strip_prefix("Content-Disposition: form-data; ").unwrap_or(name);
                Cow::Owned(name.replace("\r\nContent-Type: ", "; "))
            }
            // `"name":` in a JSON body, the bare name in a form.
            _ => Cow::Borrowed(name.trim_end_matches(':').trim_matches('"')),
        };
        match op.kind {
            BodyOpKind::Open => open.push(name),
            BodyOpKind::Close => {
                open.pop();
            }
            BodyOpKind::Field | BodyOpKind::File => {
                let mut path: String = open.iter().flat_map(|outer| [&**outer, "."]).collect();
                path.push_str(&name);
                fields.push((path, op.value.as_slice()));
            }
        }
    }
    fields
}

fn body_members(contents: &Contents, plan: &ToolPlan, http: &HttpPlan) -> Vec<String> {
    let member = |(mut member, parts): (String, &[Part])| {
        if !member.is_empty() {
            member.push_str(": ");
        }
        write_parts(contents, plan, parts, &mut member);
        member
    };
    let mut members: Vec<String> = body_fields(contents, http).into_iter().map(member).collect();
    if let Some(whole) = http.body.whole {
        let mut member = String::new();
        write_parts(contents, plan, &[Part::parameter(whole)], &mut member);
        members.push(member);
    }
    members
}

fn lines(contents: &Contents, plan: &ToolPlan, placed: Option<&[Placed]>, between: &str) -> Vec<String> {
    placed.unwrap_or_default().iter().map(|placed| line(contents, plan, placed, between)).collect()
}

fn line(contents: &Contents, plan: &ToolPlan, placed: &Placed, between: &str) -> String {
    let mut line = format!("{}{between}", contents.strings.get(placed.name));
    write_parts(contents, plan, &placed.value, &mut line);
    line
}

/// What a run of parts writes, with `{name}` for parameters, `${NAME}` for variables and `{{…}}` in templates.
pub(crate) fn write_parts(contents: &Contents, plan: &ToolPlan, parts: &[Part], out: &mut String) {
    for part in parts {
        match part.kind {
            PartKind::Literal => out.push_str(contents.strings.get(StrId(part.id))),
            PartKind::Parameter => {
                let name = plan.parameters.get(part.id as usize).map(|p| contents.strings.get(p.name));
                out.push_str(&format!("{{{}}}", name.unwrap_or_default()));
            }
            PartKind::Variable => {
                let name = contents.variable_names().nth(part.id as usize).unwrap_or_default();
                out.push_str(&format!("${{{name}}}"));
            }
            PartKind::TenantId | PartKind::PrincipalSub => out.push_str(&format!("${{{}}}", part.kind)),
            PartKind::Template => write_template(contents, part.id, out),
        }
    }
}

/// The text of a template, with `{{name}}` for an argument and `{{…}}` for anything else.
fn write_template(contents: &Contents, index: u32, out: &mut String) {
    let programs = &contents.templates;
    let Some(program) = programs.programs.get(index as usize) else {
        return;
    };
    for op in program.ops.of(&programs.ops) {
        match op.code {
            OpCode::Literal => out.push_str(contents.strings.get(StrId(op.a))),
            OpCode::Variable => {
                let kind = u8::try_from(op.a).ok().and_then(PartKind::from_tag);
                let name = match kind {
                    Some(PartKind::Variable) => {
                        contents.variable_names().nth(op.b as usize).unwrap_or_default()
                    }
                    kind => kind.map(PartKind::as_str).unwrap_or_default(),
                };
                out.push_str(&format!("${{{name}}}"));
            }
            OpCode::Emit => {
                let path = programs.paths.get(op.a as usize).filter(|path| path.base == 0);
                let steps = path.map(|path| path.steps.of(&programs.steps)).unwrap_or_default();
                let keys: Vec<&str> = steps.iter().map(|step| contents.strings.get(step.key)).collect();
                let name = if keys.is_empty() { "…".to_owned() } else { keys.join(".") };
                out.push_str(&format!("{{{{{name}}}}}"));
            }
            OpCode::EmitTop | OpCode::Branch | OpCode::JumpUnless | OpCode::Loop
                if !out.ends_with("{{…}}") =>
            {
                out.push_str("{{…}}");
            }
            _ => {}
        }
    }
}
