//! `mcpc diff` and `mcpc build --against` as a user runs them.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Workplace};
use serde_json::Value;
use std::process::Command;

/// The same without its argument, and with another description.
fn broken() -> String {
    let without = CLEAN.split("[[tool.parameters]]").next().unwrap();
    let rest = "[[tool.examples]]\narguments = {}\n";
    format!("{}{rest}", without.replace("/{orderId}", "").replace("Gets one order", "Gets the last order"))
}

/// A place with `old/` and `new/`.
fn both(new: &str) -> Workplace {
    let place = Workplace::new();
    place.write("old/spec.toml", CLEAN);
    place.write("new/spec.toml", new);
    place
}

fn git(place: &Workplace, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(place.path("."))
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_exit_code_says_whether_something_breaks() {
    let place = both(&broken());
    let done = place.run(&["diff", "old", "new"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""));
    assert!(
        done.out.starts_with("breaking[MCD0301]: get_order: `orderId` is gone\n  --> new/spec.toml:3:8\n"),
        "{}",
        done.out
    );
    assert!(done.out.ends_with("1 breaking change, 2 risky changes (1 tool)\n"), "{}", done.out);
    let same = place.run(&["diff", "old", "old"]);
    assert_eq!((same.code, same.out.as_str()), (0, "no changes (1 tool)\n"));
    let risky = both(&CLEAN.replace("Gets one", "Reads one"));
    assert_eq!(risky.run(&["diff", "old", "new"]).code, 0);
    assert_eq!(risky.run(&["diff", "old", "new", "--deny", "risky"]).code, 1);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let place = both("[[tool]]\nname = 1\n");
    let done = place.run(&["diff", "old", "new"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("error[MCP0103]"), "{}", done.err);
    assert!(
        done.err.ends_with("error: `new` cannot be compared before its errors are fixed\n"),
        "{}",
        done.err
    );
    place.write("cut.mcpk", b"\x89MCPK\r\n\x1a");
    for (operand, message) in [
        ("cut.mcpk", "error: `cut.mcpk` cannot be read: truncated: at least"),
        ("none.mcpk", "error: `none.mcpk` cannot be read: no such file or directory"),
        ("none", "error[MCP0001]: `none` cannot be read"),
        ("-", "error: standard input cannot be compared"),
        ("git::old", "error: `` is not a revision: write `git:REV:PATH`"),
        ("git:--help:old", "error: `--help` is not a revision"),
    ] {
        let done = place.run(&["diff", "old", operand]);
        assert_eq!(done.code, 2, "{operand}");
        assert!(done.err.starts_with(message), "{operand}: {}", done.err);
    }
}

#[test]
fn formats_are_those_of_check() {
    let place = both(&broken());
    let run = |format: &str| place.run(&["diff", "old", "new", "--format", format]).out;
    let concise = run("concise");
    assert_eq!(concise.lines().count(), 3);
    assert!(concise.starts_with("new/spec.toml:3:8: breaking[MCD0301] get_order: "), "{concise}");
    let github = run("github");
    assert!(
        github.starts_with("::error file=new/spec.toml,line=3,title=MCD0301 parameter-removed::get_order: "),
        "{github}"
    );
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!(json["summary"], serde_json::json!({"breaking": 1, "risky": 2, "safe": 0}));
    assert_eq!(json["changes"][0]["class"], "breaking");
    assert_eq!(json["changes"][0]["tool"], "get_order");
    assert_eq!(json["changes"][0]["start"]["line"], 3);
    assert_eq!(json["old"], serde_json::json!({"name": "old", "version": null, "tools": 1}));
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let problems: Vec<String> = validator.iter_errors(&sarif).map(|problem| problem.to_string()).collect();
    assert_eq!(problems, [""; 0]);
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 3);
    let first = &run["results"][0];
    assert_eq!(first["level"], "error");
    let rule = &run["tool"]["driver"]["rules"][first["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!((&rule["id"], &first["ruleId"]), (&"MCD0301".into(), &"MCD0301".into()));
    assert_eq!(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "new/spec.toml");
}

#[test]
fn bundles_and_revisions_are_compared_like_folders() {
    let place = both(&broken());
    assert_eq!(place.run(&["build", "old", "-o", "old.mcpk"]).code, 0);
    let from_folder = place.run(&["diff", "old", "new"]).out;
    assert_eq!(place.run(&["diff", "old.mcpk", "new"]).out, from_folder);
    git(&place, &["init", "-q"]);
    git(&place, &["add", "old", "old.mcpk"]);
    git(&place, &["commit", "-qm", "first"]);
    for operand in ["git:HEAD:old", "git:HEAD:./old/", "git:HEAD:old/spec.toml", "git:main:old.mcpk"] {
        let done = place.run(&["diff", operand, "new"]);
        assert_eq!((done.code, &done.out), (1, &from_folder), "{operand}: {}", done.err);
    }
    // The revision counts, not what is there now.
    place.write("old/spec.toml", broken());
    assert_eq!(place.run(&["diff", "git:HEAD:old", "old"]).code, 1);
    assert_eq!(place.run(&["diff", "old", "new"]).code, 0);
    for (operand, message) in [
        ("git:HEAD:none", "error: revision `HEAD` has no `none`"),
        ("git:none:old", "error: git does not know revision `none` in this folder: there is no such commit"),
    ] {
        let done = place.run(&["diff", operand, "new"]);
        assert_eq!(done.code, 2);
        assert!(done.err.starts_with(message), "{}", done.err);
    }
}

#[test]
fn a_revision_has_its_own_configuration_and_files() {
    let place = Workplace::new();
    let spec = CLEAN
        .replace("[[tool.parameters]]", "response_template = { file = \"order.tmpl\" }\n[[tool.parameters]]");
    place.write("specs/shop.toml", &spec);
    place.write("specs/order.tmpl", "Order {{ .id }}");
    place.write("specs/drafts/none.toml", "[[tool]]\n");
    place.write("specs/.hidden/none.toml", "[[tool]]\n");
    place.write("specs/mcpc.toml", "version = \"1.0.0\"\nexclude = [\"drafts\"]\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "first"]);
    let same = place.run(&["diff", "git:HEAD:specs", "specs"]);
    assert_eq!((same.code, same.out.as_str()), (0, "no changes (1 tool); version 1.0.0\n"), "{}", same.err);
    place.write("specs/order.tmpl", "Order number {{ .id }}");
    let done = place.run(&["diff", "git:HEAD:specs", "specs"]);
    assert_eq!(done.code, 1);
    assert!(
        done.out.contains("breaking[MCD0801]: the version is 1.0.0, was 1.0.0; these changes need 1.1.0"),
        "{}",
        done.out
    );
    place.write("specs/mcpc.toml", "version = \"1.1.0\"\nexclude = [\"drafts\"]\n");
    let done = place.run(&["diff", "git:HEAD:specs", "specs"]);
    assert_eq!(done.code, 0, "{}", done.out);
    assert!(done.out.ends_with("1 risky change (1 tool); version 1.1.0, was 1.0.0\n"), "{}", done.out);
}

#[test]
fn a_declared_break_is_let_through_on_request() {
    let place = both(&broken());
    place.write("old/mcpc.toml", "version = \"1.4.0\"\n");
    place.write("new/mcpc.toml", "version = \"1.5.0\"\n");
    assert_eq!(place.run(&["diff", "old", "new", "--semver"]).code, 1);
    place.write("new/mcpc.toml", "version = \"2.0.0\"\n");
    assert_eq!(place.run(&["diff", "old", "new", "--semver"]).code, 0);
    assert_eq!(place.run(&["diff", "old", "new"]).code, 1);
    let version = place.run(&["check", "old", "--config", "new/mcpc.toml"]);
    assert_eq!(version.code, 0, "{}", version.err);
    place.write("new/mcpc.toml", "version = \"2.0\"\n");
    let done = place.run(&["check", "new"]);
    assert!(done.out.contains("`2.0` is not a version"), "{}", done.out);
}

#[test]
fn a_build_refuses_an_undeclared_break() {
    let place = both(&broken());
    place.write("old/mcpc.toml", "version = \"1.4.0\"\n");
    place.write("new/mcpc.toml", "version = \"1.4.1\"\n");
    assert_eq!(place.run(&["build", "old", "-o", "old.mcpk"]).code, 0);
    let done = place.run(&["build", "new", "-o", "new.mcpk", "--against", "old.mcpk"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains("breaking[MCD0301]: get_order: `orderId` is gone"), "{}", done.err);
    let help = "undo them, or declare them with `version = \"2.0.0\"` in `mcpc.toml`";
    assert!(
        done.err.ends_with(&format!("these changes break what `old.mcpk` has; {help}\n")),
        "{}",
        done.err
    );
    assert!(!place.files().contains(&"new.mcpk".to_owned()));
    place.write("new/mcpc.toml", "version = \"2.0.0\"\n");
    let done = place.run(&["build", "new", "-o", "new.mcpk", "--against", "old.mcpk"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("1 breaking change"), "{}", done.err);
    assert_eq!(place.run(&["build", "new", "-o", "x.mcpk", "--against", "none.mcpk"]).code, 2);
    let shown = place.run(&["inspect", "new.mcpk"]);
    assert!(shown.out.contains("\nversion    2.0.0\n"), "{}", shown.out);
}

#[test]
fn every_change_is_explained() {
    let place = Workplace::new();
    let by_code = place.run(&["explain", "mcd0301"]);
    assert_eq!((by_code.code, &by_code.out), (0, &place.run(&["explain", "parameter-removed"]).out));
    assert!(
        by_code.out.starts_with("## MCD0301 parameter-removed\n\nThis change is breaking.\n"),
        "{}",
        by_code.out
    );
    let meant = place.run(&["explain", "parameter-remved"]);
    assert!(meant.err.contains("did you mean `parameter-removed`?"), "{}", meant.err);
    let rules = place.run(&["rules", "--changes"]);
    assert!(rules.out.starts_with("MCD0101  breaking  tool-removed "), "{}", rules.out);
}
