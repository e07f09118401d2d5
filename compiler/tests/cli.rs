//! The command line as people and CI jobs use it.

mod cli_support;

use cli_support::{CLEAN, Workplace};

const BROKEN: &str = r#"
[[tool]]
name = "get_order"
description = "Gets one order of one user."
method = "get"
endpoint = "https://api.example.com/orders/{orderId}"
"#;

#[test]
fn clean_specs_exit_0_findings_1_and_bad_usage_2() {
    let place = Workplace::with_spec(CLEAN);
    let done = place.run(&["check"]);
    assert_eq!((done.code, done.out.as_str()), (0, "checked 1 file: 1 tool, no problems\n"), "{}", done.err);

    place.write("spec.toml", BROKEN);
    assert_eq!(place.run(&["check", "spec.toml"]).code, 1);

    for bad in [&["chekc"][..], &["check", "--format", "xml"], &["build", "."], &[]] {
        let done = place.run(bad);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{bad:?}");
        assert!(!done.err.is_empty());
    }
}

const EDGE: &str = "bundle = \"tools.mcpk\"\n[[listen]]\naddress = \"127.0.0.1:8080\"\n\
                    [upstream.shop]\nurl = \"https://a.example\"\n[limits]\nbatch = 3\n";

#[test]
fn files_of_the_edge_are_skipped_in_a_folder_and_explained_when_named() {
    let place = Workplace::with_spec(CLEAN);
    place.write("edge.toml", EDGE);
    place.write("prod.toml", EDGE);
    place.write("customers.toml", "[tenant.acme]\nscopes = []\n");
    let done = place.run(&["check"]);
    assert_eq!((done.code, done.out.as_str()), (0, "checked 1 file: 1 tool, no problems\n"), "{}", done.err);
    let done = place.run(&["check", "--format", "concise", "prod.toml", "customers.toml"]);
    let lines: Vec<&str> = done.out.lines().collect();
    let expected = [
        "customers.toml:1:1: error[MCP0005] `customers.toml` is a list of tenants for `mcp-edge`, not a spec",
        "prod.toml:1:1: error[MCP0005] `prod.toml` is a configuration of `mcp-edge`, not a spec",
    ];
    assert_eq!((done.code, lines.as_slice()), (1, &expected[..]));
    // A folder with nothing else is no success.
    let place = Workplace::new();
    place.write("prod.toml", EDGE);
    let done = place.run(&["check", "--format", "concise"]);
    assert_eq!((done.code, done.out.lines().next()), (1, Some(expected[1])));
}

#[test]
fn excluded_files_are_not_checked() {
    let place = Workplace::with_spec(CLEAN);
    place.write("drafts/a.toml", BROKEN);
    assert_eq!(place.run(&["check"]).code, 1);
    place.write("mcpc.toml", "exclude = [\"drafts\"]\n");
    assert_eq!(place.run(&["check"]).out, "checked 1 file: 1 tool, no problems\n");
    assert_eq!(place.run(&["check", "drafts/a.toml"]).code, 1, "named, it is checked");
    place.write("mcpc.toml", "exclude = [\"../drafts\"]\n");
    let done = place.run(&["check", "--format", "concise"]);
    let first = done.out.lines().find(|line| line.starts_with("mcpc.toml")).unwrap_or_default();
    assert!(
        first.starts_with("mcpc.toml:1:12: error[MCP0105] `../drafts` is not a pattern: "),
        "{}",
        done.out
    );
}

#[test]
fn the_first_spec_names_its_schema_for_editors() {
    let place = Workplace::new();
    assert_eq!(place.run(&["init"]).code, 0);
    let spec = String::from_utf8(place.read("example.toml")).unwrap();
    assert!(spec.starts_with("#:schema ./spec.schema.json\n"), "{spec}");
    assert!(spec.contains("mcpc schema > spec.schema.json"), "{spec}");
    assert_eq!(place.run(&["check", "--deny", "warnings"]).code, 0);
}

#[test]
fn warnings_fail_only_when_denied() {
    let place = Workplace::with_spec(CLEAN.replace("description = \"Id of the order\"", ""));
    assert_eq!(place.run(&["check"]).code, 0);
    assert_eq!(place.run(&["check", "--deny", "warnings"]).code, 1);
    let built = place.run(&["build", "-o", "x.mcpk", "--deny", "warnings"]);
    assert_eq!(built.code, 1);
    assert_eq!(place.files(), ["spec.toml"], "nothing is written");
}

#[test]
fn all_mistakes_of_all_files_are_reported_in_one_run() {
    let place = Workplace::new();
    place.write("a.toml", BROKEN);
    place.write("b.toml", BROKEN.replace("get_order", "other").replace("{orderId}", "{a}/{b}"));
    place.write("c.toml", "[[tool]\nname = ");
    let done = place.run(&["check", "--format", "concise"]);
    let lines: Vec<&str> = done.out.lines().collect();
    for expected in [
        "a.toml:5:10: error[MCP0108] `get` is not a method",
        "a.toml:6:44: error[MCP0301]",
        "b.toml:6:44: error[MCP0301]",
        "b.toml:6:48: error[MCP0301]",
        "c.toml:1:",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected}: {lines:#?}");
    }
}

#[test]
fn json_has_the_documented_shape() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["summary"], serde_json::json!({"files": 1, "tools": 1, "errors": 2, "warnings": 1}));
    let first = &document["diagnostics"][1];
    assert_eq!(first["code"], "MCP0108");
    assert_eq!(first["rule"], "unknown-method");
    assert_eq!(first["severity"], "error");
    assert_eq!(first["file"], "spec.toml");
    assert_eq!(first["start"], serde_json::json!({"line": 5, "column": 10, "offset": 82}));
    assert_eq!(first["end"]["column"], 15);
    assert!(first["notes"].is_array() && first["help"].is_string());
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let place = Workplace::with_spec(CLEAN);
    assert_eq!(place.run(&["build", "spec.toml", "-o", "x.mcpk"]).code, 0);
    for arguments in [
        "check spec.toml",
        "check spec.toml --format json",
        "check spec.toml --format sarif",
        "test spec.toml",
        "test spec.toml --format json",
        "test spec.toml --format junit",
        "try get_order spec.toml --args {\"orderId\":\"1\"}",
        "try get_order spec.toml --args {\"orderId\":\"1\"} --format json",
        "build spec.toml -o y.mcpk",
        "inspect x.mcpk",
        "inspect x.mcpk --format json",
        "inspect x.mcpk --tool get_order --format json",
        "verify x.mcpk",
        "keygen -o key",
        "explain MCP0301",
        "rules",
        "rules --format json",
        "rules --format markdown",
        "schema",
        "init new.toml",
        "completions bash",
        "--help",
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let mut command = place.command(&arguments);
        // Nobody has the other end when the command starts.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), message.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn explain_finds_rules_by_name_code_and_misspelling() {
    let place = Workplace::new();
    let by_name = place.run(&["explain", "unbound-placeholder"]);
    assert_eq!(by_name.code, 0);
    assert!(by_name.out.starts_with("## MCP0301 unbound-placeholder\n"), "{}", by_name.out);
    assert_eq!(place.run(&["explain", "mcp0301"]).out, by_name.out);
    let unknown = place.run(&["explain", "unbound-placeholders"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("did you mean `unbound-placeholder`?"), "{}", unknown.err);
}

#[test]
fn rules_lists_every_rule_once() {
    let place = Workplace::new();
    let listed = place.run(&["rules"]).out;
    assert_eq!(listed.lines().count(), mcpc::lint::rules::all().len());
    let rows: serde_json::Value =
        serde_json::from_str(&place.run(&["rules", "--format", "json"]).out).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), mcpc::lint::rules::all().len());
}

#[test]
fn init_writes_a_spec_that_passes_and_never_overwrites() {
    let place = Workplace::new();
    let done = place.run(&["init"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let check = place.run(&["check", "--deny", "warnings"]);
    assert_eq!(check.code, 0, "{}", check.out);
    assert_eq!(place.run(&["build", "-o", "x.mcpk"]).code, 0);
    let before = place.read("example.toml");
    let again = place.run(&["init"]);
    assert_eq!((again.code, place.read("example.toml")), (2, before));
    assert!(again.err.contains("`example.toml` already exists"), "{}", again.err);
}

#[test]
fn completions_name_the_commands() {
    let place = Workplace::new();
    for shell in ["bash", "zsh", "fish"] {
        let done = place.run(&["completions", shell]);
        assert!(done.code == 0 && done.out.contains("inspect"), "{shell}");
    }
}

#[test]
fn levels_in_the_configuration_apply() {
    let place = Workplace::with_spec(CLEAN.replace("description = \"Id of the order\"", ""));
    place.write("mcpc.toml", "[rules]\nmissing-description = \"error\"\n");
    assert_eq!(place.run(&["check"]).code, 1);
    place.write("mcpc.toml", "[rules]\nmissing-description = \"allow\"\n");
    assert_eq!(place.run(&["check", "--deny", "warnings"]).code, 0);
    place.write("other.toml", "[rules]\nunbound-placeholder = \"allow\"\n");
    let done = place.run(&["check", "spec.toml", "--config", "other.toml", "--format", "concise"]);
    assert!(done.out.contains("MCP0905"), "{}", done.out);
}

#[test]
fn a_path_that_leads_nowhere_does_not_stop_the_others() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "spec.toml", "nowhere.toml", "--format", "concise"]);
    assert_eq!(done.code, 2);
    assert!(done.out.contains("nowhere.toml:1:1: error[MCP0001]"), "{}", done.out);
    assert!(done.out.contains("spec.toml:5:10: error[MCP0108]"), "{}", done.out);
}

#[test]
fn a_misspelt_key_is_one_finding() {
    for (right, wrong) in
        [("method", "metod"), ("endpoint", "endpont"), ("description", "desciption"), ("[[tool.", "[[tol.")]
    {
        let text = CLEAN.replace("[[tool]]", if right.starts_with('[') { "[[tol]]" } else { "[[tool]]" });
        let place = Workplace::with_spec(text.replace(right, wrong));
        let done = place.run(&["check", "--format", "concise"]);
        let codes: Vec<&str> = done.out.lines().filter_map(|line| line.split('[').nth(1)?.get(..7)).collect();
        assert!(!codes.is_empty() && codes.iter().all(|code| *code == "MCP0101"), "{wrong}: {}", done.out);
    }
}

#[test]
fn a_key_below_the_wrong_header_is_sent_home() {
    let place =
        Workplace::with_spec(CLEAN.replace("position = \"path\"", "position = \"path\"\ncache_seconds = 5"));
    let done = place.run(&["check"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("`cache_seconds` is a key of a tool"), "{}", done.out);
}

#[test]
fn inspect_shows_which_secret_goes_where() {
    let auth = "[upstream.crm]\nurl = \"https://crm.example\"\n[upstream.crm.auth]\nkind = \"oauth2\"\n\
                token_url = \"https://id.example/token\"\nclient_id = \"edge\"\nclient_secret = \"${CRM_SECRET}\"\n\
                [[tool]]\nname = \"get_contact\"\ndescription = \"Reads a contact of the CRM.\"\nupstream = \"crm\"\n\
                method = \"GET\"\nendpoint = \"/c\"\n";
    let place = Workplace::with_spec(auth);
    let built = place.run(&["build", "-o", "x.mcpk"]);
    assert_eq!(built.code, 0, "{}", built.err);
    let shown = place.run(&["inspect", "x.mcpk", "--secrets"]);
    let expected = "variable    sent to             as\n\
                    CRM_SECRET  https://id.example  `auth` of upstream `crm` (1 tool)\n";
    assert_eq!((shown.code, shown.out.as_str()), (0, expected));
    let shown = place.run(&["inspect", "x.mcpk", "--secrets", "--format", "json"]);
    let view: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(view["secrets"][0]["hosts"], serde_json::json!(["https://id.example"]));
    assert_eq!(place.run(&["inspect", "x.mcpk", "--secrets", "--tool", "a"]).code, 2);
    let tool = place.run(&["inspect", "x.mcpk", "--tool", "get_contact"]);
    assert!(tool.out.contains("authorization: (`auth` of kind `oauth2`)"), "{}", tool.out);
}
