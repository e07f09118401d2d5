//! So many calls in so much time, by the generic cell rate algorithm: one number says when the next call is due.

use mcp_bundle::wire_enums::WhenAway;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SECOND: u64 = 1_000_000_000;

/// A rate, ready to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Nanoseconds that a call takes up.
    pub(super) interval: u64,
    /// How far ahead of its time a call may come.
    pub(super) slack: u64,
    /// All edges share it, if they have a store for that.
    pub(super) shared: Option<WhenAway>,
}

impl Rate {
    /// `burst` calls may come at once; on the whole there are `calls` in `seconds`.
    pub fn new(calls: u32, seconds: u32, burst: u32) -> Rate {
        let interval = (u64::from(seconds) * SECOND / u64::from(calls.max(1))).max(1);
        Rate { interval, slack: interval.saturating_mul(u64::from(burst.max(1)) - 1), shared: None }
    }

    /// The same, for all edges together.
    pub fn shared(self, shared: Option<WhenAway>) -> Rate {
        Rate { shared, ..self }
    }

    /// A call at `now`, if the last ones take up the time until `due`: when the next one is due then, or how long to wait.
    pub(super) fn take(self, due: u64, now: u64) -> Result<u64, Duration> {
        let start = due.max(now);
        match (start - now).checked_sub(self.slack) {
            None | Some(0) => Ok(start.saturating_add(self.interval)),
            Some(wait) => Err(Duration::from_nanos(wait)),
        }
    }
}

/// A moment as rates count it. Never 0, which is a bucket that was never used.
pub fn nanoseconds(moment: Instant) -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since = moment.saturating_duration_since(*START).as_nanos();
    u64::try_from(since).unwrap_or(u64::MAX / 2).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_comes_at_once_and_then_one_at_a_time() {
        let rate = Rate::new(60, 60, 3);
        let (mut due, now) = (0, 1000 * SECOND);
        for _ in 0..3 {
            due = rate.take(due, now).unwrap();
        }
        assert_eq!(rate.take(due, now), Err(Duration::from_secs(1)));
        assert_eq!(rate.take(due, now + SECOND / 4), Err(Duration::from_millis(750)));
        due = rate.take(due, now + SECOND).unwrap();
        assert!(rate.take(due, now + SECOND).is_err());
        // After a long time there is one burst again, not more.
        let later = now + 1000 * SECOND;
        for _ in 0..3 {
            due = rate.take(due, later).unwrap();
        }
        assert!(rate.take(due, later).is_err());
    }

    #[test]
    fn no_rate_is_too_large_or_too_small() {
        for (calls, seconds, burst) in [(0, 0, 0), (u32::MAX, 1, u32::MAX), (1, u32::MAX, u32::MAX)] {
            let rate = Rate::new(calls, seconds, burst);
            assert!(rate.take(0, 1).is_ok());
            let _ = rate.take(u64::MAX, 1);
        }
    }
}
