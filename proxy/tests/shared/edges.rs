//! Several edges in one process, without sockets: what the limits let through.

use crate::redis::{Redis, Way, pass};
use mcp_bundle::wire_enums::WhenAway;
use mcp_edge::limits::shared::{NodeAddress, StoreAddress};
use mcp_edge::limits::{Rate, Refused, SharedLimits, nanoseconds};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const SECOND: u64 = 1_000_000_000;

pub fn address(url: &str, edges: u32) -> StoreAddress {
    StoreAddress {
        nodes: vec![NodeAddress::parse(url).unwrap()],
        is_cluster: false,
        sentinel_service: None,
        username: None,
        password: None,
        sentinel_username: None,
        sentinel_password: None,
        prefix: "test".to_owned(),
        least_edges: edges,
        ca_file: None,
    }
}

/// So many edges at one store.
pub fn edges(addresses: &[StoreAddress]) -> Vec<SharedLimits> {
    let edge = |address: &StoreAddress| {
        let limits = SharedLimits::default();
        limits.follow(Some(address));
        limits
    };
    addresses.iter().map(edge).collect()
}

pub fn take(limits: &SharedLimits, rate: Rate, when_away: WhenAway) -> Result<u64, Refused> {
    let now = nanoseconds(Instant::now());
    let taken = limits.take((7, 7), rate, when_away, now, || "rate/test".to_owned()).unwrap();
    taken.map(|()| now)
}

/// Calls at all edges, as fast as they are answered; the moments of those that were let through, in order.
fn hammer(limits: &[SharedLimits], rate: Rate, time: Duration, beside: impl FnOnce()) -> Vec<u64> {
    let over = AtomicBool::new(false);
    let work = |limits: &SharedLimits| {
        let mut passed = Vec::new();
        while !over.load(Relaxed) {
            match take(limits, rate, WhenAway::Refuse) {
                Ok(now) => passed.push(now),
                // So that all edges and the store get their turn.
                Err(_) => pass(Duration::from_micros(200)),
            }
        }
        passed
    };
    let work = &work;
    let mut passed: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = limits.iter().map(|limits| scope.spawn(move || work(limits))).collect();
        let begun = Instant::now();
        beside();
        pass(time.saturating_sub(begun.elapsed()));
        over.store(true, Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    passed.sort_unstable();
    passed
}

/// The most calls that were let through in any window of this length.
fn most_within(passed: &[u64], window: Duration) -> u64 {
    let window = window.as_nanos() as u64;
    let counts = passed.iter().enumerate().map(|(last, now)| {
        let first = passed.partition_point(|at| at + window <= *now);
        last + 1 - first
    });
    counts.max().unwrap_or(0) as u64
}

/// The most that was taken of the burst at any time.
fn most(passed: &[u64], interval: u64) -> u64 {
    let (mut due, mut most) = (0u64, 0);
    for now in passed {
        due = due.max(*now) + interval;
        most = most.max((due - now).div_ceil(interval));
    }
    most
}

/// Calls in a second, from the first that was not of the burst on.
fn sustained(passed: &[u64], skip: Duration) -> u64 {
    let (first, last) = (passed[0], passed[passed.len() - 1]);
    let from = first + skip.as_nanos() as u64;
    let count = passed.iter().filter(|now| **now >= from).count() as u64;
    count * SECOND / (last - from)
}

#[test]
fn four_edges_and_one_store_let_the_burst_and_the_rate_through_and_no_more() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limits = edges(&vec![address(&redis.url(), 4); 4]);
    let rate = Rate::new(10_000, 1, 10_000);
    let passed = hammer(&limits, rate, Duration::from_secs(5), || {});
    let (most, sustained) = (most(&passed, SECOND / 10_000), sustained(&passed, Duration::from_secs(2)));
    assert!(most <= 10_000, "{most} at once");
    for (window, limit) in [(1, 20_000), (2, 30_000), (4, 50_000)] {
        let within = most_within(&passed, Duration::from_secs(window));
        assert!(within <= limit, "{within} in {window} s");
    }
    assert!((9_000..=10_200).contains(&sustained), "{sustained} calls a second");
    let counts = limits.iter().map(|limits| limits.stats().unwrap().counts);
    let operations = counts.map(|counts| counts.answered + counts.failed).sum::<u64>() / 5;
    assert!(operations <= 400, "{operations} operations a second");
    println!("{sustained} calls and {operations} operations a second, {most} at once");
}

#[test]
fn a_small_limit_holds_as_well() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limits = edges(&vec![address(&redis.url(), 4); 4]);
    for calls in [1, 3, 10] {
        let rate = Rate::new(calls, 3600, calls);
        let call = |limits: &SharedLimits| {
            let name = || format!("rate/{calls}");
            let now = nanoseconds(Instant::now());
            limits.take((7, calls.into()), rate, WhenAway::Refuse, now, name).unwrap().is_ok()
        };
        let begun = Instant::now();
        let mut passed = 0;
        while begun.elapsed() < Duration::from_secs(1) {
            passed += limits.iter().filter(|limits| call(limits)).count();
            pass(Duration::from_millis(1));
        }
        assert!((1..=calls as usize).contains(&passed), "{passed} of {calls}");
    }
}

#[test]
fn a_slow_store_gives_less_and_never_more() {
    let Some(redis) = Redis::start(&[]) else { return };
    let way = Way::to(redis.port);
    let limits = edges(&vec![address(&way.url(), 2); 2]);
    let rate = Rate::new(1000, 1, 1000);
    let passed = hammer(&limits, rate, Duration::from_secs(4), || {
        pass(Duration::from_secs(1));
        way.delay(Duration::from_millis(100));
    });
    assert!(most(&passed, SECOND / 1000) <= 1000);
    assert!(most_within(&passed, Duration::from_secs(1)) <= 2000);
    assert!(limits.iter().all(|limits| limits.status().unwrap().is_up));
    let sustained = sustained(&passed, Duration::from_secs(2));
    assert!((100..=1020).contains(&sustained), "{sustained}");
}

#[test]
fn a_store_that_is_killed_and_restarted_empty_does_not_give_the_limit_out_again() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limits = edges(&vec![address(&redis.url(), 2); 2]);
    let rate = Rate::new(1000, 2, 1000);
    let mut again = None;
    let passed = hammer(&limits, rate, Duration::from_secs(8), || {
        pass(Duration::from_secs(3));
        let port = redis.kill();
        wait(|| limits.iter().all(|limits| take(limits, rate, WhenAway::Refuse) == Err(Refused::StoreAway)));
        let own = limits.iter().filter(|limits| take(limits, rate, WhenAway::Share).is_ok()).count();
        // What edges have used together is not there for their own parts either.
        assert!(own <= 2);
        again = Redis::start_at(port, &[]);
        wait(|| limits.iter().all(|limits| limits.status().unwrap().is_up));
    });
    let most = most(&passed, 2 * SECOND / 1000);
    // At the end there was time for the burst again, but not in one moment.
    assert!(most <= 1000, "{most} at once");
    assert!(passed.len() > 2000, "{}", passed.len());
}

#[test]
fn an_edge_that_is_cut_off_uses_what_it_has_and_then_refuses_or_goes_on_with_its_part() {
    let Some(redis) = Redis::start(&[]) else { return };
    let way = Way::to(redis.port);
    let limits = edges(&[address(&way.url(), 2), address(&redis.url(), 2)]);
    let rate = Rate::new(100, 1, 100);
    for limits in &limits {
        wait(|| take(limits, rate, WhenAway::Refuse).is_ok());
    }
    way.cut();
    wait(|| take(&limits[0], rate, WhenAway::Refuse) == Err(Refused::StoreAway));
    assert!(take(&limits[1], rate, WhenAway::Refuse) != Err(Refused::StoreAway), "the other one goes on");
    let begun = Instant::now();
    let mut passed = 0;
    while begun.elapsed() < Duration::from_secs(2) {
        passed += u32::from(take(&limits[0], rate, WhenAway::Share).is_ok());
        pass(Duration::from_millis(1));
    }
    // Half of a hundred in a second, and the half of the burst.
    assert!((80..=160).contains(&passed), "{passed}");
    way.delay(Duration::ZERO);
    wait(|| limits[0].status().unwrap().is_up && take(&limits[0], rate, WhenAway::Refuse).is_ok());
}

#[test]
fn edges_that_come_and_go_are_counted() {
    let Some(redis) = Redis::start(&[]) else { return };
    let address = address(&redis.url(), 1);
    let first = edges(std::slice::from_ref(&address));
    assert_eq!(first[0].status().unwrap().edges, 1);
    let _second = edges(std::slice::from_ref(&address));
    wait(|| first[0].status().unwrap().edges == 2);
    first[0].follow(None);
    assert!(!first[0].is_on() && first[0].status().is_none());
}

pub fn wait(mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < crate::LONG, "it does not come to that");
        pass(Duration::from_millis(1));
    }
}
