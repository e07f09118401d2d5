//! The real specs: clean, and each example becomes exactly the request and the text it states.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc::check::{Report, check};
use mcpc::exercise::testing::{self, Selection};
use mcpc::files::disk::{Disk, discover};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Checks a path, and compares what is found.
fn checked(path: &str, expected: &[&str]) -> Report {
    let report = check(&discover(&[root().join(path)], None).unwrap(), &Disk);
    let messages: Vec<_> =
        report.diagnostics.iter().map(|d| format!("{}: {}", d.name(), d.message)).collect();
    assert_eq!(messages, expected);
    report
}

/// Runs every example as `mcpc test` does, and returns how many there were.
fn examples_pass(report: &Report) -> usize {
    let results = testing::run(report, report.contents.as_ref().unwrap(), &Selection::default());
    let failures: Vec<_> =
        results.tests.iter().filter(|test| !test.is_passed()).map(|t| (t.label(), &t.failures)).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    results.tests.len()
}

#[test]
fn b4_b5_the_real_specs_are_clean_and_their_examples_are_exact() {
    let report = checked("tool-specs", &[]);
    assert!(report.toolsets.len() >= 5 && report.tools() >= 15);
    assert!(report.toolsets.iter().flat_map(|t| &t.tools).all(|tool| !tool.examples.is_empty()));
    assert!(examples_pass(&report) >= 15);
    for name in ["elasticsearch", "node_knowledge_retriever", "get_order"] {
        assert!(report.contents.as_ref().unwrap().tool(name).is_some(), "{name}");
    }
}

// The first seed document's JSON configuration, key by key, with its long names and its body on GET.
#[test]
fn a17_the_seed_configuration_is_expressed_one_to_one_with_warnings_only() {
    let warning = "body-on-get: parameter `includeDetails` goes into the body of a `GET` request";
    let report = checked("tests/fixtures/seed_example.toml", &[warning]);
    assert_eq!(report.errors(), 0);
    assert_eq!(examples_pass(&report), 1);
    let contents = report.contents.as_ref().unwrap();
    let (_, plan) = contents.tool("seed_get_order").unwrap();
    let policy = &contents.policies[plan.policy as usize];
    assert_eq!((policy.timeout_ms, policy.retry_count), (30_000, 3));
    assert!(plan.response.template.is_some());
}
