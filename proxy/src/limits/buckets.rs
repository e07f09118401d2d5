//! The buckets of rates: a table of fixed size without locks. A bucket is one word, the time at which its next call is due, and
//! beside it stands whose it is.
//!
//! A key has its place in one set of eight. If all eight are others', the one that is due first gives way: mostly one that is
//! full again, which is no different from a new one. Only if more callers are busy at once than the table has room for is
//! something forgotten, and then it is the one that has asked least.

use super::rate::Rate;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::time::Duration;

/// A shard takes 16 KiB once it is used; all of them 4 MiB, for 262,144 buckets.
const SHARDS: usize = 256;
const SETS: usize = 128;
const WAYS: usize = 8;
/// Somebody is putting another key here.
const CLAIMED: u64 = u64::MAX;
/// How often to look again while somebody does.
const LOOKS: usize = 1000;

/// The buckets of all rates.
pub struct Buckets {
    /// Unknown outside, so that nobody can choose who shares a set.
    seed: u64,
    shards: Box<[OnceLock<Box<[Set]>>]>,
}

/// Eight buckets on two cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Set {
    keys: [AtomicU64; WAYS],
    due: [AtomicU64; WAYS],
}

/// What became of one look at a set.
enum Look {
    Done(Result<(), Duration>),
    /// Somebody else changed it meanwhile.
    Again,
    /// Somebody else is at it.
    Busy,
}

impl Buckets {
    /// Counts a call of `who` under the limit `limit`, or says how long to wait.
    pub fn take(&self, limit: u64, who: u64, rate: Rate, now: u64) -> Result<(), Duration> {
        let key = mix(mix(self.seed ^ limit) ^ who).max(1);
        let Some(set) = self.set(key) else { return Ok(()) };
        let mut looks = 0;
        loop {
            match set.take(key, rate, now) {
                Look::Done(done) => return done,
                // Whoever was in the way has got on.
                Look::Again => {}
                Look::Busy if looks < LOOKS => {
                    looks += 1;
                    spin_loop();
                }
                // A thread that stands still must not stop others.
                Look::Busy => return Ok(()),
            }
        }
    }

    fn set(&self, key: u64) -> Option<&Set> {
        let shard = self.shards.get(key as usize % SHARDS)?;
        let sets = shard.get_or_init(|| (0..SETS).map(|_| Set::default()).collect());
        sets.get((key >> 32) as usize % SETS)
    }
}

impl Set {
    fn take(&self, key: u64, rate: Rate, now: u64) -> Look {
        match self.keys.iter().position(|known| known.load(Acquire) == key) {
            Some(at) => self.due.get(at).map_or(Look::Busy, |due| again(due, rate, now)),
            None => self.begin(key, rate, now),
        }
    }

    /// Gives a place to a key that has none.
    fn begin(&self, key: u64, rate: Rate, now: u64) -> Look {
        let mut first: Option<(usize, u64)> = None;
        for (at, due) in self.due.iter().enumerate() {
            let due = due.load(Acquire);
            // Perhaps for the same key, which must not get two places.
            if due == CLAIMED {
                return Look::Busy;
            }
            if first.is_none_or(|(_, least)| due < least) {
                first = Some((at, due));
            }
        }
        let Some((at, found)) = first else { return Look::Busy };
        let (Some(known), Some(due)) = (self.keys.get(at), self.due.get(at)) else { return Look::Busy };
        if due.compare_exchange(found, CLAIMED, AcqRel, Relaxed).is_err() {
            return Look::Again;
        }
        known.store(key, Release);
        // A new bucket is full.
        due.store(rate.take(0, now).unwrap_or(now), Release);
        Look::Done(Ok(()))
    }
}

/// Counts a call in a bucket that is there.
fn again(due: &AtomicU64, rate: Rate, now: u64) -> Look {
    let found = due.load(Acquire);
    if found == CLAIMED {
        return Look::Busy;
    }
    match rate.take(found, now) {
        Err(wait) => Look::Done(Err(wait)),
        // Fails also if the place went to another key: what was due before is not due again.
        Ok(next) => match due.compare_exchange_weak(found, next.min(CLAIMED - 1), AcqRel, Relaxed) {
            Ok(_) => Look::Done(Ok(())),
            Err(_) => Look::Again,
        },
    }
}

/// Spreads the bits of a number (the end of MurmurHash3).
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let number = (number ^ (number >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ (number >> 33)
}

impl Default for Buckets {
    fn default() -> Buckets {
        let shards = (0..SHARDS).map(|_| OnceLock::new()).collect();
        Buckets { seed: RandomState::new().hash_one(0u64), shards }
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.shards.iter().filter(|shard| shard.get().is_some()).count();
        write!(f, "Buckets({used} shards)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn each_has_a_bucket_of_its_own() {
        let (buckets, rate) = (Buckets::default(), Rate::new(60, 60, 2));
        let now = 5 * SECOND;
        for limit in 0..3 {
            for who in 0..100 {
                assert_eq!(buckets.take(limit, who, rate, now), Ok(()));
                assert_eq!(buckets.take(limit, who, rate, now), Ok(()));
                assert_eq!(buckets.take(limit, who, rate, now), Err(Duration::from_secs(1)));
                assert_eq!(buckets.take(limit, who, rate, now + SECOND), Ok(()));
            }
        }
    }

    #[test]
    fn threads_together_get_no_more_than_the_burst() {
        for round in 0..50 {
            let (buckets, rate) = (Buckets::default(), Rate::new(1, 3600, 100));
            let taken = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        for _ in 0..100 {
                            if buckets.take(1, round, rate, SECOND).is_ok() {
                                taken.fetch_add(1, Relaxed);
                            }
                        }
                    });
                }
            });
            assert_eq!(taken.into_inner(), 100, "round {round}");
        }
    }

    #[test]
    fn what_is_full_again_gives_way_before_what_is_not() {
        let (set, rate) = (Set::default(), Rate::new(1, 10, 1));
        let take = |key, now| match set.take(key, rate, now) {
            Look::Done(done) => done,
            Look::Again | Look::Busy => panic!("nobody else is here"),
        };
        // The last one asks later than the others.
        for key in 1..=WAYS as u64 {
            assert_eq!(take(key, if key == 8 { 5 * SECOND } else { SECOND }), Ok(()));
        }
        // All but the last are full again, and one of them gives way to a ninth.
        let now = 12 * SECOND;
        assert_eq!(take(9, now), Ok(()));
        assert_eq!(take(8, now), Err(Duration::from_secs(3)), "it is remembered");
        assert_eq!(take(9, now), Err(Duration::from_secs(10)));
        let known = set.keys.iter().filter(|key| (1..8).contains(&key.load(Relaxed))).count();
        assert_eq!(known, WAYS - 2);
    }

    #[test]
    fn any_number_of_callers_fits() {
        let (buckets, rate) = (Buckets::default(), Rate::new(1, 3600, 1));
        for who in 0..400_000 {
            assert_eq!(buckets.take(1, who, rate, SECOND), Ok(()), "{who}");
        }
    }
}
