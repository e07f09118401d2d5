//! Who may call, and what they see: in every interface, the same door.

use crate::support::{Bench, OTHER, Said, head, modern};
use mcp_edge::jwt::Issuers;
use mcp_edge::request::resource::Resource;
use mcp_edge::serving::events::EventStream;
use mcp_edge::tenants::api_key::{self, KeyDigest};
use mcp_edge::tenants::{self, Directory, Mode};
use serde_json::{Value, json};
use std::sync::Arc;

const SHOP: &str = r#"
[toolset]
name = "shop"
instructions = "Orders of the demo shop."

[upstream.shop]
url = "https://shop.example/v1"
headers = { authorization = "Bearer ${SHOP_TOKEN}", x-caller = "${tenant.id}/${principal.sub}" }

[[tool]]
name = "get_order"
description = "Returns the orders of the demo shop."
upstream = "shop"
method = "GET"
endpoint = "/orders"

[[tool]]
name = "drop_order"
description = "Deletes the orders of the demo shop."
upstream = "shop"
method = "DELETE"
endpoint = "/orders"
scopes = ["orders:write"]
"#;

struct Place {
    bench: Bench,
    reader: String,
    writer: String,
    partner: String,
    expired: String,
}

fn specs() -> [(&'static str, &'static str); 2] {
    [("shop.toml", SHOP), ("other.toml", OTHER)]
}

/// `acme` sees the shop and has two keys, `partner` sees what is not an order, `public` the other toolset.
fn tenants(reader: &str, writer: &str, partner: &str, expired: &str) -> String {
    let digest = |key: &str| KeyDigest::of(key.as_bytes());
    format!(
        r#"
        [tenant.acme]
        toolsets = ["shop"]
        variables = {{ SHOP_TOKEN = "${{ACME_TOKEN}}" }}
        [[tenant.acme.keys]]
        id = "reader"
        digest = "{}"
        [[tenant.acme.keys]]
        id = "writer"
        digest = "{}"
        scopes = ["orders:write"]
        [[tenant.acme.keys]]
        id = "old"
        digest = "{}"
        expires = 2020-01-01
        [tenant.partner]
        toolsets = ["*"]
        deny = ["*_order"]
        [[tenant.partner.keys]]
        id = "p"
        digest = "{}"
        [tenant.public]
        toolsets = ["other"]
        "#,
        digest(reader),
        digest(writer),
        digest(expired),
        digest(partner),
    )
}

fn directory(mode: Mode, text: &str) -> Arc<Directory> {
    let file = tenants::parse(text, "tenants.toml").unwrap_or_else(|problems| panic!("{problems}"));
    let servers = vec!["https://id.example/".to_owned()];
    let resource = Resource { url: "https://tools.example/mcp".to_owned(), authorization_servers: servers };
    Arc::new(Directory::new(mode, Some(resource), file, Issuers::default()))
}

impl Place {
    fn new(mode: Mode) -> Place {
        let [reader, writer, partner, expired] = [(); 4].map(|()| api_key::generate().unwrap());
        let bench = Bench::new(&specs());
        let place = Place { bench, reader, writer, partner, expired };
        place.bench.activate_for(&directory(mode, &place.tenants()), &specs()).unwrap();
        place
    }

    fn tenants(&self) -> String {
        tenants(&self.reader, &self.writer, &self.partner, &self.expired)
    }

    fn ask(&self, path: &str, key: &str, method: &str, params: Value) -> Said {
        let (mut headers, body) = modern(method, params);
        headers.push(("authorization", format!("Bearer {key}")));
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.bench.send(&head("POST", path, &headers), body.to_string().as_bytes())
    }

    fn legacy(&self, key: &str, body: Value) -> Said {
        let key = format!("Bearer {key}");
        let headers = [("mcp-protocol-version", "2025-03-26"), ("authorization", key.as_str())];
        self.bench.send(&head("POST", "/mcp", &headers), body.to_string().as_bytes())
    }

    fn get(&self, path: &str, key: &str) -> Said {
        self.bench.send(&head("GET", path, &[("x-api-key", key)]), b"")
    }

    /// A session of HTTP+SSE: where to post, and its stream.
    fn session(&self, key: &str) -> (String, EventStream) {
        let headers = [("x-api-key", key), ("accept", "text/event-stream")];
        let stream = self.bench.send(&head("GET", "/sse", &headers), b"").stream.unwrap();
        let opening = String::from_utf8(stream.opening.clone()).unwrap();
        let target = opening.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        (target.to_owned(), *stream)
    }

    fn tools(&self, path: &str, key: &str) -> Vec<String> {
        names(&self.ask(path, key, "tools/list", json!({})).json()["result"]["tools"])
    }
}

fn names(tools: &Value) -> Vec<String> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn without_a_credential_nobody_gets_in() {
    let place = Place::new(Mode::Required);
    let said = place.bench.modern("tools/list", json!({}));
    assert_eq!(said.status, 401);
    let metadata = "resource_metadata=\"https://tools.example/.well-known/oauth-protected-resource/mcp\"";
    assert_eq!(said.header("www-authenticate"), Some(format!("Bearer {metadata}").as_str()));
    for (key, why) in
        [("mek_wrong", "not known"), (place.expired.as_str(), "has expired"), ("a.b.c", "no API key")]
    {
        let said = place.ask("/mcp", key, "tools/list", json!({}));
        let challenge = said.header("www-authenticate").unwrap().to_owned();
        assert!(
            said.status == 401 && challenge.contains(why) && challenge.contains("invalid_token"),
            "{challenge}"
        );
        assert!(!said.body.contains(key) && !challenge.contains(key), "{}", said.body);
    }
    let said = place.bench.send(&head("POST", &format!("/mcp?access_token={}", place.reader), &[]), b"{}");
    assert_eq!((said.status, said.header("www-authenticate")), (400, None));
    assert!(!said.body.contains(&place.reader), "{}", said.body);
}

#[test]
fn a_credential_in_the_url_is_refused_even_where_nobody_needs_one() {
    let place = Place::new(Mode::None);
    let said = place.bench.send(&head("GET", "/mcp/tools?access_token=hunter2", &[]), b"");
    assert_eq!((said.status, &said.json()["details"]["reason"]), (400, &json!("credential_in_query")));
    assert!(!said.body.contains("hunter2"), "{}", said.body);
    assert_eq!(place.bench.send(&head("GET", "/mcp/tools?page=1", &[]), b"").status, 200);
}

#[test]
fn the_metadata_are_there_for_everyone() {
    let place = Place::new(Mode::Required);
    for path in ["", "/mcp", "/mcp/shop"] {
        let said =
            place.bench.send(&head("GET", &format!("/.well-known/oauth-protected-resource{path}"), &[]), b"");
        assert_eq!(said.json()["resource"], "https://tools.example/mcp");
    }
    let said = place.bench.send(&head("POST", "/.well-known/oauth-protected-resource", &[]), b"");
    assert_eq!((said.status, said.header("allow")), (405, Some("GET, HEAD")));
    let open = Bench::new(&specs());
    assert_eq!(open.send(&head("GET", "/.well-known/oauth-protected-resource", &[]), b"").status, 404);
}

#[test]
fn every_interface_shows_a_caller_its_own_tools() {
    let place = Place::new(Mode::Required);
    assert_eq!(place.tools("/mcp", &place.reader), ["get_order"]);
    assert_eq!(place.tools("/mcp", &place.writer), ["drop_order", "get_order"]);
    assert_eq!(place.tools("/mcp/shop", &place.reader), ["get_order"]);
    assert_eq!(place.tools("/mcp", &place.partner), ["bye"]);
    assert_eq!(place.ask("/mcp/other", &place.reader, "tools/list", json!({})).status, 404);
    assert_eq!(place.ask("/mcp/shop", &place.partner, "tools/list", json!({})).status, 404);
    assert_eq!(names(&place.get("/mcp/tools", &place.reader).json()["tools"]), ["get_order"]);
    let listed = place.get("/api/v1/mcp/tools", &place.partner).json();
    assert_eq!((names(&listed["tools"]), &listed["total"]), (vec!["bye".to_owned()], &json!(1)));
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]);
    let listed = place.legacy(&place.partner, batch).json();
    assert_eq!(names(&listed[0]["result"]["tools"]), ["bye"]);
}

#[test]
fn what_a_caller_may_not_see_is_not_even_mentioned() {
    let place = Place::new(Mode::Required);
    let discovered = place.ask("/mcp", &place.partner, "server/discover", json!({}));
    assert!(!discovered.body.contains("Orders"), "{}", discovered.body);
    let initialize = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize});
    assert!(!place.legacy(&place.partner, message.clone()).body.contains("Orders"));
    assert!(place.legacy(&place.reader, message).body.contains("Orders"));
    let listed = place.ask("/mcp", &place.partner, "tools/list", json!({})).json();
    assert_eq!(listed["result"]["cacheScope"], "private");
}

#[test]
fn a_hidden_tool_is_unknown_word_for_word() {
    let place = Place::new(Mode::Required);
    let call = |name: &str| place.ask("/mcp", &place.reader, "tools/call", json!({"name": name}));
    let invoke = |name: &str| {
        let body = json!({"tool_name": name, "params": {}}).to_string();
        place.bench.send(&head("POST", "/mcp/invoke", &[("x-api-key", &place.reader)]), body.as_bytes())
    };
    let api_call = |name: &str| {
        let body = json!({"name": name, "arguments": {}}).to_string();
        let headers = [("x-api-key", place.reader.as_str())];
        place.bench.send(&head("POST", "/api/v1/mcp/tools/call", &headers), body.as_bytes())
    };
    let (target, mut stream) = place.session(&place.reader);
    let mut call_by_session = |name: &str| {
        let params = json!({"name": name, "arguments": {}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let headers = [("x-api-key", place.reader.as_str())];
        assert_eq!(place.bench.send(&head("POST", &target, &headers), body.as_bytes()).status, 202);
        let event = place.bench.block_on(stream.next()).unwrap();
        String::from_utf8(event.to_vec()).unwrap()
    };
    for hidden in ["drop_order", "bye"] {
        let (seen, unknown) = (call_by_session(hidden), call_by_session("nothing"));
        assert!(unknown.contains("Unknown tool"), "{unknown}");
        assert_eq!(seen.replace(hidden, "nothing"), unknown);
        let (seen, unknown) = (api_call(hidden), api_call("nothing"));
        assert_eq!((seen.status, seen.body.replace(hidden, "nothing")), (unknown.status, unknown.body));
        let (seen, unknown) = (call(hidden), call("nothing"));
        assert_eq!(seen.status, unknown.status);
        assert_eq!(seen.body.replace(hidden, "nothing"), unknown.body);
        let (seen, unknown) = (invoke(hidden), invoke("nothing"));
        assert_eq!((seen.status, seen.body.replace(hidden, "nothing")), (unknown.status, unknown.body));
    }
    assert!(place.bench.fake.asked.lock().unwrap().is_empty());
}

#[test]
fn a_call_carries_its_tenant_and_the_tenants_own_variables() {
    let place = Place::new(Mode::Required);
    place.bench.upstream(200, "application/json", "[]");
    let said = place.ask("/mcp", &place.writer, "tools/call", json!({"name": "drop_order"}));
    assert_eq!(said.json()["result"]["isError"], Value::Null, "{}", said.body);
    let sent = place.bench.fake.headers.lock().unwrap().clone();
    let header = |name: &str| sent.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(header("authorization"), Some("Bearer ACME_TOKEN's value"));
    assert_eq!(header("x-caller"), Some("acme/writer"));
}

#[test]
fn the_tenant_of_the_rest_form_is_the_callers_own() {
    let place = Place::new(Mode::Required);
    assert_eq!(place.get("/api/v1/mcp/tools?tenant_id=acme", &place.reader).status, 200);
    let said = place.get("/api/v1/mcp/tools?tenant_id=partner", &place.reader);
    assert_eq!((said.status, said.json()["error_type"].as_str()), (403, Some("VALIDATION_ERROR")));
}

#[test]
fn callers_without_a_credential_are_the_tenant_public_if_that_is_allowed() {
    let place = Place::new(Mode::Optional);
    let listed = place.bench.modern("tools/list", json!({})).json();
    assert_eq!(names(&listed["result"]["tools"]), ["bye"]);
    assert_eq!(place.tools("/mcp", &place.reader), ["get_order"]);
    // A credential that is wrong is not as good as none.
    assert_eq!(place.ask("/mcp", "mek_wrong", "tools/list", json!({})).status, 401);
}

#[test]
fn a_session_belongs_to_whoever_opened_it() {
    let place = Place::new(Mode::Required);
    let (target, mut stream) = place.session(&place.reader);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let post = |key: &str| place.bench.send(&head("POST", &target, &[("x-api-key", key)]), body.as_bytes());
    assert_eq!(post(&place.partner).status, 404);
    assert_eq!(post(&place.reader).status, 202);
    let event = place.bench.block_on(stream.next()).unwrap();
    let event = String::from_utf8(event.to_vec()).unwrap();
    assert!(event.contains("get_order") && !event.contains("bye"), "{event}");
}

#[test]
fn only_those_who_see_a_change_hear_of_it_and_those_who_are_gone_hear_nothing() {
    let place = Place::new(Mode::Required);
    let listen = |key: &str| {
        let params = json!({"notifications": {"toolsListChanged": true}});
        place.ask("/mcp", key, "subscriptions/listen", params).stream.unwrap()
    };
    let (mut reader, mut partner) = (listen(&place.reader), listen(&place.partner));
    // `acme` loses a tool that it could see; `partner` never could.
    let fewer =
        place.tenants().replace("toolsets = [\"shop\"]", "toolsets = [\"shop\"]\n deny = [\"get_order\"]");
    place.bench.activate_for(&directory(Mode::Required, &fewer), &specs()).unwrap();
    let next = |stream: &mut EventStream| {
        place.bench.block_on(async {
            tokio::select! {
                biased;
                event = stream.next() => Some(event),
                () = tokio::task::yield_now() => None,
            }
        })
    };
    let event = next(&mut reader).unwrap().unwrap();
    assert!(String::from_utf8(event.to_vec()).unwrap().contains("list_changed"));
    assert!(next(&mut partner).is_none(), "nothing has changed for it");
    // The key of `partner` is taken away: its stream ends.
    let revoked = fewer.replace("id = \"p\"", "id = \"q\"");
    place.bench.activate_for(&directory(Mode::Required, &revoked), &specs()).unwrap();
    assert_eq!(next(&mut partner), Some(None));
}

#[test]
fn names_that_the_bundle_lacks_are_refused_with_what_was_meant() {
    let bench = Bench::new(&specs());
    let refused =
        |text: &str| bench.activate_for(&directory(Mode::Required, text), &specs()).unwrap_err().to_string();
    let message = refused("[tenant.acme]\ntoolsets = [\"shpo\"]\n");
    assert_eq!(message, "tenants.toml:2:13: the bundle has no toolset `shpo` (did you mean `shop`?)");
    let message = refused("[tenant.acme]\ntoolsets = [\"*\"]\nallow = [\"get_oder\", \"list_*\"]\n");
    assert_eq!(message, "tenants.toml:3:10: the bundle has no tool `get_oder` (did you mean `get_order`?)");
    let message = refused("[tenant.acme]\nvariables = { SHOP_TOKN = \"x\" }\n");
    assert!(message.contains("no variable `SHOP_TOKN` (did you mean `SHOP_TOKEN`?)"), "{message}");
    let message = refused("[tenant.acme]\nvariables = { SHOP_TOKEN = \"${MISSING_ONE}\" }\n");
    assert!(message.contains("`${MISSING_ONE}` has no value, and tenant `acme` needs it"), "{message}");
}

#[test]
fn the_rates_of_the_file_hold_for_a_tenant_and_for_a_key() {
    let place = Place::new(Mode::Required);
    let limited = place
        .tenants()
        .replace("toolsets = [\"shop\"]", "toolsets = [\"shop\"]\nrate = { calls = 3, seconds = 3600 }")
        .replace("id = \"reader\"", "id = \"reader\"\nrate = { calls = 1, seconds = 3600 }");
    place.bench.activate_for(&directory(Mode::Required, &limited), &specs()).unwrap();
    let call = |key: &str| {
        let said = place.ask("/mcp", key, "tools/call", json!({"name": "get_order"})).json();
        said["result"]["_meta"]["mcp-edge/error"]["reason"].as_str().map(str::to_owned)
    };
    // The key's own rate is asked first; what it refuses does not count for the tenant.
    assert_eq!((call(&place.reader), call(&place.reader)), (None, Some("rate_of_key".to_owned())));
    assert_eq!((call(&place.writer), call(&place.writer)), (None, None));
    assert_eq!(call(&place.writer), Some("rate_of_tenant".to_owned()));
    // Anything else than a call gets a status and a time.
    let said = place.ask("/mcp", &place.writer, "tools/list", json!({}));
    assert_eq!(said.status, 429);
    assert!(said.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    // Other tenants have their own.
    assert_eq!(place.tools("/mcp", &place.partner), ["bye"]);
}
