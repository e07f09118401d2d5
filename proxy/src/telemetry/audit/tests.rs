use super::*;
use crate::observe::record::Outcome;
use crate::observe::record::tests::call_record;
use crate::request::facts::RequestFacts;
use crate::request::head::Head;
use crate::request::id::RequestId;
use crate::request::identity::{Caller, Identity, Peer};
use crate::settings::AuditArguments;
use mcp_bundle::bind::{Problem, ProblemKind};
use mcp_bundle::format::Revision;
use mcp_bundle::plan::Contents;
use mcp_bundle::template::Ambient;
use mcp_bundle::wire_enums::ProtocolVersion;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Command;

const SPEC: &str = r#"
[toolset]
name = "shop"
[[tool]]
name = "log_in"
description = "Logs a user in with a password."
respond = "Welcome."
[[tool.parameters]]
name = "password"
description = "The password"
sensitive = true
[[tool.parameters]]
name = "user"
description = "The user"
"#;

fn contents() -> Contents {
    let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", SPEC));
    report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics))
}

struct Place {
    folder: tempfile::TempDir,
    settings: AuditSettings,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let file = Some(folder.path().join("audit.jsonl"));
        // Long enough that nothing is written before it is asked for.
        let settings = AuditSettings { file, flush: Duration::from_secs(3600), ..AuditSettings::default() };
        Place { folder, settings }
    }

    /// With a pipe that nobody reads: a disk that stands still.
    fn with_pipe(when_full: WhenFull) -> Place {
        let mut place = Place::new();
        assert!(Command::new("mkfifo").arg(place.path()).status().unwrap().success());
        place.settings.when_full = when_full;
        place.settings.queue = 16 << 10;
        place
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("audit.jsonl")
    }

    fn start(&self) -> Arc<Audit> {
        Audit::start(&self.settings).unwrap().unwrap()
    }

    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path()).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn id(number: u64) -> RequestId {
    RequestId::Made(number)
}

/// Leaves a line with this number.
fn leave(audit: &Audit, number: u64) {
    audit.call(&CallRecord { arguments: Some("{}"), ..call_record(&id(number), Outcome::Ok) });
}

fn number_of(line: &Value) -> Option<u64> {
    u64::from_str_radix(line["request_id"].as_str()?, 16).ok()
}

#[test]
fn a_call_is_told_with_all_that_is_known() {
    let mut place = Place::new();
    place.settings.arguments = AuditArguments::Full;
    let audit = place.start();
    let contents = contents();
    let identity = Identity {
        tenant: Some("acme".into()),
        principal: Some("a \"b\"".into()),
        key: Some("ci".into()),
        ..Identity::default()
    };
    let problem = |kind| Problem { kind, argument: String::new(), message: "hunter2".into() };
    let request_id = RequestId::Given("r-1".into());
    let record = call_record(&request_id, Outcome::InvalidArguments);
    audit.call(&CallRecord {
        request: RequestFacts {
            caller: &Caller::Known(Arc::new(identity)),
            peer: &Peer { address: Some("127.0.0.1:4711".parse().unwrap()), tls: None },
            revision: Some(&Revision([0xab; 32])),
            protocol: Some(ProtocolVersion::V20251125),
            ..record.request
        },
        contents: &contents,
        tool: "log_in",
        reason: Some("missing"),
        problems: &[problem(ProblemKind::Missing), problem(ProblemKind::WrongType)],
        upstream_status: Some(404),
        total: Duration::from_micros(1500),
        upstream: Duration::from_micros(1000),
        request_bytes: 12,
        response_bytes: 34,
        arguments: Some(r#"{"user":"ada"}"#),
        ambient: Ambient { now_ms: 5, seed: u64::MAX },
        ..record
    });
    audit.flush();
    let mut lines = place.lines();
    let time = lines[0]["time"].take();
    assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
    let expected = json!({
        "time": null, "event": "call", "request_id": "r-1", "tenant": "acme", "principal": "a \"b\"", "key": "ci",
        "peer": "127.0.0.1:4711", "protocol": "2025-11-25", "tool": "log_in", "toolset": "shop",
        "revision": "ab".repeat(32), "outcome": "invalid_arguments", "reason": "missing",
        "reasons": ["missing", "wrong_type"], "upstream_status": 404, "attempts": 1, "total_us": 1500,
        "upstream_us": 1000, "request_bytes": 12, "response_bytes": 34, "now_ms": 5,
        "seed": "ffffffffffffffff", "arguments": {"user": "ada"},
        "arguments_sha256": sha256(r#"{"user":"ada"}"#),
    });
    assert_eq!(lines, [expected]);
}

/// By another program.
fn sha256(text: &str) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let output = Command::new("sha256sum").arg(file.path()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

#[test]
fn a_refusal_is_told_without_what_a_client_made_up() {
    let place = Place::new();
    let audit = place.start();
    let request_id = id(255);
    let request = call_record(&request_id, Outcome::Ok).request;
    let long = "x".repeat(10_000);
    let peer = &Peer { address: Some("[::1]:80".parse().unwrap()), tls: None };
    let refuse = |failure: &Failure, status| {
        let request = RequestFacts { toolset: Some("shop"), peer, ..request };
        audit.refused(&Refusal { request, head: &Head::default(), failure, status });
    };
    refuse(&Failure::UnknownTool(long), 404);
    refuse(&Failure::Unauthenticated { challenge: "Bearer hunter2".into(), reason: "none" }, 401);
    audit.flush();
    let lines = place.lines();
    assert_eq!(
        (lines[0]["tool"].as_str().unwrap().len(), &lines[0]["reason"]),
        (100, &json!("unknown_tool"))
    );
    let mut second = lines[1].clone();
    second["time"] = Value::Null;
    let expected = json!({
        "time": null, "event": "refused", "request_id": "00000000000000ff", "peer": "[::1]:80",
        "toolset": "shop", "outcome": "refused", "reason": "unauthenticated", "error": "none", "status": 401,
        "method": "GET",
    });
    assert_eq!(second, expected);
}

#[test]
fn sensitive_values_are_written_in_no_mode() {
    let contents = contents();
    let mut digests = Vec::new();
    for arguments in [AuditArguments::None, AuditArguments::Redacted, AuditArguments::Full] {
        let mut place = Place::new();
        place.settings.arguments = arguments;
        let audit = place.start();
        for text in [
            r#"{"user":"ada","password":"hunter2"}"#,
            r#"{"user":"ada","p\u0061ssword":"hunter2"}"#,
            // It may be a parameter that is misspelt.
            r#"{"pasword":"hunter2","user":"ada"}"#,
            r#""hunter2""#,
            r#"["hunter2"]"#,
            "hunter2",
        ] {
            let record = call_record(&RequestId::Made(1), Outcome::Ok).request;
            let (request_id, tool) = (&id(1), "log_in");
            let request = RequestFacts { request_id, ..record };
            let record = call_record(request_id, Outcome::Ok);
            audit.call(&CallRecord { request, tool, contents: &contents, arguments: Some(text), ..record });
        }
        audit.flush();
        let text = std::fs::read_to_string(place.path()).unwrap();
        assert!(!text.contains("hunter2"), "{arguments:?}: {text}");
        let lines = place.lines();
        assert_eq!(lines.len(), 6);
        let hidden: Vec<&Value> = lines.iter().map(|line| &line["hidden"]).take(3).collect();
        let expected = [json!(["password"]), json!(["password"]), json!(["pasword"])];
        match arguments {
            AuditArguments::None => assert_eq!(hidden, [&Value::Null; 3]),
            _ => assert_eq!(hidden, expected.iter().collect::<Vec<_>>()),
        }
        if arguments == AuditArguments::Full {
            assert_eq!(lines[0]["arguments"], json!({"user": "ada"}));
        }
        // A digest of what is secret could be guessed.
        assert_eq!(lines[0]["arguments_sha256"], sha256(r#"{"user":"ada"}"#));
        digests.push(lines.iter().map(|line| line["arguments_sha256"].clone()).collect::<Vec<_>>());
    }
    assert!(digests[0] == digests[1] && digests[1] == digests[2]);
}

#[test]
fn lines_that_find_no_room_are_counted_and_told() {
    let place = Place::with_pipe(WhenFull::Drop);
    let audit = place.start();
    let mut added = 0;
    while audit.stats().dropped < 3 {
        added += 1;
        leave(&audit, added);
        assert!(audit.full().is_none(), "nobody waits");
    }
    // The disk moves again. What came last may be too little to be written before its time.
    let path = place.path();
    let reader = std::thread::spawn(move || {
        let mut reader = BufReader::new(std::fs::File::open(path).unwrap());
        let (mut lines, mut dropped) = (0, 0);
        while lines + dropped < added {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            match line["event"].as_str() {
                Some("dropped") => dropped += line["lines"].as_u64().unwrap(),
                _ => lines += 1,
            }
        }
        (lines, dropped)
    });
    audit.flush();
    let (lines, dropped) = reader.join().unwrap();
    assert_eq!((lines + dropped, dropped), (added, audit.stats().dropped));
}

#[test]
fn requests_wait_for_room_or_are_refused_and_no_line_is_lost() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let place = Place::with_pipe(WhenFull::Wait);
    let mut audit = Arc::into_inner(place.start()).unwrap();
    let mut added = 0;
    audit.patience = Duration::from_millis(1);
    // As long as the pipe takes something, there is room again after a while. Then requests are refused.
    while audit.full().is_none_or(|room| runtime.block_on(room)) {
        added += 1;
        leave(&audit, added);
    }
    let request_id = id(0);
    let request = call_record(&request_id, Outcome::Ok).request;
    let failure = &Failure::AuditFull;
    audit.refused(&Refusal { request, head: &Head::default(), failure, status: 503 });
    // One that was let in before leaves its line in any case.
    added += 1;
    leave(&audit, added);
    audit.patience = Duration::from_secs(600);
    let path = place.path();
    let wanted = added;
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(std::fs::File::open(path).unwrap()).lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let (mut numbers, mut dropped) = (Vec::new(), 0);
        for line in lines {
            numbers.extend(number_of(&line));
            dropped += line["lines"].as_u64().unwrap_or_default();
            if numbers.len() as u64 == wanted && dropped == 1 {
                break;
            }
        }
        numbers
    });
    assert!(audit.full().is_none_or(|room| runtime.block_on(room)), "there is room");
    audit.flush();
    assert_eq!(reader.join().unwrap(), (1..=added).collect::<Vec<_>>());
    assert!(audit.full().is_none());
}

#[test]
fn a_full_disk_is_a_problem_until_there_is_another() {
    let mut place = Place::new();
    let link = place.folder.path().join("link");
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    place.settings.file = Some(link.clone());
    let audit = place.start();
    leave(&audit, 1);
    audit.flush();
    let problem = audit.problem().unwrap();
    assert!(problem.starts_with("the audit log cannot be written: No space left"), "{problem}");
    let stats = audit.stats();
    assert!(stats.is_failing && stats.failed > 0 && stats.written == 0 && stats.flushes == 0, "{stats:?}");
    leave(&audit, 2);
    std::fs::remove_file(&link).unwrap();
    audit.reopen();
    audit.flush();
    assert_eq!(audit.problem(), None);
    let text = std::fs::read_to_string(&link).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().filter_map(number_of).collect::<Vec<_>>(), [1, 2], "nothing was lost");
    assert_eq!(audit.stats().written, 2);
}

#[test]
fn what_is_configured_anew_holds_from_the_next_line_on() {
    let mut place = Place::new();
    let audit = place.start();
    leave(&audit, 1);
    place.settings.arguments = AuditArguments::Full;
    place.settings.queue = 1;
    place.settings.when_full = WhenFull::Drop;
    audit.flush();
    audit.configure(&place.settings);
    leave(&audit, 2);
    audit.flush();
    let lines = place.lines();
    assert_eq!((lines.len(), &lines[1]["event"], &lines[1]["lines"]), (2, &json!("dropped"), &json!(1)));
    place.settings.queue = 1 << 20;
    audit.configure(&place.settings);
    leave(&audit, 3);
    audit.flush();
    let lines = place.lines();
    assert_eq!((&lines[0]["arguments"], &lines[2]["arguments"]), (&Value::Null, &json!({})));
}

#[test]
fn the_last_lines_are_written_when_nobody_is_left() {
    let place = Place::new();
    let audit = place.start();
    let shared = Arc::clone(&audit.shared);
    leave(&audit, 1);
    drop(audit);
    shared.flush();
    assert_eq!(place.lines().len(), 1);
}
