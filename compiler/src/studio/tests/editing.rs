use super::{Place, SHOP};
use serde_json::{Value, json};
use std::fs;

fn finding(place: &Place, code: &str) -> String {
    let findings = place.get("/api/studio/findings");
    let all = findings["findings"].as_array().unwrap();
    all.iter().find(|found| found["code"] == code).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_fix_is_previewed_made_and_undone() {
    let spec = SHOP.replace("description = \"Gets", "descripton = \"Gets").replace('\n', "\r\n");
    let place = Place::mock(&[("shop.toml", &spec)]);
    let id = finding(&place, "MCP0101");
    let preview = place.posted("/api/studio/edits", &json!({"kind": "fix", "finding": id}));
    assert_eq!((&preview["applied"], &preview["id"]), (&json!(false), &json!(null)));
    assert_eq!((&preview["before"]["errors"], &preview["after"]["errors"]), (&json!(1), &json!(0)));
    let diff = preview["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("-descripton = ") && diff.contains("+description = "), "{diff}");
    assert_eq!(place.read("shop.toml"), spec);

    let edit = json!({"kind": "fix", "finding": id});
    let made = place.edit(&edit, "shop.toml").json();
    assert_eq!((&made["applied"], &made["id"], &made["generation"]), (&json!(true), &json!(1), &json!(2)));
    assert_eq!(place.read("shop.toml"), spec.replace("descripton", "description"), "line ends stay");
    assert_eq!(place.edit(&edit, "shop.toml").status, 404, "the finding is gone");

    place.posted("/api/studio/edits/1/undo", &json!({}));
    assert_eq!(place.read("shop.toml"), spec);
    assert_eq!(place.post("/api/studio/edits/1/undo", &json!({})).code(), "not_possible");
    place.posted("/api/studio/edits/2/undo", &json!({}));
    assert_eq!(place.read("shop.toml"), spec.replace("descripton", "description"));
    assert_eq!(place.post("/api/studio/edits/9/undo", &json!({})).code(), "not_found");
    assert_eq!(place.get("/api/studio/edits")["edits"].as_array().unwrap().len(), 3);
}

#[test]
fn all_safe_fixes_of_a_file_are_one_edit() {
    let spec =
        SHOP.replace("description = \"Gets", "descripton = \"Gets").replace("position = ", "positon = ");
    let place = Place::mock(&[("shop.toml", &spec)]);
    let edit = json!({"kind": "fix_all", "path": place.name("shop.toml")});
    assert_eq!(place.edit(&edit, "shop.toml").json()["after"]["errors"], 0);
    assert_eq!(place.read("shop.toml"), SHOP);
    assert_eq!(place.edit(&edit, "shop.toml").code(), "not_possible", "there is nothing left to fix");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let hash = place.get(&format!("/api/studio/source?path={}", place.name("shop.toml")))["hash"].clone();
    let edit = |hash: &Value| {
        json!({"kind": "text", "tool": "get_order", "key": "title", "text": "Order", "apply": true,
            "hashes": {place.name("shop.toml"): hash}})
    };
    let others = SHOP.replace("Gets one", "Shows one");
    fs::write(place.path("shop.toml"), &others).unwrap();
    // Nobody has noticed yet: the last look before the write does.
    let answer = place.post("/api/studio/edits", &edit(&hash));
    assert_eq!((answer.status, answer.code().as_str()), (409, "stale_file"));
    assert_eq!(answer.json()["error"]["details"]["path"], place.name("shop.toml"));
    place.studio.refresh();
    assert_eq!(place.post("/api/studio/edits", &edit(&hash)).code(), "stale_file");
    assert_eq!(place.post("/api/studio/edits", &edit(&json!("sha256:0"))).code(), "stale_file");
    assert_eq!(place.read("shop.toml"), others);
    let answer = place.post(
        "/api/studio/edits",
        &json!({"kind": "text", "tool": "get_order", "key": "title",
        "text": "Order", "apply": true}),
    );
    assert_eq!(answer.code(), "bad_request", "an edit says what it was made for");
}

#[test]
fn an_edit_of_somebody_else_is_not_undone() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    place.edit(&json!({"kind": "text", "tool": "get_order", "key": "title", "text": "Order"}), "shop.toml");
    let others = place.read("shop.toml").replace("Gets one", "Shows one");
    fs::write(place.path("shop.toml"), &others).unwrap();
    assert_eq!(place.post("/api/studio/edits/1/undo", &json!({})).code(), "stale_file");
    assert_eq!(place.read("shop.toml"), others);
}

#[test]
fn texts_are_changed_added_and_removed() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let text = |key: &str, text: Value| {
        let edit = json!({"kind": "text", "tool": "get_order", "key": key, "text": text});
        place.edit(&edit, "shop.toml")
    };
    text("description", json!("Shows \"one\" order.\nUse it."));
    text("title", json!("Order"));
    text("error_template", json!("failed {{.why}}"));
    let one = place.get("/api/studio/tools/get_order");
    assert_eq!(
        (&one["description"], &one["title"]),
        (&json!("Shows \"one\" order.\nUse it."), &json!("Order"))
    );
    assert_eq!(place.get("/api/studio")["summary"]["errors"], 0);
    assert!(
        place.read("shop.toml").starts_with("# The shop.\n")
            && place.read("shop.toml").contains("# where it is")
    );
    for (key, old) in [
        ("error_template", json!(null)),
        ("title", json!(null)),
        ("description", json!("Gets one order of the shop.")),
    ] {
        assert_eq!(text(key, old).status, 200, "{key}");
    }
    assert_eq!(place.read("shop.toml"), SHOP);
    assert_eq!(text("title", json!(null)).code(), "not_possible");
    assert_eq!(text("name", json!("x")).code(), "bad_request");
}

#[test]
fn a_template_in_a_file_of_its_own_is_changed_there() {
    let spec = SHOP.replace("\"order {{.id}} is {{.state}}\"", "{ file = \"order.tmpl\" }");
    let place = Place::mock(&[("shop.toml", &spec), ("order.tmpl", "a\r\n{{.id}}\r\n")]);
    let edit =
        json!({"kind": "text", "tool": "get_order", "key": "response_template", "text": "a\nb\n{{.id}}\n"});
    assert_eq!(place.edit(&edit, "order.tmpl").status, 200);
    assert_eq!(place.read("order.tmpl"), "a\r\nb\r\n{{.id}}\r\n");
    assert_eq!(place.read("shop.toml"), spec);
    let shown =
        place.posted("/api/studio/tools/get_order/render", &json!({"text": "{{.state}}", "example": 1}));
    assert_eq!(shown["result"]["content"][0]["text"], "paid");
}

#[test]
fn a_call_becomes_an_example_that_passes() {
    for newline in ["\n", "\r\n"] {
        let spec = SHOP.replace('\n', newline);
        let place = Place::mock(&[("shop.toml", &spec)]);
        let response = json!({"status": 200, "contentType": "application/json", "body": "{\"id\":\"2\",\"state\":\"sent\"}"});
        let edit = json!({"kind": "example", "tool": "get_order", "title": "sent", "arguments": {"id": "2"}, "response": response});
        assert_eq!(place.edit(&edit, "shop.toml").json()["after"]["errors"], 0);
        let added = [
            "",
            "[[tool.examples]]",
            "title = \"sent\"",
            "arguments = { id = \"2\" }",
            "request = { method = \"GET\", url = \"https://shop.example/orders/2\" }",
            "response = { body = { id = \"2\", state = \"sent\" } }",
            "text = \"order 2 is sent\"",
            "",
        ];
        assert_eq!(place.read("shop.toml"), format!("{spec}{}", added.join(newline)));
        let report = place.posted("/api/studio/examples/run", &json!({"tool": "get_order"}));
        assert_eq!((&report["summary"]["examples"], &report["summary"]["failed"]), (&json!(2), &json!(0)));
    }
}

#[test]
fn an_example_that_toml_cannot_hold_is_refused() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    let edit = json!({"kind": "example", "tool": "get_order", "arguments": {"id": null}});
    assert_eq!(place.edit(&edit, "shop.toml").code(), "not_possible");
    let bytes = json!({"status": 200, "contentType": "image/png", "base64": "iVBORw0="});
    let edit = json!({"kind": "example", "tool": "get_order", "arguments": {"id": "3"}, "response": bytes});
    assert_eq!(place.edit(&edit, "shop.toml").status, 200);
    assert!(place.read("shop.toml").contains("body_base64 = \"iVBORw0=\""));
}

#[test]
fn the_source_can_be_edited_as_a_whole() {
    let place = Place::mock(&[("shop.toml", &SHOP.replace('\n', "\r\n"))]);
    // A page gives all line ends as line feeds.
    let text = SHOP.replace("Gets one", "Gets an");
    let edit = json!({"kind": "source", "path": place.name("shop.toml"), "text": text});
    assert_eq!(place.edit(&edit, "shop.toml").status, 200);
    assert_eq!(place.read("shop.toml"), text.replace('\n', "\r\n"));
    let edit = json!({"kind": "source", "path": place.name("shop.toml"), "text": "not = = toml"});
    assert_eq!(
        place.edit(&edit, "shop.toml").json()["after"]["errors"],
        1,
        "what is wrong is found like anywhere"
    );
}
