//! The limits of a bundle, ready to be asked. A bundle without any has empty tables.

use crate::limits::gates::{Gate, SharedGate};
use crate::limits::{Limiter, Rate, bucket};
use mcp_bundle::plan::Contents;
use std::time::Duration;

/// The rate of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolRate {
    pub rate: Rate,
    /// Its name among limits: the same in all bundles.
    pub bucket: u64,
    /// Each tenant has this rate; otherwise all share it.
    pub by_tenant: bool,
}

/// How a tool's answers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRules {
    pub fresh: Duration,
    /// How much longer an answer serves if the upstream fails.
    pub stale_if_error: Duration,
    /// All tenants get the same answers.
    pub shared: bool,
}

/// Indexed like the tools; empty if no tool has any.
#[derive(Debug)]
pub(super) struct ToolTables {
    rates: Vec<Option<ToolRate>>,
    caches: Vec<Option<CacheRules>>,
}

impl ToolTables {
    pub(super) fn new(contents: &Contents) -> ToolTables {
        let tools = 0..contents.tools.len();
        let rates: Vec<_> = tools.clone().map(|tool| rate(contents, tool)).collect();
        let caches: Vec<_> = tools.map(|tool| cache(contents, tool)).collect();
        ToolTables { rates: unless_empty(rates), caches: unless_empty(caches) }
    }

    #[inline]
    pub(super) fn rate(&self, tool: usize) -> Option<&ToolRate> {
        self.rates.get(tool)?.as_ref()
    }

    #[inline]
    pub(super) fn cache(&self, tool: usize) -> Option<&CacheRules> {
        self.caches.get(tool)?.as_ref()
    }
}

fn unless_empty<T>(table: Vec<Option<T>>) -> Vec<Option<T>> {
    if table.iter().all(Option::is_none) { Vec::new() } else { table }
}

fn rate(contents: &Contents, tool: usize) -> Option<ToolRate> {
    let plan = contents.tool_limits(tool)?.rate?;
    let name = contents.strings.get(contents.tools.get(tool)?.name);
    Some(ToolRate {
        rate: Rate::new(plan.calls, plan.seconds, plan.burst).shared(contents.shared_rate(tool)),
        bucket: bucket(name),
        by_tenant: plan.by_tenant,
    })
}

fn cache(contents: &Contents, tool: usize) -> Option<CacheRules> {
    let plan = contents.tools.get(tool)?;
    let http = plan.http()?;
    let seconds = contents.policies.get(plan.policy as usize)?.cache_seconds;
    // The compiler refuses others; a bundle of another compiler may not.
    if seconds == 0 || !http.method.is_safe() {
        return None;
    }
    let more = contents.tool_limits(tool).and_then(|limits| limits.cache);
    let stale = more.map_or(0, |more| more.stale_if_error_seconds);
    Some(CacheRules {
        fresh: Duration::from_secs(seconds.into()),
        stale_if_error: Duration::from_secs(stale.into()),
        shared: more.is_some_and(|more| more.shared),
    })
}

/// One for each upstream. Places are shared if there is a store for that.
pub(super) fn gates(contents: &Contents, limiter: &Limiter, has_store: bool) -> Vec<Gate> {
    let gate = |(index, upstream)| {
        let name = contents.upstream_name(index).unwrap_or_default().to_owned();
        let when_away = contents.shared_places(index).filter(|_| has_store);
        let shared = when_away.map(|when_away| SharedGate { when_away, limits: limiter.shared.clone() });
        let key = (name, contents.origin_text(upstream));
        limiter.gates.gate(&key, contents.upstream_limits(index), shared)
    };
    contents.upstreams.iter().enumerate().map(gate).collect()
}
