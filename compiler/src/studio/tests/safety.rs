use super::{Place, SHOP, folder};
use serde_json::json;
use std::fs;

#[test]
fn the_page_needs_no_token_and_the_api_does() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let page = place.ask("GET", "/", "", "");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    for path in ["/api/studio", "/api/studio/tools", "/api/studio/events", "/api/mcp/servers", "/api/nothing"]
    {
        assert_eq!(place.ask("GET", path, "", "").code(), "unauthorized", "{path}");
        let wrong = "authorization: Bearer 000000000000000000000000000000000000000000000000\r\n";
        assert_eq!(place.ask("GET", path, wrong, "").status, 401, "{path}");
    }
    assert_eq!(place.send("GET", "/api/nothing", "").code(), "not_found");
}

#[test]
fn nothing_inline_runs_and_nothing_is_loaded_from_elsewhere() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    for answer in
        [place.ask("GET", "/", "", ""), place.send("GET", "/api/studio", ""), place.ask("GET", "/x", "", "")]
    {
        let policy = answer.head.lines().find(|line| line.starts_with("content-security-policy: ")).unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'")
        );
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        assert!(answer.head.contains("x-content-type-options: nosniff"));
        assert!(answer.head.contains("referrer-policy: no-referrer"));
    }
}

#[test]
fn other_names_and_pages_of_elsewhere_are_refused() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    for host in ["evil.example", "evil.example:80", "localhost:1", "127.0.0.1"] {
        let answer = place.raw(&format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"));
        assert_eq!((answer.status, answer.code().as_str()), (403, "forbidden"), "{host}");
    }
    for origin in ["null", "http://evil.example", "https://127.0.0.1", "http://localhost:1"] {
        let answer = place.ask("POST", "/api/studio/edits", &format!("origin: {origin}\r\n"), "");
        assert_eq!(answer.status, 403, "{origin}");
    }
    let own = format!("origin: http://{}\r\n", place.address);
    assert_eq!(place.ask("GET", "/", &own, "").status, 200);
    assert_eq!(place.ask("GET", "/", "sec-fetch-site: cross-site\r\n", "").status, 403);
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let outside = folder(&[("secret.toml", "secret = 1")]);
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let secret = outside.path().join("secret.toml").display().to_string();
    let below = format!("{}/../{}", place.folder.path().display(), "secret.toml");
    for path in ["/etc/passwd", "../secret.toml", "..%2f..%2fetc%2fpasswd", "%00", "", &secret, &below] {
        let answer = place.send("GET", &format!("/api/studio/source?path={path}"), "");
        assert_eq!(answer.status, 404, "{path}");
    }
    let edit = json!({"kind": "source", "path": secret, "text": "x", "apply": true, "hashes": {}});
    assert_eq!(place.post("/api/studio/edits", &edit).code(), "not_found");
    for path in ["/../Cargo.toml", "/..%2fCargo.toml", "//etc/passwd", "/index.html/../x"] {
        assert_eq!(place.ask("GET", path, "", "").status, 404, "{path}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("secret.toml")).unwrap(), "secret = 1");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_neither_read_nor_written() {
    let secret = "secret = \"of the outside\"\n";
    let outside = folder(&[("shop.toml", SHOP), ("pw", secret)]);
    let inside = folder(&[("own.toml", &SHOP.replace("shop", "own").replace("get_order", "own_order"))]);
    for (file, link) in [("shop.toml", "shop.toml"), ("pw", "pw.toml"), ("pw", "mcpc.toml")] {
        std::os::unix::fs::symlink(outside.path().join(file), inside.path().join(link)).unwrap();
    }
    std::os::unix::fs::symlink(inside.path().join("own.toml"), inside.path().join("z.toml")).unwrap();
    let place = Place::with(inside, |places| places.is_mock = true);
    for name in ["shop.toml", "pw.toml", "mcpc.toml"] {
        let source = place.get(&format!("/api/studio/source?path={}", place.name(name)));
        assert_eq!((&source["text"], &source["writable"]), (&json!(""), &json!(false)), "{name}");
        let why = source["findings"][0]["message"].as_str().unwrap();
        assert!(why.contains("leads out of the folders"), "{why}");
    }
    let everything =
        [place.get("/api/studio/specs"), place.get("/api/studio/findings"), place.get("/api/studio/tools")];
    assert!(everything.iter().all(|answer| !answer.to_string().contains("of the outside")));
    let edit = json!({"kind": "source", "path": place.name("shop.toml"), "text": "x = 1"});
    assert_eq!(place.edit(&edit, "shop.toml").code(), "forbidden");
    assert_eq!(fs::read_to_string(outside.path().join("shop.toml")).unwrap(), SHOP);
    let inner = place.get(&format!("/api/studio/source?path={}", place.name("z.toml")));
    assert!(
        inner["text"].as_str().unwrap().contains("own_order"),
        "a link within the folder is a file of it"
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_somebody_names_is_read_and_not_written() {
    let outside = folder(&[("shop.toml", SHOP)]);
    let inside = folder(&[]);
    std::os::unix::fs::symlink(outside.path().join("shop.toml"), inside.path().join("shop.toml")).unwrap();
    let place = Place::with(inside, |places| {
        let file = places.paths.first().unwrap().join("shop.toml");
        places.paths = vec![file];
        places.is_mock = true;
    });
    assert_eq!(place.get("/api/studio/specs")["files"][0]["writable"], false);
    let edit = json!({"kind": "text", "tool": "get_order", "key": "title", "text": "Order"});
    assert_eq!(place.edit(&edit, "shop.toml").code(), "forbidden");
    assert_eq!(fs::read_to_string(outside.path().join("shop.toml")).unwrap(), SHOP);
}

#[test]
fn a_read_only_studio_writes_nothing() {
    let place = Place::with(folder(&[("shop.toml", SHOP)]), |places| {
        places.is_mock = true;
        places.is_read_only = true;
    });
    assert_eq!(place.get("/api/studio")["readOnly"], true);
    let edit = json!({"kind": "text", "tool": "get_order", "key": "title", "text": "Order"});
    assert_eq!(place.edit(&edit, "shop.toml").code(), "read_only");
    let server =
        json!({"id": "wiki", "url": "http://127.0.0.1:9/mcp", "authType": "bearer", "apiKey": "s3cret"});
    assert_eq!(place.post("/api/mcp/servers", &server).code(), "read_only");
    assert_eq!(place.send("DELETE", "/api/mcp/servers/wiki", "").code(), "read_only");
    assert_eq!(place.post("/api/studio/edits/1/undo", &json!({})).code(), "read_only");
    let choice = json!({"tools": [], "apply": true});
    assert_eq!(place.send("PUT", "/api/mcp/servers/wiki/tools", &choice.to_string()).code(), "read_only");
    // What it would be can be seen.
    assert_eq!(place.post("/api/studio/edits", &edit).json()["applied"], false);
    assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 1);
    assert_eq!(place.read("shop.toml"), SHOP);
}

#[test]
fn bodies_are_bounded_and_must_be_json() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let long = "x".repeat(super::super::MAX_BODY + 1);
    let answer = place.send("POST", "/api/studio/edits", &long);
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    for body in [
        "{",
        "[]",
        "1",
        "{\"kind\": 1}",
        "{\"kind\": \"fix\", \"kind\": \"fix\"}",
        "{\"kind\":\"fix\",\"x\":1}",
    ] {
        assert_eq!(place.send("POST", "/api/studio/edits", body).code(), "bad_request", "{body}");
    }
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(place.send("POST", "/api/studio/tools/get_order/preview", &deep).code(), "bad_request");
    let token = format!("authorization: Bearer {}\r\ncontent-type: text/plain\r\n", place.token);
    assert_eq!(place.ask("POST", "/api/studio/edits", &token, "{}").code(), "bad_request");
}

#[test]
fn wrong_methods_name_the_right_ones() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let answer = place.send("DELETE", "/api/mcp/servers", "");
    assert_eq!((answer.status, answer.code().as_str()), (405, "method_not_allowed"));
    assert!(answer.head.contains("allow: GET, POST"), "{}", answer.head);
    assert_eq!(place.ask("POST", "/", "", "").status, 405);
    let head = place.send("HEAD", "/api/studio/tools", "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}
