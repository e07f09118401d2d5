//! Calls, counted by tool, or by tenant.

use super::record::Outcome;
use crate::runtime::shards::{OwnCacheLine, SHARDS, own_shard};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// All calls that were counted, by name; it outlives the bundles.
#[derive(Debug, Clone, Default)]
pub struct CallCounts {
    all: Arc<Mutex<All>>,
}

/// The calls of one name: those that failed, and the successes of bundles that are gone.
#[derive(Debug, Default)]
struct Stats {
    ok: AtomicU64,
    failed: [AtomicU64; Outcome::ALL.len()],
}

/// The calls of a bundle's tools or of a directory's tenants, which are named by their index. When it is dropped, what it has
/// counted stays.
#[derive(Debug)]
pub struct Counts {
    successes: Arc<Successes>,
    all: CallCounts,
}

/// Successes are frequent: each thread counts them apart, in a row of numbers, so that counting touches one page of memory, also
/// where tens of thousands of tools are called.
#[derive(Debug)]
struct Successes {
    /// In the order of the names.
    stats: Vec<Arc<Stats>>,
    rows: [OwnCacheLine<OnceLock<Box<[AtomicU64]>>>; SHARDS],
}

#[derive(Debug, Default)]
struct All {
    /// By name: those of the active bundle, and of one that is being made ready.
    stats: BTreeMap<Box<str>, Arc<Stats>>,
    /// Of all bundles that can still be called.
    live: Vec<Arc<Successes>>,
}

impl CallCounts {
    /// Counters for these names; one goes on where it was in another bundle.
    pub fn of<'a>(&self, names: impl Iterator<Item = &'a str>) -> Counts {
        let mut all = self.lock();
        let stats = names.map(|name| all.stats(name)).collect();
        let successes = Arc::new(Successes { stats, rows: Default::default() });
        all.live.push(Arc::clone(&successes));
        drop(all);
        Counts { successes, all: self.clone() }
    }

    /// Forgets other names.
    pub(crate) fn retain(&self, is_there: impl Fn(&str) -> bool) {
        self.lock().stats.retain(|name, _| is_there(name));
    }

    /// How often something has happened to each; only what has.
    pub(crate) fn each<E>(&self, tell: impl FnMut(&str, Outcome, u64) -> Result<(), E>) -> Result<(), E> {
        self.lock().each(tell)
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    #[inline]
    pub(crate) fn count(&self, index: usize, outcome: Outcome) {
        match outcome {
            Outcome::Ok => self.successes.count(index),
            failure => {
                let counter =
                    self.successes.stats.get(index).and_then(|stats| stats.failed.get(failure as usize));
                if let Some(counter) = counter {
                    counter.fetch_add(1, Relaxed);
                }
            }
        }
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        // Who reads holds the lock as well: nothing is counted twice or missed.
        let mut all = self.all.lock();
        for (index, stats) in self.successes.stats.iter().enumerate() {
            stats.ok.fetch_add(self.successes.sum(index), Relaxed);
        }
        all.live.retain(|successes| !Arc::ptr_eq(successes, &self.successes));
    }
}

impl Successes {
    #[inline]
    fn count(&self, index: usize) {
        let row =
            own_shard(&self.rows).get_or_init(|| self.stats.iter().map(|_| AtomicU64::new(0)).collect());
        if let Some(counter) = row.get(index) {
            counter.fetch_add(1, Relaxed);
        }
    }

    fn sum(&self, index: usize) -> u64 {
        let rows = self.rows.iter().filter_map(|row| row.0.get()?.get(index));
        rows.map(|counter| counter.load(Relaxed)).sum()
    }
}

impl All {
    fn stats(&mut self, name: &str) -> Arc<Stats> {
        if let Some(stats) = self.stats.get(name) {
            return Arc::clone(stats);
        }
        let stats = Arc::new(Stats::default());
        self.stats.insert(name.into(), Arc::clone(&stats));
        stats
    }

    fn each<E>(&self, mut tell: impl FnMut(&str, Outcome, u64) -> Result<(), E>) -> Result<(), E> {
        let mut live: BTreeMap<*const Stats, u64> = BTreeMap::new();
        for successes in &self.live {
            for (index, stats) in successes.stats.iter().enumerate() {
                *live.entry(Arc::as_ptr(stats)).or_default() += successes.sum(index);
            }
        }
        for (name, stats) in &self.stats {
            for outcome in Outcome::ALL {
                let count = match outcome {
                    Outcome::Ok => {
                        stats.ok.load(Relaxed) + live.get(&Arc::as_ptr(stats)).copied().unwrap_or_default()
                    }
                    failure => stats.failed.get(failure as usize).map_or(0, |counter| counter.load(Relaxed)),
                };
                if count > 0 {
                    tell(name, outcome, count)?;
                }
            }
        }
        Ok(())
    }
}
