//! Places are never more than the limit, and come back.

use super::model::Model;
use crate::limits::shared::fleet::Fleet;
use crate::limits::shared::lease::{Lease, Next};
use crate::limits::shared::places_lease::{PlacesLease, SharedPlace};
use mcp_bundle::wire_enums::WhenAway;
use proptest::prelude::*;
use std::sync::Arc;

const SECOND: u64 = 1_000_000_000;

struct Edge {
    lease: Arc<PlacesLease>,
    fleet: Fleet,
    places: Vec<SharedPlace>,
}

fn edges(count: u32) -> Vec<Edge> {
    let edge = |index| {
        let fleet = Fleet::default();
        fleet.set_edges(count);
        let lease = Arc::new(PlacesLease::new("places".to_owned(), format!("edge-{index}").into()));
        Edge { lease, fleet, places: Vec::new() }
    };
    (0..count).map(edge).collect()
}

impl Edge {
    fn enter(&mut self, most: u32, now: u64) -> bool {
        let entered = self.lease.enter(most, WhenAway::Refuse, &self.fleet, now);
        let is_in = entered.place.is_some();
        self.places.extend(entered.place);
        is_in
    }

    /// Asks, if there is something to ask.
    fn ask(&self, store: &mut Model, now: u64) -> Option<Next> {
        let question = self.lease.question(&self.fleet, now)?;
        let answer = store.ask(&question, now / 1000);
        Some(self.lease.answered(&question, &answer, &self.fleet, now, now))
    }
}

#[test]
fn one_busy_edge_borrows_what_the_others_do_not_need() {
    let (mut edges, mut store, mut now) = (edges(2), Model::default(), SECOND);
    let mut entered = 0;
    for _ in 0..100 {
        entered += u32::from(edges[0].enter(40, now));
        edges[0].ask(&mut store, now);
        now += SECOND / 100;
    }
    // All but those that are always the other's.
    assert_eq!(entered, 30);
    assert!((0..10).all(|_| edges[1].enter(40, now)), "the other edge has its own without asking");
    assert!(!edges[1].enter(40, now));
    // When the first one needs fewer, the other one gets them.
    edges[0].places.truncate(2);
    edges[0].ask(&mut store, now);
    edges[1].ask(&mut store, now);
    assert!(edges[1].enter(40, now));
}

#[test]
fn an_edge_that_dies_gives_its_places_back_after_their_time() {
    let (mut edges, mut store, mut now) = (edges(2), Model::default(), SECOND);
    for _ in 0..100 {
        edges[0].enter(40, now);
        edges[0].ask(&mut store, now);
    }
    let other = |edges: &mut Vec<Edge>, store: &mut Model, now| {
        edges[1].places.clear();
        for _ in 0..100 {
            edges[1].enter(40, now);
            edges[1].ask(store, now);
        }
        edges[1].places.len()
    };
    assert_eq!(other(&mut edges, &mut store, now), 10);
    now += 9 * SECOND;
    assert_eq!(other(&mut edges, &mut store, now), 10);
    now += 2 * SECOND;
    assert_eq!(other(&mut edges, &mut store, now), 30);
}

#[test]
fn while_edges_cannot_agree_there_is_a_part_or_nothing() {
    let mut edge = edges(4).remove(0);
    let mut store = Model::default();
    for _ in 0..40 {
        edge.enter(40, SECOND);
        edge.ask(&mut store, SECOND);
    }
    assert_eq!(edge.places.len(), 25);
    edge.fleet.set_away(true);
    edge.places.clear();
    // What was borrowed is good until its time ends.
    assert!((0..25).all(|_| edge.enter(40, 5 * SECOND)));
    edge.places.clear();
    let later = 30 * SECOND;
    assert!(!edge.enter(40, later));
    let enter = || edge.lease.enter(40, WhenAway::Share, &edge.fleet, later).place;
    let places: Vec<_> = std::iter::from_fn(enter).take(40).collect();
    assert_eq!(places.len(), 10);
}

#[test]
fn after_a_store_came_back_nobody_takes_more_than_it_has() {
    let mut edge = edges(2).remove(0);
    let mut store = Model::default();
    assert!((0..10).all(|_| edge.enter(40, SECOND)) && !edge.enter(40, SECOND));
    edge.ask(&mut store, SECOND);
    let held = edge.lease.in_hand();
    assert!(held > 0);
    store.forget();
    edge.fleet.be_careful_until(6 * SECOND);
    while edge.enter(40, 2 * SECOND) {}
    let next = edge.ask(&mut store, 2 * SECOND);
    assert_eq!(edge.lease.in_hand(), held, "others may hold what the store no longer knows");
    assert!(matches!(next, Some(Next::Firm(_))), "{next:?}");
    edge.ask(&mut store, 7 * SECOND);
    assert!(edge.lease.in_hand() > held);
}

proptest! {
    /// Whatever comes and goes where.
    #[test]
    fn no_more_calls_run_than_there_are_places(
        most in 1u32..60,
        count in 1u32..6,
        steps in proptest::collection::vec((0usize..6, 0u8..4, 1u64..4000), 1..300),
    ) {
        let (mut edges, mut store, mut now) = (edges(count), Model::default(), SECOND);
        for (at, what, pause_ms) in steps {
            let edge = &mut edges[at % count as usize];
            match what {
                0 => drop(edge.places.pop()),
                1 => drop(edge.ask(&mut store, now)),
                _ => {
                    edge.enter(most, now);
                }
            }
            let running: usize = edges.iter().map(|edge| edge.places.len()).sum();
            prop_assert!(running <= most as usize, "{running} of {most}");
            now += pause_ms * 1_000_000;
            // As the keeper does, so that calls that run keep their places.
            for edge in edges.iter().filter(|edge| edge.lease.has_news(now)) {
                edge.ask(&mut store, now);
            }
        }
    }
}
