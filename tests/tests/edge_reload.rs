//! The real proxy: bundles and secrets that change while it serves.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc_tests::{Client, Served, TOKEN, Upstream};
use mcpc_tests::{answer, build, call, get, json, mcp_edge, modern, post, raw, tools_of};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_new_bundle_is_served_after_sighup() {
    let served = Served::start(&["--log-level", "debug"]);
    assert_eq!(served.tools(), ["first"]);
    served.replace(&tools_of(&served.upstream, &["first", "second"]));
    served.process.signal("HUP");
    served.process.told("tools=2");
    assert_eq!(served.tools(), ["first", "second"]);
    let mut client = served.client();
    assert_eq!(client.ask(call("second", json!({}))).text(), "{}");
    assert_eq!(served.upstream.request(0).header("authorization"), [format!("Bearer {TOKEN}")]);
}

#[test]
fn a_bundle_that_cannot_be_served_changes_nothing_but_the_status() {
    let served = Served::start(&[]);
    let revision = served.status()["active"]["revision"].clone();
    let next = served.folder.path().join("next.mcpk");
    std::fs::write(&next, "not a bundle").unwrap();
    std::fs::rename(&next, served.bundle()).unwrap();
    let refused = served.process.ask_admin(post("/reload", &[], ""));
    assert_eq!(refused.status, 422, "{}", refused.body);
    let status = served.status();
    assert_eq!(status["active"]["revision"], revision);
    assert_eq!(status["last_error"]["message"], refused.json()["error"]);
    assert_eq!(served.process.ask_admin(get("/readyz", &[])).status, 200);
    assert_eq!(served.tools(), ["first"]);

    served.replace(&tools_of(&served.upstream, &["other"]));
    let reloaded = served.process.ask_admin(post("/reload", &[], ""));
    assert_eq!(reloaded.status, 200, "{}", reloaded.body);
    let status = served.status();
    assert_eq!(
        (&status["active"]["revision"], &status["last_error"]),
        (&reloaded.json()["revision"], &Value::Null)
    );
    assert_eq!(served.tools(), ["other"]);
}

#[test]
fn secrets_are_neither_logged_nor_shown() {
    let served = Served::start(&["--log-level", "trace", "--log-format", "json"]);
    let mut client = served.client();
    let mut said = String::new();
    let scripts = [json("{}"), answer(403, "text/plain", "no"), raw("x").close()];
    for script in scripts {
        served.upstream.answers(script);
        said.push_str(&client.ask(call("first", json!({}))).body);
    }
    served.process.told("\"outcome\":\"upstream_failed\"");
    for path in ["/status", "/metrics", "/healthz"] {
        let shown = served.process.ask_admin(get(path, &[]));
        assert_eq!(shown.status, 200);
        said.push_str(&shown.body);
    }
    assert!(said.contains("mcp_edge_calls_total{tool=\"first\",outcome=\"upstream_status\"} 1"), "{said}");
    assert!(said.contains("mcp_edge_pool_opened_total 1"), "{said}");
    said.push_str(&served.process.log());
    assert!(served.upstream.request(2).text().contains(TOKEN));
    assert!(!said.contains(TOKEN), "{said}");
}

#[test]
fn a_bundle_whose_variable_has_no_value_waits_for_the_secrets_file() {
    let upstream = Upstream::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let put = |name: &str, text: &str| {
        std::fs::write(path("next"), text).unwrap();
        std::fs::set_permissions(path("next"), std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::rename(path("next"), path(name)).unwrap();
    };
    put("secrets.env", "API_KEY=one\n");
    put(
        "edge.toml",
        "bundle = \"served.mcpk\"\nsecrets = \"secrets.env\"\nadmin = \"127.0.0.1:0\"\n[[listen]]\naddress = \"127.0.0.1:0\"\n",
    );
    let text = |variable: &str| tools_of(&upstream, &["first"]).replace("TOKEN", variable);
    build(&text("API_KEY"), &path("served.mcpk"));
    let process = mcp_edge(["--config".as_ref(), path("edge.toml").as_os_str()]);
    let sent = |number: usize| {
        assert!(!Client::connect(process.address()).ask(call("first", json!({}))).is_error());
        upstream.request(number).header("authorization").concat()
    };
    let reload = || process.ask_admin(post("/reload", &[], ""));
    assert_eq!(sent(0), "Bearer one");
    put("secrets.env", "API_KEY=two\n");
    assert_eq!(reload().status, 200);
    assert_eq!(sent(1), "Bearer two");
    build(&text("OTHER_KEY"), &path("served.mcpk"));
    let refused = reload();
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("`${OTHER_KEY}`"), "{}", refused.body);
    assert_eq!(sent(2), "Bearer two");
    put("secrets.env", "API_KEY=two\nOTHER_KEY=three\n");
    assert_eq!(reload().status, 200);
    assert_eq!(sent(3), "Bearer three");
}

/// The real proxy with a configuration that can be changed.
struct Configured {
    process: mcpc_tests::Process,
    upstream: Upstream,
    folder: tempfile::TempDir,
}

impl Configured {
    fn start(config: &str) -> Configured {
        let upstream = Upstream::start();
        let folder = tempfile::tempdir().unwrap();
        build(&tools_of(&upstream, &["first"]), &folder.path().join("served.mcpk"));
        write_config(&folder, "", config);
        let path = folder.path().join("edge.toml");
        let process = mcp_edge(["--config".as_ref(), path.as_os_str()]);
        // It has read its file by then.
        process.admin();
        Configured { process, upstream, folder }
    }

    fn reload(&self) -> mcpc_tests::Answer {
        self.process.ask_admin(post("/reload", &[], ""))
    }
}

fn write_config(folder: &tempfile::TempDir, top: &str, config: &str) {
    let start = "bundle = \"served.mcpk\"\nadmin = \"127.0.0.1:0\"\n";
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n";
    std::fs::write(folder.path().join("edge.toml"), format!("{start}{top}{listen}{config}")).unwrap();
}

/// A call that is too long for a limit of 1 KiB.
fn long_call() -> Vec<u8> {
    call("first", json!({"unknown": "x".repeat(2000)}))
}

#[test]
fn a_changed_limit_holds_for_the_next_request_and_no_connection_is_dropped() {
    let edge = Configured::start("[limits]\nrequest_body = \"4KiB\"\n");
    let (mut client, mut listener) =
        (Client::connect(edge.process.address()), Client::connect(edge.process.address()));
    listener.send(modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    assert!(listener.event().contains("acknowledged"));
    assert_eq!(client.ask(long_call()).status, 200);
    edge.upstream.answers(raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]").held());
    let mut busy = Client::connect(edge.process.address());
    busy.send(call("first", json!({})));
    edge.upstream.request(0);

    write_config(&edge.folder, "", "[limits]\nrequest_body = \"1KiB\"\n");
    let reloaded = edge.reload();
    assert_eq!((reloaded.status, &reloaded.json()["needs_upgrade"]), (200, &json!([])));
    assert_eq!(client.ask(call("first", json!({}))).text(), "{}", "the connection is the old one");
    assert_eq!(client.ask(long_call()).status, 413);
    edge.upstream.release();
    assert_eq!(busy.answer().text(), "[]", "a call in flight ends as it began");
    build(&tools_of(&edge.upstream, &["first", "second"]), &edge.folder.path().join("served.mcpk"));
    assert_eq!(edge.reload().status, 200);
    assert!(listener.event().contains("notifications/tools/list_changed"));
}

#[test]
fn a_changed_listener_is_reported_and_stays_where_it_is() {
    let edge = Configured::start("");
    let text = "threads = 2\n[[listen]]\naddress = \"127.0.0.1:1\"\n";
    write_config(&edge.folder, text, "[log]\nlevel = \"debug\"\n");
    edge.process.signal("HUP");
    assert!(edge.process.told("need an upgrade or a restart").contains("threads, listen.address"));
    let reloaded = edge.reload();
    assert_eq!(reloaded.json()["needs_upgrade"], json!(["threads", "listen.address"]));
    let status = edge.process.ask_admin(get("/status", &[])).json();
    assert_eq!(status["needs_upgrade"], json!(["threads", "listen.address"]));
    assert_eq!(Client::connect(edge.process.address()).ask(call("first", json!({}))).text(), "{}");
    // The level has changed, so the call has a line.
    edge.process.told("mcp_edge::call");
}

#[test]
fn a_broken_configuration_keeps_the_old_state_and_says_what_to_do() {
    let edge = Configured::start("[limits]\nrequest_body = \"4KiB\"\n");
    write_config(&edge.folder, "", "[limits]\nrequest_boddy = \"1KiB\"\n");
    let refused = edge.reload();
    assert_eq!(refused.status, 422);
    let error = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("edge.toml:6:1") && error.contains("`request_body`"), "{error}");
    let status = edge.process.ask_admin(get("/status", &[])).json();
    assert_eq!(status["last_error"]["message"], error.as_str());
    assert_eq!(Client::connect(edge.process.address()).ask(long_call()).status, 200);
    write_config(&edge.folder, "", "[limits]\nrequest_body = \"1KiB\"\n");
    assert_eq!(edge.reload().status, 200);
    assert_eq!(Client::connect(edge.process.address()).ask(long_call()).status, 413);
}

#[test]
fn reloads_at_the_same_time_all_get_an_answer() {
    let edge = Configured::start("");
    write_config(&edge.folder, "", "[limits]\nrequest_body = \"1KiB\"\n");
    let answers = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| edge.reload())).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (200, &answers[0].body));
    }
    assert_eq!(Client::connect(edge.process.address()).ask(long_call()).status, 413);
}
