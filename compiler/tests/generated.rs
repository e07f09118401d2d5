//! Files that are made by a command must be what the command makes.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name);
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_page_of_rules_is_fresh() {
    assert!(committed("docs/rules.md") == mcpc::lint::rules::page(), "run `just generate`");
}

#[test]
fn the_page_of_changes_is_fresh() {
    assert!(committed("docs/changes.md") == mcpc::diff::rules::page(), "run `just generate`");
}

#[test]
fn the_editor_schema_is_fresh() {
    let schema =
        serde_json::to_string_pretty(&mcpc::language::editor_schema::of_table(&mcpc::language::keys::ROOT))
            .unwrap();
    assert!(committed("docs/spec.schema.json") == schema + "\n", "run `just generate`");
}

// What the schema says of the real specs is what `mcpc` says: nothing.
#[test]
fn the_editor_schema_accepts_the_real_specs() {
    let schema = mcpc::language::editor_schema::of_table(&mcpc::language::keys::ROOT);
    let validator = jsonschema::options().build(&schema).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("tool-specs");
    let mut seen = 0;
    let servers = folder.with_file_name("tests").join("fixtures/mcp_servers.toml");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.chain([servers]) {
        if path.extension().is_some_and(|e| e == "toml") && !path.ends_with("mcpc.toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let value = mcpc::spec::toml_to_json(&text).unwrap();
            let value: serde_json::Value = serde_json::from_str(&value.to_text()).unwrap();
            let problems: Vec<String> =
                validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert_eq!(problems, [""; 0], "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 6);
}
