//! The calls in flight, of all connections together. How many there may be is asked for each call (`call/admission/`).

use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

/// The calls in flight.
#[derive(Debug, Default)]
pub struct InFlight {
    calls: AtomicUsize,
}

/// A call that may run; its place is free again when it is dropped.
#[derive(Debug)]
pub struct Permit<'a>(&'a InFlight);

impl InFlight {
    /// A place for one more call; `None` if `limit` of them run.
    pub fn enter(&self, limit: usize) -> Option<Permit<'_>> {
        if self.calls.fetch_add(1, Acquire) < limit {
            return Some(Permit(self));
        }
        self.calls.fetch_sub(1, Release);
        None
    }

    /// Calls at this moment.
    pub fn count(&self) -> usize {
        self.calls.load(Relaxed)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_exactly() {
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
        assert_eq!(
            std::iter::from_fn(|| places.enter(LIMIT)).take(LIMIT + 1).collect::<Vec<_>>().len(),
            LIMIT
        );
    }
}
