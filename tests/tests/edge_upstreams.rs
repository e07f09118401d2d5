//! Where upstreams are, and what a spec says of them.

use mcpc_tests::{Client, Upstream, World, answer, build, call, json, mcp_edge, raw, spec};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const SPEC: &str = r#"
[upstream.api]
url = "http://${API_HOST:-127.0.0.1}:${API_PORT}/base"

[[tool]]
name = "plain"
description = "Does what the test asks for."
upstream = "api"
method = "GET"
endpoint = "/plain"
"#;

/// B9: the place says where an upstream is, by variables or by name.
#[test]
fn the_place_says_where_an_upstream_is() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    upstream.always_answers(json("[1]"));
    build(SPEC, &folder.path().join("places.mcpk"));
    let start = |name: &str, rest: &str| {
        let config = folder.path().join(name);
        std::fs::write(&config, format!("bundle = \"places.mcpk\"\n{rest}")).unwrap();
        let config = config.display().to_string();
        mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
    };

    let secrets = folder.path().join("secrets.env");
    std::fs::write(&secrets, format!("API_PORT={}\n", upstream.address.port())).unwrap();
    std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
    let by_variable = start("variables.toml", "secrets = \"secrets.env\"\n");
    let called = Client::connect(by_variable.address()).ask(call("plain", json!({})));
    assert_eq!(called.text(), "[1]", "{}", called.body);
    assert_eq!(upstream.request(0).line(), "GET /base/plain HTTP/1.1");

    let by_name = start("named.toml", &format!("[upstream.api]\nurl = \"http://{}\"\n", upstream.address));
    let called = Client::connect(by_name.address()).ask(call("plain", json!({})));
    assert_eq!(called.text(), "[1]", "no variable is needed: {}", called.body);

    let mut without = start("without.toml", "");
    assert!(!without.exit().success());
    let log = without.log();
    assert!(log.contains("the URL of upstream `api`") && log.contains("`${API_PORT}` has no value"), "{log}");
}

/// B3: failures of a database's API have their own type, and those of the caller keep theirs.
#[test]
fn failures_of_a_database_are_called_so() {
    let tools = spec(&[("plain", "method = \"GET\"\nendpoint = \"/plain\"")]);
    for (declared, expected) in [("", "SERVICE_ERROR"), ("error_type = \"database\"\n", "DATABASE_ERROR")] {
        let world =
            World::new(&tools.replace("url = \"UPSTREAM\"\n", &format!("url = \"UPSTREAM\"\n{declared}")));
        for (status, expected_status) in [(500, 500), (503, 503)] {
            world.upstream.answers(answer(status, "application/json", "{}"));
            let failed = world.invoke("plain", json!({}));
            assert_eq!((failed.status, &failed.json()["error_type"]), (expected_status, &json!(expected)));
        }
        let wrong = world.invoke("plain", json!({"unknown": 1}));
        assert_eq!((wrong.status, &wrong.json()["error_type"]), (400, &json!("PARAMETER_ERROR")));
    }
}

/// B7: lists are cut, and the result says how much is missing.
#[test]
fn lists_of_an_answer_are_cut() {
    let raw_tool = ("raw", "method = \"GET\"\nendpoint = \"/raw\"\nmax_results = 2");
    let templated =
        "method = \"GET\"\nendpoint = \"/t\"\nmax_results = 2\nresponse_template = \"{{ len .items }}\"";
    let world = World::new(&spec(&[raw_tool, ("templated", templated)]));
    world.upstream.always_answers(json(r#"{"items":[1,2,3,4],"total":4}"#));
    let content = |tool: &str| world.call(tool, json!({})).result()["content"].clone();
    let note = "2 more results are not shown: this tool returns at most 2 of each list.";
    let note = json!({"type": "text", "text": note});
    assert_eq!(content("raw"), json!([{"type": "text", "text": r#"{"items":[1,2],"total":4}"#}, note]));
    assert_eq!(content("templated"), json!([{"type": "text", "text": "2"}, note]));
}

/// A17: an attempt that takes too long is tried again within the call's time.
#[test]
fn an_attempt_that_takes_too_long_is_tried_again() {
    let tool = "method = \"GET\"\nendpoint = \"/plain\"\nretry_count = 1\nattempt_timeout_seconds = 1";
    let world = World::new(&spec(&[("plain", tool)]));
    world.upstream.answers(raw("").hold());
    world.upstream.answers(json("[2]"));
    assert_eq!(world.call("plain", json!({})).text(), "[2]");
    assert_eq!(world.upstream.count(), 2);
    world.upstream.release();
}
