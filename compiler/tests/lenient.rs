//! `lenient = true`, from the spec to the request.

mod cli_support;

use cli_support::Workplace;

const SPEC: &str = r#"[toolset]
lenient = true

[upstream.shop]
url = "https://api.example.com/v1"

[[tool]]
name        = "place_order"
description = "Places an order for some articles of the shop."
upstream    = "shop"
method      = "POST"
endpoint    = "/orders"

[[tool.parameters]]
name        = "article"
description = "Number of the article"
required    = true

[[tool.parameters]]
name        = "count"
description = "How many"
type        = "integer"
minimum     = 1

[[tool.parameters]]
name        = "express"
description = "Whether it is urgent"
type        = "boolean"

[[tool.examples]]
arguments = { article = 43, count = "2", express = "true" }
request   = { body = { article = "43", count = 2, express = true } }

[[tool]]
name        = "strict_order"
description = "Places an order, and takes arguments as they are declared."
upstream    = "shop"
method      = "POST"
endpoint    = "/orders"
lenient     = false

[[tool.parameters]]
name        = "article"
description = "Number of the article"
required    = true

[[tool.examples]]
arguments = { article = "43" }
"#;

#[test]
fn examples_and_tries_are_converted() {
    let place = Workplace::with_spec(SPEC);
    let tested = place.run(&["test", "spec.toml"]);
    assert_eq!(tested.code, 0, "{}{}", tested.out, tested.err);
    let tried = place.run(&["try", "place_order", "--args", r#"{"article": 7, "count": "3"}"#]);
    assert!(tried.out.contains(r#"{"article":"7","count":3}"#), "{}{}", tried.out, tried.err);
    let refused = place.run(&["try", "place_order", "--args", r#"{"article": 7, "count": "0"}"#]);
    assert_eq!(refused.code, 1);
    assert!((refused.out + &refused.err).contains("`count` must be at least 1, not 0"));
}

#[test]
fn a_tool_may_say_otherwise_than_its_toolset() {
    let place = Workplace::with_spec(SPEC);
    let refused = place.run(&["try", "strict_order", "--args", r#"{"article": 7}"#]);
    assert_eq!(refused.code, 1);
    assert!((refused.out + &refused.err).contains("`article` must be a string"));
}

#[test]
fn the_published_schema_stays_and_older_edges_are_told() {
    let place = Workplace::with_spec(SPEC);
    assert_eq!(place.run(&["build", "spec.toml", "-o", "spec.mcpk"]).code, 0);
    let shown = place.run(&["inspect", "spec.mcpk", "--tool", "place_order"]).out;
    assert!(shown.contains("lenient    also takes arguments"), "{shown}");
    assert!(shown.contains(r#""count":{"type":"integer""#), "{shown}");
    let shown = place.run(&["inspect", "spec.mcpk", "--tool", "strict_order"]).out;
    assert!(!shown.contains("lenient"), "{shown}");
    let bundle = place.run(&["inspect", "spec.mcpk", "--format", "json"]).out;
    let bundle: serde_json::Value = serde_json::from_str(&bundle).unwrap();
    assert_eq!(bundle["features"], serde_json::json!(["lenient"]));
}

#[test]
fn a_wrong_value_of_the_key_is_told() {
    let place = Workplace::with_spec(SPEC.replace("lenient = true", "lenient = \"yes\""));
    let checked = place.run(&["check", "spec.toml"]);
    assert_eq!(checked.code, 1);
    let said = checked.out + &checked.err;
    assert!(said.contains("`lenient` must be `true` or `false`, not a string"), "{said}");
}
