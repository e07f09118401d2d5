//! The arithmetic of limits that edges share: what an edge may hold in hand without the sum over all edges ever being more than
//! the limit.
//!
//! An edge holds no more than a *lease* of calls at once. The store counts it as if it was used at the end of its time. An edge
//! that holds nothing may begin with a *credit*: calls that the store hears of afterwards. It keeps room for the credits of all
//! other edges. So whoever uses what when, no window has more calls than the burst and what the rate gives in its time, as at one
//! edge alone.

use crate::limits::Rate;

/// The part of a burst that all credits together may be, and the part of the time it stands for that a lease may be held.
const PART: u64 = 8;
/// The part of a burst that all leases together may be.
const LEASES: u64 = 2;
/// How long calls are held in hand: never longer than this, nor shorter.
const LONGEST_HOLD_US: f64 = 10_000_000.0;
const SHORTEST_HOLD_US: f64 = 100_000.0;
/// A shared rate has a burst of at least the calls of this time. Smaller ones would be used up before a store answers.
const LEAST_BURST_US: f64 = 1_000_000.0;

/// A shared rate as the store is asked for it; times in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// That a call takes up.
    pub interval: f64,
    /// How far ahead of its time the store lets calls come.
    pub tolerance: f64,
    /// How long calls may be held in hand.
    pub hold: f64,
    /// Calls that an edge may make before the store has heard of them.
    pub credit: u32,
    /// Calls that an edge may hold at once.
    pub lease: u32,
    /// What other edges may have been given that this one does not know of, if the store has lost everything.
    pub others: f64,
}

impl Terms {
    /// For so many edges.
    pub fn of(rate: Rate, edges: u32) -> Terms {
        let edges = u64::from(edges.max(1));
        let interval = rate.interval as f64 / 1000.0;
        let burst = burst(rate);
        let credit = part(burst, edges);
        let lease = u32::try_from(burst.div_ceil(LEASES * edges)).unwrap_or(u32::MAX);
        let whole = burst as f64 * interval;
        let others = (edges - 1) as f64;
        Terms {
            interval,
            tolerance: whole - others * f64::from(credit) * interval,
            hold: (whole / PART as f64).clamp(SHORTEST_HOLD_US, LONGEST_HOLD_US),
            credit,
            lease,
            others: others * f64::from(credit.max(1)) * interval,
        }
    }

    /// How long it takes until the store has room again for a credit that was used.
    pub fn credit_time(&self) -> f64 {
        self.interval * f64::from(self.credit)
    }
}

/// The part of the rate that is this edge's own, while edges cannot agree.
pub fn own_part(rate: Rate, edges: u32) -> Rate {
    let edges = u64::from(edges.max(1));
    let interval = rate.interval.saturating_mul(edges);
    let burst = (burst(rate) / edges).max(1);
    Rate { interval, slack: interval.saturating_mul(burst - 1), ..rate }
}

/// Of places: those that each edge has without asking.
pub fn own_places(limit: u32, edges: u32) -> u32 {
    let (limit, edges) = (u64::from(limit), u64::from(edges.max(1)));
    let half = limit / (2 * edges);
    let own = if half == 0 { u64::from(limit >= edges) } else { half };
    u32::try_from(own).unwrap_or(u32::MAX)
}

/// Of places: those that edges lend each other.
pub fn common_places(limit: u32, edges: u32) -> u32 {
    limit.saturating_sub(own_places(limit, edges).saturating_mul(edges.max(1)))
}

/// What one edge may hold of a burst; nothing if there are more edges than calls.
fn part(burst: u64, edges: u64) -> u32 {
    let part = burst / (PART * edges);
    let part = if part == 0 { u64::from(burst >= edges) } else { part };
    u32::try_from(part).unwrap_or(u32::MAX)
}

fn burst(rate: Rate) -> u64 {
    let written = rate.slack / rate.interval.max(1) + 1;
    let least = LEAST_BURST_US * 1000.0 / rate.interval.max(1) as f64;
    written.max(least as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_hold_small_parts_of_a_large_limit() {
        let terms = Terms::of(Rate::new(10_000, 1, 10_000), 4);
        assert_eq!((terms.interval, terms.credit, terms.lease), (100.0, 312, 1250));
        assert_eq!(terms.tolerance, 1_000_000.0 - 3.0 * 312.0 * 100.0);
        assert_eq!(terms.hold, 125_000.0);
        assert_eq!(terms.others, 3.0 * 312.0 * 100.0);
    }

    #[test]
    fn of_a_limit_with_fewer_calls_than_edges_nothing_is_used_before_the_store_knows() {
        let terms = Terms::of(Rate::new(2, 60, 2), 4);
        assert_eq!((terms.credit, terms.lease), (0, 1));
        assert_eq!(terms.tolerance, 60_000_000.0);
        let terms = Terms::of(Rate::new(4, 60, 4), 4);
        assert_eq!((terms.credit, terms.tolerance), (1, 15_000_000.0));
    }

    #[test]
    fn a_burst_is_at_least_the_calls_of_a_second() {
        let terms = Terms::of(Rate::new(1000, 1, 1), 1);
        assert_eq!((terms.credit, terms.tolerance), (125, 1_000_000.0));
    }

    #[test]
    fn parts_are_never_more_than_the_whole() {
        for limit in [1, 2, 3, 4, 5, 10, 50, 1000, u32::MAX] {
            for edges in [0, 1, 2, 3, 4, 10, 1000, u32::MAX] {
                let (own, common) = (own_places(limit, edges), common_places(limit, edges));
                let all = u64::from(own) * u64::from(edges.max(1)) + u64::from(common);
                assert!(all <= u64::from(limit), "{limit} {edges}: {own} {common}");
                let terms = Terms::of(Rate::new(limit, 60, limit), edges);
                assert!(terms.tolerance >= terms.interval * 0.999, "{limit} {edges} {terms:?}");
                let part = own_part(Rate::new(limit, 60, limit), edges);
                assert!(part.interval > 0);
            }
        }
        assert_eq!((own_places(50, 4), common_places(50, 4)), (6, 26));
        assert_eq!((own_places(3, 4), common_places(3, 4)), (0, 3));
    }
}
