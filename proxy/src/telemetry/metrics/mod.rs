//! What is counted. Counting takes no lock and, but for a thread's first call of a bundle, no memory; names and texts are made when
//! someone asks for them.

mod expose;
mod histogram;
mod limits;
mod sampled;
mod servers;
mod shared;
mod source;
mod tenants;

pub use source::SourceFacts;

use crate::cache::AnswerCache;
use crate::jwt::IssuerStats;
use crate::limits::Limiter;
use crate::observe::Observer;
use crate::observe::counts::CallCounts;
use crate::observe::record::{AnswerRecord, CallRecord, Refusal};
use crate::request::failure::Failure;
use crate::runtime::shards::ShardedCounter;
use crate::telemetry::audit::AuditStats;
use crate::upstream::PoolStats;
use crate::upstream::credentials::TokenFetches;
use crate::upstream::mcp::servers::Servers;
use histogram::Latencies;
use sampled::Sampled;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tenants::Tenants;

/// All counters of one edge; they outlive the bundles.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    inner: Arc<Inner>,
}

/// What goes up and down, as it is at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gauges {
    /// Calls that are being worked on.
    pub calls_in_flight: usize,
    /// Event streams that are open.
    pub streams: usize,
    /// `None` without a network.
    pub pool: Option<PoolStats>,
}

type GaugeReader = Box<dyn Fn() -> Gauges + Send + Sync>;
type IssuerReader = Box<dyn Fn() -> Vec<IssuerStats> + Send + Sync>;
type AuditReader = Box<dyn Fn() -> AuditStats + Send + Sync>;

#[derive(Default)]
struct Inner {
    calls: CallCounts,
    tenants: Tenants,
    latencies: Latencies,
    bind: Sampled,
    render: Sampled,
    lists: ShardedCounter,
    /// In the order of [`CODES`], then all others.
    protocol_errors: [AtomicU64; CODES.len() + 1],
    /// In the order of [`Failure::NAMES`].
    refused: [AtomicU64; Failure::NAMES.len()],
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
    active: Mutex<Option<ActiveBundle>>,
    gauges: OnceLock<GaugeReader>,
    tokens: OnceLock<TokenFetches>,
    audit: OnceLock<AuditReader>,
    servers: OnceLock<Servers>,
    issuers: OnceLock<IssuerReader>,
    limits: OnceLock<(Arc<Limiter>, Arc<AnswerCache>)>,
    source: Mutex<Option<SourceFacts>>,
}

#[derive(Debug, Clone)]
struct ActiveBundle {
    revision: String,
    tools: usize,
    templates: usize,
}

/// The codes of JSON-RPC errors that have a label of their own.
const CODES: [i32; 8] = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];

impl Metrics {
    /// The calls by tool; each bundle adds its own tools.
    pub fn calls(&self) -> &CallCounts {
        &self.inner.calls
    }

    /// The calls by tenant; each directory adds its own tenants.
    pub(crate) fn tenant_calls(&self) -> &CallCounts {
        &self.inner.tenants.calls
    }

    /// These are the tenants from now on, of which so many have labels of their own. All others are forgotten.
    pub(crate) fn knows_tenants<'a>(&self, names: impl Iterator<Item = &'a str>, most_labels: usize) {
        self.inner.tenants.know(names, most_labels);
    }

    /// A bundle is active from now on. The counters of tools that it does not have are forgotten: otherwise their
    /// number would grow with every bundle.
    pub fn activated<'a>(
        &self,
        revision: &impl fmt::Display,
        tools: impl Iterator<Item = &'a str>,
        templates: usize,
    ) {
        let names: std::collections::BTreeSet<&str> = tools.collect();
        let active = ActiveBundle { revision: revision.to_string(), tools: names.len(), templates };
        self.inner.calls.retain(|name| names.contains(name));
        *self.inner.active.lock().unwrap_or_else(PoisonError::into_inner) = Some(active);
        self.inner.reloads.fetch_add(1, Relaxed);
    }

    /// A bundle could not be activated.
    pub fn activation_failed(&self) {
        self.inner.failed_reloads.fetch_add(1, Relaxed);
    }

    /// How it goes with a remote source of bundles, if there is one.
    pub(crate) fn source_is(&self, facts: Option<SourceFacts>) {
        *self.inner.source.lock().unwrap_or_else(PoisonError::into_inner) = facts;
    }

    /// Where to ask for the gauges; only the first one counts.
    pub fn observe_gauges(&self, read: impl Fn() -> Gauges + Send + Sync + 'static) {
        let _ = self.inner.gauges.set(Box::new(read));
    }

    /// Where tokens are counted; only the first one counts.
    pub fn observe_tokens(&self, fetches: TokenFetches) {
        let _ = self.inner.tokens.set(fetches);
    }

    /// The MCP servers; only the first ones count.
    pub(crate) fn observe_servers(&self, servers: Servers) {
        let _ = self.inner.servers.set(servers);
    }

    /// Where to ask for the issuers of tokens; only the first one counts.
    pub(crate) fn observe_issuers(&self, read: impl Fn() -> Vec<IssuerStats> + Send + Sync + 'static) {
        let _ = self.inner.issuers.set(Box::new(read));
    }

    /// Where to ask for the audit log; only the first one counts.
    pub fn observe_audit(&self, read: impl Fn() -> AuditStats + Send + Sync + 'static) {
        let _ = self.inner.audit.set(Box::new(read));
    }

    /// Where to ask for limits and the cache; only the first ones count.
    pub(crate) fn observe_limits(&self, limiter: &Arc<Limiter>, cache: &Arc<AnswerCache>) {
        let _ = self.inner.limits.set((Arc::clone(limiter), Arc::clone(cache)));
    }

    /// Everything as OpenMetrics text.
    pub fn encode(&self) -> String {
        expose::encode(Arc::clone(&self.inner))
    }
}

impl Observer for Metrics {
    fn call(&self, record: &CallRecord<'_>) {
        record.counts.count(record.index, record.outcome);
        if let Some((tenants, index)) = record.tenant_counts {
            tenants.count(index, record.outcome);
        }
        self.inner.latencies.record(record.total, record.upstream);
        if let Some(bind) = record.bind {
            self.inner.bind.record(bind);
        }
        if let Some(render) = record.render {
            self.inner.render.record(render);
        }
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        let code = refusal.failure.code();
        let index = CODES.iter().position(|known| *known == code).unwrap_or(CODES.len());
        if let Some(counter) = self.inner.protocol_errors.get(index) {
            counter.fetch_add(1, Relaxed);
        }
        let name = refusal.failure.name();
        let named = Failure::NAMES.iter().zip(&self.inner.refused).find(|(known, _)| **known == name);
        if let Some((_, counter)) = named {
            counter.fetch_add(1, Relaxed);
        }
        if let Some(tenant) = refusal.request.caller.tenant() {
            self.inner.tenants.refused(tenant);
        }
    }

    fn listed(&self, _record: &AnswerRecord<'_>) {
        self.inner.lists.add(1);
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("active", &self.active).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
