//! Leaves an upstream alone that fails: for a while calls are refused at once, then a few find out whether it is well again.
//!
//! An upstream that does well costs a call one look at one word. Only while something fails is there a lock.
//!
//! What counts as a failure is decided by who calls (`call/admission`): no connection, no answer in time or none at all, and the
//! statuses 502, 503 and 504. Any other answer shows that the upstream is there.

use mcp_bundle::plan::BreakerPlan;
use std::sync::atomic::{
    AtomicU8,
    Ordering::{Acquire, Release},
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time in which calls are counted, from the first failure on.
const WINDOW: Duration = Duration::from_secs(10);
/// Calls in it before their part counts.
const LEAST_CALLS: u32 = 20;
/// An upstream is left alone for no longer than this at once, unless its spec begins with more.
const LONGEST: Duration = Duration::from_secs(60);
/// When to try again while others find out how the upstream is.
const PROBING: Duration = Duration::from_secs(1);

/// One upstream at one origin.
#[derive(Debug, Default)]
pub struct Breaker {
    /// [`HEALTHY`] or not; the rest is behind the lock.
    mode: AtomicU8,
    state: Mutex<State>,
}

const HEALTHY: u8 = 0;
const ILL: u8 = 1;

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// Failures since the last success.
    in_a_row: u32,
    /// In the window.
    calls: u32,
    failed: u32,
    window: Option<Instant>,
    /// How often it was opened since it was last well.
    openings: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Closed,
    Open {
        until: Instant,
    },
    HalfOpen {
        /// Probes that are on their way.
        out: u32,
        /// Probes that did well.
        well: u32,
    },
}

/// What metrics say about an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakerState {
    Closed,
    HalfOpen,
    Open,
}

/// A call that was let through. How it ended is to be said; one that is dropped was cancelled.
#[derive(Debug)]
pub struct Pass<'a> {
    breaker: &'a Breaker,
    plan: &'a BreakerPlan,
    is_probe: bool,
    is_told: bool,
}

impl Breaker {
    /// Lets a call through, or says when the next try is.
    pub fn enter<'a>(&'a self, plan: &'a BreakerPlan, now: Instant) -> Result<Pass<'a>, Duration> {
        let is_probe = self.mode.load(Acquire) != HEALTHY && self.enter_ill(plan, now)?;
        Ok(Pass { breaker: self, plan, is_probe, is_told: false })
    }

    /// Whether the call is a probe.
    #[cold]
    fn enter_ill(&self, plan: &BreakerPlan, now: Instant) -> Result<bool, Duration> {
        let mut state = self.lock();
        match state.phase {
            Phase::Closed => Ok(false),
            Phase::Open { until } if now < until => Err(until - now),
            Phase::Open { .. } => {
                state.phase = Phase::HalfOpen { out: 1, well: 0 };
                Ok(true)
            }
            Phase::HalfOpen { out, well } if out + well < plan.probes => {
                state.phase = Phase::HalfOpen { out: out + 1, well };
                Ok(true)
            }
            Phase::HalfOpen { .. } => Err(PROBING),
        }
    }

    pub fn state(&self) -> BreakerState {
        if self.mode.load(Acquire) == HEALTHY {
            return BreakerState::Closed;
        }
        match self.lock().phase {
            Phase::Closed => BreakerState::Closed,
            Phase::Open { .. } => BreakerState::Open,
            Phase::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    fn succeeded(&self, plan: &BreakerPlan, is_probe: bool, now: Instant) {
        let mut state = self.lock();
        match state.phase {
            Phase::HalfOpen { out, well } if is_probe => {
                let (out, well) = (out.saturating_sub(1), well + 1);
                if well < plan.probes {
                    state.phase = Phase::HalfOpen { out, well };
                } else {
                    *state = State::default();
                    self.mode.store(HEALTHY, Release);
                }
            }
            Phase::Closed => {
                state.in_a_row = 0;
                state.calls += 1;
                if state.window.is_none_or(|start| now.saturating_duration_since(start) > WINDOW) {
                    *state = State::default();
                    self.mode.store(HEALTHY, Release);
                }
            }
            // It began before the upstream was left alone.
            Phase::Open { .. } | Phase::HalfOpen { .. } => {}
        }
    }

    fn failed(&self, plan: &BreakerPlan, is_probe: bool, now: Instant) {
        let mut state = self.lock();
        match state.phase {
            Phase::HalfOpen { .. } if is_probe => state.open(plan, now),
            Phase::Closed => {
                if state.window.is_none_or(|start| now.saturating_duration_since(start) > WINDOW) {
                    (state.window, state.calls, state.failed) = (Some(now), 0, 0);
                }
                state.in_a_row += 1;
                state.calls += 1;
                state.failed += 1;
                let part = u64::from(state.failed) * 1000;
                let is_most = part >= u64::from(state.calls) * u64::from(plan.error_per_mille);
                if state.in_a_row >= plan.failures || state.calls >= LEAST_CALLS && is_most {
                    state.open(plan, now);
                }
                self.mode.store(ILL, Release);
            }
            Phase::Open { .. } | Phase::HalfOpen { .. } => {}
        }
    }

    /// A probe that nobody waits for any more has found out nothing.
    fn cancelled(&self) {
        let mut state = self.lock();
        if let Phase::HalfOpen { out, well } = state.phase {
            state.phase = Phase::HalfOpen { out: out.saturating_sub(1), well };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn open(&mut self, plan: &BreakerPlan, now: Instant) {
        let first = Duration::from_secs(plan.seconds.into());
        let time = first.saturating_mul(1 << self.openings.min(16)).min(LONGEST.max(first));
        let openings = self.openings.saturating_add(1);
        *self = State { phase: Phase::Open { until: now + time }, openings, ..State::default() };
    }
}

impl Pass<'_> {
    /// Says how the call ended.
    pub fn end(mut self, failed: bool, now: Instant) {
        self.is_told = true;
        if failed {
            self.breaker.failed(self.plan, self.is_probe, now);
        } else if self.breaker.mode.load(Acquire) != HEALTHY {
            self.breaker.succeeded(self.plan, self.is_probe, now);
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.is_probe && !self.is_told {
            self.breaker.cancelled();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: BreakerPlan = BreakerPlan { failures: 3, ..BreakerPlan::DEFAULT };

    fn call(breaker: &Breaker, failed: bool, now: Instant) {
        breaker.enter(&PLAN, now).expect("it is let through").end(failed, now);
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_probe_closes_it() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        for failed in [true, true, false, true, true] {
            call(&breaker, failed, now);
        }
        assert_eq!(breaker.state(), BreakerState::Closed, "a success is in between");
        call(&breaker, true, now);
        assert_eq!(breaker.state(), BreakerState::Open);
        assert_eq!(breaker.enter(&PLAN, now + seconds(2)).expect_err("open"), seconds(3));
        let probe = breaker.enter(&PLAN, now + seconds(5)).expect("a probe");
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert_eq!(breaker.enter(&PLAN, now + seconds(5)).expect_err("one is on its way"), PROBING);
        probe.end(false, now + seconds(6));
        assert_eq!(breaker.state(), BreakerState::Closed);
        call(&breaker, true, now + seconds(6));
        assert_eq!(breaker.state(), BreakerState::Closed, "it starts again");
    }

    #[test]
    fn each_failed_probe_doubles_the_time_up_to_a_minute() {
        let (breaker, mut now) = (Breaker::default(), Instant::now());
        (0..3).for_each(|_| call(&breaker, true, now));
        for time in [5, 10, 20, 40, 60, 60, 60] {
            assert_eq!(breaker.enter(&PLAN, now).expect_err("open"), seconds(time));
            now += seconds(time);
            breaker.enter(&PLAN, now).expect("a probe").end(true, now);
        }
    }

    #[test]
    fn half_of_many_calls_open_it() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        // Never three in a row.
        let pattern = [true, false, true, false];
        for failed in pattern.into_iter().cycle().take(18) {
            call(&breaker, failed, now);
        }
        assert_eq!(breaker.state(), BreakerState::Closed, "too few calls");
        call(&breaker, true, now);
        call(&breaker, true, now);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    #[test]
    fn a_window_ends() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        for failed in [true, false].into_iter().cycle().take(18) {
            call(&breaker, failed, now);
        }
        let later = now + WINDOW + seconds(1);
        call(&breaker, true, later);
        call(&breaker, true, later);
        assert_eq!(breaker.state(), BreakerState::Closed, "the other window is over");
        call(&breaker, false, later + WINDOW + seconds(1));
        assert_eq!(breaker.mode.load(Acquire), HEALTHY, "it costs nothing again");
    }

    #[test]
    fn a_cancelled_probe_leaves_its_turn_to_another() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        (0..3).for_each(|_| call(&breaker, true, now));
        let later = now + seconds(5);
        drop(breaker.enter(&PLAN, later).expect("a probe"));
        breaker.enter(&PLAN, later).expect("another probe").end(false, later);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn calls_from_before_do_not_decide() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        let early: Vec<Pass<'_>> = (0..2).map(|_| breaker.enter(&PLAN, now).expect("closed")).collect();
        (0..3).for_each(|_| call(&breaker, true, now));
        let mut early = early.into_iter();
        early.next().expect("a call").end(false, now);
        assert_eq!(breaker.state(), BreakerState::Open);
        let probe = breaker.enter(&PLAN, now + seconds(5)).expect("a probe");
        early.next().expect("a call").end(true, now + seconds(5));
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        drop(probe);
    }

    #[test]
    fn as_many_probes_as_the_plan_says_must_do_well() {
        let plan = BreakerPlan { probes: 2, ..PLAN };
        let (breaker, now) = (Breaker::default(), Instant::now());
        (0..3).for_each(|_| call(&breaker, true, now));
        let later = now + seconds(5);
        let probes = [(); 2].map(|()| breaker.enter(&plan, later).expect("a probe"));
        assert!(breaker.enter(&plan, later).is_err());
        for (probe, state) in probes.into_iter().zip([BreakerState::HalfOpen, BreakerState::Closed]) {
            probe.end(false, later);
            assert_eq!(breaker.state(), state);
        }
    }
}
