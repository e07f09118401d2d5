//! The guides for people who come from other gateways: what they show is what happens.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc::check::{MemoryFiles, check_files};
use mcpc::exercise::testing::{Selection, run};
use mcpc::import::{finish, higress};

const HIGRESS: &str = include_str!("../../docs/FROM-HIGRESS.md");

/// The blocks of a language on a page.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    page.split(fence.as_str()).skip(1).map(|rest| rest.split("```\n").next().unwrap()).collect()
}

#[test]
fn a_higress_server_becomes_a_tested_tool() {
    let documents = higress::read(blocks(HIGRESS, "yaml").first().unwrap().as_bytes()).unwrap();
    let finished = finish(higress::import(&documents, "weather.yaml", Some("weather")).unwrap());
    let [spec, example] = blocks(HIGRESS, "toml")[..] else { panic!("two specs are shown") };
    let file = finished.files.first().unwrap();
    assert_eq!((file.name.as_str(), file.text.as_str()), ("weather.toml", spec));
    // The report has these codes and no others.
    let mut codes: Vec<&str> = finished.fidelity.findings.iter().map(|finding| finding.code).collect();
    codes.retain(|code| !code.is_empty());
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(
        codes,
        ["arguments-checked", "client-headers", "raw-becomes-encoded", "setting-becomes-variable"]
    );
    assert!(codes.iter().all(|code| HIGRESS.contains(&format!("| `{code}` |"))));

    let report = check_files(&MemoryFiles::one("weather.toml", &format!("{spec}\n{example}")));
    assert_eq!(report.diagnostics, []);
    let results = run(&report, report.contents.as_ref().unwrap(), &Selection::default());
    assert_eq!(results.tests.len(), 1);
    assert!(results.tests.iter().all(|test| test.is_passed()), "{:?}", results.tests);
}
