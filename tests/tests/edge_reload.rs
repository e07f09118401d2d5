//! The real proxy: bundles and secrets that change while it serves.
#![cfg(unix)]

use mcpc_tests::{Client, Served, TOKEN, Upstream};
use mcpc_tests::{answer, build, call, get, json, mcp_edge, post, raw, tools_of};
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
