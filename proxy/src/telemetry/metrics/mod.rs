//! What is counted. Counting takes no lock and, but for a thread's first call of a bundle, no memory; names and texts are made when
//! someone asks for them.

mod expose;
mod histogram;
mod tools;

pub use tools::ToolCounts;

use crate::call::admission::InFlight;
use crate::call::observe::Observer;
use crate::call::record::{AnswerRecord, CallRecord, Refusal};
use crate::telemetry::shards::ShardedCounter;
use crate::upstream::PoolStats;
use histogram::Latencies;
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tools::Tools;

/// All counters of one edge; they outlive the bundles.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    inner: Arc<Inner>,
}

/// Something that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

type PoolReader = Box<dyn Fn() -> PoolStats + Send + Sync>;

#[derive(Default)]
struct Inner {
    tools: Mutex<Tools>,
    latencies: Latencies,
    lists: ShardedCounter,
    /// In the order of [`CODES`], then all others.
    protocol_errors: [AtomicU64; CODES.len() + 1],
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
    active: Mutex<Option<ActiveBundle>>,
    calls_in_flight: InFlight,
    streams: Gauge,
    pool: OnceLock<PoolReader>,
}

#[derive(Debug, Clone)]
struct ActiveBundle {
    revision: String,
    tools: usize,
}

/// The codes of JSON-RPC errors that have a label of their own.
const CODES: [i32; 8] = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];

impl Metrics {
    /// Counters for the tools of a bundle; a tool goes on where one of its name is in another bundle.
    pub fn tools<'a>(&self, names: impl Iterator<Item = &'a str>) -> ToolCounts {
        ToolCounts::new(&self.inner, names)
    }

    /// A bundle is active from now on. The counters of tools that it does not have are forgotten: otherwise their
    /// number would grow with every bundle.
    pub fn activated<'a>(&self, revision: &impl fmt::Display, tools: impl Iterator<Item = &'a str>) {
        let names: std::collections::BTreeSet<&str> = tools.collect();
        let active = ActiveBundle { revision: revision.to_string(), tools: names.len() };
        tools::lock(&self.inner).retain(|name| names.contains(name));
        *self.inner.active.lock().unwrap_or_else(PoisonError::into_inner) = Some(active);
        self.inner.reloads.fetch_add(1, Relaxed);
    }

    /// A bundle could not be activated.
    pub fn activation_failed(&self) {
        self.inner.failed_reloads.fetch_add(1, Relaxed);
    }

    /// Calls that are being worked on.
    pub(crate) fn calls_in_flight(&self) -> &InFlight {
        &self.inner.calls_in_flight
    }

    /// Event streams that are open.
    pub fn streams(&self) -> &Gauge {
        &self.inner.streams
    }

    /// Where to ask for the pool; only the first one counts.
    pub fn observe_pool(&self, read: impl Fn() -> PoolStats + Send + Sync + 'static) {
        let _ = self.inner.pool.set(Box::new(read));
    }

    /// Everything as OpenMetrics text.
    pub fn encode(&self) -> String {
        expose::encode(Arc::clone(&self.inner))
    }
}

impl Observer for Metrics {
    fn call(&self, record: &CallRecord<'_>) {
        record.counts.count(record.index, record.outcome);
        self.inner.latencies.record(record.total, record.upstream);
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        let code = refusal.failure.code();
        let index = CODES.iter().position(|known| *known == code).unwrap_or(CODES.len());
        if let Some(counter) = self.inner.protocol_errors.get(index) {
            counter.fetch_add(1, Relaxed);
        }
    }

    fn listed(&self, _record: &AnswerRecord<'_>) {
        self.inner.lists.add(1);
    }
}

impl Gauge {
    pub fn add(&self, count: i64) {
        self.0.fetch_add(count, Relaxed);
    }

    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("active", &self.active).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
