//! Counters that threads do not share: each adds to a shard of its own, and only who reads looks at all of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Threads beyond this many share shards, which stays right and is only slower.
pub const SHARDS: usize = 16;

/// Keeps its content on cache lines of its own; processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct OwnCacheLine<T>(pub T);

/// A number that goes up, and perhaps down.
#[derive(Debug, Default)]
pub struct ShardedCounter {
    shards: [OwnCacheLine<AtomicU64>; SHARDS],
}

impl ShardedCounter {
    pub fn add(&self, count: u64) {
        own_shard(&self.shards).fetch_add(count, Relaxed);
    }

    /// May be done by another thread than the one that added.
    pub fn subtract(&self, count: u64) {
        own_shard(&self.shards).fetch_sub(count, Relaxed);
    }

    pub fn sum(&self) -> u64 {
        self.shards.iter().fold(0, |sum, shard| sum.wrapping_add(shard.0.load(Relaxed)))
    }
}

/// The shard of this thread.
pub fn own_shard<T>(shards: &[OwnCacheLine<T>; SHARDS]) -> &T {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Relaxed) % SHARDS;
    }
    let [first, ..] = shards;
    let index = OWN.try_with(|own| *own).unwrap_or_default();
    &shards.get(index).unwrap_or(first).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let counter = ShardedCounter::default();
        std::thread::scope(|scope| {
            for _ in 0..SHARDS * 2 {
                scope.spawn(|| (0..1000).for_each(|_| counter.add(1)));
            }
        });
        counter.subtract(1);
        assert_eq!(counter.sum(), SHARDS as u64 * 2000 - 1);
    }
}
