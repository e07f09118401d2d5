//! What a keeper knows of a lease, whatever it is of.

use super::fleet::Fleet;
use super::store::{Answer, Question};
use std::fmt::Debug;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::time::Duration;

/// Something of a shared limit that this edge holds for a time. Moments are nanoseconds of [`nanoseconds`](crate::limits::nanoseconds).
pub trait Lease: Send + Sync + Debug {
    /// What to ask the store now; `None` if it is not to be asked until somebody calls again.
    fn question(&self, fleet: &Fleet, now: u64) -> Option<Question>;

    /// The store's answer to a question that was sent at `asked`.
    fn answered(&self, question: &Question, answer: &Answer, fleet: &Fleet, asked: u64, now: u64) -> Next;

    /// There was no answer. Whether the store has read the question is not known.
    fn failed(&self, question: &Question, fleet: &Fleet);

    fn name(&self) -> &str;

    fn slot(&self) -> &Slot;

    /// Whether a store that came back has to hear of it before somebody calls.
    fn has_news(&self, now: u64) -> bool;

    /// Whether nothing is lost if it is forgotten.
    fn is_free(&self, now: u64) -> bool;

    /// How much is in hand.
    fn in_hand(&self) -> u32;
}

/// Between two questions about the same lease, in nanoseconds, unless it says otherwise.
pub const PACE: u64 = 1_000_000;

/// When to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// When somebody calls.
    Never,
    /// Then, or sooner if calls need it.
    Sooner(u64),
    /// Not before, whatever comes.
    Firm(u64),
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Otherwise how long to wait; `None` if the store is away, and the limit refuses then.
    pub call: Result<(), Option<Duration>>,
    /// The keeper is to be told.
    pub asks: bool,
}

/// The keeper's own notes about a lease.
#[derive(Debug)]
pub struct Slot {
    /// The keeper has been told, and will ask.
    asked: AtomicBool,
    /// When it will; 0 if it will not.
    pub scheduled: AtomicU64,
    /// When it has asked last, and the least time until it asks again.
    pub last: AtomicU64,
    pub pace: AtomicU64,
    pub in_flight: AtomicBool,
    /// The store is there, and refuses the questions of this lease.
    is_refused: AtomicBool,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            asked: AtomicBool::new(false),
            scheduled: AtomicU64::new(0),
            last: AtomicU64::new(0),
            pace: AtomicU64::new(PACE),
            in_flight: AtomicBool::new(false),
            is_refused: AtomicBool::new(false),
        }
    }
}

impl Slot {
    /// The earliest moment for another question.
    pub fn soonest(&self, now: u64) -> u64 {
        self.last.load(Relaxed).saturating_add(self.pace.load(Relaxed)).max(now)
    }

    /// Whether the caller is the one to tell the keeper.
    pub fn asks(&self) -> bool {
        !self.asked.load(Relaxed) && !self.asked.swap(true, AcqRel)
    }

    pub fn is_asked(&self) -> bool {
        self.asked.load(Acquire) || self.in_flight.load(Acquire)
    }

    /// As if the store was away, for this lease alone.
    pub fn is_refused(&self) -> bool {
        self.is_refused.load(Relaxed)
    }

    /// Whether it was otherwise before.
    pub fn set_refused(&self, refused: bool) -> bool {
        self.is_refused.swap(refused, Relaxed) != refused
    }

    /// Callers may tell the keeper, or need not.
    pub fn set_asked(&self, asked: bool) {
        self.asked.store(asked, Release);
    }
}
