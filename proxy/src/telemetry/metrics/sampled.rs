//! How long the parts of a call took that are too short to be measured each time. Few calls are, so threads can share the counters.

use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use std::fmt::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds in nanoseconds.
const BOUNDS: [u64; 15] = [
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    20_000_000,
    100_000_000,
];

/// A histogram.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    sum_nanoseconds: AtomicU64,
    /// One for each bound, then what is beyond.
    buckets: [AtomicU64; BOUNDS.len() + 1],
}

impl Sampled {
    pub(super) fn record(&self, took: Duration) {
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < nanoseconds);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Relaxed);
        }
        self.sum_nanoseconds.fetch_add(nanoseconds, Relaxed);
    }

    pub(super) fn encode(
        &self,
        name: &str,
        help: &str,
        encoder: &mut DescriptorEncoder<'_>,
    ) -> Result<(), Error> {
        let bounds = BOUNDS.iter().map(|bound| *bound as f64 / 1e9).chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> =
            bounds.zip(&self.buckets).map(|(bound, count)| (bound, count.load(Relaxed))).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.sum_nanoseconds.load(Relaxed) as f64 / 1e9;
        let mut metric =
            encoder.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Histogram)?;
        metric.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    }
}
