//! The stateless revision.

use crate::support::{Bench, Said, modern};
use serde_json::{Value, json};

/// A right request for `tools/list`, changed.
fn changed(
    bench: &Bench,
    method: &str,
    change: impl FnOnce(&mut Vec<(&'static str, String)>, &mut Value),
) -> Said {
    let (mut headers, mut body) = modern(method, json!({}));
    change(&mut headers, &mut body);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    bench.post(&headers, &body)
}

fn set(headers: &mut Vec<(&'static str, String)>, name: &'static str, value: Option<&str>) {
    headers.retain(|(known, _)| *known != name);
    headers.extend(value.map(|value| (name, value.to_owned())));
}

#[test]
fn discover_has_versions_capabilities_and_how_long_it_is_valid() {
    let said = Bench::shop().modern("server/discover", json!({}));
    assert_eq!(said.status, 200);
    let result = &said.json()["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"], json!({"tools": {"listChanged": true}}));
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(60000), &json!("public")));
    assert_eq!(result["instructions"], "Demo shop: Orders of the demo shop.");
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "tools");
    assert_eq!(info["version"].as_str().unwrap().len(), 12);
}

#[test]
fn a_toolset_has_an_endpoint_of_its_own() {
    let bench = Bench::shop();
    let (headers, body) = modern("server/discover", json!({}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let said = bench.send(&crate::support::head("POST", "/mcp/shop", &headers), body.to_string().as_bytes());
    let result = &said.json()["result"];
    assert_eq!(result["instructions"], "Orders of the demo shop.");
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!((&info["name"], &info["title"]), (&json!("shop"), &json!("Demo shop")));
}

#[test]
fn what_a_request_must_say_is_checked_in_the_order_of_the_specification() {
    let bench = Bench::shop();
    let meta = |body: &mut Value, key: &str, value: Value| {
        body["params"]["_meta"][format!("io.modelcontextprotocol/{key}")] = value;
    };
    type Change<'a> = Box<dyn Fn(&mut Vec<(&'static str, String)>, &mut Value) + 'a>;
    let cases: Vec<(&str, u16, i64, Change<'_>)> = vec![
        ("no params", 400, -32602, Box::new(|_, body| _ = body.as_object_mut().unwrap().remove("params"))),
        ("no meta", 400, -32602, Box::new(|_, body| body["params"] = json!({}))),
        ("meta no object", 400, -32602, Box::new(|_, body| body["params"]["_meta"] = json!([]))),
        ("version no string", 400, -32602, Box::new(|_, body| meta(body, "protocolVersion", json!(1)))),
        ("no capabilities", 400, -32602, Box::new(|_, body| meta(body, "clientCapabilities", Value::Null))),
        ("odd log level", 400, -32602, Box::new(|_, body| meta(body, "logLevel", json!("loud")))),
        // The body's keys come before the header …
        (
            "no meta, no header",
            400,
            -32602,
            Box::new(|headers, body| {
                body["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
                set(headers, "mcp-protocol-version", None);
            }),
        ),
        ("no header", 400, -32020, Box::new(|headers, _| set(headers, "mcp-protocol-version", None))),
        (
            "other header",
            400,
            -32020,
            Box::new(|headers, _| set(headers, "mcp-protocol-version", Some("2025-11-25"))),
        ),
        ("other body", 400, -32020, Box::new(|_, body| meta(body, "protocolVersion", json!("v999.0.0")))),
        // … which comes before whether there is such a version …
        (
            "unknown version",
            400,
            -32022,
            Box::new(|headers, body| {
                set(headers, "mcp-protocol-version", Some("v999.0.0"));
                meta(body, "protocolVersion", json!("v999.0.0"));
            }),
        ),
        (
            "legacy version",
            400,
            -32022,
            Box::new(|headers, body| {
                set(headers, "mcp-protocol-version", Some("2025-11-25"));
                meta(body, "protocolVersion", json!("2025-11-25"));
                set(headers, "mcp-method", None);
            }),
        ),
        // … then the other headers, then the method.
        ("no method header", 400, -32020, Box::new(|headers, _| set(headers, "mcp-method", None))),
        (
            "other method header",
            400,
            -32020,
            Box::new(|headers, _| set(headers, "mcp-method", Some("Tools/List"))),
        ),
        (
            "method header twice",
            400,
            -32020,
            Box::new(|headers, _| {
                headers.push(("mcp-method", "tools/list".to_owned()));
            }),
        ),
    ];
    for (name, status, code, change) in cases {
        let said = changed(&bench, "tools/list", |headers, body| change(headers, body));
        assert_eq!((said.status, said.code()), (status, code), "{name}: {}", said.body);
        assert_eq!(said.json()["id"], 1, "{name}");
    }
    let unknown = changed(&bench, "tools/list", |headers, body| {
        set(headers, "mcp-protocol-version", Some("v999.0.0"));
        meta(body, "protocolVersion", json!("v999.0.0"));
    });
    assert_eq!(
        unknown.json()["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "v999.0.0"})
    );
}

#[test]
fn methods_that_are_gone_or_never_were_are_not_found() {
    let bench = Bench::shop();
    for method in
        ["initialize", "ping", "logging/setLevel", "prompts/list", "resources/read", "tasks/get", "x"]
    {
        let said = bench.modern(method, json!({}));
        assert_eq!((said.status, said.code()), (404, -32601), "{method}");
    }
}

#[test]
fn a_modern_header_alone_asks_for_the_modern_form() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}});
    let said = bench.post(&[("mcp-protocol-version", "2026-07-28")], &body);
    assert_eq!((said.status, said.code()), (400, -32602));
    assert_eq!(said.json()["id"], "a");
}

#[test]
fn a_version_that_is_not_supported_is_answered_with_those_that_are() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}});
    let later = bench.post(&[("mcp-protocol-version", "2031-01-01")], &body);
    assert_eq!((later.status, later.code()), (400, -32022));
    assert_eq!(
        later.json()["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "2031-01-01"})
    );
    // Before the stateless revision there was no code for it.
    let older = bench.post(&[("mcp-protocol-version", "2024-01-01")], &body);
    assert_eq!((older.status, older.code(), &older.json()["id"]), (400, -32600, &json!("a")));
    let message = older.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("not supported") && message.contains("2025-11-25"), "{message}");
}

#[test]
fn names_are_repeated_in_a_header_that_may_be_encoded() {
    let bench = Bench::shop();
    let call = |told: Option<&str>| {
        let (mut headers, body) = modern("tools/call", json!({"name": "hello"}));
        set(&mut headers, "mcp-name", told);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        bench.post(&headers, &body)
    };
    for told in ["hello", " hello ", "\thello", "=?base64?aGVsbG8=?="] {
        assert_eq!(call(Some(told)).status, 200, "{told}");
    }
    // Lower case markers, canonical base64, and the same name.
    for told in
        [None, Some("Hello"), Some("=?BASE64?aGVsbG8=?="), Some("=?base64?aGVsbG8?="), Some("=?base64?!!!?=")]
    {
        let said = call(told);
        assert_eq!((said.status, said.code()), (400, -32020), "{told:?}");
    }
}

#[test]
fn mirrored_parameters_must_agree_with_the_arguments() {
    let bench = Bench::shop();
    let call = |arguments: Value, extra: &[(&'static str, &str)]| {
        let (mut headers, body) = modern("tools/call", json!({"name": "routed", "arguments": arguments}));
        headers.extend(extra.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        bench.post(&headers, &body).code()
    };
    const REGION: &str = "mcp-param-region";
    const LIMIT: &str = "mcp-param-limit";
    assert_eq!(call(json!({}), &[]), 0);
    assert_eq!(call(json!({"region": "eu"}), &[(REGION, "eu")]), 0);
    assert_eq!(call(json!({"region": "Zürich"}), &[(REGION, "=?base64?WsO8cmljaA==?=")]), 0);
    assert_eq!(call(json!({"limit": 42}), &[(LIMIT, "42.0")]), 0);
    assert_eq!(call(json!({}), &[("mcp-param-other", "x")]), 0, "unknown mirrors are none of our business");
    for (arguments, extra) in [
        (json!({"region": "eu"}), &[][..]),
        (json!({"region": "eu"}), &[(REGION, "us")]),
        (json!({"region": "eu"}), &[(REGION, "eu"), (REGION, "eu")]),
        (json!({"region": "eu"}), &[(REGION, "=?base64?ZXU?=")]),
        (json!({}), &[(REGION, "eu")]),
        (json!({"region": null}), &[(REGION, "eu")]),
        (json!({"limit": 42}), &[(LIMIT, "4.2e1")]),
        (json!({"limit": 42}), &[(LIMIT, "43")]),
    ] {
        assert_eq!(call(arguments.clone(), extra), -32020, "{arguments} {extra:?}");
    }
}

#[test]
fn messages_that_are_not_requests_are_refused_without_an_id() {
    let bench = Bench::shop();
    let send = |body: &str| {
        let headers = [("mcp-protocol-version", "2026-07-28")];
        bench.send(&crate::support::head("POST", "/mcp", &headers), body.as_bytes())
    };
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        ("\"text\"", -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
    ] {
        let said = send(body);
        assert_eq!((said.status, said.code()), (400, code), "{body}");
    }
    assert_eq!(send("{").json().get("id"), None);
    // Its id would be that of another request.
    assert_eq!(send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).json().get("id"), None);
}

#[test]
fn notifications_are_accepted_and_not_answered() {
    let body = json!({"jsonrpc": "2.0", "method": "notifications/whatever"});
    let said = Bench::shop().post(&[("mcp-protocol-version", "2026-07-28")], &body);
    assert_eq!((said.status, said.body.as_str()), (202, ""));
}
