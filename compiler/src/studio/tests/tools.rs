use super::{Place, SHOP, folder};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

#[test]
fn tools_are_listed_with_findings_and_tokens() {
    let broken = "[[tool]]\nname = \"bad\"\ndescripton = \"Misspelt.\"\nmethod = \"GET\"\nendpoint = \"https://a.example/\"\n";
    let place = Place::mock(&[("shop.toml", SHOP), ("broken.toml", broken)]);
    let tools = place.get("/api/studio/tools");
    let by_name = |name: &str| -> Value {
        tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone()
    };
    let (order, bad) = (by_name("get_order"), by_name("bad"));
    assert_eq!(
        (&order["usable"], &order["errors"]),
        (&json!(true), &json!(0)),
        "another file's error is not its"
    );
    assert_eq!((&bad["usable"], &bad["errors"]), (&json!(false), &json!(1)));
    assert!(order["tokens"].as_u64().unwrap() > 10 && order["line"] == 6);
    let answer = place.post("/api/studio/tools/bad/preview", &json!({}));
    assert_eq!(answer.code(), "not_usable");
    let one = place.get("/api/studio/tools/get_order");
    assert_eq!(one["inputSchema"]["required"], json!(["id"]));
    assert_eq!(one["entry"]["name"], "get_order");
    assert_eq!(one["parameters"][0]["position"], "path");
    assert_eq!(one["variables"], json!([{"name": "SHOP_TOKEN_OF_TESTS", "set": false}]));
    assert_eq!(one["examples"][0]["response"]["body"], json!({"id": "1", "state": "paid"}));
    assert_eq!(one["end"]["line"], 23);
    let findings = place.get("/api/studio/findings");
    let of_bad: Vec<&Value> =
        findings["findings"].as_array().unwrap().iter().filter(|found| found["tool"] == "bad").collect();
    assert!(
        of_bad.iter().any(|found| found["code"] == "MCP0101" && found["fixes"][0]["applicability"] == "safe")
    );
    let answer = place.send("GET", "/api/studio/tools/get_ordr", "");
    assert!(answer.status == 404 && answer.body.contains("did you mean `get_order`"), "{}", answer.body);
}

#[test]
fn a_request_is_shown_as_it_would_be_sent() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let preview = |body: &Value| place.posted("/api/studio/tools/get_order/preview", body);
    let shown = preview(&json!({"arguments": {"id": "a b"}}));
    assert_eq!(shown["valid"], true);
    let line =
        "GET /orders/a%20b HTTP/1.1\nhost: shop.example\nauthorization: Bearer ${SHOP_TOKEN_OF_TESTS}\n";
    assert_eq!(shown["http"], line);
    assert_eq!(shown["request"]["url"], "https://shop.example/orders/a%20b");
    assert!(shown["curl"].as_str().unwrap().contains("'authorization: Bearer '\"$SHOP_TOKEN_OF_TESTS\""));
    let wrong = preview(&json!({"arguments": {"id": 1, "x": 2}}));
    assert_eq!((&wrong["valid"], &wrong["request"]), (&json!(false), &json!(null)));
    let kinds: Vec<&str> = wrong["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"wrong_type") && kinds.contains(&"unknown_argument"), "{kinds:?}");
    let text = preview(&json!({"argumentsText": "{\"id\": "}));
    assert_eq!(text["problems"][0]["kind"], "not_json");
    assert_eq!(preview(&json!({"arguments": [1]}))["problems"][0]["kind"], "not_an_object");
}

#[test]
fn a_mock_answers_from_the_examples() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let sent = place.posted("/api/studio/tools/get_order/send", &json!({"arguments": {"id": "1"}}));
    assert_eq!(
        (&sent["source"], &sent["example"], &sent["status"]),
        (&json!("mock"), &json!(1), &json!(200))
    );
    assert_eq!(sent["result"]["content"][0]["text"], "order 1 is paid");
    assert_eq!(sent["result"]["isError"], false);
    assert!(sent["tokens"]["before"].as_u64().unwrap() > sent["tokens"]["after"].as_u64().unwrap());
    let refused = place.post("/api/studio/tools/get_order/send", &json!({"arguments": {}}));
    assert_eq!((refused.status, refused.code().as_str()), (422, "not_possible"));
    assert_eq!(refused.json()["error"]["details"]["problems"][0]["argument"], "id");
    let twice = place.post("/api/studio/tools/get_order/send", &json!({"arguments": {"x": 1}})).json();
    let message = twice["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(" (and 1 more problem)") && !message.contains('\n'), "{message}");
    let called = place.posted("/api/mcp/tools/call", &json!({"name": "get_order", "arguments": {"id": "1"}}));
    assert_eq!(called["content"][0]["text"], "order 1 is paid");
}

/// Answers one request with its own `authorization` header in the body.
fn echo() -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let handle = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..read]);
        }
        let body = "{\"state\":\"<script>alert(1)</script>\",\"id\":\"hunter2-of-tests\"}";
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        String::from_utf8(request).unwrap()
    });
    (port, handle)
}

#[test]
fn a_live_call_is_sent_once_and_no_value_of_a_variable_is_shown() {
    let (port, upstream) = echo();
    let spec = SHOP.replace("https://shop.example", &format!("http://127.0.0.1:{port}"));
    let place = Place::with(
        folder(&[("shop.toml", &spec), ("a.env", "SHOP_TOKEN_OF_TESTS=hunter2-of-tests\n")]),
        |places| {
            let file = places.paths.first().unwrap().join("a.env");
            places.env_files.push(file);
        },
    );
    let sent = place.posted("/api/studio/tools/get_order/send", &json!({"arguments": {"id": "7"}}));
    let request = upstream.join().unwrap();
    assert!(request.contains("authorization: Bearer hunter2-of-tests"), "{request}");
    assert_eq!((&sent["source"], &sent["status"]), (&json!("upstream"), &json!(200)));
    assert!(!sent.to_string().contains("hunter2"), "{sent}");
    let text = "order ${SHOP_TOKEN_OF_TESTS} is <script>alert(1)</script>";
    assert_eq!(sent["result"]["content"][0]["text"], text, "a text, whatever is in it");
    assert!(sent["raw"]["text"].as_str().unwrap().contains("${SHOP_TOKEN_OF_TESTS}"));
}

#[test]
fn a_call_without_its_variables_says_which() {
    let place = Place::with(folder(&[("shop.toml", SHOP)]), |_| {});
    let answer = place.post("/api/studio/tools/get_order/send", &json!({"arguments": {"id": "7"}}));
    assert_eq!((answer.status, answer.code().as_str()), (409, "not_usable"));
    assert_eq!(answer.json()["error"]["details"]["variables"], json!(["${SHOP_TOKEN_OF_TESTS}"]));
}

#[test]
fn a_template_is_shown_while_it_is_edited() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let render = |body: Value| place.posted("/api/studio/tools/get_order/render", &body);
    let text = |value: &Value| value["result"]["content"][0]["text"].clone();
    assert_eq!(text(&render(json!({"example": 1}))), "order 1 is paid");
    assert_eq!(text(&render(json!({"text": "{{.state}}!", "example": 1}))), "paid!");
    assert_eq!(text(&render(json!({"text": "", "body": "{\"a\":1}"}))), "{\"a\":1}");
    let error = render(
        json!({"key": "error_template", "text": "failed: {{.why}}", "status": 500, "body": "{\"why\":\"x\"}"}),
    );
    assert_eq!((text(&error), &error["result"]["isError"]), (json!("failed: x"), &json!(true)));
    let wrong = render(json!({"text": "a\nb {{if}}", "example": 1}));
    assert_eq!((&wrong["valid"], &wrong["result"]), (&json!(false), &json!(null)));
    assert_eq!(wrong["findings"][0]["start"]["line"], 2, "{wrong}");
    assert_eq!(place.read("shop.toml"), SHOP, "nothing is written");
    for bad in
        [json!({"key": "description"}), json!({"status": 99}), json!({"base64": "?"}), json!({"example": 9})]
    {
        assert!(place.post("/api/studio/tools/get_order/render", &bad).status >= 400, "{bad}");
    }
}

/// A tool with a template of its request, and one of an MCP server.
const TEMPLATED: &str = r#"[upstream.shop]
url = "https://shop.example"
[upstream.wiki]
kind = "mcp"
url = "https://wiki.example/mcp"

[[tool]]
name = "add_order"
description = "Adds an order."
upstream = "shop"
method = "POST"
endpoint = "/orders"
body_template = { go = '{"item": {{.item | toJson}}}' }
[[tool.parameters]]
name = "item"
description = "What to order"
required = true
[[tool.examples]]
arguments = { item = "tea" }

[[tool]]
name = "search"
description = "Searches the wiki."
upstream = "wiki"
pin = "sha256:15066d7ddf2cf2f521a1e4eec18e7e01e310c9ae96a8bd4125d4d43ac1f4716b"
arguments_template = { go = '{"query": {{.words | toJson}}}' }
[[tool.parameters]]
name = "words"
description = "What to search for"
required = true
[tool.pinned]
input_schema = '{"type": "object"}'
"#;

#[test]
fn templates_of_requests_are_shown_while_they_are_edited() {
    let place = Place::mock(&[("shop.toml", TEMPLATED)]);
    assert_eq!(place.get("/api/studio")["summary"]["errors"], 0);
    let order = |body: Value| place.posted("/api/studio/tools/add_order/render", &body);
    let body = |value: &Value| value["preview"]["request"]["body"].clone();
    assert_eq!(body(&order(json!({"key": "body_template", "example": 1}))), "{\"item\": \"tea\"}");
    let edited = |more: Value| {
        let mut asked = json!({"key": "body_template", "text": "[{{.item | toJson}}]"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        order(asked)
    };
    assert_eq!(body(&edited(json!({"arguments": {"item": "a\"b"}}))), "[\"a\\\"b\"]");
    let refused = edited(json!({"argumentsText": "{}"}));
    assert_eq!((&refused["valid"], &refused["preview"]["valid"]), (&json!(true), &json!(false)));
    assert_eq!(refused["preview"]["problems"][0]["argument"], "item");
    let wrong = order(json!({"key": "body_template", "text": "{{if}}", "arguments": {"item": "a"}}));
    assert_eq!((&wrong["valid"], &wrong["preview"]), (&json!(false), &json!(null)));
    assert_eq!(wrong["findings"][0]["start"]["line"], 1, "{wrong}");

    let asked = json!({"key": "arguments_template", "text": "{\"q\": {{.words | toJson}}}", "arguments": {"words": "tea"}});
    let shown = place.posted("/api/studio/tools/search/render", &asked);
    let message: Value = serde_json::from_str(body(&shown).as_str().unwrap()).unwrap();
    assert_eq!(message["params"]["arguments"], json!({"q": "tea"}), "{shown}");
    for (tool, bad) in [
        ("search", json!({"key": "body_template"})),
        ("add_order", json!({"key": "arguments_template"})),
        ("add_order", json!({"key": "body_template", "status": 200})),
        ("add_order", json!({"arguments": {}})),
    ] {
        let answer = place.post(&format!("/api/studio/tools/{tool}/render"), &bad);
        assert_eq!(answer.code(), "bad_request", "{bad}");
    }
    assert_eq!(place.read("shop.toml"), TEMPLATED, "nothing is written");
}

#[test]
fn examples_are_run() {
    let failing = SHOP.replace("state = \"paid\" } }", "state = \"paid\" } }\ntext = \"order 1 is sent\"");
    let place = Place::mock(&[("shop.toml", &failing)]);
    let report = place.posted("/api/studio/examples/run", &json!({}));
    assert_eq!((&report["summary"]["failed"], &report["tests"][0]["status"]), (&json!(1), &json!("failed")));
    assert_eq!(report["tests"][0]["failures"][0]["actual"], "order 1 is paid");
    let one = place.posted("/api/studio/examples/run", &json!({"tool": "get_order", "example": 1}));
    assert_eq!(one["summary"]["examples"], 1);
    assert_eq!(
        place.post("/api/studio/examples/run", &json!({"tool": "get_order", "example": 2})).status,
        404
    );
}

#[test]
fn pages_hear_of_changes_on_disk_and_by_others() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let (mut one, mut two) = (place.events(), place.events());
    fs::write(place.path("shop.toml"), SHOP.replace("Gets one", "Gets an")).unwrap();
    place.studio.refresh();
    for page in [&mut one, &mut two] {
        let event = page.next("specs");
        assert_eq!((&event["generation"], &event["files"]), (&json!(2), &json!([place.name("shop.toml")])));
    }
    place.studio.refresh();
    fs::write(place.path("new.toml"), "").unwrap();
    place.studio.refresh();
    assert_eq!(one.next("specs")["generation"], 3, "what did not change is no event");
    drop(place);
    one.next("goodbye");
}

#[test]
fn an_empty_folder_is_one_to_begin_in() {
    let place = Place::with(folder(&[]), |_| {});
    let session = place.get("/api/studio");
    assert!(session["problem"].as_str().unwrap().contains("no tool specs"), "{session}");
    assert_eq!(place.get("/api/studio/tools")["tools"], json!([]));
    fs::write(place.path("shop.toml"), SHOP).unwrap();
    place.studio.refresh();
    assert_eq!(place.get("/api/studio")["problem"], json!(null));
    assert_eq!(place.get("/api/studio/tools")["tools"][0]["name"], "get_order");
}

#[test]
fn a_folder_that_goes_away_is_said_to_be_and_its_tools_are_shown() {
    let outer = folder(&[]);
    let (specs, aside) = (outer.path().join("specs"), outer.path().join("aside"));
    fs::create_dir(&specs).unwrap();
    fs::write(specs.join("shop.toml"), SHOP).unwrap();
    let place = Place::with(outer, |places| {
        places.is_mock = true;
        places.paths = vec![specs.clone()];
    });
    let before = place.get("/api/studio");
    fs::rename(&specs, &aside).unwrap();
    place.studio.refresh();
    let away = place.get("/api/studio");
    let why = format!("`{}` cannot be read: it is not there", place.name("specs"));
    assert_eq!(away["problem"], why);
    for member in ["summary", "secretsFile", "paths"] {
        assert_eq!(away[member], before[member], "{member}");
    }
    let sent = place.posted("/api/studio/tools/get_order/send", &json!({"arguments": {"id": "1"}}));
    assert_eq!(sent["result"]["content"][0]["text"], "order 1 is paid");
    place.studio.refresh();
    assert_eq!(place.get("/api/studio")["generation"], away["generation"], "it is away once");
    fs::rename(&aside, &specs).unwrap();
    place.studio.refresh();
    assert_eq!(place.get("/api/studio")["problem"], json!(null));
    assert_eq!(place.get("/api/studio")["summary"], before["summary"]);
}
