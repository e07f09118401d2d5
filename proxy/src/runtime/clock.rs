//! The time of day, from a clock reading that was already taken: one reading is enough for
//! measurements and logs.

use std::cell::Cell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that was set is noticed after this long.
const TRUSTED: Duration = Duration::from_secs(1);

/// Two readings of the same moment: by the clock that only goes forward, and since 1970.
type Pair = (Instant, Duration);

thread_local!(static PAIR: Cell<Option<Pair>> = const { Cell::new(None) });

/// How long after the start of 1970 a moment was, which is now or was just now.
pub fn since_epoch(moment: Instant) -> Duration {
    let known = PAIR.get().and_then(|pair| at(pair, moment));
    known.unwrap_or_else(|| {
        let pair = read();
        at(pair, moment).unwrap_or(pair.1)
    })
}

/// `None` if the readings are too old, or from later.
fn at((then, since_epoch): Pair, moment: Instant) -> Option<Duration> {
    let passed = moment.checked_duration_since(then)?;
    (passed < TRUSTED).then(|| since_epoch + passed)
}

#[cold]
fn read() -> Pair {
    let pair = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    PAIR.set(Some(pair));
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_their_time_of_day() {
        let first = Instant::now();
        let told = since_epoch(first);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!(told <= now && now - told < Duration::from_secs(60), "{told:?} {now:?}");
        let later = Instant::now();
        assert!(since_epoch(later) >= told);
    }

    #[test]
    fn an_old_reading_is_not_trusted() {
        let (then, day) = (Instant::now(), Duration::from_secs(86_400));
        let at = |passed| at((then, day), then + passed);
        assert_eq!((at(Duration::ZERO), at(TRUSTED / 2)), (Some(day), Some(day + TRUSTED / 2)));
        assert_eq!(at(TRUSTED), None);
        assert_eq!(super::at((then + TRUSTED, day), then), None);
    }
}
