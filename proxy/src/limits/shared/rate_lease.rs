//! One shared rate at this edge: calls in hand, and what the store said last.
//!
//! A call takes one from the hand: two words, no lock. What the store has to be asked is collected here and asked beside the
//! calls by the [`keeper`](super::keeper).

use super::fleet::Fleet;
use super::lease::{Lease, Next, Slot, Taken};
use super::numbers::{Terms, own_part};
use super::store::{Answer, Question, RateAnswer, RateQuestion};
use crate::limits::Rate;
use mcp_bundle::wire_enums::WhenAway;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Between two questions about the same rate.
const PACE: u64 = 20_000_000;
/// A rate that nobody has asked for this long is left alone.
const IDLE: u64 = 60_000_000_000;
/// A credit of which nothing was used.
const WHOLE: u32 = u32::MAX;
/// When it is not known how long to wait.
const SOON: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct RateLease {
    name: String,
    /// As it is written in the bundle or in the file of tenants that was asked last.
    interval: AtomicU64,
    slack: AtomicU64,
    /// Calls in hand.
    left: AtomicU32,
    /// Until when they are good.
    until: AtomicU64,
    /// If fewer are left, it is time to ask.
    low: AtomicU32,
    /// Until when there is nothing to get.
    refused: AtomicU64,
    /// Calls that may be made on credit, or [`WHOLE`]; and when there is a new credit.
    credit: AtomicU32,
    new_credit: AtomicU64,
    /// Calls that the store has not heard of.
    debt: AtomicU32,
    /// Calls that had nothing in hand since the last question.
    unmet: AtomicU32,
    /// While edges cannot agree: when the next call of this edge's own part is due.
    own_due: AtomicU64,
    slot: Slot,
    kept: Mutex<Kept>,
}

/// Only the keeper's.
#[derive(Debug, Default)]
struct Kept {
    /// When the calls in hand were given.
    given_at: u64,
    /// How many there were then.
    given: u32,
    /// Calls to give back.
    back: u32,
    /// By the store's clock.
    known: i64,
    /// When somebody last wanted a call.
    wanted_at: u64,
    terms: Option<Terms>,
}

impl RateLease {
    pub fn new(name: String) -> RateLease {
        RateLease {
            name,
            interval: AtomicU64::new(1),
            slack: AtomicU64::new(0),
            left: AtomicU32::new(0),
            until: AtomicU64::new(0),
            low: AtomicU32::new(0),
            refused: AtomicU64::new(0),
            credit: AtomicU32::new(WHOLE),
            new_credit: AtomicU64::new(0),
            debt: AtomicU32::new(0),
            unmet: AtomicU32::new(0),
            own_due: AtomicU64::new(0),
            slot: Slot::default(),
            kept: Mutex::default(),
        }
    }

    /// Takes one call; `now` in nanoseconds.
    pub fn take(&self, rate: Rate, when_away: WhenAway, fleet: &Fleet, now: u64) -> Taken {
        if self.interval.load(Relaxed) != rate.interval || self.slack.load(Relaxed) != rate.slack {
            self.interval.store(rate.interval, Relaxed);
            self.slack.store(rate.slack, Relaxed);
        }
        if now < self.until.load(Acquire)
            && let Ok(before) = self.left.fetch_update(AcqRel, Relaxed, |left| left.checked_sub(1))
        {
            let is_low = before <= self.low.load(Relaxed);
            return Taken { call: Ok(()), asks: is_low && self.slot.asks() };
        }
        self.take_elsewhere(rate, when_away, fleet, now)
    }

    #[cold]
    fn take_elsewhere(&self, rate: Rate, when_away: WhenAway, fleet: &Fleet, now: u64) -> Taken {
        self.unmet.fetch_add(1, Relaxed);
        if fleet.is_away() {
            let call = match when_away {
                WhenAway::Share => self.take_own(own_part(rate, fleet.edges()), now).map_err(Some),
                WhenAway::Refuse => Err(None),
            };
            return Taken { call, asks: false };
        }
        let refused = self.refused.load(Acquire);
        if now < refused {
            return Taken { call: Err(Some(Duration::from_nanos(refused - now))), asks: self.slot.asks() };
        }
        let call = if self.take_credit(rate, fleet, now) { Ok(()) } else { Err(Some(SOON)) };
        Taken { call, asks: self.slot.asks() }
    }

    /// A call that the store hears of afterwards.
    fn take_credit(&self, rate: Rate, fleet: &Fleet, now: u64) -> bool {
        if !fleet.is_known() {
            return false;
        }
        let due = self.new_credit.load(Acquire);
        // Whoever changes the moment brings the credit. There is none while the store has not heard of the last one.
        if due > 0
            && now >= due
            && self.debt.load(Acquire) == 0
            && self.new_credit.compare_exchange(due, 0, AcqRel, Relaxed).is_ok()
        {
            self.credit.store(WHOLE, Release);
        }
        let whole = Terms::of(rate, fleet.edges()).credit;
        let taken = self.credit.fetch_update(AcqRel, Relaxed, |left| left.min(whole).checked_sub(1)).is_ok();
        if taken {
            self.debt.fetch_add(1, AcqRel);
        }
        taken
    }

    fn take_own(&self, part: Rate, now: u64) -> Result<(), Duration> {
        let mut due = self.own_due.load(Acquire);
        loop {
            let next = part.take(due, now)?;
            match self.own_due.compare_exchange_weak(due, next, AcqRel, Acquire) {
                Ok(_) => return Ok(()),
                Err(found) => due = found,
            }
        }
    }

    fn rate(&self) -> Rate {
        Rate { interval: self.interval.load(Relaxed).max(1), slack: self.slack.load(Relaxed), shared: None }
    }

    /// What was let through as this edge's own part while edges could not agree, and is not over yet.
    fn take_back_own(&self, fleet: &Fleet, now: u64) -> u32 {
        if self.own_due.load(Acquire) == 0 {
            return 0;
        }
        let due = self.own_due.swap(0, AcqRel);
        let part = own_part(self.rate(), fleet.edges());
        let used = due.saturating_sub(now).div_ceil(part.interval.max(1));
        u32::try_from(used).unwrap_or(u32::MAX)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease for RateLease {
    fn question(&self, fleet: &Fleet, now: u64) -> Option<Question> {
        let mut kept = self.kept();
        let terms = Terms::of(self.rate(), fleet.edges());
        let unmet = self.unmet.swap(0, AcqRel);
        let left = self.left.load(Acquire);
        // Those that are old are given back, and others asked for.
        let is_old = now.saturating_sub(kept.given_at) as f64 >= terms.hold * 500.0;
        let used = kept.given.saturating_sub(left);
        if unmet > 0 || used > 0 {
            kept.wanted_at = now;
        }
        let is_idle = now.saturating_sub(kept.wanted_at) >= IDLE;
        let mut want = used.saturating_add(unmet).saturating_mul(2).clamp(1, terms.lease);
        if is_idle {
            want = 0;
        } else if !is_old {
            want = want.min(terms.lease.saturating_sub(left));
        }
        if is_idle || now >= self.until.load(Acquire) {
            // From now on nobody can use them.
            self.until.store(0, Release);
            kept.back = kept.back.saturating_add(self.left.swap(0, AcqRel));
        }
        let own = self.take_back_own(fleet, now);
        let debt = self.debt.fetch_add(own, AcqRel).saturating_add(own);
        let back = std::mem::take(&mut kept.back);
        kept.terms = Some(terms);
        if want == 0 && debt == 0 && back == 0 {
            return None;
        }
        Some(Question::Rate(RateQuestion {
            name: self.name.clone(),
            interval: terms.interval,
            tolerance: terms.tolerance,
            hold: terms.hold,
            want,
            debt,
            back,
            known: kept.known,
            others: terms.others,
        }))
    }

    fn answered(&self, question: &Question, answer: &Answer, fleet: &Fleet, asked: u64, now: u64) -> Next {
        let (Question::Rate(question), Answer::Rate(answer)) = (question, answer) else {
            return Next::Never;
        };
        let mut kept = self.kept();
        let terms = kept.terms.unwrap_or_else(|| Terms::of(self.rate(), fleet.edges()));
        let RateAnswer { given, wait, due } = *answer;
        let hold = (question.hold * 1000.0) as u64;
        kept.known = due;
        self.take_in(&mut kept, given, asked, now, hold);
        fleet.counts.leased(given, question.back);
        self.debt.fetch_sub(question.debt, AcqRel);
        let wait = wait.saturating_mul(1000);
        let refused = if wait > 0 { now.saturating_add(wait) } else { 0 };
        self.refused.store(refused, Release);
        self.renew_credit(&terms, question.debt, refused, now);
        match question.want {
            0 => Next::Never,
            // Nobody has to come back for it to be asked again.
            want if given < want => Next::Firm(now.saturating_add(wait.max(PACE))),
            _ => Next::Sooner(now.saturating_add((hold / 4 * 3).max(PACE))),
        }
    }

    fn failed(&self, question: &Question, fleet: &Fleet) {
        // The debt stays. Perhaps the store has counted it: then it counts twice, which is never too little.
        if let Question::Rate(question) = question {
            fleet.counts.wasted(question.back);
        }
    }

    fn slot(&self) -> &Slot {
        &self.slot
    }

    fn has_news(&self, _now: u64) -> bool {
        self.debt.load(Acquire) > 0
    }

    fn is_free(&self, now: u64) -> bool {
        let is_used = self.slot.is_asked()
            || self.left.load(Acquire) > 0
            || self.debt.load(Acquire) > 0
            || now < self.refused.load(Acquire)
            || now < self.own_due.load(Acquire);
        let has_credit = now >= self.new_credit.load(Acquire);
        !is_used && has_credit && now.saturating_sub(self.kept().wanted_at) >= IDLE
    }

    fn in_hand(&self) -> u32 {
        self.left.load(Relaxed)
    }
}

impl RateLease {
    /// Takes what the store gave into the hand.
    fn take_in(&self, kept: &mut Kept, given: u32, asked: u64, now: u64, hold: u64) {
        if given == 0 {
            kept.given = self.left.load(Relaxed);
            return;
        }
        if now.saturating_sub(kept.given_at) >= hold / 2 {
            // It was given when the question arrived, which was not before it was sent.
            self.until.store(asked.saturating_add(hold), Release);
            let old = self.left.swap(given, AcqRel);
            kept.back = kept.back.saturating_add(old);
            (kept.given_at, kept.given) = (asked, given);
        } else {
            // Good for as long as those that are there already.
            kept.given = self.left.fetch_add(given, AcqRel).saturating_add(given);
        }
        self.low.store(kept.given / 2, Relaxed);
    }

    /// A credit that was used comes again when the store has made room for it, and never while there is nothing to get.
    fn renew_credit(&self, terms: &Terms, debt: u32, refused: u64, now: u64) {
        let credit_time = (terms.credit_time() * 1000.0) as u64;
        let mut renewed = self.new_credit.load(Acquire);
        if debt > 0 {
            renewed = now.saturating_add(credit_time);
        }
        if refused > 0 {
            let one = (terms.interval * 1000.0) as u64;
            renewed = renewed.max(refused.saturating_add(credit_time.saturating_sub(one)));
            self.credit.store(0, Release);
        }
        self.new_credit.store(renewed, Release);
    }
}
