//! Values of sensitive parameters: no file gets them.

use super::Place;
use serde_json::{Value, json};

const SIGN_IN: &str = r#"[upstream.shop]
url = "https://shop.example"

[[tool]]
name = "sign_in"
description = "Signs in at the shop."
upstream = "shop"
method = "POST"
endpoint = "/sign-in/{pin}"
response_template = "{{.user}} {{.echo}} {{.pin}}"

[[tool.parameters]]
name = "user"
description = "Who it is"
required = true

[[tool.parameters]]
name = "password"
description = "The password"
required = true
sensitive = true
position = "query"

[[tool.parameters]]
name = "pin"
description = "The number of the card"
required = true
sensitive = true
position = "path"
pattern = "^[0-9]{6}$"

[[tool.parameters]]
name = "codes"
description = "Codes for once"
type = "array"
items = { type = "string" }
min_items = 1
sensitive = true

[[tool.parameters]]
name = "level"
description = "The level"
type = "integer"
minimum = 1000
sensitive = true
"#;

const MARKERS: [&str; 5] = ["hunter2", "314159", "swordfish", "2718", "swordf"];

fn edit(response: &Value) -> Value {
    let arguments = json!({"user": "ada", "password": "hunter2 \"ü", "pin": "314159", "codes": ["swordfish"],
        "level": 2718});
    json!({"kind": "example", "tool": "sign_in", "title": "hunter2 \"ü signs in", "arguments": arguments,
        "response": response})
}

#[test]
fn no_sensitive_value_is_written_with_an_example() {
    let place = Place::mock(&[("shop.toml", SIGN_IN)]);
    let body = json!({"user": "ada", "echo": "you sent hunter2 \"ü", "pin": 314_159, "swordfish": true,
        "url": "https://shop.example/sign-in/314159?password=hunter2%20%22%C3%BC", "level": [2718]});
    let texts = [
        (body.to_string(), "application/json"),
        ("level=2718&password=hunter2+%22%C3%BC&code=swordfish".to_owned(), "text/plain; pin=314159"),
    ];
    for (body, content_type) in texts {
        let response = json!({"status": 200, "contentType": content_type, "body": body});
        let preview = place.posted("/api/studio/edits", &edit(&response)).to_string();
        let made = place.edit(&edit(&response), "shop.toml");
        assert_eq!(made.status, 200, "{}", made.body);
        let spec = place.read("shop.toml");
        for marker in MARKERS {
            assert!(!spec.contains(marker), "`{marker}` is in\n{spec}");
            assert!(!made.body.contains(marker) && !preview.contains(marker), "{preview}");
        }
        assert!(spec.contains("user = \"ada\"") && spec.contains("hidden signs in"), "{spec}");
        assert!(spec.contains("https://shop.example/sign-in/000000?password=hidden\""), "{spec}");
    }
    let report = place.posted("/api/studio/examples/run", &json!({"tool": "sign_in", "example": 1}));
    assert_eq!(report["summary"]["passed"], 1, "{report}");
}

#[test]
fn what_cannot_be_hidden_is_refused_in_words() {
    let spec = SIGN_IN.replace("[0-9]{6}", "[7-9]{6}");
    let place = Place::mock(&[("shop.toml", &spec)]);
    let mut wrong = edit(&json!({"body": "{}"}));
    wrong["arguments"]["pin"] = json!("789789");
    let refused = place.edit(&wrong, "shop.toml");
    assert_eq!((refused.status, refused.code().as_str()), (422, "not_possible"));
    assert!(
        refused.body.contains("`pin` is sensitive") && !refused.body.contains("789789"),
        "{}",
        refused.body
    );
    // The bytes are not UTF-8, and hold `swordfish`.
    let bytes = json!({"contentType": "image/png", "base64": "/3N3b3JkZmlzaP8="});
    let place = Place::mock(&[("shop.toml", SIGN_IN)]);
    let refused = place.edit(&edit(&bytes), "shop.toml");
    assert_eq!(refused.code(), "not_possible");
    assert!(refused.body.contains("without its answer"), "{}", refused.body);
    assert_eq!(place.read("shop.toml"), SIGN_IN);
}
