//! How it goes with a remote source of bundles.

use super::expose::{encode_counter, gauge};
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use std::fmt::Error;
use std::time::{Duration, SystemTime};

/// What is shown of it.
#[derive(Debug, Clone, Default)]
pub struct SourceFacts {
    pub source: String,
    /// An ETag or a digest, if something has come.
    pub version: Option<String>,
    pub unchanged: u64,
    pub changed: u64,
    pub failed: u64,
    pub last_attempt: Option<SystemTime>,
    pub last_success: Option<SystemTime>,
    pub is_failing: bool,
    pub from_copy: bool,
    pub copy_is_failing: bool,
}

pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>, facts: &SourceFacts) -> Result<(), Error> {
    let mut metric =
        encoder.encode_descriptor("source", "Where bundles come from", None, MetricType::Info)?;
    let version = facts.version.as_deref().unwrap_or_default();
    metric.encode_info(&[("source", facts.source.as_str()), ("version", version)])?;
    let help = "Times that the source was asked";
    let mut metric = encoder.encode_descriptor("source_polls", help, None, MetricType::Counter)?;
    for (outcome, count) in
        [("unchanged", facts.unchanged), ("changed", facts.changed), ("failed", facts.failed)]
    {
        encode_counter(&mut metric.encode_family(&[("outcome", outcome)])?, count)?;
    }
    for (name, help, time) in [
        (
            "source_last_attempt_timestamp_seconds",
            "When the source was asked last, in seconds since 1970",
            facts.last_attempt,
        ),
        (
            "source_last_success_timestamp_seconds",
            "When the source answered last, in seconds since 1970",
            facts.last_success,
        ),
    ] {
        let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let seconds = i64::try_from(since.unwrap_or(Duration::ZERO).as_secs()).unwrap_or(i64::MAX);
        gauge(encoder, name, help, seconds)?;
    }
    for (name, help, is_so) in [
        ("source_failing", "1 while the source does not give an answer", facts.is_failing),
        ("source_from_copy", "1 while the copy on disk is served", facts.from_copy),
        ("source_copy_failing", "1 while the copy on disk cannot be written", facts.copy_is_failing),
    ] {
        gauge(encoder, name, help, i64::from(is_so))?;
    }
    Ok(())
}
