//! SARIF logs are valid, whatever is found and however files are named.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};
use mcpc::check::{Input, MemoryFiles, Report, check, check_files};
use mcpc::language;
use mcpc::lint::rules;
use mcpc::render::{Format, render};
use serde_json::{Value, json};

const SPEC: &str = "[[tool]]\r\nname = \"get\"\r\ntitle = \"注文\"\r\n\tmethod = \"get\"\r\n\
    endpoint = \"https://api.example.com\"\r\nnam = 1\r\n";

fn log(report: &Report) -> Value {
    let mut out = Vec::new();
    render(Format::Sarif, report, false, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[track_caller]
fn assert_valid(report: &Report) {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let log = log(report);
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_finding_looks_like_this() {
    let mut report = check_files(&MemoryFiles::one("specs/my shop.toml", SPEC));
    report.diagnostics.retain(|diagnostic| diagnostic.is(&language::rules::UNKNOWN_METHOD));
    let mut results = log(&report).pointer_mut("/runs/0/results").unwrap().take();
    results.sort_all_objects();
    insta::assert_snapshot!(serde_json::to_string_pretty(&results).unwrap(), @r#"
    [
      {
        "fixes": [
          {
            "artifactChanges": [
              {
                "artifactLocation": {
                  "uri": "specs/my%20shop.toml"
                },
                "replacements": [
                  {
                    "deletedRegion": {
                      "byteLength": 5,
                      "byteOffset": 52,
                      "endColumn": 16,
                      "endLine": 4,
                      "startColumn": 11,
                      "startLine": 4
                    },
                    "insertedContent": {
                      "text": "\"GET\""
                    }
                  }
                ]
              }
            ],
            "description": {
              "text": "write it as `GET`"
            },
            "properties": {
              "applicability": "safe"
            }
          }
        ],
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "specs/my%20shop.toml"
              },
              "region": {
                "byteLength": 5,
                "byteOffset": 52,
                "endColumn": 16,
                "endLine": 4,
                "startColumn": 11,
                "startLine": 4
              }
            }
          }
        ],
        "message": {
          "text": "`get` is not a method\nnote: it is one of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`\nhelp: write it as `GET`"
        },
        "ruleId": "MCP0108",
        "ruleIndex": 12
      }
    ]
    "#);
}

#[test]
fn every_rule_is_described() {
    let mut report = check_files(&MemoryFiles::one("shop.toml", SPEC));
    report.diagnostics.retain(|diagnostic| diagnostic.is(&language::rules::UNKNOWN_KEY));
    let log = log(&report);
    let driver = log.pointer("/runs/0/tool/driver").unwrap();
    assert_eq!(driver["name"], "mcpc");
    assert_eq!(driver["semanticVersion"], env!("CARGO_PKG_VERSION"));
    let table = driver["rules"].as_array().unwrap();
    assert_eq!(table.len(), rules::all().len());
    let index = log.pointer("/runs/0/results/0/ruleIndex").unwrap().as_u64().unwrap();
    let rule = &table[index as usize];
    assert_eq!(rule["id"], "MCP0101");
    assert_eq!(rule["name"], "unknown-key");
    assert_eq!(rule["defaultConfiguration"], json!({ "level": "error" }));
    assert!(
        rule.pointer("/help/markdown")
            .unwrap()
            .as_str()
            .unwrap()
            .contains("\n## Passes\n```toml\n[[tool]]\n")
    );
}

#[test]
fn a_log_without_findings_is_valid() {
    let mut report = check_files(&MemoryFiles::one("shop.toml", SPEC));
    report.diagnostics.clear();
    assert_valid(&report);
    assert_eq!(log(&report).pointer("/runs/0/results"), Some(&json!([])), "an empty list: all was checked");
}

#[test]
fn a_log_of_many_findings_is_valid() {
    let text = SPEC.replace("title", "titel").repeat(200);
    let mut files = MemoryFiles::one("shop.toml", &text);
    files.add("broken.toml", "\u{feff}a = [1 2]\nb = \"\u{1b}\"\n");
    files.add("empty.toml", "");
    let report = check_files(&files);
    assert!(report.diagnostics.len() > 500, "{}", report.diagnostics.len());
    assert_valid(&report);
}

#[test]
fn odd_file_names_are_valid_uris() {
    let names = [
        ("my specs/a b.toml", "my%20specs/a%20b.toml"),
        ("café/注文#1?.toml", "caf%C3%A9/%E6%B3%A8%E6%96%87%231%3F.toml"),
        ("/srv/specs/[x]%.toml", "file:///srv/specs/%5Bx%5D%25.toml"),
        ("a:b\\c\"d.toml", "a%3Ab%5Cc%22d.toml"),
        ("../up.toml", "../up.toml"),
    ];
    for (name, uri) in names {
        let report = check_files(&MemoryFiles::one(name, SPEC));
        assert_valid(&report);
        let place = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
        assert_eq!(log(&report).pointer(place), Some(&json!(uri)));
    }
}

#[test]
fn related_places_and_fixes_are_valid() {
    let mut report = check_files(&MemoryFiles::one("shop.toml", SPEC));
    let other = report.sources.add("other.toml", "x = 1\n");
    let (file, _) = report.sources.files().next().unwrap();
    let edit = |span, text: &str| Edit { span, text: text.into() };
    let (here, there) = (Span::new(file, 0..8), Span::new(other, 6..6));
    report.diagnostics = vec![
        Diagnostic::new(&rules::DUPLICATE_TOOL, here, "twice")
            .label("here")
            .related(there, "there")
            .fix(Applicability::DisplayOnly, vec![edit(there, "y = 2\n"), edit(here, ""), edit(here, "x")]),
        Diagnostic::new(&rules::DUPLICATE_TOOL, there, "a fix of nothing").fix(Applicability::Safe, vec![]),
    ];
    assert_valid(&report);
    let log = log(&report);
    let fix = log.pointer("/runs/0/results/0/fixes/0").unwrap();
    assert_eq!(fix["artifactChanges"].as_array().unwrap().len(), 2);
    assert_eq!(fix["properties"]["applicability"], "display-only");
    assert_eq!(log.pointer("/runs/0/results/1/fixes"), None);
}

#[test]
fn a_run_that_could_not_read_a_file_was_no_success() {
    let input = Input { specs: vec!["gone.toml".into()], ..Input::default() };
    let report = check(&input, &MemoryFiles::default());
    assert_valid(&report);
    assert_eq!(log(&report).pointer("/runs/0/invocations/0/executionSuccessful"), Some(&json!(false)));
}
