//! One shared rate at this edge: calls in hand, and what the store said last.
//!
//! A call takes one from the hand: two words, no lock. What the store has to be asked is collected here and asked beside the
//! calls by the [`keeper`](super::keeper).

use super::fleet::Fleet;
use super::lease::{Lease, Next, PACE, Slot, Taken};
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

/// When to ask again if the store had too little, and between any questions about a rate whose calls are closer than [`CLOSE`].
const AGAIN: u64 = 20_000_000;
const CLOSE: u64 = 5_000_000;
/// How many times as many calls are asked for as were made since the last question. The next one comes when half of them are
/// made, so more than 2 makes questions about a steady rate rarer and rarer, as far as calls may be held.
const AHEAD: u32 = 4;
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
    /// When all of the burst would be there again, by the last answer.
    full_at: AtomicU64,
    slot: Slot,
    kept: Mutex<Kept>,
}

/// Only the keeper's.
#[derive(Debug, Default)]
struct Kept {
    /// When the calls in hand were given.
    given_at: u64,
    /// The same by the store's clock.
    given_there: i64,
    /// How many there were then.
    given: u32,
    /// Calls to give back, and when they were given by the store's clock.
    back: u32,
    back_given: i64,
    /// When the next call was due, by the store's clock.
    known: i64,
    /// What [`RateLease::new_credit`] was before the question.
    new_credit: u64,
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
            full_at: AtomicU64::new(0),
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
        if fleet.is_away() || self.slot.is_refused() {
            let call = match when_away {
                WhenAway::Share => self.take_own(own_part(rate, fleet.edges()), now).map_err(Some),
                WhenAway::Refuse => Err(None),
            };
            return Taken { call, asks: !fleet.is_away() && self.slot.asks() };
        }
        let refused = self.refused.load(Acquire);
        if now < refused {
            self.unmet.fetch_add(1, Relaxed);
            return Taken { call: Err(Some(Duration::from_nanos(refused - now))), asks: self.slot.asks() };
        }
        if self.take_credit(rate, fleet, now) {
            return Taken { call: Ok(()), asks: self.slot.asks() };
        }
        self.unmet.fetch_add(1, Relaxed);
        Taken { call: Err(Some(SOON)), asks: self.slot.asks() }
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
        // What edges have used together is not there for a part of it either.
        let full_at = self.full_at.load(Acquire);
        loop {
            let next = part.take(due.max(full_at), now)?;
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
        let own = self.take_back_own(fleet, now);
        let debt = self.debt.fetch_add(own, AcqRel).saturating_add(own);
        // Those that are old are held longer, if the store has nothing against it.
        let is_old = now.saturating_sub(kept.given_at) as f64 >= terms.hold * 500.0;
        let used = kept.given.saturating_sub(left);
        if unmet > 0 || used > 0 || debt > 0 {
            kept.wanted_at = now;
        }
        let is_idle = now.saturating_sub(kept.wanted_at) >= IDLE && !self.slot.is_refused();
        let (want, more) = if is_idle {
            (0, 0)
        } else {
            let room = terms.lease.saturating_sub(left);
            let likely =
                used.saturating_add(unmet).saturating_add(debt).saturating_mul(AHEAD).max(1).min(room);
            // Alone, there is nobody to leave anything to.
            let want = if fleet.edges() == 1 { likely } else { unmet.min(room) };
            (want, likely.saturating_sub(want))
        };
        if is_idle || now >= self.until.load(Acquire) {
            // From now on nobody can use them.
            self.until.store(0, Release);
            let old = self.left.swap(0, AcqRel);
            kept.give_back(old);
        }
        let (back, back_given) = (std::mem::take(&mut kept.back), std::mem::take(&mut kept.back_given));
        kept.terms = Some(terms);
        self.slot.pace.store(if self.rate().interval < CLOSE { AGAIN } else { PACE }, Relaxed);
        let renew = if is_old && !is_idle { self.left.load(Acquire) } else { 0 };
        if want == 0 && more == 0 && debt == 0 && back == 0 && renew == 0 {
            return None;
        }
        // While the question is on its way, there is no new credit; what is left of the last one may be used meanwhile.
        kept.new_credit = self.new_credit.swap(u64::MAX, AcqRel);
        let credit = self.credit.load(Acquire).min(terms.credit);
        Some(Question::Rate(RateQuestion {
            name: self.name.clone(),
            interval: terms.interval,
            tolerance: terms.tolerance - f64::from(credit) * terms.interval,
            hold: terms.hold,
            want,
            more,
            debt,
            back,
            back_given,
            renew,
            renew_given: kept.given_there,
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
        let RateAnswer { given, renewed, wait, due, now: there } = *answer;
        // Whatever a store says.
        let given = given.min(question.want.saturating_add(question.more));
        let hold = (question.hold * 1000.0) as u64;
        kept.known = due;
        let ahead = u64::try_from(due.saturating_sub(there)).unwrap_or_default().saturating_mul(1000);
        self.full_at.store(now.saturating_add(ahead), Release);
        self.take_in(&mut kept, (given, renewed), there, asked, hold);
        fleet.counts.leased(given, question.back);
        self.debt.fetch_sub(question.debt, AcqRel);
        let wait = wait.saturating_mul(1000);
        let refused = if wait > 0 { now.saturating_add(wait) } else { 0 };
        self.refused.store(refused, Release);
        self.renew_credit(&kept, &terms, question.debt, ahead, now);
        if question.want + question.more + question.renew == 0 {
            Next::Never
        } else if given < question.want {
            // Nobody has to come back for it to be asked again.
            Next::Firm(now.saturating_add(wait.max(AGAIN)))
        } else {
            Next::Sooner(now.saturating_add((hold / 4 * 3).max(AGAIN)))
        }
    }

    fn failed(&self, question: &Question, fleet: &Fleet) {
        // The debt stays. Perhaps the store has counted it: then it counts twice, which is never too little.
        if let Question::Rate(question) = question {
            fleet.counts.wasted(question.back);
            self.new_credit.store(self.kept().new_credit, Release);
        }
    }

    fn name(&self) -> &str {
        &self.name
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

impl Kept {
    /// Calls that nobody has used.
    fn give_back(&mut self, count: u32) {
        if count > 0 {
            self.back_given =
                if self.back > 0 { self.back_given.min(self.given_there) } else { self.given_there };
            self.back = self.back.saturating_add(count);
        }
    }
}

impl RateLease {
    /// Takes what the store gave into the hand. It was given at `there` by the store's clock, and not before `asked`.
    fn take_in(&self, kept: &mut Kept, (given, renewed): (u32, bool), there: i64, asked: u64, hold: u64) {
        let is_over = asked >= self.until.load(Acquire);
        let is_old = asked.saturating_sub(kept.given_at) >= hold / 2;
        if renewed || is_over || (is_old && given > 0) {
            if !renewed {
                // The new ones take their place.
                kept.give_back(self.left.swap(0, AcqRel));
            }
            self.until.store(asked.saturating_add(hold), Release);
            (kept.given_at, kept.given_there) = (asked, there);
        }
        // Otherwise they are good for as long as those that are there already.
        kept.given = self.left.fetch_add(given, AcqRel).saturating_add(given);
        self.low.store(kept.given / 2, Relaxed);
    }

    /// A credit comes again when the store has room for it. `ahead` is how far the limit is ahead of its time.
    fn renew_credit(&self, kept: &Kept, terms: &Terms, debt: u32, ahead: u64, now: u64) {
        let credit_time = terms.credit_time();
        let room_in = ((ahead as f64 / 1000.0 + credit_time - terms.tolerance) * 1000.0).max(0.0) as u64;
        let mut renewed = if room_in > 0 { now.saturating_add(room_in) } else { kept.new_credit };
        if room_in > 0 {
            self.credit.store(0, Release);
        }
        if debt > 0 {
            renewed = renewed.max(now.saturating_add((credit_time * 1000.0) as u64));
        }
        self.new_credit.store(renewed, Release);
    }
}
