//! `mcpc stats`, and budgets, as a user runs them.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Workplace};
use serde_json::Value;

/// A tool that keeps a part of a response that an example has.
fn selecting() -> String {
    let keys = "select = [\"id\"]\nmax_text_bytes = 500\nmax_results = 5\nanswer_schema = { type = \"object\", properties = { id = { type = \"string\", maxLength = 8 }, note = { type = \"string\" } } }\n[[tool.parameters]]";
    let body = format!("response = {{ body = {{ id = \"42\", note = \"{}\" }} }}\n", "word ".repeat(40));
    format!("{}{body}", CLEAN.replace("[[tool.parameters]]", keys))
}

fn json(place: &Workplace, arguments: &[&str]) -> Value {
    let done = place.run(&[&["stats", "--format", "json"], arguments].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

#[test]
fn parts_answers_and_longest_results_are_shown() {
    let place = Workplace::with_spec(selecting());
    let stats = json(&place, &["."]);
    let tool = &stats["tools"][0];
    let parts: u64 = tool["parts"].as_object().unwrap().values().map(|tokens| tokens.as_u64().unwrap()).sum();
    assert_eq!(parts, tool["tokens"].as_u64().unwrap());
    assert!(tool["parts"]["output"].as_u64().unwrap() > 0, "{tool}");
    let answer = &tool["answers"][0];
    assert!(answer["raw"]["tokens"].as_u64().unwrap() > 40, "{answer}");
    assert_eq!(answer["shown"]["bytes"], r#"{"id":"42"}"#.len());
    // `{"id":"…"}` with eight characters, each escaped.
    assert_eq!(tool["worst_result"]["text_bytes"], 2 + 6 + 8 * 6 + 2);
    assert_eq!(tool["worst_result"]["because"], "`output_schema`");
    let text = place.run(&["stats", "."]);
    assert!(text.out.starts_with("toolset spec: 1 tool, "), "{}", text.out);
    assert!(text.out.contains("█") && text.out.contains("longest results\n"), "{}", text.out);
}

#[test]
fn a_bundle_costs_what_its_specs_do() {
    let place = Workplace::with_spec(selecting());
    place.run(&["build", ".", "-o", "tools.mcpk"]);
    let (specs, bundle) = (json(&place, &["spec.toml"]), json(&place, &["tools.mcpk"]));
    assert_eq!(specs["tokens"], bundle["tokens"]);
    assert_eq!(specs["tools"][0]["worst_result"], bundle["tools"][0]["worst_result"]);
    assert_eq!(bundle["tools"][0]["answers"], serde_json::json!([]));
}

#[test]
fn tools_are_sorted_and_compared() {
    let place = Workplace::new();
    let other = CLEAN.replace("get_order", "a_shop").replace("Gets one order of one user.", "Gets a shop.");
    place.write("old/spec.toml", CLEAN);
    place.write("new/spec.toml", format!("{CLEAN}{other}").replace("one user", "one user of the shop"));
    let names = |sort: &str| {
        let stats = json(&place, &["new", "--sort", sort]);
        stats["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("name"), ["a_shop", "get_order"]);
    assert_eq!(names("tokens"), ["get_order", "a_shop"]);
    assert_eq!(names("description"), ["get_order", "a_shop"]);
    let stats = json(&place, &["new", "--against", "old"]);
    assert!(stats["tokens"].as_u64() > stats["tokens_before"].as_u64());
    assert_eq!(stats["tools"][1]["tokens_before"], Value::Null, "a new tool");
    let text = place.run(&["stats", "new", "--against", "old"]).out;
    assert!(text.contains("    new ") && text.contains(" before; tokens are"), "{text}");
    let estimated = json(&place, &["new", "--estimate"]);
    assert_eq!(estimated["tokenizer"], "estimate");
}

#[test]
fn what_cannot_be_read_is_said() {
    let place = Workplace::with_spec("[[tool]]\nname = 1\n");
    let done = place.run(&["stats", "."]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("MCP0103"), "{}", done.err);
    assert_eq!(place.run(&["stats", "none.mcpk"]).code, 2);
}

#[test]
fn a_budget_that_is_set_fails_the_check() {
    let place = Workplace::with_spec(CLEAN);
    for (budget, code) in [
        ("tool_tokens = 20", "error[MCP0806]"),
        ("list_tokens = 20", "error[MCP0807]"),
        ("toolset_tokens = 20", "error[MCP0808]"),
        ("result_bytes = 20", "error[MCP0809]"),
    ] {
        place.write("mcpc.toml", format!("[budget]\n{budget}\n"));
        let done = place.run(&["check", "."]);
        assert_eq!(done.code, 1, "{budget}");
        assert!(done.out.contains(code), "{budget}: {}", done.out);
        place.write(
            "mcpc.toml",
            format!(
                "[budget]\n{budget}\n[rules]\n{} = \"warn\"\n",
                match code {
                    "error[MCP0806]" => "tool-over-budget",
                    "error[MCP0807]" => "list-over-budget",
                    "error[MCP0808]" => "toolset-over-budget",
                    _ => "result-over-budget",
                }
            ),
        );
        assert_eq!(place.run(&["check", "."]).code, 0, "{budget}");
    }
    place.write(
        "mcpc.toml",
        "[budget]\ntool_tokens = 200\ntoolset_tokens = 200\nlist_tokens = 200\nresult_bytes = 2000000\n",
    );
    assert_eq!(place.run(&["check", ".", "--deny", "warnings"]).code, 0);
    place.write("mcpc.toml", "[budget]\ntoolset_token = 200\n");
    assert!(place.run(&["check", "."]).out.contains("did you mean `toolset_tokens`?"));
}
