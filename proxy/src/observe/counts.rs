//! Calls, counted by tool.

use super::record::Outcome;
use crate::runtime::shards::{OwnCacheLine, SHARDS, own_shard};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// All calls that were counted, by tool; it outlives the bundles.
#[derive(Debug, Clone, Default)]
pub struct CallCounts {
    tools: Arc<Mutex<Tools>>,
}

/// The calls of one tool: those that failed, and the successes of bundles that are gone.
#[derive(Debug, Default)]
struct ToolStats {
    ok: AtomicU64,
    failed: [AtomicU64; Outcome::ALL.len()],
}

/// The calls of a bundle's tools, which are named by their index. When it is dropped, what it has counted stays.
#[derive(Debug)]
pub struct ToolCounts {
    successes: Arc<Successes>,
    all: CallCounts,
}

/// Successes are frequent: each thread counts them apart, in a row of numbers, so that counting touches one page of memory, also
/// where tens of thousands of tools are called.
#[derive(Debug)]
struct Successes {
    /// In the order of the bundle's tools.
    tools: Vec<Arc<ToolStats>>,
    rows: [OwnCacheLine<OnceLock<Box<[AtomicU64]>>>; SHARDS],
}

#[derive(Debug, Default)]
struct Tools {
    /// By name: the tools of the active bundle, and of one that is being made ready.
    stats: BTreeMap<Box<str>, Arc<ToolStats>>,
    /// Of all bundles that can still be called.
    live: Vec<Arc<Successes>>,
}

impl CallCounts {
    /// Counters for the tools of a bundle; a tool goes on where one of its name is in another bundle.
    pub fn tools<'a>(&self, names: impl Iterator<Item = &'a str>) -> ToolCounts {
        let mut tools = self.lock();
        let stats = names.map(|name| tools.stats(name)).collect();
        let successes = Arc::new(Successes { tools: stats, rows: Default::default() });
        tools.live.push(Arc::clone(&successes));
        drop(tools);
        ToolCounts { successes, all: self.clone() }
    }

    /// Forgets tools of other names.
    pub(crate) fn retain(&self, is_there: impl Fn(&str) -> bool) {
        self.lock().stats.retain(|name, _| is_there(name));
    }

    /// How often something has happened to a tool; only what has.
    pub(crate) fn each<E>(&self, tell: impl FnMut(&str, Outcome, u64) -> Result<(), E>) -> Result<(), E> {
        self.lock().each(tell)
    }

    fn lock(&self) -> MutexGuard<'_, Tools> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolCounts {
    #[inline]
    pub(crate) fn count(&self, tool: usize, outcome: Outcome) {
        match outcome {
            Outcome::Ok => self.successes.count(tool),
            failure => {
                let counter =
                    self.successes.tools.get(tool).and_then(|stats| stats.failed.get(failure as usize));
                if let Some(counter) = counter {
                    counter.fetch_add(1, Relaxed);
                }
            }
        }
    }
}

impl Drop for ToolCounts {
    fn drop(&mut self) {
        // Who reads holds the lock as well: nothing is counted twice or missed.
        let mut tools = self.all.lock();
        for (tool, stats) in self.successes.tools.iter().enumerate() {
            stats.ok.fetch_add(self.successes.sum(tool), Relaxed);
        }
        tools.live.retain(|successes| !Arc::ptr_eq(successes, &self.successes));
    }
}

impl Successes {
    #[inline]
    fn count(&self, tool: usize) {
        let row =
            own_shard(&self.rows).get_or_init(|| self.tools.iter().map(|_| AtomicU64::new(0)).collect());
        if let Some(counter) = row.get(tool) {
            counter.fetch_add(1, Relaxed);
        }
    }

    fn sum(&self, tool: usize) -> u64 {
        let rows = self.rows.iter().filter_map(|row| row.0.get()?.get(tool));
        rows.map(|counter| counter.load(Relaxed)).sum()
    }
}

impl Tools {
    fn stats(&mut self, name: &str) -> Arc<ToolStats> {
        if let Some(stats) = self.stats.get(name) {
            return Arc::clone(stats);
        }
        let stats = Arc::new(ToolStats::default());
        self.stats.insert(name.into(), Arc::clone(&stats));
        stats
    }

    fn each<E>(&self, mut tell: impl FnMut(&str, Outcome, u64) -> Result<(), E>) -> Result<(), E> {
        let mut live: BTreeMap<*const ToolStats, u64> = BTreeMap::new();
        for successes in &self.live {
            for (tool, stats) in successes.tools.iter().enumerate() {
                *live.entry(Arc::as_ptr(stats)).or_default() += successes.sum(tool);
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
