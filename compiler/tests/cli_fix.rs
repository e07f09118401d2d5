//! `mcpc check --fix` and `--diff`, and the fixes in JSON.

mod cli_support;

use cli_support::{CLEAN, Workplace};

/// A misspelt key that can be fixed, and a placeholder without a parameter that cannot.
const BROKEN: &str = r#"[[tool]]
name = "get_order"
description = "Gets one order of one user."
# why GET
metod = "GET"   # trailing
endpoint = "https://api.example.com/orders/{orderId}"
"#;

#[test]
fn fix_lists_what_it_fixed_and_keeps_the_rest() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "--fix", "--format", "concise"]);
    let listed = "fixed spec.toml:5: MCP0101 a tool has no key `metod`\nfixed 1 problem\n";
    assert_eq!((done.code, done.err.as_str()), (1, listed), "{}", done.out);
    let fixed = String::from_utf8(place.read("spec.toml")).unwrap();
    assert_eq!(fixed, BROKEN.replace("metod", "method"));
    assert!(!done.out.contains("MCP0101"), "{}", done.out);
    let again = place.run(&["check", "--fix"]);
    assert_eq!(again.err, "", "nothing is left to fix");
}

#[test]
fn diff_shows_what_fix_would_do_and_writes_nothing() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "--diff", "--format", "concise"]);
    let diff = r#"--- a/spec.toml
+++ b/spec.toml
@@ -2,5 +2,5 @@
 name = "get_order"
 description = "Gets one order of one user."
 # why GET
-metod = "GET"   # trailing
+method = "GET"   # trailing
 endpoint = "https://api.example.com/orders/{orderId}"
"#;
    assert_eq!((done.code, done.out.as_str()), (1, diff), "{}", done.err);
    assert!(done.err.starts_with("`--fix` would fix 1 problem\n"), "{}", done.err);
    assert!(done.err.contains("error[MCP0301]"), "what cannot be fixed is reported: {}", done.err);
    assert_eq!(place.read("spec.toml"), BROKEN.as_bytes());

    place.write("spec.toml", CLEAN.replace("method", "metod"));
    let done = place.run(&["check", "--diff"]);
    assert_eq!(done.code, 1, "there is something to fix");
    assert_eq!(done.err, "`--fix` would fix 1 problem\n");
    place.write("spec.toml", CLEAN);
    let done = place.run(&["check", "--diff"]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""));
}

#[test]
fn diff_needs_a_format_for_people_and_excludes_fix() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "--diff", "--format", "json"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("`--format json` has the edits as `fixes`"), "{}", done.err);
    assert_eq!(place.run(&["check", "--diff", "--fix"]).code, 2);
}

#[test]
fn json_has_the_edits_of_each_fix() {
    let place = Workplace::with_spec(BROKEN);
    let done = place.run(&["check", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let findings = document["diagnostics"].as_array().unwrap();
    let unknown = findings.iter().find(|finding| finding["code"] == "MCP0101").unwrap();
    assert_eq!(
        unknown["fixes"],
        serde_json::json!([{
            "message": "did you mean `method`?",
            "applicability": "safe",
            "edits": [{
                "file": "spec.toml",
                "start": {"line": 5, "column": 1, "offset": 82},
                "end": {"line": 5, "column": 6, "offset": 87},
                "text": "method",
            }],
        }])
    );
    let edit = &unknown["fixes"][0]["edits"][0];
    let offset = |key: &str| edit[key]["offset"].as_u64().unwrap() as usize;
    let mut text = BROKEN.to_owned();
    text.replace_range(offset("start")..offset("end"), edit["text"].as_str().unwrap());
    assert_eq!(text, BROKEN.replace("metod", "method"));
    let unbound = findings.iter().find(|finding| finding["code"] == "MCP0301").unwrap();
    assert!(unbound["fixes"].is_array());
}

#[test]
fn fix_follows_links_and_leaves_read_only_files() {
    let text = CLEAN.replace("method", "metod");
    let place = Workplace::new();
    place.write("real/spec.txt", &text);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("real/spec.txt", place.path("link.toml")).unwrap();
        assert_eq!(place.run(&["check", "link.toml", "--fix"]).code, 0);
        assert!(place.path("link.toml").is_symlink());
        assert_eq!(place.read("real/spec.txt"), CLEAN.as_bytes());
    }
    place.write("spec.toml", &text);
    let mut permissions = std::fs::metadata(place.path("spec.toml")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(place.path("spec.toml"), permissions).unwrap();
    let done = place.run(&["check", "spec.toml", "--fix", "--format", "concise"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("it is read-only") && done.out.contains("MCP0101"), "{}{}", done.err, done.out);
    assert!(!done.err.contains("fixed spec.toml") && !done.err.contains("fixed 1"), "{}", done.err);
}
