//! Interfaces that `edge.toml` switches off.

use mcpc_tests::{Client, build, call, get, mcp_edge};
use serde_json::json;

const SPEC: &str =
    "[[tool]]\nname = \"plain\"\ndescription = \"Does what the test asks for.\"\nrespond = \"ok\"\n";

/// B9: a path that is switched off answers 404, and the others are served.
#[test]
fn interfaces_are_switched_off_in_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    build(SPEC, &folder.path().join("plain.mcpk"));
    let config = folder.path().join("edge.toml");
    std::fs::write(&config, "bundle = \"plain.mcpk\"\n[interfaces]\nrest = false\n").unwrap();
    let config = config.display().to_string();
    let edge = mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let mut client = Client::connect(edge.address());
    assert_eq!(client.ask(get("/mcp/tools", &[])).status, 404);
    assert_eq!(client.ask(get("/api/v1/mcp/tools", &[])).status, 404);
    let called = client.ask(call("plain", json!({})));
    assert_eq!(called.text(), "ok", "{}", called.body);

    let off = folder.path().join("off.toml");
    std::fs::write(&off, "bundle = \"plain.mcpk\"\n[interfaces]\nmcp = false\nsse = false\nrest = false\n")
        .unwrap();
    let mut refused = mcp_edge(["--config", &off.display().to_string()]);
    assert!(!refused.exit().success());
    assert!(refused.log().contains("all interfaces are switched off"), "{}", refused.log());
}
