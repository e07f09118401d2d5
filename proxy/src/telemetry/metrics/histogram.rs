//! Latencies. Threads count in shards of their own, so that they do not wait for each other's cache lines.

use crate::runtime::shards::{OwnCacheLine, SHARDS, own_shard};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How long calls took as a whole, upstream and here.
#[derive(Debug, Default)]
pub struct Latencies {
    shards: [OwnCacheLine<Parts>; SHARDS],
}

/// What a histogram has counted.
#[derive(Debug, Default, PartialEq)]
pub struct Counts {
    pub sum_seconds: f64,
    pub count: u64,
    /// Upper bound in seconds and calls in the bucket, not cumulated.
    pub buckets: Vec<(f64, u64)>,
}

#[derive(Debug, Clone, Copy)]
pub enum Part {
    Total,
    Upstream,
    Proxy,
}

type Parts = [Histogram; 3];

#[derive(Debug, Default)]
struct Histogram {
    sum_nanoseconds: AtomicU64,
    /// One for each bound, then what is beyond.
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
}

/// Upper bounds in microseconds.
const BOUNDS_US: [u64; 18] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000,
];

impl Latencies {
    pub fn record(&self, total: Duration, upstream: Duration) {
        let [all, above, here] = own_shard(&self.shards);
        let (total, upstream) = (total.as_nanos() as u64, upstream.as_nanos() as u64);
        all.record(total);
        above.record(upstream);
        here.record(total.saturating_sub(upstream));
    }

    pub fn read(&self, part: Part) -> Counts {
        let mut counts = Counts::default();
        let mut sum = 0u64;
        let bounds = BOUNDS_US.iter().map(|us| *us as f64 / 1e6).chain([f64::INFINITY]);
        counts.buckets = bounds.map(|bound| (bound, 0)).collect();
        for shard in &self.shards {
            let Some(histogram) = shard.0.get(part as usize) else { continue };
            sum = sum.wrapping_add(histogram.sum_nanoseconds.load(Relaxed));
            for ((_, count), bucket) in counts.buckets.iter_mut().zip(&histogram.buckets) {
                *count += bucket.load(Relaxed);
            }
        }
        counts.count = counts.buckets.iter().map(|(_, count)| count).sum();
        counts.sum_seconds = sum as f64 / 1e9;
        counts
    }
}

impl Histogram {
    fn record(&self, nanoseconds: u64) {
        let bucket = BOUNDS_US.partition_point(|bound| bound * 1000 < nanoseconds);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Relaxed);
        }
        self.sum_nanoseconds.fetch_add(nanoseconds, Relaxed);
    }
}
