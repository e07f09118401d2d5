//! How much may be asked for: rates of tools, places and breakers of upstreams, and what else a cache needs to know.
//!
//! Only what a spec says is here. What it leaves out has its default at the edge and costs a bundle nothing.

use super::Contents;
use crate::wire_enums::WhenAway;
use serde::{Deserialize, Serialize};

/// What specs say beyond the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsPlan {
    /// Sorted by tool, each once.
    pub tools: Vec<ToolLimits>,
    /// Sorted by upstream, each once.
    pub upstreams: Vec<UpstreamLimits>,
}

/// The limits of one tool; at least one of them is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLimits {
    /// Index in [`Contents::tools`].
    pub tool: u32,
    pub rate: Option<RatePlan>,
    /// Beside [`cache_seconds`](super::Policy::cache_seconds), which says that there is a cache at all.
    pub cache: Option<CachePlan>,
}

/// Which of the limits hold for all edges together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedLimits {
    /// Tools whose rate is shared, ascending.
    pub rates: Vec<SharedLimit>,
    /// Upstreams whose places are shared, ascending.
    pub places: Vec<SharedLimit>,
}

/// One limit that all edges share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedLimit {
    /// Index of the tool or the upstream.
    pub of: u32,
    pub when_away: WhenAway,
}

/// So many calls in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatePlan {
    pub calls: u32,
    pub seconds: u32,
    /// Calls that may come at once.
    pub burst: u32,
    /// Each tenant has a rate of its own; otherwise all share one.
    pub by_tenant: bool,
}

/// How answers are kept, beside how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachePlan {
    /// All tenants get the same answers.
    pub shared: bool,
    /// How much longer an answer serves if the upstream fails.
    pub stale_if_error_seconds: u32,
}

/// The limits of one upstream; at least one of them is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpstreamLimits {
    /// Index in [`Contents::upstreams`].
    pub upstream: u32,
    pub places: Option<PlacesPlan>,
    /// `None`: the edge's own.
    pub breaker: Option<BreakerPlan>,
}

/// How many calls an upstream takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacesPlan {
    pub in_flight: u32,
    /// Calls that may wait for a place.
    pub queue: u32,
    pub queue_timeout_ms: u32,
}

/// When an upstream that fails is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerPlan {
    pub enabled: bool,
    /// Failures in a row.
    pub failures: u32,
    /// Failures among a thousand calls.
    pub error_per_mille: u16,
    /// How long it is left alone the first time.
    pub seconds: u32,
    /// Calls that find out whether it is well again.
    pub probes: u32,
}

impl BreakerPlan {
    /// What holds where a spec says nothing.
    pub const DEFAULT: BreakerPlan =
        BreakerPlan { enabled: true, failures: 10, error_per_mille: 500, seconds: 5, probes: 1 };
}

impl LimitsPlan {
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.upstreams.is_empty()
    }
}

impl SharedLimits {
    pub fn is_empty(&self) -> bool {
        self.rates.is_empty() && self.places.is_empty()
    }

    fn find(limits: &[SharedLimit], of: usize) -> Option<WhenAway> {
        let at = limits.binary_search_by_key(&of, |limit| limit.of as usize).ok()?;
        limits.get(at).map(|limit| limit.when_away)
    }
}

impl Contents {
    /// Whether the rate of a tool holds for all edges together, and what happens while they cannot agree.
    pub fn shared_rate(&self, tool: usize) -> Option<WhenAway> {
        SharedLimits::find(&self.shared.rates, tool)
    }

    /// The same for the places of an upstream.
    pub fn shared_places(&self, upstream: usize) -> Option<WhenAway> {
        SharedLimits::find(&self.shared.places, upstream)
    }

    /// The limits of a tool that its spec sets.
    pub fn tool_limits(&self, tool: usize) -> Option<&ToolLimits> {
        let at = self.limits.tools.binary_search_by_key(&tool, |limits| limits.tool as usize).ok()?;
        self.limits.tools.get(at)
    }

    /// The limits of an upstream that its spec sets.
    pub fn upstream_limits(&self, upstream: usize) -> Option<&UpstreamLimits> {
        let at = self.limits.upstreams.binary_search_by_key(&upstream, |limits| limits.upstream as usize);
        self.limits.upstreams.get(at.ok()?)
    }
}
