use super::{Answer, Place, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const KEY: &str = "s3cret-key-of-tests";

/// An MCP server that wants a key. It answers until the test ends.
struct Wiki {
    port: u16,
    tools: Arc<Mutex<Value>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Wiki {
    fn start() -> Wiki {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let schema =
            json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
        let tools = json!([
            {"name": "search", "description": "Finds pages of the wiki by words.", "inputSchema": schema},
            {"name": "page.get", "description": "Gets <img src=x onerror=alert(1)> one page.", "inputSchema": {"type": "object"}},
        ]);
        let wiki = Wiki { port, tools: Arc::new(Mutex::new(tools)), heads: Arc::default() };
        let (tools, heads) = (Arc::clone(&wiki.tools), Arc::clone(&wiki.heads));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (tools, heads) = (Arc::clone(&tools), Arc::clone(&heads));
                std::thread::spawn(
                    move || while answer(stream.as_ref().unwrap(), &tools, &heads).is_some() {},
                );
            }
        });
        wiki
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

/// Answers one request; `None` at the end of the connection.
fn answer(mut stream: &TcpStream, tools: &Mutex<Value>, heads: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::with_capacity(1, stream);
    let (mut head, mut line) = (String::new(), String::new());
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        head.push_str(&line.to_ascii_lowercase());
    }
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match message["method"].as_str().unwrap_or_default() {
        _ if !head.contains(&format!("authorization: bearer {KEY}")) => Err(401),
        "initialize" => Ok(json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "Wiki", "version": "1.2"}})),
        "tools/list" => Ok(json!({"tools": *tools.lock().unwrap()})),
        "tools/call" => {
            let text = format!("{} with {KEY}", message["params"]["arguments"]);
            Ok(json!({"content": [{"type": "text", "text": text}]}))
        }
        method if method.starts_with("notifications/") => Err(202),
        "" => Err(405),
        _ => Ok(Value::Null),
    };
    heads.lock().unwrap().push(head);
    let (status, body) = match result {
        Err(status) => (status, String::new()),
        Ok(Value::Null) => {
            let error = json!({"code": -32601, "message": "Method not found"});
            (200, json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string())
        }
        Ok(result) => (200, json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .ok()
}

fn added(place: &Place, wiki: &Wiki) -> Value {
    let server = json!({"id": "wiki", "name": "维基", "url": wiki.url(), "transport": "http", "authType": "bearer",
        "apiKey": KEY, "headers": {"X-Region": "eu-north"}, "timeout": 2500, "createdAt": "2026-01-01T00:00:00Z"});
    let answer = place.post("/api/mcp/servers", &server);
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()
}

fn choose(place: &Place, body: &Value) -> Answer {
    let mut body = body.clone();
    let servers = place.get("/api/mcp/servers");
    body["hash"] = servers["servers"][0]["hash"].clone();
    body["apply"] = json!(true);
    place.send("PUT", "/api/mcp/servers/wiki/tools", &body.to_string())
}

#[test]
fn a_server_is_added_and_comes_back_exactly_without_its_key() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[]), |_| {}));
    let server = added(&place, &wiki);
    for (name, value) in [
        ("id", json!("wiki")),
        ("name", json!("维基")),
        ("url", json!(wiki.url())),
        ("transport", json!("http")),
        ("authType", json!("bearer")),
        ("hasApiKey", json!(true)),
        ("timeout", json!(2500)),
        ("headers", json!({"x-region": "${WIKI_X_REGION}"})),
        ("status", json!("disconnected")),
        ("selectedTools", json!([])),
        ("isPreset", json!(false)),
    ] {
        assert_eq!(server[name], value, "{name}");
    }
    assert_eq!(place.get("/api/mcp/servers")["servers"], json!([server]));
    let spec = place.read("wiki.toml");
    assert!(!spec.contains(KEY) && !spec.contains("eu-north"), "{spec}");
    assert_eq!(place.read(".mcpc/secrets.env"), format!("WIKI_TOKEN='{KEY}'\nWIKI_X_REGION='eu-north'\n"));
    assert_eq!(place.get("/api/studio")["summary"]["errors"], 0, "its tools may be chosen later");
    let again = json!({"id": "wiki", "url": wiki.url()});
    assert_eq!(place.post("/api/mcp/servers", &again).code(), "exists");
}

#[test]
fn a_server_is_tested_saved_or_not() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[]), |_| {}));
    let unsaved = |key: &str| json!({"id": "wiki", "url": wiki.url(), "authType": "bearer", "apiKey": key});
    let good = place.posted("/api/mcp/servers/test", &unsaved(KEY));
    assert_eq!((&good["status"], &good["tools"]), (&json!("connected"), &json!(2)));
    let bad = place.posted("/api/mcp/servers/test", &unsaved("wrong-key"));
    assert_eq!((&bad["status"], &bad["error"]["code"]), (&json!("error"), &json!("MCP_AUTH_FAILED")));
    assert!(!place.path("wiki.toml").exists() && !place.path(".mcpc").exists(), "nothing is written");
    let mut page = place.events();
    added(&place, &wiki);
    page.next("specs");
    let tested = place.posted("/api/mcp/servers/wiki/test", &json!({}));
    assert_eq!((&tested["status"], &tested["serverInfo"]["name"]), (&json!("connected"), &json!("Wiki")));
    assert_eq!(tested["capabilities"], json!({"tools": {}}));
    assert_eq!(page.next("server"), json!({"id": "wiki", "status": "connected"}));
    assert_eq!(place.get("/api/mcp/servers")["servers"][0]["status"], "connected");
    assert!(wiki.heads.lock().unwrap().last().unwrap().contains("x-region: eu-north"));
}

#[test]
fn tools_are_chosen_dropped_and_pinned_again() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[]), |_| {}));
    added(&place, &wiki);
    let listed = place.get("/api/mcp/servers/wiki/tools");
    let states: Vec<&Value> = listed["tools"].as_array().unwrap().iter().map(|tool| &tool["state"]).collect();
    assert_eq!(states, ["new", "new"]);
    assert!(listed["tools"][0]["description"].as_str().unwrap().contains("<img"), "text, whatever is in it");

    assert_eq!(choose(&place, &json!({"tools": ["search", "page.get"]})).status, 200);
    let chosen = place.get("/api/mcp/servers")["servers"][0]["selectedTools"].clone();
    let expected = json!([
        {"name": "page.get", "tool": "wiki_page_get", "enabled": true, "parameterMappings": {}},
        {"name": "search", "tool": "wiki_search", "enabled": true, "parameterMappings": {}}]);
    assert_eq!(chosen, expected);
    let both = place.read("wiki.toml");

    wiki.tools.lock().unwrap()[0]["description"] = json!("Finds all pages of the wiki.");
    let listed = place.get("/api/mcp/servers/wiki/tools");
    let search = &listed["tools"][1];
    assert_eq!((&search["state"], &search["changes"][0]["part"]), (&json!("changed"), &json!("description")));
    assert!(search["changes"][0]["words"].to_string().contains(r#"{"kind":"added","text":"all"#), "{search}");
    let answer = choose(&place, &json!({"tools": ["search", "page.get"], "repin": ["search"]}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(place.get("/api/mcp/servers/wiki/tools")["tools"][1]["state"], "same");

    assert_eq!(choose(&place, &json!({"tools": ["search"]})).status, 200);
    let one = place.read("wiki.toml");
    assert!(!one.contains("page.get") && one.contains("Finds all pages"), "{one}");
    assert_eq!(choose(&place, &json!({"tools": ["search"]})).code(), "not_possible", "nothing is different");
    let wrong = choose(&place, &json!({"tools": ["serch"]}));
    assert!(wrong.status == 422 && wrong.body.contains("did you mean `search`"), "{}", wrong.body);
    for id in [4, 3] {
        place.posted(&format!("/api/studio/edits/{id}/undo"), &json!({}));
    }
    assert_eq!(place.read("wiki.toml"), both);
    *wiki.tools.lock().unwrap() = json!([]);
    let gone = place.get("/api/mcp/servers/wiki/tools")["gone"].clone();
    assert_eq!(gone.as_array().unwrap().len(), 2);
}

#[test]
fn tools_are_called_chosen_or_not_and_no_key_is_shown() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[]), |_| {}));
    added(&place, &wiki);
    let call = |arguments: Value| {
        place.post(
            "/api/mcp/tools/call",
            &json!({"serverId": "wiki", "toolName": "search", "arguments": arguments}),
        )
    };
    for _ in 0..2 {
        let result = call(json!({"query": "x"})).json();
        assert_eq!(result["content"][0]["text"], "{\"query\":\"x\"} with ${WIKI_TOKEN}");
        let refused = call(json!({}));
        assert_eq!(refused.code(), "not_possible");
        assert!(!refused.body.contains("mcpc_studio"), "{}", refused.body);
        choose(&place, &json!({"tools": ["search"]}));
    }
    let unknown = json!({"serverId": "wiki", "toolName": "serch", "arguments": {}});
    assert_eq!(place.post("/api/mcp/tools/call", &unknown).status, 404);
    assert_eq!(place.post("/api/mcp/tools/call", &json!({})).code(), "bad_request");
}

#[test]
fn a_server_is_changed_and_the_rest_of_its_spec_stays() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[]), |_| {}));
    let hash = added(&place, &wiki)["hash"].clone();
    let before = place.read("wiki.toml");
    let put = |body: &Value| place.send("PUT", "/api/mcp/servers/wiki", &body.to_string());
    let changed = put(&json!({"url": "https://wiki.example/mcp", "timeout": 10_000, "hash": hash}));
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(
        (&changed.json()["url"], &changed.json()["timeout"]),
        (&json!("https://wiki.example/mcp"), &json!(10_000))
    );
    let expected =
        before.replace(&wiki.url(), "https://wiki.example/mcp").replace("seconds = 2.5", "seconds = 10");
    assert_eq!(place.read("wiki.toml"), expected);
    assert_eq!(put(&json!({"timeout": 5, "hash": hash})).code(), "stale_file");
    assert_eq!(put(&json!({"apiKey": "another-key"})).json()["hasApiKey"], true);
    assert!(place.read(".mcpc/secrets.env").starts_with("WIKI_TOKEN='another-key'\n"));
    assert_eq!(place.read("wiki.toml"), expected);
    for bad in [
        json!({}),
        json!({"url": "ftp://a"}),
        json!({"timeout": "x"}),
        json!({"timeout": 5}),
        json!({"name": "x"}),
    ] {
        assert_eq!(put(&bad).code(), "bad_request", "{bad}");
    }
    place.posted("/api/studio/edits/2/undo", &json!({}));
    assert_eq!(place.read("wiki.toml"), before);
}

#[test]
fn a_server_is_deleted_with_its_file_and_comes_back() {
    let (wiki, place) = (Wiki::start(), Place::with(folder(&[("shop.toml", super::SHOP)]), |_| {}));
    added(&place, &wiki);
    let spec = place.read("wiki.toml");
    let deleted = place.send("DELETE", "/api/mcp/servers/wiki", "").json();
    assert_eq!(deleted, json!({"deleted": true, "edit": 2}));
    assert!(!place.path("wiki.toml").exists());
    assert_eq!(place.send("DELETE", "/api/mcp/servers/wiki", "").status, 404);
    place.posted("/api/studio/edits/2/undo", &json!({}));
    assert_eq!(place.read("wiki.toml"), spec);
    assert_eq!(place.send("DELETE", "/api/mcp/servers/shop", "").status, 404, "an HTTP API is no MCP server");
}

#[test]
fn a_server_that_shares_its_file_is_not_deleted() {
    let shared =
        format!("{}\n[upstream.wiki]\nkind = \"mcp\"\nurl = \"https://wiki.example/mcp\"\n", super::SHOP);
    let place = Place::with(folder(&[("shop.toml", &shared)]), |_| {});
    assert_eq!(place.send("DELETE", "/api/mcp/servers/wiki", "").code(), "not_possible");
    assert_eq!(place.read("shop.toml"), shared);
}

#[test]
fn wrong_servers_are_refused_with_reasons() {
    let place = Place::with(folder(&[]), |_| {});
    let url = "http://127.0.0.1:9/mcp";
    for (server, word) in [
        (json!({}), "url"),
        (json!({"url": "ftp://a"}), "http"),
        (json!({"url": "https://me:pass@a.example/"}), "password"),
        (json!({"url": url, "id": "A b"}), "a_b"),
        (json!({"url": url, "transport": "stdio"}), "sse"),
        (json!({"url": url, "authType": "magic"}), "bearer"),
        (json!({"url": url, "authType": "none", "apiKey": "x"}), "authType"),
        (json!({"url": url, "id": "w", "apiKey": "a\nb"}), "control"),
        (json!({"url": url, "id": "w", "headers": {"x": 1}}), "headers"),
        (json!({"url": url, "id": "w", "headers": {"a b": "x"}}), "header"),
        (json!({"url": url, "id": "w", "timeout": "soon"}), "not a string"),
        (json!({"url": url, "id": "w", "timeout": -5}), "of milliseconds from 1 to 86400000, not `-5`"),
        (json!({"url": url, "id": "w", "timeout": 1.5}), "not `1.5`"),
        (json!({"url": url, "id": "w", "timeout": 86_400_001}), "from 1 to 86400000"),
        (json!({"url": url, "id": "w", "maxRetries": 11}), "from 0 to 10, not `11`"),
        (json!({"preset": "nobody/nothing"}), "modelscope/fetch"),
    ] {
        let answer = place.post("/api/mcp/servers", &server);
        assert!(matches!(answer.status, 400 | 422) && answer.body.contains(word), "{server} {}", answer.body);
    }
    let specs: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().collect();
    assert_eq!(specs.len(), 0, "nothing is written");
}

#[test]
fn a_studio_of_files_adds_no_server_that_it_would_not_see() {
    let place = Place::with(folder(&[("shop.toml", super::SHOP)]), |places| {
        let file = places.paths.first().unwrap().join("shop.toml");
        places.paths = vec![file];
    });
    let server = json!({"id": "wiki", "url": "http://127.0.0.1:9/mcp", "authType": "bearer", "apiKey": KEY});
    let answer = place.post("/api/mcp/servers", &server);
    assert_eq!((answer.status, answer.code().as_str()), (422, "not_possible"));
    let folder = crate::files::disk::display(place.folder.path());
    assert!(answer.body.contains(&format!("mcpc studio {folder}")), "{}", answer.body);
    let files: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "neither a spec nor a key is written");
}

#[test]
fn retries_are_those_of_the_documents() {
    let place = Place::with(folder(&[]), |_| {});
    let url = "http://127.0.0.1:9/mcp";
    let cases = [
        ("a", json!({}), 3, ""),
        ("b", json!({"retryOnError": false, "maxRetries": 5}), 0, "retry_count = 0\n"),
        ("c", json!({"retryOnError": true, "maxRetries": 5}), 5, "retry_count = 5\n"),
        ("d", json!({"retryOnError": true}), 3, "retry_count = 3\n"),
    ];
    for (id, mut server, most, line) in cases {
        server["id"] = json!(id);
        server["url"] = json!(url);
        let added = place.posted("/api/mcp/servers", &server);
        assert_eq!((&added["maxRetries"], &added["retryOnError"]), (&json!(most), &json!(most > 0)), "{id}");
        let spec = place.read(&format!("{id}.toml"));
        assert!(spec.contains(line) && spec.contains("retry_count") != line.is_empty(), "{spec}");
    }
    let hash = place.get("/api/mcp/servers")["servers"][2]["hash"].clone();
    let change = json!({"maxRetries": 1, "hash": hash});
    let changed = place.send("PUT", "/api/mcp/servers/c", &change.to_string());
    assert_eq!(changed.json()["maxRetries"], 1, "{}", changed.body);
    assert!(place.read("c.toml").contains("retry_count = 1\n"));
}

#[test]
fn arguments_that_the_spec_gives_are_mappings() {
    let spec = "[upstream.wiki]\nkind = \"mcp\"\nurl = \"http://127.0.0.1:9/mcp\"\n\n[[tool]]\nname = \"search\"\ndescription = \"Searches.\"\nupstream = \"wiki\"\n[[tool.parameters]]\nname = \"region\"\ndescription = \"Where\"\nvalue = \"${REGION}\"\n[[tool.parameters]]\nname = \"q\"\ndescription = \"What\"\n";
    let place = Place::with(folder(&[("wiki.toml", spec)]), |_| {});
    let tools = place.get("/api/mcp/servers")["servers"][0]["selectedTools"].clone();
    assert_eq!(tools[0]["parameterMappings"], json!({"region": "${REGION}"}));
}

#[test]
fn a_key_without_a_value_says_where_it_is_typed() {
    let place = Place::with(folder(&[]), |_| {});
    let server = json!({"id": "wiki", "url": "http://127.0.0.1:9/mcp", "authType": "bearer",
        "apiKey": "${DEAD_TOKEN_OF_TESTS}"});
    place.posted("/api/mcp/servers", &server);
    for (path, body) in [("/api/mcp/servers/wiki/test", json!({})), ("/api/mcp/servers/test", server)] {
        let answer = place.post(path, &body);
        assert_eq!(answer.code(), "not_usable");
        let error = answer.json()["error"].clone();
        let message = "`DEAD_TOKEN_OF_TESTS` has no value: type the key of the server (`apiKey`), or set it";
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
        assert_eq!(error["details"]["variables"], json!(["${DEAD_TOKEN_OF_TESTS}"]));
    }
}

#[test]
fn presets_are_those_of_the_import() {
    let place = Place::with(folder(&[]), |_| {});
    let presets = place.get("/api/mcp/presets");
    assert_eq!(presets["presets"][0]["id"], "modelscope/fetch");
    assert_eq!(presets["presets"][0]["name"], "网页内容抓取");
    let added = place.posted("/api/mcp/servers", &json!({"preset": "modelscope/fetch"}));
    assert_eq!(
        (&added["id"], &added["isPreset"], &added["presetType"]),
        (&json!("fetch"), &json!(true), &json!("modelscope"))
    );
}
