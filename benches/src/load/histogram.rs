//! How often what was measured, in bounded space: a round of any length takes the same memory.
//!
//! Buckets are log-linear: each power of two is cut into equal parts, so that a value is known to within one part in 128.

/// Parts of a power of two. Values below twice this are kept exactly.
const PARTS: u64 = 128;
const PART_BITS: u32 = PARTS.trailing_zeros();
/// Enough for 2^42 ns, more than an hour; what is longer counts as the longest.
const POWERS: usize = 36;
const BUCKETS: usize = POWERS * PARTS as usize;

/// Counts of nanoseconds.
#[derive(Debug, Clone)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { buckets: vec![0; BUCKETS], count: 0, max: 0 }
    }
}

impl Histogram {
    pub fn record(&mut self, nanoseconds: u64) {
        if let Some(bucket) = self.buckets.get_mut(index_of(nanoseconds)) {
            *bucket += 1;
        }
        self.count += 1;
        self.max = self.max.max(nanoseconds);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest, exactly.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest value that this part of all values does not exceed, rounded up to its bucket's end; 0 if there is none.
    pub fn quantile(&self, part: f64) -> u64 {
        let rank = ((self.count as f64 * part).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return end_of(index).min(self.max);
            }
        }
        self.max
    }
}

/// The first two powers share the buckets that are one value wide.
fn index_of(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(PART_BITS + 1);
    let index = u64::from(shift) * PARTS + (value >> shift);
    usize::try_from(index).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The largest value of a bucket.
fn end_of(index: usize) -> u64 {
    let index = index as u64;
    let shift = (index / PARTS).saturating_sub(1);
    ((index - shift * PARTS + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::default();
        values.into_iter().for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn every_value_is_in_a_bucket_that_ends_within_a_part_of_it() {
        let powers =
            (0..42).flat_map(|power| (0..300).map(move |step| (1_u64 << power) + step * (1 << power) / 300));
        for value in powers.chain(0..5000) {
            let end = end_of(index_of(value));
            assert!(end >= value && end - value <= value / PARTS, "{value} in a bucket that ends at {end}");
            assert!(index_of(value) == 0 || end_of(index_of(value) - 1) < value, "{value}");
        }
    }

    #[test]
    fn quantiles_are_ranks_of_the_values() {
        let histogram = of(1..=200);
        assert_eq!(
            [0.0, 0.5, 0.99, 0.999, 1.0].map(|part| histogram.quantile(part)),
            [1, 100, 198, 200, 200]
        );
        assert_eq!(of([7]).quantile(0.99), 7);
        assert_eq!(of([]).quantile(0.5), 0);
    }

    #[test]
    fn quantiles_of_long_values_are_close_and_never_beyond_the_longest() {
        let histogram = of((1..=1000).map(|value| value * 1_000_003));
        let middle = histogram.quantile(0.5) as f64 / (500.0 * 1_000_003.0);
        assert!((1.0..1.01).contains(&middle), "{middle}");
        assert_eq!((histogram.quantile(1.0), histogram.max()), (1_000_003_000, 1_000_003_000));
    }

    #[test]
    fn what_is_too_long_counts_as_the_longest() {
        let histogram = of([u64::MAX, 1]);
        assert_eq!((histogram.count(), histogram.quantile(0.5), histogram.max()), (2, 1, u64::MAX));
        assert_eq!(histogram.quantile(1.0), end_of(BUCKETS - 1));
    }
}
