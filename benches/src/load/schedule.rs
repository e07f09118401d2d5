//! When requests at a fixed rate are due, no matter how earlier ones end.

use std::time::Duration;

/// Request `i` is due `i` intervals after the begin.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    interval_picoseconds: u128,
    total: u64,
}

impl Schedule {
    /// As many requests as fit into `time` at this many a second; at least one.
    pub fn new(rate: f64, time: Duration) -> Schedule {
        let interval_picoseconds = (1e12 / rate).round().max(1.0) as u128;
        let fit = time.as_nanos() * 1000 / interval_picoseconds;
        Schedule { interval_picoseconds, total: u64::try_from(fit).unwrap_or(u64::MAX).max(1) }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// From the begin until one interval after the last request.
    pub fn length(&self) -> Duration {
        self.due(self.total)
    }

    /// When this request is due, from the begin.
    pub fn due(&self, index: u64) -> Duration {
        let nanoseconds = (u128::from(index) * self.interval_picoseconds).div_ceil(1000);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// How many requests are due this long after the begin.
    pub fn due_by(&self, elapsed: Duration) -> u64 {
        let intervals = elapsed.as_nanos() * 1000 / self.interval_picoseconds;
        u64::try_from(intervals + 1).unwrap_or(u64::MAX).min(self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_due_at_a_fixed_rate() {
        let schedule = Schedule::new(2000.0, Duration::from_secs(3));
        assert_eq!(schedule.total(), 6000);
        assert_eq!([0, 1, 5999].map(|index| schedule.due(index).as_micros()), [0, 500, 2_999_500]);
        assert_eq!(schedule.length(), Duration::from_secs(3));
    }

    #[test]
    fn a_request_is_due_exactly_when_its_time_has_come() {
        for rate in [3.0, 7.7, 12_345.6, 999_999.9] {
            let schedule = Schedule::new(rate, Duration::from_secs(1));
            for index in 0..schedule.total().min(5000) {
                let due = schedule.due(index);
                assert_eq!(schedule.due_by(due), index + 1, "{rate} {index}");
                if index > 0 {
                    assert_eq!(schedule.due_by(due - Duration::from_nanos(1)), index, "{rate} {index}");
                }
            }
        }
    }

    #[test]
    fn no_more_are_due_than_there_are() {
        let schedule = Schedule::new(10.0, Duration::from_millis(250));
        assert_eq!((schedule.total(), schedule.due_by(Duration::from_secs(9))), (2, 2));
        assert_eq!(Schedule::new(0.1, Duration::from_secs(1)).total(), 1);
    }
}
