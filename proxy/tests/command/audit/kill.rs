//! `kill -9`, under load.

use super::client::Client;
use super::{Place, ids};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

const KILLS: usize = 100;
const CLIENTS: usize = 4;

/// Each process is killed while clients call. After each time every line of the file is whole, and every call that was answered
/// before the last flush that was seen has its line.
#[test]
fn a_process_that_is_killed_a_hundred_times_breaks_no_line_and_loses_none_that_was_flushed() {
    // Small, so that lines are written all the time.
    let place = Place::new("queue = \"16KiB\"\n");
    let mut known = BTreeSet::new();
    for round in 0..KILLS {
        let flushed = kill_under_load(&place, round);
        assert!(!flushed.is_empty(), "round {round} has seen no flush");
        known.extend(flushed);
        if round % 10 == 9 {
            look(&place, &known);
        }
    }
    look(&place, &known);
}

fn look(place: &Place, known: &BTreeSet<String>) {
    // The next start repairs what the kernel may have cut off in the middle of a write.
    let served = place.start();
    let lines = place.lines();
    drop(served);
    let ids = ids(&lines);
    let there: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(there.len(), ids.len(), "no line is there twice");
    let missing: Vec<&String> = known.iter().filter(|id| !there.contains(id)).collect();
    assert!(missing.is_empty(), "{} of {} are missing: {:?}", missing.len(), known.len(), missing.first());
}

/// The ids of calls that were answered before the last flush that was seen began.
fn kill_under_load(place: &Place, round: usize) -> BTreeSet<String> {
    let mut served = place.start();
    let answered: Mutex<BTreeSet<String>> = Mutex::default();
    let is_over = AtomicBool::new(false);
    let mut flushed = BTreeSet::new();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (address, answered, is_over) = (served.address.clone(), &answered, &is_over);
            scope.spawn(move || {
                let mut connection = Client::new(&address);
                for number in 0.. {
                    let id = format!("r-{round}-{client}-{number}");
                    let padding = "x".repeat(number % 300);
                    let status = connection.try_call(&id, &format!("{{\"to\":\"{padding}\"}}"));
                    match status {
                        Some(200) => answered.lock().unwrap().insert(id),
                        Some(status) => panic!("{status}"),
                        None => break,
                    };
                    if is_over.load(SeqCst) {
                        break;
                    }
                }
            });
        }
        // Several times, so that the process is killed at any moment between two flushes.
        for _ in 0..1 + round % 3 {
            let before = answered.lock().unwrap().clone();
            served.wait_for_flush();
            flushed = before;
        }
        while flushed.is_empty() {
            let before = answered.lock().unwrap().clone();
            served.wait_for_flush();
            flushed = before;
        }
        served.edge.child.kill().unwrap();
        served.edge.child.wait().unwrap();
        is_over.store(true, SeqCst);
    });
    flushed
}
