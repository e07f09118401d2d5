//! How many calls run at once. The limit holds for the process, yet threads do not meet at one counter for each call: they take
//! places from it by the batch and keep a few.

use crate::telemetry::shards::{Apart, CELLS, own};
use std::sync::atomic::{
    AtomicI64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

/// The places of all calls.
#[derive(Debug, Default)]
pub struct InFlight {
    /// Places that threads have taken, in use or not.
    taken: AtomicUsize,
    cells: [Apart<Cell>; CELLS],
}

/// What one thread has.
#[derive(Debug, Default)]
struct Cell {
    /// Places that are not in use.
    spare: AtomicUsize,
    /// Calls that began here less those that ended here.
    calls: AtomicI64,
}

/// A call that is under way.
#[derive(Debug)]
pub struct Entered<'a> {
    places: &'a InFlight,
    batch: usize,
}

/// What a thread takes at once; small limits are shared place by place.
fn batch(limit: usize) -> usize {
    (limit / 256).clamp(1, 32)
}

impl InFlight {
    /// A place for one more call; `None` if `limit` of them are taken. A thread keeps less than two batches, so with many
    /// threads the limit is reached a little early, never late.
    pub fn enter(&self, limit: usize) -> Option<Entered<'_>> {
        let cell = own(&self.cells);
        let batch = batch(limit);
        if cell.spare.fetch_update(Acquire, Relaxed, |spare| spare.checked_sub(1)).is_err() {
            let before = self
                .taken
                .fetch_update(Acquire, Relaxed, |taken| {
                    (taken < limit).then(|| taken + batch.min(limit - taken))
                })
                .ok()?;
            cell.spare.fetch_add(batch.min(limit - before) - 1, Release);
        }
        cell.calls.fetch_add(1, Relaxed);
        Some(Entered { places: self, batch })
    }

    /// Calls at this moment.
    pub fn count(&self) -> i64 {
        self.cells.iter().map(|cell| cell.0.calls.load(Relaxed)).sum()
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let Entered { places, batch } = *self;
        let cell = own(&places.cells);
        cell.calls.fetch_sub(1, Relaxed);
        let most = 2 * (batch - 1);
        let kept = cell.spare.fetch_update(Release, Relaxed, |spare| (spare < most).then_some(spare + 1));
        if let Err(spare) = kept {
            // One of ours, and of the others all but half of what may be kept.
            let back = spare.min(batch - 1);
            let took = cell.spare.fetch_update(Release, Relaxed, |spare| spare.checked_sub(back)).is_ok();
            places.taken.fetch_sub(if took { back + 1 } else { 1 }, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_limit_holds_exactly() {
        let places = InFlight::default();
        let first = places.enter(2).expect("a place");
        let second = places.enter(2).expect("a place");
        assert!(places.enter(2).is_none());
        assert_eq!(places.count(), 2);
        drop(first);
        // Also for another thread.
        std::thread::scope(|scope| {
            scope.spawn(|| drop(places.enter(2).expect("a place")));
        });
        let _third = places.enter(2).expect("a place");
        assert!(places.enter(2).is_none());
        drop(second);
        assert_eq!(places.count(), 1);
    }

    #[test]
    fn no_more_than_the_limit_run_at_once() {
        const LIMIT: usize = 1000;
        let (places, running, most) = (InFlight::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let calls: Vec<_> = std::iter::from_fn(|| {
                            let call = places.enter(LIMIT)?;
                            most.fetch_max(running.fetch_add(1, Relaxed) + 1, Relaxed);
                            Some(call)
                        })
                        .take(LIMIT / 4)
                        .collect();
                        calls.into_iter().for_each(|call| {
                            running.fetch_sub(1, Relaxed);
                            drop(call);
                        });
                    }
                });
            }
        });
        assert!(most.load(Relaxed) <= LIMIT, "{most:?}");
        assert_eq!(places.count(), 0);
        // What threads keep is bounded, so nearly all places can be had again.
        let all: Vec<_> = std::iter::from_fn(|| places.enter(LIMIT)).collect();
        assert!(all.len() >= LIMIT - 2 * batch(LIMIT) * CELLS, "{}", all.len());
    }

    #[test]
    fn places_are_not_lost_when_calls_end_on_other_threads() {
        const LIMIT: usize = 4096;
        let places = InFlight::default();
        for _ in 0..100 {
            let calls: Vec<_> = (0..500).map(|_| places.enter(LIMIT).expect("a place")).collect();
            std::thread::scope(|scope| {
                scope.spawn(move || drop(calls));
            });
        }
        assert_eq!(places.count(), 0);
        let all: Vec<_> = std::iter::from_fn(|| places.enter(LIMIT)).collect();
        assert!(all.len() >= LIMIT - 2 * batch(LIMIT) * CELLS, "{}", all.len());
    }
}
