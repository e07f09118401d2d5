//! The keeper itself, on its thread, over a store that tests hold in their hands.

use super::model::Model;
use crate::limits::shared::store::{Answer, Connector, Question, Store, StoreError};
use crate::limits::shared::{Refused, SharedLimits};
use crate::limits::{Rate, nanoseconds};
use futures::future::BoxFuture;
use mcp_bundle::wire_enums::WhenAway;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);

/// A store in memory that can be taken away.
#[derive(Debug, Default, Clone)]
struct Held(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    model: Model,
    is_away: bool,
    /// The limit that it refuses.
    refuses: Option<&'static str>,
    answered: u64,
    refused: u64,
}

impl Held {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    /// Waits until so many questions more were answered.
    fn wait(&self, more: u64) {
        let (state, changed) = &*self.0;
        let state = state.lock().unwrap();
        let least = state.answered + more;
        let (_state, waited) =
            changed.wait_timeout_while(state, LONG, |state| state.answered < least).unwrap();
        assert!(!waited.timed_out(), "nobody asks");
    }
}

impl Connector for Held {
    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Store>, StoreError>> {
        let is_away = self.0.0.lock().unwrap().is_away;
        let store = Box::new(self.clone()) as Box<dyn Store>;
        let connected = if is_away { Err(StoreError::Lost("away".to_owned())) } else { Ok(store) };
        Box::pin(std::future::ready(connected))
    }

    fn place(&self) -> &str {
        "memory"
    }
}

impl Store for Held {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Answer, StoreError>> {
        let mut answered = Err(StoreError::Lost("away".to_owned()));
        self.change(|state| {
            let name = match question {
                Question::Rate(question) => question.name.as_str(),
                _ => "",
            };
            if state.refuses == Some(name) {
                answered = Err(StoreError::Refused("WRONGTYPE".to_owned()));
                state.refused += 1;
            } else if !state.is_away {
                let now = nanoseconds(Instant::now()) / 1000;
                answered = Ok(state.model.ask(question, now));
                state.answered += 1;
            }
        });
        Box::pin(std::future::ready(answered))
    }
}

fn until(mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONG, "it does not come to that");
        std::thread::yield_now();
    }
}

fn take(limits: &SharedLimits, rate: Rate, when_away: WhenAway) -> Result<(), Refused> {
    let now = nanoseconds(Instant::now());
    limits.take((1, 2), rate, when_away, now, || "rate/test".to_owned()).expect("there is room")
}

#[test]
fn calls_get_what_the_store_gives_and_no_more() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    assert!(!limits.is_on() && limits.status().is_none() && limits.stats().is_none());
    limits.follow_with(Arc::new(store), 1);
    let status = limits.status().expect("a store");
    assert!(limits.is_on() && status.is_up && status.edges == 1, "{status:?}");
    let rate = Rate::new(20, 3600, 20);
    let mut passed = 0;
    until(|| {
        let taken = take(&limits, rate, WhenAway::Refuse);
        passed += u32::from(taken.is_ok());
        matches!(taken, Err(Refused::For(wait)) if wait > LONG)
    });
    assert!((15..=20).contains(&passed), "{passed}");
    let stats = limits.stats().expect("a store");
    assert!(stats.counts.answered > 1 && stats.counts.failed == 0 && stats.counts.leased > 10, "{stats:?}");
}

#[test]
fn a_store_that_goes_and_comes_back_is_noticed() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    limits.follow_with(Arc::new(store.clone()), 2);
    let rate = Rate::new(1000, 1, 1000);
    assert_eq!(take(&limits, rate, WhenAway::Refuse), Ok(()));
    store.wait(1);
    store.change(|state| state.is_away = true);
    until(|| take(&limits, rate, WhenAway::Refuse) == Err(Refused::StoreAway));
    let status = limits.status().expect("a store");
    assert_eq!((status.is_up, status.error.as_deref()), (false, Some("away")));
    assert_eq!(take(&limits, rate, WhenAway::Share), Ok(()), "this edge's own part");
    store.change(|state| {
        state.is_away = false;
        state.model.forget();
    });
    until(|| take(&limits, rate, WhenAway::Refuse).is_ok());
    assert!(limits.status().expect("a store").is_up);
    // Without a store, limits are no longer shared.
    limits.follow(None);
    assert!(!limits.is_on());
}

#[test]
fn a_store_that_is_not_there_is_known_at_once() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    store.change(|state| state.is_away = true);
    limits.follow_with(Arc::new(store), 4);
    assert_eq!(take(&limits, Rate::new(10, 1, 10), WhenAway::Refuse), Err(Refused::StoreAway));
    // A quarter of ten, at least one.
    let passed = std::iter::repeat_with(|| take(&limits, Rate::new(10, 3600, 10), WhenAway::Share));
    assert_eq!(passed.take(10).filter(Result::is_ok).count(), 2);
}

#[test]
fn many_threads_get_no_more_than_the_limit() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    limits.follow_with(Arc::new(store), 1);
    let rate = Rate::new(100, 36_000, 100);
    let passed: usize = std::thread::scope(|scope| {
        let work = || {
            let mut passed = 0;
            until(|| {
                let taken = take(&limits, rate, WhenAway::Refuse);
                passed += usize::from(taken.is_ok());
                // Otherwise it is a second or less.
                matches!(taken, Err(Refused::For(wait)) if wait > LONG)
            });
            passed
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!((90..=100).contains(&passed), "{passed}");
}

#[test]
fn places_are_borrowed_beside_the_calls() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    limits.follow_with(Arc::new(store), 2);
    let lease = limits.places(7, || "places/test".to_owned()).expect("there is room");
    let enter = || limits.enter(&lease, 8, WhenAway::Refuse, nanoseconds(Instant::now()));
    let mut places = Vec::new();
    until(|| {
        places.extend(enter());
        places.len() >= 6
    });
    assert_eq!(places.len(), 6, "two are always the other edge's");
    assert!(limits.stats().expect("a store").in_hand >= 4);
}

#[test]
fn a_limit_that_the_store_refuses_is_away_alone() {
    let (limits, store) = (SharedLimits::default(), Held::default());
    store.change(|state| state.refuses = Some("rate/bad"));
    limits.follow_with(Arc::new(store.clone()), 1);
    let take = |name: &'static str| {
        let (rate, now) = (Rate::new(1000, 1, 1000), nanoseconds(Instant::now()));
        let who = name.len() as u64;
        limits.take((1, who), rate, WhenAway::Refuse, now, || name.to_owned()).expect("there is room")
    };
    until(|| take("rate/bad") == Err(Refused::StoreAway));
    let mut passed = 0;
    until(|| {
        let _ = take("rate/bad");
        passed += u32::from(take("rate/good").is_ok());
        passed > 500
    });
    assert!(limits.status().expect("a store").is_up);
    store.change(|state| assert!(state.refused <= 2, "{} questions in vain", state.refused));
}
