//! From checked specs to the contents of a bundle.
//!
//! Only specs without errors get here, so planning does not fail: what it cannot use, it leaves out.
//! Tools are planned in the order of their names and everything is interned at first use, so the result
//! depends neither on the order of files nor on where they lie.

mod arguments;
mod body;
mod builder;
mod checks;
mod constant;
mod credential;
mod encode;
mod limits;
mod link;
mod mcp;
mod request;

pub use link::standalone;

use crate::checked::{CheckedTemplate, CheckedTool, CheckedToolset};
use crate::lint::Config;
use crate::spec::UpstreamSpec;
use builder::Builder;
use mcp_bundle::origin::{self, Piece};
use mcp_bundle::plan::{Backend, Contents, ListEntry, Policy, Release, ResponsePlan, ToolPlan, Toolset};

/// Name of a bundle that `mcpc.toml` gives none.
pub const DEFAULT_BUNDLE_NAME: &str = "tools";
const DEFAULT_TIMEOUT_MS: u32 = 30_000;
/// Retries of a call to an MCP server.
pub(crate) const SERVER_RETRIES: u8 = 3;
const DEFAULT_CONNECT_TIMEOUT_MS: u32 = 5_000;

/// One tool with its upstream.
#[derive(Debug, Clone, Copy)]
struct Tool<'a> {
    spec: &'a CheckedTool,
    upstream: Option<&'a UpstreamSpec>,
}

/// The contents of the bundle.
pub fn plan(config: &Config, toolsets: &[CheckedToolset]) -> Contents {
    let mut sets: Vec<&CheckedToolset> = toolsets.iter().filter(|set| !set.tools.is_empty()).collect();
    sets.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    let mut tools: Vec<(u32, Tool<'_>)> = Vec::new();
    for (index, toolset) in sets.iter().enumerate() {
        for spec in &toolset.tools {
            let named = |u: &&UpstreamSpec| Some(&u.name.value) == spec.upstream.as_ref().map(|n| &n.value);
            let upstream = toolset.upstreams.iter().find(named);
            tools.push((index as u32, Tool { spec, upstream }));
        }
    }
    tools.sort_by(|(_, a), (_, b)| a.spec.label().cmp(b.spec.label()));

    let mut builder = Builder::new(variables(&tools));
    let name = builder.intern(config.bundle_name.as_deref().unwrap_or(DEFAULT_BUNDLE_NAME));
    let version = config.version.map(|version| builder.intern(&version.to_string()));
    let toolset_plans = sets.iter().map(|set| toolset(&mut builder, set)).collect();
    let mut plans = Vec::with_capacity(tools.len());
    let mut list = Vec::with_capacity(tools.len());
    for (toolset, tool) in tools {
        let Some(plan) = plan_tool(&mut builder, toolset, tool) else {
            debug_assert!(false, "only checked tools are planned: {}", tool.spec.label());
            continue;
        };
        let index = plans.len() as u32;
        builder.limit_tool(limits::of_tool(index, tool.spec), limits::shared_rate(index, tool.spec));
        if tool.spec.lenient {
            builder.lenient_tool(index);
        }
        plans.push(plan);
        let entry = tool.spec.list_entry();
        list.push(ListEntry {
            text: builder.intern(&entry.text),
            ends: entry.ends,
            modern: entry.modern.as_ref().map(|text| builder.intern(text)),
        });
    }
    let contents = builder.finish(name, toolset_plans, plans, list);
    Contents { release: version.map(|version| Release { version }), ..contents }
}

fn toolset(builder: &mut Builder, set: &CheckedToolset) -> Toolset {
    Toolset {
        name: builder.intern(&set.name.value),
        title: set.title.as_ref().map(|title| builder.intern(&title.value)),
        instructions: set.instructions.as_ref().map(|text| builder.intern(&text.value)),
    }
}

fn plan_tool(builder: &mut Builder, toolset: u32, tool: Tool<'_>) -> Option<ToolPlan> {
    let spec = tool.spec;
    let name = builder.intern(spec.label());
    let arguments = arguments::plan(builder, spec);
    let policy = policy(builder, tool);
    let response = response(builder, spec);
    let backend = match (&spec.respond, &spec.mcp) {
        (Some(text), _) => Backend::Fixed(builder.intern(&text.value)),
        (None, Some(_)) => Backend::Mcp(Box::new(mcp::plan(builder, tool, &arguments)?)),
        (None, None) if spec.answers_with_arguments => {
            Backend::arguments(body::of_arguments(builder, spec, &arguments))
        }
        (None, None) => Backend::Http(request::plan(builder, tool, &arguments)?),
    };
    Some(ToolPlan {
        name,
        toolset,
        backend,
        parameters: arguments.parameters,
        additional: arguments.additional,
        checks: arguments.checks,
        schema: arguments.schema,
        policy,
        response,
    })
}

fn policy(builder: &mut Builder, tool: Tool<'_>) -> u32 {
    let spec = tool.spec;
    let timeout = spec.timeout_ms.or(tool.upstream.and_then(|u| u.timeout_ms));
    let attempt = spec.attempt_timeout_ms.or(tool.upstream.and_then(|u| u.attempt_timeout_ms));
    let own_retries = spec.retry_count.as_ref().map(|count| count.value);
    let retries = own_retries.or(tool.upstream.and_then(|u| u.retry_count.as_ref().map(|c| c.value)));
    let default_retries = if spec.mcp.is_some() { SERVER_RETRIES } else { 0 };
    let idempotent = spec.is_idempotent();
    let mut scopes: Vec<&str> = spec.scopes.iter().map(|scope| scope.value.as_str()).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let policy = Policy {
        timeout_ms: timeout.unwrap_or(DEFAULT_TIMEOUT_MS),
        attempt_timeout_ms: attempt,
        retry_count: if idempotent { retries.unwrap_or(default_retries) } else { 0 },
        idempotent,
        cache_seconds: spec.cache_seconds.as_ref().map_or(0, |seconds| seconds.value),
        max_response_bytes: spec.max_response_bytes,
        max_text_bytes: spec.max_text_bytes,
        max_results: spec.max_results,
        scopes: scopes.into_iter().map(|scope| builder.intern(scope)).collect(),
    };
    builder.policy(policy)
}

fn response(builder: &mut Builder, spec: &CheckedTool) -> ResponsePlan {
    let mut template = |spec: &Option<CheckedTemplate>| {
        spec.as_ref().and_then(CheckedTemplate::compiled).map(|compiled| builder.template(compiled))
    };
    ResponsePlan {
        template: template(&spec.response_template),
        error_template: template(&spec.error_template),
        select: spec.select.iter().map(|path| builder.intern(&path.value)).collect(),
        output_schema: spec.published_output_schema().map(|schema| builder.schema(schema)),
    }
}

/// Names of all variables, sorted.
fn variables(tools: &[(u32, Tool<'_>)]) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    for (_, tool) in tools {
        let url = tool.upstream.and_then(|u| u.url.as_ref()).and_then(|url| url.value.location.as_deref());
        for piece in url.and_then(origin::pieces).unwrap_or_default() {
            // One with a default does without a value.
            if let Piece::Variable { name, default: None } = piece {
                names.insert(name.to_owned());
            }
        }
        if let Some(auth) = tool.upstream.and_then(|upstream| upstream.auth.as_ref()) {
            credential::variables(auth, &mut names);
        }
        let upstream = tool.upstream.into_iter().flat_map(|u| &u.headers);
        for header in upstream.chain(&tool.spec.headers).filter(|header| header.template.is_none()) {
            constant::variables_of_text(&header.value.value, &mut names);
        }
        let templates = tool.spec.request_templates().filter_map(|(_, template)| template.compiled());
        names.extend(templates.flat_map(|compiled| compiled.variables.iter().cloned()));
        for value in tool.spec.parameters.iter().filter_map(|p| p.value.as_ref()) {
            constant::variables_of(&value.value, &mut names);
        }
    }
    names.into_iter().collect()
}
