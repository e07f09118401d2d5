//! How much of a bundle may be asked for: rates, caches, places and breakers.

use mcp_bundle::plan::{BreakerPlan, Contents, PlacesPlan, Policy, RatePlan};
use mcp_bundle::wire_enums::WhenAway;
use serde::Serialize;
use std::fmt;

/// So many calls in so much time.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RateView {
    pub calls: u32,
    pub seconds: u32,
    /// Calls that may come at once.
    pub burst: u32,
    /// `tenant` or `all`.
    pub by: &'static str,
    /// All edges share it; what they do while they cannot agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<&'static str>,
}

/// How responses are used again.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct CacheView {
    pub seconds: u32,
    /// All tenants get the same responses.
    pub shared: bool,
    /// How much longer a response serves if the upstream fails.
    pub stale_if_error_seconds: u32,
}

/// An upstream, and what stands before it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct UpstreamView<'a> {
    pub name: &'a str,
    pub url: String,
    /// No limit of its own, if there is none.
    pub places: Option<PlacesView>,
    /// `None`: it is never left alone.
    pub breaker: Option<BreakerView>,
    /// The spec says something about places or the breaker.
    #[serde(skip)]
    pub is_limited: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PlacesView {
    pub max_in_flight: u32,
    pub queue: u32,
    pub queue_timeout_ms: u32,
    /// All edges share them; what they do while they cannot agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<&'static str>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct BreakerView {
    /// In a row.
    pub failures: u32,
    /// Failures among a thousand calls.
    pub error_per_mille: u16,
    pub seconds: u32,
    pub probes: u32,
}

pub fn rate(contents: &Contents, tool: usize) -> Option<RateView> {
    let RatePlan { calls, seconds, burst, by_tenant } = contents.tool_limits(tool)?.rate?;
    let shared = contents.shared_rate(tool).map(WhenAway::as_str);
    Some(RateView { calls, seconds, burst, by: if by_tenant { "tenant" } else { "all" }, shared })
}

pub fn cache(contents: &Contents, tool: usize, policy: &Policy) -> Option<CacheView> {
    let plan = contents.tool_limits(tool).and_then(|limits| limits.cache);
    (policy.cache_seconds > 0).then(|| CacheView {
        seconds: policy.cache_seconds,
        shared: plan.is_some_and(|plan| plan.shared),
        stale_if_error_seconds: plan.map_or(0, |plan| plan.stale_if_error_seconds),
    })
}

/// Every upstream that a tool calls or a token comes from.
pub fn upstreams(contents: &Contents) -> Vec<UpstreamView<'_>> {
    let all = contents.upstreams.iter().enumerate();
    let view = all.map(|(index, upstream)| {
        let limits = contents.upstream_limits(index);
        let breaker = limits.and_then(|limits| limits.breaker).unwrap_or(BreakerPlan::DEFAULT);
        UpstreamView {
            name: contents.strings.get(upstream.name),
            url: contents.origin_text(upstream),
            places: limits.and_then(|limits| limits.places).map(|plan| {
                let PlacesPlan { in_flight, queue, queue_timeout_ms } = plan;
                let shared = contents.shared_places(index).map(WhenAway::as_str);
                PlacesView { max_in_flight: in_flight, queue, queue_timeout_ms, shared }
            }),
            breaker: breaker.enabled.then(|| BreakerView::from(breaker)),
            is_limited: limits.is_some(),
        }
    });
    view.collect()
}

impl From<BreakerPlan> for BreakerView {
    fn from(plan: BreakerPlan) -> BreakerView {
        let BreakerPlan { enabled: _, failures, error_per_mille, seconds, probes } = plan;
        BreakerView { failures, error_per_mille, seconds, probes }
    }
}

impl fmt::Display for RateView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RateView { calls, seconds, burst, by, shared } = self;
        let who = if *by == "tenant" { "of each tenant" } else { "of all together" };
        let edges = if shared.is_some() { " over all edges" } else { "" };
        write!(f, "{calls} calls in {seconds} s {who}{edges}, {burst} at once")
    }
}

impl fmt::Display for CacheView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CacheView { seconds, shared, stale_if_error_seconds } = self;
        let who = if *shared { "for all together" } else { "for each tenant" };
        write!(f, "{seconds} s {who}")?;
        match stale_if_error_seconds {
            0 => Ok(()),
            longer => write!(f, ", {longer} s longer if the upstream fails"),
        }
    }
}

impl fmt::Display for UpstreamView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.places {
            None => write!(f, "no limit of calls in flight; ")?,
            Some(PlacesView { max_in_flight, queue, queue_timeout_ms, shared }) => {
                let edges = if shared.is_some() { " over all edges" } else { "" };
                write!(f, "{max_in_flight} calls in flight{edges}, ")?;
                match queue {
                    0 => write!(f, "no queue; ")?,
                    _ => write!(f, "{queue} wait up to {queue_timeout_ms} ms; ")?,
                }
            }
        }
        match &self.breaker {
            None => write!(f, "never left alone"),
            Some(BreakerView { failures, error_per_mille, seconds, probes }) => {
                let percent = f64::from(*error_per_mille) / 10.0;
                write!(
                    f,
                    "left alone for {seconds} s after {failures} failures in a row or {percent} % of calls, then {probes} to try"
                )
            }
        }
    }
}
