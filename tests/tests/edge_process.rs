//! The real proxy: how it leaves, and hands over to the next one.
#![cfg(unix)]

use mcpc_tests::{Client, LONG, Served, Upstream};
use mcpc_tests::{build, call, get, json as answer, mcp_edge, modern, raw, tools_of};
use serde_json::json;
use std::time::Instant;

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";

#[test]
fn sigterm_lets_calls_in_flight_finish() {
    let mut served = Served::start(&[]);
    served.upstream.answers(raw(ANSWER).held());
    let address = served.process.address();
    let (mut busy, mut idle) = (Client::connect(address), Client::connect(address));
    assert_eq!(idle.ask(modern("tools/list", json!({}))).status, 200);
    busy.send(call("first", json!({})));
    served.upstream.request(0);
    served.process.signal("TERM");
    // It closes what is idle before it waits for the rest.
    idle.assert_closed();
    served.upstream.release();
    let answer = busy.answer();
    assert_eq!((answer.text().as_str(), answer.header("connection")), ("[]", Some("close")));
    assert_eq!(served.process.exit().code(), Some(0), "{}", served.process.log());
}

#[test]
fn every_call_has_its_line_when_the_process_has_left() {
    const CALLS: usize = 200;
    for (format, level, lines) in [("text", "debug", CALLS), ("json", "debug", CALLS), ("json", "info", 0)] {
        let mut served = Served::start(&["--log-level", level, "--log-format", format]);
        let mut client = served.client();
        for _ in 1..CALLS {
            assert_eq!(client.ask(call("first", json!({}))).text(), "{}");
        }
        served.upstream.answers(raw(ANSWER).held());
        client.send(call("first", json!({})));
        served.upstream.request(CALLS - 1);
        served.process.signal("TERM");
        served.upstream.release();
        assert_eq!(client.answer().text(), "[]");
        assert_eq!(served.process.exit().code(), Some(0), "{}", served.process.log());
        let log = served.process.log();
        let told = log.lines().filter(|line| line.contains("mcp_edge::call")).count();
        assert_eq!(told, lines, "{format}, {level}: {log}");
    }
}

#[test]
fn sigterm_ends_event_streams_in_good_order() {
    let mut served = Served::start(&[]);
    let mut listener = served.client();
    listener.send(modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    assert!(listener.event().contains("notifications/subscriptions/acknowledged"));
    served.process.signal("TERM");
    let last = listener.event();
    assert!(last.contains("\"resultType\":\"complete\""), "{last}");
    assert_eq!(served.process.exit().code(), Some(0), "{}", served.process.log());
}

#[test]
fn a_new_process_takes_over_without_a_refused_connection() {
    let upstream = Upstream::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    build(&tools_of(&upstream, &["first"]), &folder.path().join("old.mcpk"));
    build(&tools_of(&upstream, &["first", "second"]), &folder.path().join("new.mcpk"));
    std::fs::write(path("edge.toml"), "upgrade_socket = \"upgrade.sock\"\n").unwrap();
    let config = path("edge.toml");
    let start = |bundle: &str, listen: &str, admin: &str, more: &[&str]| {
        let bundle = path(bundle);
        let mut arguments = vec!["--config", &config, &bundle, "--listen", listen, "--admin", admin];
        arguments.extend_from_slice(more);
        mcp_edge(arguments)
    };
    let mut old = start("old.mcpk", "127.0.0.1:0", "127.0.0.1:0", &[]);
    let (address, admin) = (old.address(), old.admin());
    upstream.answers(raw(ANSWER).held());
    let mut busy = Client::connect(address);
    busy.send(call("first", json!({})));
    upstream.request(0);

    let new = start("new.mcpk", &address.to_string(), &admin.to_string(), &["--upgrade"]);
    new.told("waiting for the listeners");
    old.signal("QUIT");
    assert_eq!((new.address(), new.admin()), (address, admin));
    // Every connection is served, by the old process and then by the new one.
    let deadline = Instant::now() + LONG;
    loop {
        assert!(Instant::now() < deadline, "{}", new.log());
        let answer = Client::connect(address).ask(modern("tools/list", json!({})));
        assert_eq!(answer.status, 200);
        if answer.result()["tools"].as_array().unwrap().len() == 2 {
            break;
        }
    }
    upstream.release();
    assert_eq!(busy.answer().text(), "[]");
    assert_eq!(old.exit().code(), Some(0), "{}", old.log());
    for _ in 0..20 {
        assert_eq!(Client::connect(address).ask(call("second", json!({}))).text(), "{}");
    }
    assert_eq!(Client::connect(admin).ask(get("/readyz", &[])).status, 200);
    drop(new);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_of_long_answers_goes_back_to_the_system() {
    const CALLS: usize = 16;
    let served = Served::start(&[]);
    let mut clients: Vec<Client> = (0..CALLS).map(|_| served.client()).collect();
    assert_eq!(clients[0].ask(call("first", json!({}))).text(), "{}");
    let before = served.process.memory("VmRSS");
    let long = format!("\"{}\"", "x".repeat(1_000_000));
    served.upstream.always_answers(answer(&long).held());
    clients.iter_mut().for_each(|client| client.send(call("first", json!({}))));
    served.upstream.request(CALLS);
    (0..CALLS).for_each(|_| served.upstream.release());
    clients.iter_mut().for_each(|client| assert_eq!(client.answer().text().len(), long.len()));
    let held = served.process.memory("VmHWM") - before;
    assert!(held >= 8 << 10, "{held} KiB");
    // Short calls reuse what they have, and give no occasion.
    served.upstream.always_answers(answer("{}"));
    let deadline = Instant::now() + LONG;
    loop {
        assert_eq!(clients[0].ask(call("first", json!({}))).text(), "{}");
        let kept = served.process.memory("VmRSS").saturating_sub(before);
        if kept < held / 4 {
            break;
        }
        assert!(Instant::now() < deadline, "of {held} KiB {kept} KiB are kept");
    }
}
