//! `mcpc replay` as people type it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::Workplace;
use mcp_bundle::json::Canonical;

const SPEC: &str = r#"[upstream.shop]
url     = "https://api.example.com/v1"
headers = { authorization = "Bearer ${SHOP_TOKEN}" }

[[tool]]
name        = "create_order"
description = "Places an order for some articles."
upstream    = "shop"
method      = "POST"
endpoint    = "/orders"
headers     = { x-day = '{{ now | date "2006-01-02" }}' }

[[tool.parameters]]
name        = "items"
description = "The articles"
required    = true
type        = "object"

[[tool]]
name        = "hours"
description = "Tells when the shop is open."
respond     = "From 9 to 5."
"#;

/// A place with `old.mcpk`, `new.mcpk` and a function that makes lines of the old one.
struct Place {
    place: Workplace,
    revision: String,
}

impl Place {
    fn new() -> Place {
        let place = Workplace::with_spec(SPEC);
        let build = |name: &str| {
            let done = place.run(&["build", "spec.toml", "--output", name]);
            assert_eq!(done.code, 0, "{}", done.err);
        };
        build("old.mcpk");
        place.write(
            "spec.toml",
            SPEC.replace("/v1", "/v2").replace("name        = \"hours\"", "name        = \"times\""),
        );
        build("new.mcpk");
        let verified = place.run(&["verify", "old.mcpk"]).out;
        let revision = verified.lines().find_map(|line| line.strip_prefix("revision   ")).unwrap().to_owned();
        Place { place, revision }
    }

    fn line(&self, id: &str, tool: &str, outcome: &str, arguments: &str) -> String {
        let digest: String =
            Canonical::default().digest(arguments).iter().map(|byte| format!("{byte:02x}")).collect();
        let revision = &self.revision;
        format!(
            "{{\"time\":\"t\",\"event\":\"call\",\"request_id\":\"{id}\",\"tool\":\"{tool}\",\"revision\":\"{revision}\",\
             \"outcome\":\"{outcome}\",\"now_ms\":1795000000000,\"seed\":\"00000000000000ff\",\
             \"arguments_sha256\":\"{digest}\",\"arguments\":{arguments}}}\n"
        )
    }

    fn log(&self, lines: &[String]) {
        self.place.write("audit.jsonl", lines.concat());
    }
}

#[test]
fn a_request_is_derived_byte_for_byte_without_secrets() {
    let place = Place::new();
    // Space and order inside an argument reach the upstream as they are; the time is that of the call.
    place.log(&[
        place.line("r-1", "create_order", "ok", r#"{ "items": {"b" : 1.50, "a":"\u00e9"} }"#),
        place.line("r-2", "create_order", "invalid_arguments", "{}"),
        place.line("r-3", "hours", "ok", "{}"),
    ]);
    let done = place.place.run(&["replay", "audit.jsonl", "--bundle", "old.mcpk"]);
    let expected = r#"line 1: create_order (r-1)
POST https://api.example.com/v1/orders
authorization: Bearer ${SHOP_TOKEN}
x-day: 2026-11-18
content-type: application/json

{"items":{"b" : 1.50, "a":"\u00e9"}}

line 2: create_order (r-2)
1 problem with the arguments of `create_order`:
- `items` is required (object)

line 3: hours (r-3)
nothing is sent: the response is fixed

lines      3
derived    3 of 3 calls
"#;
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, expected, ""));
}

#[test]
fn calls_that_another_bundle_changes_are_shown_with_what_changes() {
    let place = Place::new();
    place.log(&[
        place.line("r-1", "create_order", "ok", r#"{"items":{}}"#),
        place.line("r-2", "create_order", "invalid_arguments", "{}"),
        place.line("r-3", "hours", "ok", "{}"),
    ]);
    let compare = ["replay", "audit.jsonl", "--bundle", "old.mcpk", "--against", "new.mcpk"];
    let done = place.place.run(&compare);
    let expected = "\
line 1: create_order (r-1)
- POST https://api.example.com/v1/orders
+ POST https://api.example.com/v2/orders

line 3: hours (r-3)
- nothing is sent: the response is fixed
+ there is no such tool

lines      3
derived    3 of 3 calls
differ     2
";
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (1, expected, ""));
    let same = place.place.run(&["replay", "audit.jsonl", "--bundle", "old.mcpk", "--against", "old.mcpk"]);
    assert_eq!((same.code, same.out.as_str()), (0, "lines      3\nderived    3 of 3 calls\ndiffer     0\n"));
    let json = place.place.run(&[&compare[..], &["--format", "json"]].concat());
    assert_eq!(json.code, 1);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json["revision"].as_str(), &json["summary"]["differ"]), (Some(&*place.revision), &2.into()));
    assert_eq!(json["lines"][0]["against"]["request"]["url"], "https://api.example.com/v2/orders");
    assert_eq!(
        (&json["lines"][1]["line"], &json["lines"][1]["against"]["unknown_tool"]),
        (&3.into(), &true.into())
    );
}

#[test]
fn what_cannot_be_derived_is_counted() {
    let place = Place::new();
    let good = place.line("r-1", "hours", "ok", "{}");
    let hidden = good.replace("\"arguments\":", "\"hidden\":[\"password\"],\"arguments\":");
    let without = good.replace(",\"arguments\":{}", "");
    let altered = good.replace("\"arguments\":{}", "\"arguments\":{\"a\":1}");
    let other = good.replace(&place.revision, "00");
    let contradicting = place.line("r-2", "hours", "invalid_arguments", "{}");
    let refused = "{\"time\":\"t\",\"event\":\"refused\"}\n".to_owned();
    let dropped = "{\"time\":\"t\",\"event\":\"dropped\",\"lines\":7}\n".to_owned();
    let torn = "{\"time\":\"t\",\"ev".to_owned();
    place.log(&[good, hidden, without, altered, other, contradicting, refused, dropped, torn]);
    let done = place.place.run(&["replay", "audit.jsonl", "--bundle", "old.mcpk", "--format", "json"]);
    assert_eq!(done.code, 1);
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let expected = serde_json::json!({
        "lines": 9, "calls": 5, "derived": 2, "differ": 0, "contradict": 1, "other_revision": 1,
        "without_arguments": 1, "hidden": 1, "refused": 1, "dropped": 7, "broken": 2,
    });
    assert_eq!(json["summary"], expected);
    let human = place.place.run(&["replay", "audit.jsonl", "--bundle", "old.mcpk"]).out;
    for part in [
        "line 4: broken: its `arguments` are not those of its `arguments_sha256`",
        "line 9: broken: it has no end",
        "note: the edge refused these arguments; its limits may be others",
        "skipped    1: calls of another revision",
        "dropped    7: lines that the edge left out",
        "broken     2: lines that cannot be read",
    ] {
        assert!(human.contains(part), "{part} in\n{human}");
    }
}

#[test]
fn a_log_of_another_bundle_is_no_success() {
    let place = Place::new();
    place.log(&[place.line("r-1", "hours", "ok", "{}")]);
    let done = place.place.run(&["replay", "audit.jsonl", "--bundle", "new.mcpk"]);
    assert_eq!(done.code, 1);
    assert!(done.err.starts_with("note: no call could be derived with revision "), "{}", done.err);
    place.log(&[]);
    assert_eq!(place.place.run(&["replay", "audit.jsonl", "--bundle", "new.mcpk"]).code, 0);
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = Place::new();
    for (arguments, told) in [
        (
            ["replay", "none.jsonl", "--bundle", "old.mcpk"],
            "error: `none.jsonl` cannot be read: no such file",
        ),
        (["replay", ".", "--bundle", "old.mcpk"], "error: `.` is a folder, not an audit log"),
        (["replay", "spec.toml", "--bundle", "none.mcpk"], "error: `none.mcpk` cannot be read: no such file"),
        (["replay", "spec.toml", "--bundle", "spec.toml"], "error: `spec.toml`: "),
    ] {
        let done = place.place.run(&arguments);
        assert_eq!(done.code, 2, "{}", done.err);
        assert!(done.err.starts_with(told), "{}", done.err);
    }
}
