//! What an edge knows of the store and of the other edges.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::time::Duration;

#[derive(Debug)]
pub struct Fleet {
    /// As the store said last.
    edges: AtomicU32,
    /// There are this many at least.
    least: AtomicU32,
    is_known: AtomicBool,
    is_away: AtomicBool,
    /// Until when leases do not grow: a store that came back may have forgotten what others hold.
    careful_until: AtomicU64,
    pub counts: Counts,
}

impl Default for Fleet {
    fn default() -> Fleet {
        Fleet {
            edges: AtomicU32::new(1),
            least: AtomicU32::new(1),
            is_known: AtomicBool::new(false),
            is_away: AtomicBool::new(false),
            careful_until: AtomicU64::new(0),
            counts: Counts::default(),
        }
    }
}

impl Fleet {
    /// The edges that share the limits, this one included.
    pub fn edges(&self) -> u32 {
        self.edges.load(Relaxed).max(self.least.load(Relaxed)).max(1)
    }

    /// Whether the store has said how many there are.
    pub fn is_known(&self) -> bool {
        self.is_known.load(Acquire)
    }

    pub fn is_away(&self) -> bool {
        self.is_away.load(Relaxed)
    }

    pub fn set_least(&self, least: u32) {
        self.least.store(least, Relaxed);
    }

    pub fn set_edges(&self, edges: u32) {
        self.edges.store(edges, Relaxed);
        self.is_known.store(true, Release);
    }

    /// Whether it was otherwise before.
    pub fn set_away(&self, away: bool) -> bool {
        self.is_away.swap(away, Relaxed) != away
    }

    pub fn is_careful(&self, now: u64) -> bool {
        now < self.careful_until.load(Relaxed)
    }

    pub fn be_careful_until(&self, moment: u64) {
        self.careful_until.store(moment, Relaxed);
    }
}

/// What metrics tell.
#[derive(Debug, Default)]
pub struct Counts {
    leased: AtomicU64,
    returned: AtomicU64,
    wasted: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    micros: AtomicU64,
}

/// The same at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountStats {
    /// Calls that the store gave to this edge.
    pub leased: u64,
    /// Of them, given back without use.
    pub returned: u64,
    /// Of them, lost: the store did not hear that they were not used.
    pub wasted: u64,
    /// Questions with an answer, and without.
    pub answered: u64,
    pub failed: u64,
    /// Spent on waiting for answers.
    pub waited: Duration,
}

impl Counts {
    pub fn leased(&self, given: u32, back: u32) {
        self.leased.fetch_add(given.into(), Relaxed);
        self.returned.fetch_add(back.into(), Relaxed);
    }

    pub fn wasted(&self, count: u32) {
        self.wasted.fetch_add(count.into(), Relaxed);
    }

    pub fn asked(&self, is_answered: bool, waited: Duration) {
        let count = if is_answered { &self.answered } else { &self.failed };
        count.fetch_add(1, Relaxed);
        self.micros.fetch_add(u64::try_from(waited.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    pub fn stats(&self) -> CountStats {
        CountStats {
            leased: self.leased.load(Relaxed),
            returned: self.returned.load(Relaxed),
            wasted: self.wasted.load(Relaxed),
            answered: self.answered.load(Relaxed),
            failed: self.failed.load(Relaxed),
            waited: Duration::from_micros(self.micros.load(Relaxed)),
        }
    }
}
