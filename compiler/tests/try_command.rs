//! `mcpc try` as people type it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{Done, Workplace};
use std::io::Write;
use std::process::Stdio;

const SPEC: &str = r#"[upstream.shop]
url     = "https://api.example.com/v1"
headers = { accept = "application/json", authorization = "Bearer ${SHOP_TOKEN}" }

[[tool]]
name        = "get_order"
description = "Gets one order of one user, with its items."
upstream    = "shop"
method      = "GET"
endpoint    = "/orders/{orderId}"
response_template = "Order {{ .id }}: {{ .status }}"
error_template    = "The shop says: {{ .message }}"

[[tool.parameters]]
name        = "orderId"
description = "Id of the order"
required    = true
position    = "path"

[[tool.parameters]]
name        = "key"
description = "The key of the shop"
value       = "${SHOP_KEY}"
position    = "query"

[[tool]]
name        = "create_order"
description = "Places an order for some articles."
upstream    = "shop"
method      = "POST"
endpoint    = "/orders"
headers     = { x-tenant = "${tenant.id}" }
output_schema = { type = "object", properties = { id = { type = "integer" } }, required = ["id"] }

[[tool.parameters]]
name        = "note"
description = "Words for the shop"
required    = true

[[tool]]
name        = "hours"
description = "Tells when the shop is open."
respond     = "From 9 to 5."
"#;

fn place() -> Workplace {
    Workplace::with_spec(SPEC)
}

fn run_with_input(place: &Workplace, arguments: &[&str], input: &str) -> Done {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_exact_request_is_shown_without_secrets() {
    let place = place();
    let arguments = ["try", "get_order", "--args", r#"{"orderId":"a b/c"}"#];
    let expected = "\
GET https://api.example.com/v1/orders/a%20b%2Fc?key=${SHOP_KEY}
accept: application/json
authorization: Bearer ${SHOP_TOKEN}
";
    let done = place.run(&arguments);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, expected, ""));
    // Whatever the environment holds.
    let with =
        place.command(&arguments).env("SHOP_TOKEN", "hunter2").env("SHOP_KEY", "hunter3").output().unwrap();
    assert_eq!(String::from_utf8(with.stdout).unwrap(), expected);
}

#[test]
fn a_body_follows_an_empty_line() {
    let done = place().run(&["try", "create_order", "--args", r#"{"note":"${SHOP_TOKEN} é"}"#, "spec.toml"]);
    let expected = "\
POST https://api.example.com/v1/orders
accept: application/json
authorization: Bearer ${SHOP_TOKEN}
x-tenant: ${tenant.id}
content-type: application/json

{\"note\":\"${SHOP_TOKEN} é\"}
";
    assert_eq!((done.code, done.out.as_str()), (0, expected), "{}", done.err);
}

#[test]
fn arguments_come_from_a_file_or_standard_input() {
    let place = place();
    place.write("args.json", "{\"orderId\": \"7\"}\n");
    let line = "GET https://api.example.com/v1/orders/7?key=${SHOP_KEY}\n";
    assert!(place.run(&["try", "get_order", "--args", "@args.json"]).out.starts_with(line));
    assert!(
        run_with_input(&place, &["try", "get_order", "--args", "-"], "{\"orderId\":\"7\"}")
            .out
            .starts_with(line)
    );
    let missing = place.run(&["try", "get_order", "--args", "@none.json"]);
    assert_eq!(missing.code, 2);
    assert_eq!(missing.err, "error: `none.json` cannot be read: no such file or directory\n");
}

#[test]
fn refused_arguments_are_explained_as_to_a_model() {
    let place = place();
    let done = place.run(&["try", "get_order", "--args", r#"{"orderid":"7"}"#]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.starts_with("2 problems with the arguments of `get_order`:\n- "), "{}", done.err);
    for bad in ["", "{", "[]", "orderId=7", "{\"orderId\":\"..\"}", "{\"orderId\":\"a\\u0000\"}", "-1"] {
        let done = place.run(&["try", "get_order", "--args", bad]);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{bad}: {}", done.err);
    }
    // `{}` is the default.
    let done = place.run(&["try", "get_order"]);
    assert!(done.code == 1 && done.err.contains("`orderId`"), "{}", done.err);
}

#[test]
fn wrong_usage_exits_2() {
    let place = place();
    place.write("r.json", "{}");
    for (bad, message) in [
        (&["try"][..], "TOOL"),
        (&["try", "get_oder"], "error: there is no tool `get_oder`; did you mean `get_order`?\n"),
        (&["try", "zzzzzz"], "error: there is no tool `zzzzzz`\n"),
        (&["try", "get_order", "nowhere.toml"], "cannot be read"),
        (&["try", "get_order", "--status", "404"], "--response"),
        (&["try", "get_order", "--content-type", "text/html"], "--response"),
        (&["try", "get_order", "--response", "r.json", "--status", "99"], "99"),
        (&["try", "get_order", "--response", "none.json"], "`none.json` cannot be read"),
        (&["try", "get_order", "--response", "r.json", "--curl"], "--curl"),
        (&["try", "get_order", "--send", "--curl"], "--curl"),
        (&["try", "get_order", "--send", "--response", "r.json"], "--response"),
        (&["try", "get_order", "--tenant", "t"], "--send"),
        (&["try", "get_order", "--args", "-", "--response", "-"], "standard input"),
        (&["try", "get_order", "--format", "xml"], "xml"),
    ] {
        let done = place.run(bad);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{bad:?}: {}", done.err);
        assert!(done.err.contains(message), "{bad:?}: {}", done.err);
    }
}

#[test]
fn specs_with_errors_are_refused() {
    let place = Workplace::with_spec(SPEC.replace("{orderId}", "{orderID}"));
    let done = place.run(&["try", "get_order", "--args", "{}"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains("error[MCP0301]"), "{}", done.err);
}

#[test]
fn a_curl_command_expands_variables_and_nothing_else() {
    let place = place();
    let done =
        place.run(&["try", "create_order", "--curl", "--args", r#"{"note":"it's $(id) `id` \"$HOME\""}"#]);
    let expected = r#"curl \
  --request POST \
  'https://api.example.com/v1/orders' \
  --header 'accept: application/json' \
  --header 'authorization: Bearer '"$SHOP_TOKEN" \
  --header 'x-tenant: '"$TENANT_ID" \
  --header 'content-type: application/json' \
  --data-raw '{"note":"it'\''s $(id) `id` \"$HOME\""}'
"#;
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, expected, ""));
    let done = place.run(&["try", "get_order", "--curl", "--args", r#"{"orderId":"$SHOP_KEY"}"#]);
    assert!(
        done.out.contains("  'https://api.example.com/v1/orders/%24SHOP_KEY?key='\"$SHOP_KEY\" \\\n"),
        "{}",
        done.out
    );
    let note = "note: `${SHOP_KEY}` is inserted unencoded; the edge encodes it for its position\n";
    assert_eq!(done.err, note);
}

/// The command as a real shell reads it: `curl` is replaced by something that prints its arguments.
#[cfg(unix)]
#[test]
fn a_shell_reads_the_curl_command_as_it_was_meant() {
    let place = place();
    for note in ["it's $(id) `id` \"$HOME\" \\ !! ; | & \n x", "'", "''\"'$'", "é 🦀 ~ * ? [a] {b,c}"] {
        let arguments = serde_json::json!({ "note": note }).to_string();
        let done = place.run(&["try", "create_order", "--curl", "--args", &arguments]);
        let script = format!("curl() {{ for word; do printf '%s\\0' \"$word\"; done; }}\n{}", done.out);
        let mut shell = std::process::Command::new("/bin/sh");
        let output =
            shell.arg("-c").arg(&script).env("SHOP_TOKEN", "to ken").env("TENANT_ID", "t").output().unwrap();
        let words = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = words.split('\0').collect();
        assert_eq!(words[..3], ["--request", "POST", "https://api.example.com/v1/orders"], "{script}");
        assert!(
            words.contains(&"authorization: Bearer to ken") && words.contains(&"x-tenant: t"),
            "{words:?}"
        );
        assert_eq!(words[words.len() - 2], arguments, "{script}");
        assert_eq!(output.stderr, b"");
    }
}

#[test]
fn the_result_of_an_answer_is_shown_as_a_model_gets_it() {
    let place = place();
    place.write("answer.json", r#"{"id":7,"status":"paid"}"#);
    let done = place.run(&["try", "get_order", "--response", "answer.json"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "text:\nOrder 7: paid\n\nisError: false\n"),
        "{}",
        done.err
    );
    let input = r#"{"message":"gone"}"#;
    let done = run_with_input(&place, &["try", "get_order", "--response", "-", "--status", "404"], input);
    assert_eq!(
        (done.code, done.out.as_str()),
        (1, "text:\nThe shop says: gone\n\nisError: true\n"),
        "{}",
        done.err
    );
    let done = place.run(&["try", "create_order", "--response", "answer.json"]);
    let expected = "text:\n{\"id\":7,\"status\":\"paid\"}\n\nstructuredContent:\n{\n  \"id\": 7,\n  \"status\": \"paid\"\n}\n\nisError: false\n";
    assert_eq!((done.code, done.out.as_str()), (0, expected), "{}", done.err);
    // Arguments are checked if they are given.
    let done = place.run(&["try", "get_order", "--response", "answer.json", "--args", "{}"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
}

#[test]
fn an_answer_that_cannot_be_shaped_fails() {
    let place = place();
    place.write("answer.txt", "<html>");
    let done = place.run(&["try", "get_order", "--response", "answer.txt", "--content-type", "text/html"]);
    assert_eq!(done.code, 1);
    assert!(done.err.starts_with("warning: `response_template` failed: "), "{}", done.err);
    place.write("answer.json", r#"{"id":"seven"}"#);
    let done = place.run(&["try", "create_order", "--response", "answer.json"]);
    assert_eq!(done.code, 1);
    assert!(done.err.starts_with("warning: `output_schema` failed: "), "{}", done.err);
}

#[test]
fn a_fixed_answer_needs_no_request() {
    let done = place().run(&["try", "hours"]);
    assert_eq!((done.code, done.out.as_str()), (0, "text:\nFrom 9 to 5.\n\nisError: false\n"));
    assert_eq!(done.err, "note: `hours` answers without a request: nothing is sent\n");
}

#[test]
fn json_has_the_documented_shape() {
    let place = place();
    let done = place.run(&["try", "create_order", "--args", r#"{"note":"x"}"#, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((&document["version"], &document["tool"]), (&1.into(), &"create_order".into()));
    assert_eq!(document["request"]["method"], "POST");
    assert_eq!(document["request"]["url"], "https://api.example.com/v1/orders");
    assert_eq!(document["request"]["headers"]["authorization"], "Bearer ${SHOP_TOKEN}");
    assert_eq!(document["request"]["body"], r#"{"note":"x"}"#);
    assert!(document["result"].is_null() && document["status"].is_null());
    place.write("answer.json", r#"{"id":7}"#);
    let done = place.run(&["try", "create_order", "--response", "answer.json", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert!(document["request"].is_null());
    assert_eq!(document["result"]["structuredContent"], serde_json::json!({"id": 7}));
    assert_eq!(document["result"]["content"][0]["text"], r#"{"id":7}"#);
}

#[test]
fn nothing_that_an_answer_holds_steers_the_terminal() {
    let place = place();
    place.write("answer.json", r#"{"id":7,"status":"\u001b[2J"}"#);
    let done = place.run(&["try", "get_order", "--response", "answer.json"]);
    assert_eq!(done.out, "text:\nOrder 7: ␛[2J\n\nisError: false\n");
}

#[test]
fn a_given_answer_has_its_status_in_the_document() {
    let place = place();
    let arguments = ["try", "get_order", "--response", "-", "--status", "404", "--format", "json"];
    let done = run_with_input(&place, &arguments, r#"{"message":"none"}"#);
    assert_eq!(done.code, 1);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["status"], 404);
    let done =
        run_with_input(&place, &["try", "get_order", "--response", "-"], r#"{"id":1,"status":"paid"}"#);
    assert_eq!(done.out, "text:\nOrder 1: paid\n\nisError: false\n");
}

#[test]
fn arguments_in_a_file_may_start_with_a_byte_order_mark() {
    let place = place();
    place.write("call.json", "\u{feff}{\"orderId\":\"1\"}");
    let done = place.run(&["try", "get_order", "--args", "@call.json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("GET https://api.example.com/v1/orders/1?"), "{}", done.out);
}
