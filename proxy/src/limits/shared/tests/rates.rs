//! No window has more calls than the burst and the rate, and those who keep asking get nearly all of them.

use super::model::Model;
use crate::limits::Rate;
use crate::limits::shared::fleet::Fleet;
use crate::limits::shared::lease::{Lease, Next};
use crate::limits::shared::rate_lease::RateLease;
use crate::limits::shared::store::Question;
use mcp_bundle::wire_enums::WhenAway;
use proptest::prelude::*;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

/// An edge with a clock of its own, and a keeper that is as simple as can be.
struct Edge {
    lease: RateLease,
    fleet: Fleet,
    /// How far its clock is ahead.
    clock: u64,
    /// When to ask.
    next: Option<u64>,
    /// A question on its way: when it was sent, arrives, and is answered.
    asked: Option<(u64, u64, u64, Question)>,
    answer: Option<crate::limits::shared::store::Answer>,
    let_through: u64,
}

struct Simulation {
    rate: Rate,
    when_away: WhenAway,
    edges: Vec<Edge>,
    store: Model,
    /// How far its clock is ahead.
    store_clock: u64,
    /// From a question to its answer.
    trip: u64,
    /// The store hears nothing.
    is_cut: bool,
    now: u64,
    /// When the next call of all edges is due, if each was counted when it was made.
    due: u64,
    /// The most that was ever taken of the burst, in calls.
    most: u64,
    /// When calls were let through.
    passed: Vec<u64>,
}

impl Simulation {
    fn new(rate: Rate, edges: u32, trip: u64) -> Simulation {
        let edge = |index: u32| {
            let fleet = Fleet::default();
            fleet.set_edges(edges);
            Edge {
                lease: RateLease::new("rate".to_owned()),
                fleet,
                // Five seconds apart.
                clock: u64::from(index) * 5 * SECOND,
                next: None,
                asked: None,
                answer: None,
                let_through: 0,
            }
        };
        Simulation {
            rate,
            when_away: WhenAway::Refuse,
            edges: (0..edges).map(edge).collect(),
            store: Model::default(),
            store_clock: 3600 * SECOND,
            trip,
            is_cut: false,
            now: SECOND,
            due: 0,
            most: 0,
            passed: Vec::new(),
        }
    }

    fn step(&mut self, time: u64) {
        self.now += time;
        let now = self.now;
        for edge in &mut self.edges {
            let own = now + edge.clock;
            if let Some((_, arrives, _, question)) = &edge.asked
                && edge.answer.is_none()
                && now >= *arrives
                && !self.is_cut
            {
                edge.answer = Some(self.store.ask(question, (now + self.store_clock) / 1000));
            }
            if let Some((sent, _, done, question)) = edge.asked.take_if(|(_, _, done, _)| now >= *done) {
                let slot = edge.lease.slot();
                match edge.answer.take() {
                    // As when nothing is heard for half a second.
                    None if now < done + SECOND / 2 => edge.asked = Some((sent, sent, done, question)),
                    None => {
                        edge.lease.failed(&question, &edge.fleet);
                        edge.fleet.set_away(true);
                        slot.set_asked(false);
                    }
                    Some(answer) => {
                        slot.last.store(own, Relaxed);
                        let next =
                            edge.lease.answered(&question, &answer, &edge.fleet, sent + edge.clock, own);
                        edge.next = match next {
                            Next::Never => None,
                            Next::Firm(at) | Next::Sooner(at) => Some(at),
                        };
                        slot.set_asked(matches!(next, Next::Firm(_)));
                    }
                }
            }
            if edge.asked.is_none() && edge.next.is_some_and(|at| own >= at) {
                edge.next = None;
                match edge.lease.question(&edge.fleet, own) {
                    None => edge.lease.slot().set_asked(false),
                    Some(question) => {
                        edge.lease.slot().set_asked(true);
                        edge.asked = Some((now, now + self.trip / 2, now + self.trip, question));
                    }
                }
            }
        }
    }

    /// A call at an edge; whether it was let through.
    fn call(&mut self, edge: usize) -> bool {
        self.take(edge).is_ok()
    }

    fn take(&mut self, edge: usize) -> Result<(), Option<Duration>> {
        let count = self.edges.len();
        let edge = &mut self.edges[edge % count];
        let now = self.now + edge.clock;
        let taken = edge.lease.take(self.rate, self.when_away, &edge.fleet, now);
        if taken.asks && edge.asked.is_none() {
            edge.next = Some(edge.lease.slot().soonest(now));
        }
        taken.call?;
        edge.let_through += 1;
        self.passed.push(self.now);
        self.due = self.due.max(self.now) + self.rate.interval;
        self.most = self.most.max((self.due - self.now).div_ceil(self.rate.interval));
        Ok(())
    }

    /// The most calls that were let through in any window of this length.
    fn most_within(&self, window: u64) -> u64 {
        let counts = self.passed.iter().enumerate().map(|(last, now)| {
            let first = self.passed.partition_point(|at| at + window <= *now);
            last + 1 - first
        });
        counts.max().unwrap_or(0) as u64
    }

    fn reconnect(&mut self) {
        self.is_cut = false;
        for edge in &mut self.edges {
            edge.fleet.set_away(false);
        }
    }

    fn let_through(&self) -> u64 {
        self.edges.iter().map(|edge| edge.let_through).sum()
    }
}

/// Of a rate that is shared.
fn burst(rate: Rate) -> u64 {
    (rate.slack / rate.interval + 1).max(SECOND / rate.interval)
}

#[test]
fn four_edges_that_keep_asking_get_all_of_the_limit_and_no_more() {
    let rate = Rate::new(10_000, 1, 10_000);
    let mut simulation = Simulation::new(rate, 4, 300_000);
    let seconds = 10;
    // Twice as many calls as the limit has, at all edges.
    for turn in 0..seconds * 20_000 {
        simulation.step(50_000);
        simulation.call(turn);
    }
    assert!(simulation.most <= burst(rate), "{} at once", simulation.most);
    let within = simulation.most_within(SECOND);
    assert!(within <= burst(rate) + 10_000, "{within} in a second");
    let passed = simulation.let_through();
    let limit = seconds as u64 * 10_000;
    assert!(passed >= limit * 9 / 10 && passed <= limit + burst(rate), "{passed}");
    // The first second has the burst.
    let each = simulation.store.operations / seconds as u64;
    assert!(each <= 400, "{each} operations in a second");
}

/// As docs/OPERATIONS.md has it.
#[test]
fn a_rate_and_a_burst_that_add_up_to_a_number_never_exceed_it_in_any_window() {
    let (limit, minute) = (600, 60 * SECOND);
    let mut simulation = Simulation::new(Rate::new(560, 60, 40), 4, 500_000);
    // All edges ask for far more, for five minutes.
    for turn in 0..300_000 {
        simulation.step(1_000_000);
        simulation.call(turn);
    }
    let within = simulation.most_within(minute);
    assert!(within <= limit, "{within} in a minute");
    let last = simulation.passed.iter().filter(|at| **at > simulation.now - minute).count() as u64;
    assert!(last >= limit * 9 / 10, "{last} in the last minute");
}

#[test]
fn a_caller_below_the_limit_is_not_refused() {
    for (calls, seconds, gap) in [(60, 60, 1500), (600, 60, 150), (100, 1, 20), (5, 60, 16_000)] {
        for edges in [1, 2, 4] {
            let mut simulation = Simulation::new(Rate::new(calls, seconds, calls), edges, 500_000);
            for turn in 0..200 {
                // In turn, as a balancer sends them.
                assert!(simulation.call(turn), "call {turn} of {calls} in {seconds} s over {edges} edges");
                (0..gap).for_each(|_| simulation.step(1_000_000));
            }
        }
    }
}

#[test]
fn whoever_waits_as_long_as_told_is_let_through() {
    let rate = Rate::new(3, 60, 3);
    let mut simulation = Simulation::new(rate, 1, 500_000);
    assert!((0..3).all(|_| {
        // As fast as a caller sends one after the other.
        (0..20).for_each(|_| simulation.step(100_000));
        simulation.call(0)
    }));
    for round in 0..5 {
        (0..100).for_each(|_| simulation.step(1_000_000));
        let wait = simulation.take(0).expect_err("the limit is met").expect("a time").as_nanos() as u64;
        assert!(wait > 15 * SECOND && wait <= 22 * SECOND, "round {round}: {wait}");
        let until = simulation.now + wait.next_multiple_of(SECOND);
        while simulation.now < until {
            simulation.step(1_000_000);
        }
        assert!(simulation.call(0), "round {round}");
    }
}

#[test]
fn unused_calls_are_given_back() {
    let rate = Rate::new(600, 60, 600);
    let mut simulation = Simulation::new(rate, 2, 500_000);
    assert!(simulation.call(0));
    // After a minute without calls, the edge has nothing in hand.
    (0..80_000).for_each(|_| simulation.step(1_000_000));
    let edge = &simulation.edges[0];
    assert_eq!(edge.lease.in_hand(), 0);
    let counts = edge.fleet.counts.stats();
    assert!(counts.leased > 0 && counts.leased == counts.returned, "{counts:?}");
    assert!(edge.lease.is_free(simulation.now), "nothing is lost if it is forgotten");
}

#[test]
fn a_store_that_is_away_leaves_what_is_in_hand_and_then_a_part_or_nothing() {
    let rate = Rate::new(40, 10, 40);
    for (when_away, least, most) in [(WhenAway::Refuse, 0, 0), (WhenAway::Share, 200, 240)] {
        let mut simulation = Simulation::new(rate, 4, 500_000);
        simulation.when_away = when_away;
        let run = |simulation: &mut Simulation, seconds: usize| {
            let before = simulation.let_through();
            for turn in 0..seconds * 100 {
                (0..10).for_each(|_| simulation.step(1_000_000));
                simulation.call(turn);
            }
            simulation.let_through() - before
        };
        run(&mut simulation, 30);
        simulation.is_cut = true;
        // Until it is noticed.
        run(&mut simulation, 10);
        let passed = run(&mut simulation, 50);
        assert!((least..=most).contains(&passed), "{when_away}: {passed}");
        simulation.reconnect();
        let passed = run(&mut simulation, 50);
        assert!((180..=240).contains(&passed), "{when_away}: {passed}");
        // No edge knows what others were given after its last question.
        let most = if when_away == WhenAway::Share { burst(rate) * 5 / 4 } else { burst(rate) };
        assert!(simulation.most <= most, "{when_away}: {} at once", simulation.most);
    }
}

#[test]
fn a_store_that_has_lost_everything_does_not_give_it_out_again() {
    let rate = Rate::new(1000, 10, 1000);
    let mut simulation = Simulation::new(rate, 4, 500_000);
    for turn in 0..20_000 {
        (0..2).for_each(|_| simulation.step(500_000));
        simulation.call(turn);
        if turn % 5000 == 4999 {
            simulation.store.forget();
        }
    }
    assert!(simulation.most <= burst(rate), "{} at once", simulation.most);
    assert!(simulation.let_through() >= 2000 * 9 / 10, "{}", simulation.let_through());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever comes when and where.
    #[test]
    fn no_window_has_more_calls_than_the_burst_and_the_rate(
        calls in 1u32..2000,
        seconds in 1u32..100,
        burst_part in 1u32..=4,
        edges in 1u32..6,
        trip_ms in 1u64..400,
        rounds in proptest::collection::vec((0usize..6, 1u64..400, 1u64..3000), 1..80),
    ) {
        let rate = Rate::new(calls, seconds, calls.div_ceil(burst_part));
        let mut simulation = Simulation::new(rate, edges, trip_ms * 1_000_000);
        for (edge, count, pause_ms) in rounds {
            for turn in 0..count {
                // Mostly at one edge, now and then at another.
                simulation.call(if turn % 7 == 0 { turn as usize } else { edge });
                if turn % 5 == 0 {
                    simulation.step(1_000_000);
                }
            }
            let step = (pause_ms / 50).max(1);
            (0..pause_ms / step).for_each(|_| simulation.step(step * 1_000_000));
        }
        prop_assert!(
            simulation.most <= burst(rate) + 1,
            "{} at once instead of {}", simulation.most, burst(rate)
        );
        for window in [1, 10, u64::from(seconds)] {
            let most = burst(rate) + (window * SECOND).div_ceil(rate.interval) + 1;
            let within = simulation.most_within(window * SECOND);
            prop_assert!(within <= most, "{within} in {window} s instead of {most}");
        }
    }
}
