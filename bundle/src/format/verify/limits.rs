//! Rates, places, breakers and the rest of the section `limits`.

use super::shared::{Checked, ensure, index};
use crate::plan::{
    BreakerPlan, CachePlan, Contents, PlacesPlan, RatePlan, SharedLimit, ToolLimits, UpstreamLimits,
};

/// Checks the limits of tools. Needs the tools.
pub(super) fn tools(contents: &Contents) -> Checked {
    ascending(contents.limits.tools.iter().map(|limits| limits.tool), "limits of tool")?;
    for limits in &contents.limits.tools {
        tool(contents, limits).map_err(|problem| format!("limits of tool {}: {problem}", limits.tool))?;
    }
    shared(&contents.shared.rates, "shared rate of tool", |tool| {
        contents.tool_limits(tool).is_some_and(|limits| limits.rate.is_some())
    })
}

/// Checks the limits of upstreams.
pub(super) fn upstreams(contents: &Contents) -> Checked {
    ascending(contents.limits.upstreams.iter().map(|limits| limits.upstream), "limits of upstream")?;
    for limits in &contents.limits.upstreams {
        upstream(contents, limits)
            .map_err(|problem| format!("limits of upstream {}: {problem}", limits.upstream))?;
    }
    shared(&contents.shared.places, "shared places of upstream", |upstream| {
        contents.upstream_limits(upstream).is_some_and(|limits| limits.places.is_some())
    })
}

/// A limit can only be shared if it is there.
fn shared(limits: &[SharedLimit], what: &str, is_limited: impl Fn(usize) -> bool) -> Checked {
    ascending(limits.iter().map(|limit| limit.of), what)?;
    for SharedLimit { of, when_away: _ } in limits {
        ensure(is_limited(*of as usize), || format!("{what} {of}: there is no such limit"))?;
    }
    Ok(())
}

fn tool(contents: &Contents, limits: &ToolLimits) -> Checked {
    let ToolLimits { tool, rate, cache } = limits;
    index(*tool, contents.tools.len(), "tool")?;
    ensure(rate.is_some() || cache.is_some(), || "there are none".to_owned())?;
    if let Some(RatePlan { calls, seconds, burst, by_tenant: _ }) = rate {
        ensure(*calls > 0 && *seconds > 0 && *burst > 0, || "a rate of nothing".to_owned())?;
    }
    if let Some(CachePlan { .. }) = cache {
        let plan = contents.tools.get(*tool as usize);
        let policy = plan.and_then(|plan| contents.policies.get(plan.policy as usize));
        let is_cached = policy.is_some_and(|policy| policy.cache_seconds > 0);
        ensure(is_cached, || "a cache without a time".to_owned())?;
    }
    Ok(())
}

fn upstream(contents: &Contents, limits: &UpstreamLimits) -> Checked {
    let UpstreamLimits { upstream, places, breaker } = limits;
    index(*upstream, contents.upstreams.len(), "upstream")?;
    ensure(places.is_some() || breaker.is_some(), || "there are none".to_owned())?;
    if let Some(PlacesPlan { in_flight, .. }) = places {
        ensure(*in_flight > 0, || "no call may be in flight".to_owned())?;
    }
    if let Some(BreakerPlan { enabled: _, failures, error_per_mille, seconds, probes }) = breaker {
        let is_possible = *failures > 0 && (1..=1000).contains(error_per_mille) && *seconds > 0;
        ensure(is_possible && *probes > 0, || "a breaker that cannot work".to_owned())?;
    }
    Ok(())
}

/// Whether indexes come in their order, each once.
pub(super) fn ascending(indexes: impl Iterator<Item = u32>, what: &str) -> Checked {
    let mut last = None;
    for index in indexes {
        ensure(last.is_none_or(|last| last < index), || {
            format!("{what} {index}: given twice, or not in order")
        })?;
        last = Some(index);
    }
    Ok(())
}
