//! Credentials of upstreams, from the spec to the wire and to what callers and operators see.

use mcpc_tests::{TOKEN, Upstream, World, answer, json};
use serde_json::json;

const TOOL: &str = "[[tool]]\nname = \"t\"\ndescription = \"Does what the test asks for.\"\nupstream = \"api\"\n\
                    method = \"POST\"\nendpoint = \"/t\"\n";

fn spec(auth: &str) -> String {
    format!("[upstream.api]\nurl = \"UPSTREAM\"\n[upstream.api.auth]\n{auth}\n{TOOL}")
}

fn token_spec(kind: &str, server: &Upstream) -> String {
    spec(&format!(
        "kind = \"{kind}\"\ntoken_url = \"http://{}/token\"\nclient_id = \"edge\"\nclient_secret = \"${{TOKEN}}\"\n\
         client_auth = \"post\"",
        server.address
    ))
}

fn token(name: &str) -> String {
    format!(r#"{{"access_token":"{name}","token_type":"Bearer","expires_in":3600}}"#)
}

#[test]
fn fixed_credentials_are_part_of_every_request() {
    let key = |rest: &str| format!("kind = \"api_key\"\nvalue = \"a ${{TOKEN}}\"\n{rest}");
    for (auth, header, line) in [
        (
            "kind = \"bearer\"\ntoken = \"${TOKEN}\"".to_owned(),
            ("authorization", format!("Bearer {TOKEN}")),
            "/t",
        ),
        (key("name = \"X-Key\""), ("x-key", format!("a {TOKEN}")), "/t"),
        (key("name = \"a key\"\nin = \"query\""), ("x-none", String::new()), "/t?a%20key=a%20"),
    ] {
        let world = World::new(&spec(&auth));
        world.upstream.answers(json("{}"));
        assert!(!world.call("t", json!({})).is_error());
        let request = world.upstream.request(0);
        let sent = request.header(header.0);
        assert_eq!(sent.first().cloned().unwrap_or_default(), header.1);
        assert!(request.line().starts_with(&format!("POST {line}")), "{}", request.line());
    }
    let world = World::new(&spec("kind = \"basic\"\nusername = \"u\"\npassword = \"${TOKEN}\""));
    world.upstream.answers(json("{}"));
    assert!(!world.call("t", json!({})).is_error());
    let sent = world.upstream.request(0).header("authorization");
    assert_eq!(sent, ["Basic dTpzM2NyM3QtVDBrM24tdmFsdWU="], "one header");
}

#[test]
fn a_token_is_fetched_kept_and_replaced_when_it_is_refused() {
    let server = Upstream::start();
    let world = World::new(&token_spec("oauth2", &server));
    server.answers(json(token("first")));
    server.answers(json(token("second")));
    world.upstream.answers(json("{}"));
    world.upstream.answers(answer(401, "text/plain", "expired"));
    world.upstream.always_answers(json("{}"));
    for _ in 0..3 {
        assert!(!world.call("t", json!({})).is_error());
    }
    let sent = (0..4).map(|number| world.upstream.request(number).header("authorization").concat());
    assert_eq!(sent.collect::<Vec<_>>(), ["Bearer first", "Bearer first", "Bearer second", "Bearer second"]);
    assert_eq!(server.count(), 2);
    let asked = server.request(0);
    let form = format!("grant_type=client_credentials&client_id=edge&client_secret={TOKEN}");
    assert_eq!((asked.line().as_str(), asked.body()), ("POST /token HTTP/1.1", form));
    assert_eq!(world.metric("mcp_edge_token_fetches_total{upstream=\"api\",outcome=\"ok\"}"), 2);
}

#[test]
fn a_call_without_a_token_says_so_and_is_not_sent() {
    let server = Upstream::start();
    let world = World::new(&token_spec("oauth2", &server));
    server.always_answers(answer(
        401,
        "application/json",
        format!(r#"{{"error":"invalid_client","d":"{TOKEN}"}}"#),
    ));
    let said = world.call("t", json!({}));
    let expected = "Upstream request failed: there is no credential for the API: the token server answered with status \
                    401 and the error `invalid_client`. Calling again will not help; the operator of this tool server \
                    has to look at it.";
    assert_eq!((said.is_error(), said.text().as_str()), (true, expected));
    assert_eq!(said.result()["_meta"]["mcp-edge/error"]["reason"], "credential_unavailable");
    let said = world.invoke("t", json!({}));
    assert_eq!((said.status, said.json()["error_type"].as_str()), (503, Some("SERVICE_ERROR")));
    assert!(!said.body.contains(TOKEN), "{}", said.body);
    assert_eq!((server.count(), world.upstream.count()), (1, 0));
    assert_eq!(world.metric("mcp_edge_token_fetches_total{upstream=\"api\",outcome=\"refused\"}"), 1);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"upstream_failed\"}"), 2);
}

#[test]
fn an_exchange_needs_a_caller_who_has_something_to_exchange() {
    let server = Upstream::start();
    let world = World::new(&token_spec("exchange", &server));
    let said = world.call("t", json!({}));
    assert_eq!(said.result()["_meta"]["mcp-edge/error"]["reason"], "caller_token_required");
    assert!(said.text().contains("Sign in"), "{}", said.text());
    assert_eq!((server.count(), world.upstream.count()), (0, 0));
}
