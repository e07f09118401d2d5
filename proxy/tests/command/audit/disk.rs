//! Disks and files that do not do as they should.

use super::client::Client;
use super::{Place, Served, ids, lines};
use crate::support::Edge;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A process whose files cannot grow beyond some KiB.
fn start_limited(place: &Place, kib: usize) -> Served {
    let edge = env!("CARGO_BIN_EXE_mcp-edge");
    let config = place.path("edge.toml");
    // The unit of `ulimit -f` is 512 bytes in one shell and 1024 in another; for `dash` and `sh` of POSIX it is 512.
    let script = format!("ulimit -f {}; exec \"$0\" --config \"$1\"", kib * 2);
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(edge).arg(&config).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    Served::of(Edge { child, lines, told: String::new() })
}

#[test]
fn a_full_disk_is_told_and_overcome_and_costs_no_line_with_wait() {
    let place = Place::new("queue = \"4MiB\"\n");
    let mut served = start_limited(&place, 64);
    let mut client = Client::new(&served.address);
    let mut number = 0;
    // Until the file is as large as it may be.
    while served.metric("mcp_edge_audit_failing") == 0 {
        for _ in 0..20 {
            assert_eq!(client.call(&format!("r-{number}"), "{}"), 200);
            number += 1;
        }
        let is_waiting = || served.metric("mcp_edge_audit_queue_bytes") > 0;
        while is_waiting() && served.metric("mcp_edge_audit_failing") == 0 {
            std::thread::yield_now();
        }
    }
    let (status, told) = Client::get(&served.admin, "/readyz");
    assert_eq!(status, 503);
    assert!(told.contains("the audit log cannot be written: File too large"), "{told}");
    served.edge.line("the audit log cannot be written");
    assert!(served.metric("mcp_edge_audit_failed_writes_total") > 0);
    let kept = place.lines();
    assert!(!kept.is_empty(), "whole lines only");
    // It is served on, as long as there is room.
    assert_eq!(client.call("r-last", "{}"), 200);
    // Space returns.
    std::fs::rename(place.path("audit.jsonl"), place.path("old.jsonl")).unwrap();
    served.edge.line("the audit log can be written again");
    served.wait_for_flush();
    assert_eq!(Client::get(&served.admin, "/readyz"), (200, "ready\n".to_owned()));
    let mut all = ids(&lines(&place.path("old.jsonl")));
    all.extend(ids(&place.lines()));
    all.sort();
    let mut expected: Vec<String> =
        (0..number).map(|n| format!("r-{n}")).chain(["r-last".to_owned()]).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn a_full_disk_costs_lines_and_no_calls_with_drop() {
    let place = Place::new("queue = \"4KiB\"\nwhen_full = \"drop\"\n");
    let served = start_limited(&place, 64);
    let mut client = Client::new(&served.address);
    let mut number = 0;
    while served.metric("mcp_edge_audit_dropped_total") == 0 {
        for _ in 0..20 {
            assert_eq!(client.call(&format!("r-{number}"), "{}"), 200);
            number += 1;
        }
    }
    std::fs::rename(place.path("audit.jsonl"), place.path("old.jsonl")).unwrap();
    served.wait_for("mcp_edge_audit_failing", |failing| failing == 0);
    served.wait_for_flush();
    let dropped = served.metric("mcp_edge_audit_dropped_total");
    let (old, new) = (lines(&place.path("old.jsonl")), place.lines());
    let told: u64 = old.iter().chain(&new).filter_map(|line| line["lines"].as_u64()).sum();
    assert_eq!(told, dropped);
    assert_eq!((ids(&old).len() + ids(&new).len()) as u64 + dropped, number);
}

#[test]
fn a_file_that_is_moved_or_deleted_is_followed_by_another() {
    let place = Place::new("");
    let mut served = place.start();
    let mut client = Client::new(&served.address);
    client.call("r-1", "{}");
    served.wait_for_flush();
    // As logrotate does it.
    std::fs::rename(place.path("audit.jsonl"), place.path("audit.1")).unwrap();
    served.edge.signal("-HUP");
    served.edge.line("bundle unchanged");
    client.call("r-2", "{}");
    served.wait_for_flush();
    // Without a word.
    std::fs::rename(place.path("audit.jsonl"), place.path("audit.2")).unwrap();
    client.call("r-3", "{}");
    served.wait_for_flush();
    std::fs::remove_file(place.path("audit.jsonl")).unwrap();
    client.call("r-4", "{}");
    served.wait_for_flush();
    let of = |name: &str| ids(&lines(&place.path(name)));
    assert_eq!((of("audit.1"), of("audit.2")), (vec!["r-1".to_owned()], vec!["r-2".to_owned()]));
    assert_eq!(of("audit.jsonl"), ["r-4"]);
}

/// A pipe that nobody reads is a disk that stands still: requests wait, none is lost, and the process can be asked how it is.
#[test]
fn requests_wait_for_a_disk_that_stands_still() {
    let place = Place::new("queue = \"4KiB\"\n");
    assert!(Command::new("mkfifo").arg(place.path("audit.jsonl")).status().unwrap().success());
    let served = place.start();
    const CALLS: usize = 600;
    std::thread::scope(|scope| {
        let address = &served.address;
        let calls = scope.spawn(move || {
            let mut client = Client::new(address);
            (0..CALLS).map(|number| client.call(&format!("r-{number}"), "{}")).collect::<Vec<_>>()
        });
        served.wait_for("mcp_edge_audit_queue_bytes", |bytes| bytes >= 4096);
        assert_eq!(Client::get(&served.admin, "/healthz").0, 200);
        // Someone reads.
        let mut reader = BufReader::new(std::fs::File::open(place.path("audit.jsonl")).unwrap());
        for number in 0..CALLS {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(line["request_id"], format!("r-{number}"));
        }
        assert_eq!(calls.join().unwrap(), [200; CALLS]);
    });
}
