//! `GET /tools` and `GET /limits`.

use crate::Edge;
use crate::catalog::Catalog;
use crate::limits::Limit;
use crate::limits::breaker::BreakerState;
use crate::observe::record::Outcome;
use mcp_bundle::plan::{Backend, Contents};
use mcp_bundle::wire_enums::ProtocolVersion;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The tools that are served, with how often each was called.
pub fn tools(edge: &Edge) -> Value {
    let Some(catalog) = edge.catalog() else { return json!({ "revision": null, "tools": [] }) };
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let told = edge.metrics.calls().each(|name, outcome, count| {
        let counted = counts.entry(name.to_owned()).or_default();
        counted.0 += count;
        counted.1 += if outcome == Outcome::Ok { 0 } else { count };
        Ok::<(), Infallible>(())
    });
    match told {
        Ok(()) => {}
        Err(never) => match never {},
    }
    let tools: Value =
        (0..catalog.contents.tools.len()).map(|index| tool(&catalog, index, &counts)).collect();
    json!({ "revision": catalog.revision.to_string(), "tools": tools })
}

fn tool(catalog: &Catalog, index: usize, counts: &BTreeMap<String, (u64, u64)>) -> Value {
    let contents: &Contents = &catalog.contents;
    let Some(plan) = contents.tools.get(index) else { return Value::Null };
    let text = |id| contents.strings.get(id);
    let name = text(plan.name);
    let entry =
        contents.list.get(index).map(|entry| entry.open_form(&contents.strings, ProtocolVersion::V20260728));
    let entry: Value =
        entry.and_then(|entry| serde_json::from_str(&format!("{entry}}}")).ok()).unwrap_or_default();
    let toolset = contents.manifest.toolsets.get(plan.toolset as usize).map(|toolset| text(toolset.name));
    let upstream = plan.request().and_then(|http| contents.upstreams.get(http.upstream as usize));
    let backend = match &plan.backend {
        Backend::Http(_) => "http",
        Backend::Mcp(_) => "mcp",
        // Nothing is sent for either.
        Backend::Fixed(_) | Backend::Arguments(_) => "fixed",
    };
    let (calls, failed) = counts.get(name).copied().unwrap_or_default();
    json!({
        "name": name,
        "title": entry.get("title"),
        "description": entry.get("description"),
        "toolset": toolset,
        "upstream": upstream.map(|upstream| text(upstream.name)),
        "backend": backend,
        "calls": calls,
        "failed": failed,
    })
}

/// What limits calls now, and how often each limit was met.
pub fn limits(edge: &Edge) -> Value {
    let limiter = edge.limiter();
    let most = edge.serving().settings.limits.calls_in_flight;
    let hits: Map<String, Value> =
        Limit::ALL.into_iter().map(|limit| (limit.as_str().to_owned(), limiter.hits(limit).into())).collect();
    let upstreams = limiter.gates.stats().into_iter().map(|gate| {
        let breaker = match gate.state {
            BreakerState::Closed => "closed",
            BreakerState::HalfOpen => "half_open",
            BreakerState::Open => "open",
        };
        json!({ "name": gate.name, "breaker": breaker, "waiting": gate.waiting })
    });
    json!({
        "inFlight": { "now": edge.calls_in_flight(), "most": most },
        "answerBytes": limiter.budget.held(),
        "hits": hits,
        "upstreams": upstreams.collect::<Value>(),
    })
}
