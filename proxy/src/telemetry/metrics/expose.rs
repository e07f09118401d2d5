//! The counters as OpenMetrics text. `docs/OPERATIONS.md` lists the names.

use super::histogram::Part;
use super::{CODES, Inner, limits, servers, source};
use crate::jwt::IssuerStats;
use crate::request::failure::Failure;
use crate::telemetry::audit::AuditStats;
use crate::upstream::PoolStats;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use std::fmt::Error;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

pub fn encode(inner: Arc<Inner>) -> String {
    let mut registry = Registry::with_prefix("mcp_edge");
    registry.register_collector(Box::new(Exposed(inner)));
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = prometheus_client::encoding::text::encode(&mut out, &registry);
    out
}

#[derive(Debug)]
struct Exposed(Arc<Inner>);

impl Collector for Exposed {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let inner = &*self.0;
        self.bundle(&mut encoder)?;
        self.calls(&mut encoder)?;
        inner.tenants.encode(&mut encoder)?;
        self.latencies(&mut encoder)?;
        counter(&mut encoder, "lists", "Answered tools/list requests", inner.lists.sum())?;
        self.protocol_errors(&mut encoder)?;
        self.refused(&mut encoder)?;
        self.issuers(&mut encoder)?;
        counter(&mut encoder, "activations", "Bundles that were activated", inner.reloads.load(Relaxed))?;
        let failed = "Bundles that could not be activated";
        counter(&mut encoder, "failed_activations", failed, inner.failed_reloads.load(Relaxed))?;
        if let Some(facts) = &*inner.source.lock().unwrap_or_else(PoisonError::into_inner) {
            source::encode(&mut encoder, facts)?;
        }
        let gauges = inner.gauges.get().map(|read| read()).unwrap_or_default();
        let in_flight = gauges.calls_in_flight as i64;
        gauge(&mut encoder, "calls_in_flight", "Calls that are being worked on", in_flight)?;
        gauge(&mut encoder, "streams", "Event streams that are open", gauges.streams as i64)?;
        self.token_fetches(&mut encoder)?;
        gauges.pool.map_or(Ok(()), |counts| pool(&mut encoder, counts))?;
        inner.audit.get().map_or(Ok(()), |read| audit(&mut encoder, read()))?;
        if let Some(servers) = inner.servers.get() {
            servers::encode(&mut encoder, servers)?;
        }
        match inner.limits.get() {
            Some((limiter, cache)) => limits::encode(&mut encoder, limiter, &cache.stats()),
            None => Ok(()),
        }
    }
}

impl Exposed {
    fn bundle(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let active = self.0.active.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let tools = active.as_ref().map_or(0, |active| active.tools);
        gauge(encoder, "tools", "Tools of the active bundle", tools as i64)?;
        let templates = active.as_ref().map_or(0, |active| active.templates);
        gauge(encoder, "templates", "Compiled templates of the active bundle", templates as i64)?;
        if let Some(active) = active {
            let help = "The active bundle";
            let mut metric = encoder.encode_descriptor("bundle", help, None, MetricType::Info)?;
            metric.encode_info(&[("revision", active.revision.as_str())])?;
        }
        Ok(())
    }

    /// Only what has happened: most of tools times outcomes never does.
    fn calls(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help = "Finished calls by tool and outcome";
        let mut metric = encoder.encode_descriptor("calls", help, None, MetricType::Counter)?;
        self.0.calls.each(|name, outcome, count| {
            let labels = [("tool", name), ("outcome", outcome.as_str())];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)
        })
    }

    fn latencies(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let parts = [
            (Part::Total, "call_duration", "Calls, from the request to the whole answer"),
            (Part::Upstream, "call_upstream_duration", "The part of calls that waited for the upstream"),
            (Part::Proxy, "call_proxy_duration", "The part of calls that was spent in the edge"),
        ];
        for (part, name, help) in parts {
            let counts = self.0.latencies.read(part);
            let seconds = Unit::Seconds;
            let mut metric = encoder.encode_descriptor(name, help, Some(&seconds), MetricType::Histogram)?;
            let (sum, count) = (counts.sum_seconds, counts.count);
            metric.encode_histogram::<NoLabelSet>(sum, count, &counts.buckets, None)?;
        }
        let bind = "Binding arguments to the request, of a sample of calls";
        self.0.bind.encode("call_bind_duration", bind, encoder)?;
        let render = "Making the result of an answer, of a sample of calls";
        self.0.render.encode("call_render_duration", render, encoder)
    }

    fn protocol_errors(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help = "Requests that were refused, by the code of the JSON-RPC error";
        let mut metric = encoder.encode_descriptor("protocol_errors", help, None, MetricType::Counter)?;
        for (index, counter) in self.0.protocol_errors.iter().enumerate() {
            let code = CODES.get(index).map_or_else(|| "other".to_owned(), i32::to_string);
            let labels = [("code", code)];
            let mut metric = metric.encode_family(&labels)?;
            encode_counter(&mut metric, counter.load(Relaxed))?;
        }
        Ok(())
    }

    fn refused(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help = "Requests that were refused, by reason";
        let mut metric = encoder.encode_descriptor("refused", help, None, MetricType::Counter)?;
        for (reason, counter) in Failure::NAMES.iter().zip(&self.0.refused) {
            encode_counter(&mut metric.encode_family(&[("reason", *reason)])?, counter.load(Relaxed))?;
        }
        Ok(())
    }

    fn issuers(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let Some(read) = self.0.issuers.get() else { return Ok(()) };
        let help = "Times that the keys of an issuer of tokens were asked for, by outcome";
        let mut metric = encoder.encode_descriptor("issuer_fetches", help, None, MetricType::Counter)?;
        for IssuerStats { issuer, fetched, failed } in read() {
            for (outcome, count) in [("ok", fetched), ("failed", failed)] {
                let labels = [("issuer", issuer.as_str()), ("outcome", outcome)];
                encode_counter(&mut metric.encode_family(&labels)?, count)?;
            }
        }
        Ok(())
    }

    fn token_fetches(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let Some(fetches) = self.0.tokens.get() else { return Ok(()) };
        let help = "Tokens that were asked for, by upstream and outcome";
        let mut metric = encoder.encode_descriptor("token_fetches", help, None, MetricType::Counter)?;
        fetches.each(|upstream, outcome, count| {
            let labels = [("upstream", upstream), ("outcome", outcome)];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)
        })
    }
}

fn pool(encoder: &mut DescriptorEncoder<'_>, counts: PoolStats) -> Result<(), Error> {
    gauge(encoder, "pool_idle", "Idle connections to upstreams", counts.idle as i64)?;
    for (name, help, count) in [
        ("pool_opened", "Connections to upstreams that were opened", counts.opened),
        ("pool_reused", "Calls that used an idle connection", counts.reused),
        ("pool_failed", "Connections to upstreams that could not be opened", counts.failed),
    ] {
        counter(encoder, name, help, count)?;
    }
    Ok(())
}

fn audit(encoder: &mut DescriptorEncoder<'_>, stats: AuditStats) -> Result<(), Error> {
    gauge(encoder, "audit_queue_bytes", "Audit lines that wait to be written", stats.queued as i64)?;
    let failing = "1 while the audit log cannot be written";
    gauge(encoder, "audit_failing", failing, i64::from(stats.is_failing))?;
    for (name, help, count) in [
        ("audit_written", "Audit lines that were written", stats.written),
        ("audit_dropped", "Audit lines that were left out", stats.dropped),
        ("audit_failed_writes", "Attempts to write the audit log that failed", stats.failed),
        ("audit_flushes", "Times that all waiting audit lines were written", stats.flushes),
    ] {
        counter(encoder, name, help, count)?;
    }
    Ok(())
}

pub(super) fn counter(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: u64,
) -> Result<(), Error> {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    encode_counter(&mut metric, value)
}

pub(super) fn encode_counter(metric: &mut MetricEncoder<'_>, value: u64) -> Result<(), Error> {
    metric.encode_counter::<NoLabelSet, _, u64>(&value, None)
}

pub(super) fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: i64,
) -> Result<(), Error> {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}
