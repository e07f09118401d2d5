//! Limits, breakers and the cache.

use super::expose::{counter, encode_counter, gauge};
use super::shared;
use crate::cache::CacheStats;
use crate::limits::breaker::BreakerState;
use crate::limits::{Limit, Limiter};
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use std::fmt::Error;

pub(super) fn encode(
    encoder: &mut DescriptorEncoder<'_>,
    limiter: &Limiter,
    cache: &CacheStats,
) -> Result<(), Error> {
    let help = "Calls and requests that a limit refused";
    let mut metric = encoder.encode_descriptor("limit_hits", help, None, MetricType::Counter)?;
    for limit in Limit::ALL {
        let labels = [("limit", limit.as_str())];
        encode_counter(&mut metric.encode_family(&labels)?, limiter.hits(limit))?;
    }
    let held = i64::try_from(limiter.budget.held()).unwrap_or(i64::MAX);
    gauge(encoder, "answer_bytes", "Bytes of long bodies that calls hold", held)?;
    gates(encoder, limiter)?;
    if let Some(stats) = limiter.shared.stats() {
        shared::encode(encoder, &stats)?;
    }
    let CacheStats { hits, misses, stale, evicted, bytes } = *cache;
    counter(encoder, "cache_hits", "Calls that were answered from the cache", hits)?;
    counter(encoder, "cache_misses", "Calls of cached tools that asked the upstream", misses)?;
    counter(encoder, "cache_stale", "Calls that got an old answer because the upstream failed", stale)?;
    counter(encoder, "cache_evicted", "Answers that gave way to others", evicted)?;
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    gauge(encoder, "cache_bytes", "Bytes of answers that are kept", bytes)
}

fn gates(encoder: &mut DescriptorEncoder<'_>, limiter: &Limiter) -> Result<(), Error> {
    let stats = limiter.gates.stats();
    let help = "Whether an upstream is left alone: 0 no, 1 it is tried, 2 yes";
    let mut metric = encoder.encode_descriptor("breaker_state", help, None, MetricType::Gauge)?;
    for gate in &stats {
        let labels = [("upstream", gate.name.as_str())];
        let state: i64 = match gate.state {
            BreakerState::Closed => 0,
            BreakerState::HalfOpen => 1,
            BreakerState::Open => 2,
        };
        metric.encode_family(&labels)?.encode_gauge(&state)?;
    }
    let help = "Calls that wait for a place at an upstream";
    let mut metric = encoder.encode_descriptor("upstream_queue", help, None, MetricType::Gauge)?;
    for gate in &stats {
        let labels = [("upstream", gate.name.as_str())];
        metric.encode_family(&labels)?.encode_gauge(&(gate.waiting as i64))?;
    }
    Ok(())
}
