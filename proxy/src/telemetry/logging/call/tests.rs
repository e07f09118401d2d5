use super::*;
use crate::observe::record::tests::call_record;
use crate::request::facts::RequestFacts;
use crate::request::id::RequestId;
use crate::request::identity::{Caller, Identity, Peer};
use crate::telemetry::logging::tests::with_subscriber;
use crate::telemetry::logging::{LogFormat, subscriber};
use mcp_bundle::bind::{Problem, ProblemKind};
use mcp_bundle::format::Revision;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is written to it can be looked at.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn logged(settings: LogSettings, record: &CallRecord<'_>) -> String {
    let page = Page::default();
    let log = CallLog::new(settings, LogWriter::new(page.clone()));
    log.write(record);
    log.writer.flush();
    page.text()
}

fn logged_by_tracing(settings: LogSettings, record: &CallRecord<'_>) -> String {
    let page = Page::default();
    let sink = page.clone();
    let (subscriber, _) = subscriber(settings, move || sink.clone());
    with_subscriber(tracing::Dispatch::new(subscriber), || emit(record));
    page.text()
}

/// A line without its time, whose form is checked.
fn timeless(line: &str) -> String {
    let start = line.find("20").unwrap();
    let (before, from) = line.split_at(start);
    let (time, after) = from.split_at("2026-07-28T09:05:00.123456Z".len());
    let time: jiff::Timestamp = time.parse().unwrap();
    assert!(jiff::Timestamp::now().duration_since(time).unsigned_abs() < Duration::from_secs(60), "{line}");
    format!("{before}TIME{after}")
}

fn record(request_id: &RequestId, outcome: Outcome) -> CallRecord<'_> {
    let record = call_record(request_id, outcome);
    CallRecord {
        request: RequestFacts { protocol: Some(ProtocolVersion::V20250618), ..record.request },
        upstream_host: Some("api.example.com:8443"),
        total: Duration::from_nanos(1_234_567),
        upstream: Duration::from_micros(999),
        request_bytes: 17,
        response_bytes: 384,
        ..record
    }
}

fn at(format: LogFormat, level: LogLevel) -> LogSettings {
    LogSettings { format, level }
}

#[track_caller]
fn assert_same(record: &CallRecord<'_>) {
    for format in [LogFormat::Text, LogFormat::Json] {
        let settings = at(format, LogLevel::Trace);
        let line = logged(settings, record);
        assert_eq!(timeless(&line), timeless(&logged_by_tracing(settings, record)));
        assert!(line.ends_with('\n') && line.lines().count() == 1, "{line:?}");
    }
}

#[test]
fn lines_are_those_of_tracing_for_every_outcome_and_revision() {
    let id = RequestId::Made(0x0123_4567_89ab_cdef);
    for outcome in Outcome::ALL {
        for protocol in ProtocolVersion::ALL.iter().copied().map(Some).chain([None]) {
            let record = record(&id, outcome);
            assert_same(&CallRecord { request: RequestFacts { protocol, ..record.request }, ..record });
        }
    }
}

#[test]
fn lines_are_those_of_tracing_for_strange_texts() {
    let long = "é\"".repeat(2000);
    let controls: String = ('\0'..='\u{a0}').collect();
    for text in [
        "",
        "\"",
        "\\",
        "a\nb\r\t\0\u{1b}[31m\u{7f}",
        "é ü 名前 🦀",
        "\u{200b}\u{2028}\u{feff}e\u{301}",
        &controls,
        &long,
    ] {
        let id = RequestId::Made(7);
        assert_same(&CallRecord { tool: text, ..record(&id, Outcome::Ok) });
        assert_same(&CallRecord { error: Some(text), ..record(&id, Outcome::UpstreamFailed) });
        assert_same(&CallRecord { upstream_host: Some(text), ..record(&id, Outcome::UpstreamStatus) });
    }
    assert_same(&CallRecord { reason: Some("a \"b\""), ..record(&RequestId::Made(0), Outcome::Unusable) });
}

#[test]
fn lines_are_those_of_tracing_for_every_request_id() {
    let visible: String = ('!'..='~').collect();
    for id in [
        RequestId::Given(visible.into()),
        RequestId::Made(0),
        RequestId::Made(0xa9),
        RequestId::Made(u64::MAX),
    ] {
        assert_same(&record(&id, Outcome::Ok));
    }
}

#[test]
fn lines_are_those_of_tracing_for_all_numbers_and_for_none() {
    let id = RequestId::Made(1);
    let most = CallRecord {
        upstream_status: Some(u16::MAX),
        attempts: u8::MAX,
        total: Duration::from_secs(u64::MAX),
        upstream: Duration::MAX,
        request_bytes: usize::MAX,
        response_bytes: usize::MAX,
        ..record(&id, Outcome::Ok)
    };
    assert_same(&most);
    let least = CallRecord {
        upstream_host: None,
        upstream_status: None,
        attempts: 0,
        total: Duration::ZERO,
        upstream: Duration::ZERO,
        request_bytes: 0,
        response_bytes: 0,
        ..record(&id, Outcome::InvalidArguments)
    };
    assert_same(&least);
}

#[test]
fn lines_are_those_of_tracing_for_every_caller() {
    let id = RequestId::Made(1);
    let problem = |kind| Problem { kind, argument: String::new(), message: String::new() };
    let problems = [problem(ProblemKind::WrongType), problem(ProblemKind::Missing)];
    let identity = Identity {
        tenant: Some("a \"b\"".to_owned()),
        principal: Some("é".to_owned()),
        ..Identity::default()
    };
    let caller = &Caller::Known(Arc::new(identity));
    let peer = &Peer { address: Some("[::1]:8080".parse().unwrap()), tls: None };
    let revision = Some(&Revision([0xa9; 32]));
    let record = record(&id, Outcome::InvalidArguments);
    let request = RequestFacts { caller, peer, revision, ..record.request };
    let record = CallRecord { request, problems: &problems, ..record };
    assert_same(&record);
    let line: serde_json::Value =
        serde_json::from_str(&logged(at(LogFormat::Json, LogLevel::Info), &record)).unwrap();
    assert_eq!((line["tenant"].as_str(), line["principal"].as_str()), (Some("a \"b\""), Some("é")));
    assert_eq!(
        (line["peer"].as_str(), line["revision"].as_str()),
        (Some("[::1]:8080"), Some("a9a9a9a9a9a9"))
    );
    assert_eq!(line["reasons"], "wrong_type,missing");
}

#[test]
fn a_level_hides_the_calls_that_it_hides_from_tracing() {
    let id = RequestId::Made(1);
    for (_, level) in LogLevel::WORDS {
        for outcome in Outcome::ALL {
            let record = record(&id, outcome);
            let settings = at(LogFormat::Json, level);
            let (line, expected) = (logged(settings, &record), logged_by_tracing(settings, &record));
            assert_eq!(line.is_empty(), expected.is_empty(), "{level:?}, {outcome:?}: {line}");
        }
    }
    assert_eq!(logged(at(LogFormat::Text, LogLevel::Info), &record(&id, Outcome::Ok)), "");
}

#[test]
fn every_line_of_every_thread_is_written_before_the_end() {
    const THREADS: usize = 4;
    const CALLS: usize = 300;
    let page = Page::default();
    let settings = at(LogFormat::Json, LogLevel::Debug);
    let log = CallLog::new(settings, LogWriter::new(page.clone()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let log = &log;
            scope.spawn(move || {
                for call in 0..CALLS {
                    let id = RequestId::Given(format!("{thread}-{call}").into());
                    log.write(&record(&id, Outcome::Ok));
                }
            });
        }
    });
    log.writer.flush();
    let mut next = [0; THREADS];
    for line in page.text().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let (thread, call) = line["request_id"].as_str().unwrap().split_once('-').unwrap();
        let next = &mut next[thread.parse::<usize>().unwrap()];
        assert_eq!(call.parse(), Ok(*next), "each thread's lines are in order");
        *next += 1;
    }
    assert_eq!(next, [CALLS; THREADS]);
}
