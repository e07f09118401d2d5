//! The audit log of real processes: killed, on a disk that is full, with a file that is replaced under them.

mod client;
mod disk;
mod kill;

use crate::support::{self, Edge, text, write};
use client::Client;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SPEC: &str = r#"
[[tool]]
name = "hello"
description = "Says hello to whoever calls, without an upstream."
respond = "Hello."
[[tool.parameters]]
name = "to"
description = "Whom to greet"
"#;

/// A folder with a configuration and what it names.
#[derive(Debug)]
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// `audit` are lines of the table.
    pub fn new(audit: &str) -> Place {
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", SPEC));
        let bytes = mcp_bundle::format::write(&report.contents.unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "tools.mcpk", bytes);
        let top = "bundle = \"tools.mcpk\"\nadmin = \"127.0.0.1:0\"\nthreads = 2\n";
        let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n";
        let audit = format!("[audit]\nfile = \"audit.jsonl\"\n{audit}");
        write(folder.path(), "edge.toml", format!("{top}{listen}{audit}"));
        Place { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn start(&self) -> Served {
        Served::of(Edge::start(&["--config", text(&self.path("edge.toml"))]))
    }

    /// Every line of the log, which must be whole.
    pub fn lines(&self) -> Vec<Value> {
        lines(&self.path("audit.jsonl"))
    }
}

pub fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end: {:?}", text.lines().last());
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

pub fn ids(lines: &[Value]) -> Vec<String> {
    lines.iter().filter_map(|line| line["request_id"].as_str().map(str::to_owned)).collect()
}

/// A process that serves.
pub struct Served {
    pub edge: Edge,
    pub address: String,
    pub admin: String,
}

impl Served {
    pub fn of(mut edge: Edge) -> Served {
        let address = edge.address("listening");
        let admin = edge.address("admin");
        Served { edge, address, admin }
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> u64 {
        let text = Client::get(&self.admin, "/metrics").1;
        let line = text.lines().find(|line| line.split(' ').next() == Some(name));
        line.unwrap_or_else(|| panic!("{name} in {text}")).rsplit(' ').next().unwrap().parse().unwrap()
    }

    /// Asks until the metric is as wanted: each answer is an event, and the process makes progress between them.
    pub fn wait_for(&self, name: &str, is_good: impl Fn(u64) -> bool) {
        while !is_good(self.metric(name)) {
            std::thread::yield_now();
        }
    }

    /// Waits until all lines left so far are in the file.
    pub fn wait_for_flush(&self) {
        let flushes = self.metric("mcp_edge_audit_flushes_total");
        // One may have been under way.
        self.wait_for("mcp_edge_audit_flushes_total", |now| now >= flushes + 2);
    }
}

#[test]
fn a_log_is_refused_where_it_cannot_be_written() {
    let place = Place::new("");
    std::fs::create_dir(place.path("audit.jsonl")).unwrap();
    let config = place.path("edge.toml");
    for arguments in [&["check", text(&config)][..], &["--config", text(&config)]] {
        let outcome = support::run(arguments);
        assert_eq!(outcome.code, 1, "{}", outcome.err);
        assert!(outcome.err.contains("edge.toml:7:8"), "{}", outcome.err);
        assert!(outcome.err.contains("audit.jsonl` is a folder; name a file in it"), "{}", outcome.err);
    }
    std::fs::remove_dir(place.path("audit.jsonl")).unwrap();
    let good = support::run(&["check", text(&config)]);
    assert_eq!(good.code, 0, "{}", good.err);
    assert!(!place.path("audit.jsonl").exists(), "a check makes nothing");
}

#[test]
fn the_last_lines_are_written_before_the_process_ends() {
    let place = Place::new("flush_seconds = 3600\narguments = \"full\"\n");
    let served = place.start();
    let mut client = Client::new(&served.address);
    assert_eq!(client.call("r-1", r#"{"to":"ada"}"#), 200);
    assert_eq!(client.call("r-2", r#"{"to":1}"#), 400);
    drop(client);
    served.edge.signal("-TERM");
    let (code, told) = served.edge.end();
    assert_eq!(code, 0, "{told}");
    let lines = place.lines();
    assert_eq!(ids(&lines), ["r-1", "r-2"]);
    assert_eq!(
        (lines[0]["arguments"]["to"].as_str(), lines[0]["outcome"].as_str()),
        (Some("ada"), Some("ok"))
    );
    assert_eq!(lines[1]["reasons"][0], "wrong_type");
}
