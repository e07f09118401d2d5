//! Places for calls in flight that edges share: some are always this edge's own, others it borrows for a time. An edge that dies
//! does not ask again, so what it borrowed is free when its time ends.

use super::fleet::Fleet;
use super::lease::{Lease, Next, Slot};
use super::numbers::{common_places, own_places};
use super::store::{Answer, PlacesQuestion, Question};
use mcp_bundle::wire_enums::WhenAway;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// How long places are lent.
const HOLD_MS: u64 = 10_000;
const HOLD: u64 = HOLD_MS * 1_000_000;
/// Places that nobody has used for this long are given back.
const IDLE: u64 = HOLD;
/// When to ask again if the store had too few.
const AGAIN: u64 = 250_000_000;

#[derive(Debug)]
pub struct PlacesLease {
    name: String,
    /// This process, for the store.
    edge: Arc<str>,
    /// Of all edges.
    most: AtomicU32,
    in_use: AtomicU32,
    /// Borrowed places, and until when.
    borrowed: AtomicU32,
    until: AtomicU64,
    /// Calls without a place since the last question.
    unmet: AtomicU32,
    /// Told when a place may be free.
    freed: Notify,
    slot: Slot,
    /// When somebody last had or wanted a place.
    wanted_at: Mutex<u64>,
}

/// A place of a call; it is free again when this is dropped.
#[derive(Debug)]
pub struct SharedPlace(Arc<PlacesLease>);

/// What became of a call that wants a place.
#[derive(Debug)]
pub struct Entered {
    pub place: Option<SharedPlace>,
    /// The keeper is to be told.
    pub asks: bool,
}

impl PlacesLease {
    pub fn new(name: String, edge: Arc<str>) -> PlacesLease {
        PlacesLease {
            name,
            edge,
            most: AtomicU32::new(0),
            in_use: AtomicU32::new(0),
            borrowed: AtomicU32::new(0),
            until: AtomicU64::new(0),
            unmet: AtomicU32::new(0),
            freed: Notify::new(),
            slot: Slot::default(),
            wanted_at: Mutex::default(),
        }
    }

    /// A place among `most`; `now` in nanoseconds.
    pub fn enter(self: &Arc<Self>, most: u32, when_away: WhenAway, fleet: &Fleet, now: u64) -> Entered {
        if self.most.load(Relaxed) != most {
            self.most.store(most, Relaxed);
        }
        let allowed = self.allowed(most, when_away, fleet, now);
        let before = self.in_use.fetch_add(1, AcqRel);
        if before < allowed {
            // More are asked for before the last one is taken.
            let is_low = before >= allowed / 2 && allowed < most;
            let place = Some(SharedPlace(Arc::clone(self)));
            return Entered { place, asks: is_low && !fleet.is_away() && self.slot.asks() };
        }
        self.in_use.fetch_sub(1, AcqRel);
        self.unmet.fetch_add(1, Relaxed);
        Entered { place: None, asks: !fleet.is_away() && self.slot.asks() }
    }

    fn allowed(&self, most: u32, when_away: WhenAway, fleet: &Fleet, now: u64) -> u32 {
        let edges = fleet.edges();
        let is_lent = now < self.until.load(Acquire);
        let borrowed = if is_lent { self.borrowed.load(Acquire) } else { 0 };
        let is_away = fleet.is_away() || self.slot.is_refused();
        match when_away {
            WhenAway::Share if is_away && !is_lent => (most / edges).max(1),
            WhenAway::Refuse if is_away && !is_lent => 0,
            // How many edges there are, the store has to say.
            _ if fleet.is_known() => own_places(most, edges).saturating_add(borrowed),
            _ => borrowed,
        }
    }

    /// The store is there, and refuses the questions of this limit.
    pub fn is_refused(&self) -> bool {
        self.slot.is_refused()
    }

    /// Waits until a place may be free.
    pub async fn freed(&self) {
        self.freed.notified().await;
    }

    fn wanted_at(&self) -> MutexGuard<'_, u64> {
        self.wanted_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease for PlacesLease {
    fn question(&self, fleet: &Fleet, now: u64) -> Option<Question> {
        let most = self.most.load(Relaxed);
        let (own, common) = (own_places(most, fleet.edges()), common_places(most, fleet.edges()));
        let unmet = self.unmet.swap(0, AcqRel);
        let in_use = self.in_use.load(Acquire);
        let mut wanted_at = self.wanted_at();
        if in_use > 0 || unmet > 0 {
            *wanted_at = now;
        }
        let borrowed = if now < self.until.load(Acquire) { self.borrowed.load(Acquire) } else { 0 };
        let mut want = match now.saturating_sub(*wanted_at) < IDLE {
            // Some more than are needed, so that the next calls need not wait for an answer.
            true => in_use.saturating_add(unmet).saturating_mul(3).div_ceil(2).saturating_add(1),
            false => 0,
        };
        want = want.saturating_sub(own).min(common);
        if fleet.is_careful(now) {
            want = want.min(borrowed);
        }
        if want < borrowed {
            // What is given back is not used from now on.
            self.borrowed.store(want, Release);
            let in_use = self.in_use.load(Acquire).saturating_sub(own);
            want = want.max(in_use.min(borrowed));
            self.borrowed.store(want, Release);
        }
        if want == 0 && borrowed == 0 {
            return None;
        }
        let (name, edge) = (self.name.clone(), self.edge.to_string());
        Some(Question::Places(PlacesQuestion { name, edge, places: common, want, ttl_ms: HOLD_MS }))
    }

    fn answered(&self, question: &Question, answer: &Answer, fleet: &Fleet, asked: u64, now: u64) -> Next {
        let (Question::Places(question), Answer::Places(given)) = (question, answer) else {
            return Next::Never;
        };
        // Whatever a store says.
        let given = (*given).min(question.want);
        // They were lent when the question arrived, which was not before it was sent.
        self.until.store(asked.saturating_add(HOLD), Release);
        let before = self.borrowed.swap(given, AcqRel);
        for _ in before..given {
            self.freed.notify_one();
        }
        if given < question.want || fleet.is_careful(now) {
            Next::Firm(now.saturating_add(AGAIN))
        } else if question.want > 0 {
            Next::Sooner(now.saturating_add(HOLD / 3))
        } else {
            Next::Never
        }
    }

    /// What is borrowed stays until its time ends.
    fn failed(&self, _: &Question, _: &Fleet) {}

    fn name(&self) -> &str {
        &self.name
    }

    fn slot(&self) -> &Slot {
        &self.slot
    }

    fn has_news(&self, now: u64) -> bool {
        now < self.until.load(Acquire) && self.borrowed.load(Acquire) > 0
    }

    fn is_free(&self, now: u64) -> bool {
        let is_used = self.slot.is_asked() || self.in_use.load(Acquire) > 0;
        !is_used && (now >= self.until.load(Acquire) || self.borrowed.load(Acquire) == 0)
    }

    fn in_hand(&self) -> u32 {
        self.borrowed.load(Relaxed)
    }
}

impl Drop for SharedPlace {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(1, AcqRel);
        self.0.freed.notify_one();
    }
}
