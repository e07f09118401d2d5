//! When to ask a remote source: a fleet that starts together does not ask together, and one that is down is left alone.

use std::time::{Duration, Instant};

/// Between two questions, if all goes well.
#[derive(Debug)]
pub struct Schedule {
    every: Duration,
    due: Instant,
    /// In a row.
    failures: u32,
}

/// The longest pause after failures, unless polls are rarer.
const LONGEST: Duration = Duration::from_secs(300);

impl Schedule {
    /// The first question is due at once.
    pub fn new(every: Duration, now: Instant) -> Schedule {
        Schedule { every, due: now, failures: 0 }
    }

    pub fn is_due(&self, now: Instant) -> bool {
        self.due <= now
    }

    /// Until the next question.
    pub fn wait(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }

    /// `random` is any number; it spreads the questions of many edges.
    pub fn succeeded(&mut self, now: Instant, random: u32) {
        self.failures = 0;
        self.due = now + spread(self.every, random);
    }

    /// Each failure in a row doubles the pause. Who asks for a longer one gets it.
    pub fn failed(&mut self, now: Instant, at_least: Option<Duration>, random: u32) {
        let doubled = self.every.saturating_mul(1 << self.failures.min(16)).saturating_mul(2);
        self.failures = self.failures.saturating_add(1);
        let pause = doubled.min(LONGEST.max(self.every));
        self.due = now + spread(pause, random).max(at_least.unwrap_or_default());
    }

    /// In a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

/// Between three quarters and five quarters of the pause.
fn spread(pause: Duration, random: u32) -> Duration {
    pause.mul_f64(0.75 + f64::from(random) / f64::from(u32::MAX) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEN: Duration = Duration::from_secs(10);

    #[test]
    fn the_first_question_is_due_at_once_and_the_next_one_later() {
        let now = Instant::now();
        let mut schedule = Schedule::new(TEN, now);
        assert!(schedule.is_due(now));
        schedule.succeeded(now, 0);
        assert_eq!(schedule.wait(now), Duration::from_millis(7500));
        schedule.succeeded(now, u32::MAX);
        assert_eq!(schedule.wait(now), Duration::from_millis(12_500));
        assert!(!schedule.is_due(now) && schedule.is_due(now + Duration::from_millis(12_500)));
    }

    #[test]
    fn failures_make_pauses_longer_up_to_a_limit() {
        let now = Instant::now();
        let mut schedule = Schedule::new(TEN, now);
        let mut waits = Vec::new();
        for _ in 0..7 {
            schedule.failed(now, None, u32::MAX / 2);
            waits.push(schedule.wait(now).as_secs_f64().round());
        }
        assert_eq!(waits, [20.0, 40.0, 80.0, 160.0, 300.0, 300.0, 300.0]);
        schedule.failed(now, Some(Duration::from_secs(1000)), 0);
        assert_eq!(schedule.wait(now), Duration::from_secs(1000));
        schedule.succeeded(now, u32::MAX / 2);
        assert_eq!((schedule.wait(now).as_secs_f64().round(), schedule.failures()), (10.0, 0));
        let mut daily = Schedule::new(Duration::from_secs(86_400), now);
        daily.failed(now, None, 0);
        assert_eq!(daily.wait(now), Duration::from_secs(64_800), "never more often than asked for");
    }

    proptest! {
        #[test]
        fn a_pause_is_never_short_and_never_endless(
            every in 1_u64..=86_400,
            failures in 0_u32..100,
            random in any::<u32>(),
        ) {
            let now = Instant::now();
            let mut schedule = Schedule::new(Duration::from_secs(every), now);
            for _ in 0..failures {
                schedule.failed(now, None, random);
            }
            if failures == 0 {
                schedule.succeeded(now, random);
            }
            let wait = schedule.wait(now).as_secs_f64();
            prop_assert!(wait >= every as f64 * 0.749 && wait <= 1.251 * (every.max(300) as f64), "{wait}");
        }
    }
}
