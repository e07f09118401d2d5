//! Imports of real documents. They are in the folder that `MCPC_CORPUS` names, and in no repository.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "what fails here fails the test")]

use mcpc::check::{MemoryFiles, check_files};
use mcpc::exercise::testing::{self, Selection};
use mcpc::import::openapi::{self, Options};
use mcpc::import::{Finished, document, finish};
use mcpc::language::json::Json;
use mcpc::publish::list_entry;
use std::path::PathBuf;

/// The OpenAPI documents of the corpus, by name.
fn documents() -> Vec<(String, PathBuf)> {
    let Some(folder) = std::env::var_os("MCPC_CORPUS") else {
        eprintln!("skipped: MCPC_CORPUS names no folder");
        return Vec::new();
    };
    let entries = std::fs::read_dir(PathBuf::from(folder).join("openapi")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut all: Vec<(String, PathBuf)> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "yaml"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    all.sort();
    all
}

fn import(json: &Json, options: &Options) -> Finished {
    finish(openapi::import(json, options).unwrap())
}

/// How many operations a document has.
fn operations(json: &Json) -> usize {
    let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let items = json.get("paths").and_then(Json::as_object).unwrap();
    let members = items.iter().flat_map(|(_, item)| item.as_object().unwrap());
    members.filter(|(name, _)| methods.contains(&name.as_str())).count()
}

/// Bytes of `tools/list`, and of that what the longest tool takes.
fn list(finished: &Finished) -> usize {
    let mut files = MemoryFiles::default();
    for file in &finished.files {
        files.add(&file.name, &file.text);
    }
    let report = check_files(&files);
    assert_eq!(report.errors(), 0);
    let contents = report.contents.as_ref().unwrap();
    let results = testing::run(&report, contents, &Selection::default());
    assert_eq!(results.failed(), 0);
    let tools = report.toolsets.iter().flat_map(|toolset| &toolset.tools);
    tools
        .map(|tool| {
            list_entry::write(tool, tool.published_schema(), tool.published_output_schema()).newest().len()
                + 1
        })
        .sum()
}

/// Values without members.
fn values(json: &Json) -> usize {
    let inside: usize = match json {
        Json::Array(items) => items.iter().map(values).sum(),
        Json::Object(members) => members.iter().map(|(_, value)| values(value)).sum(),
        _ => 0,
    };
    inside.max(1)
}

#[test]
fn real_documents_become_tools_and_nothing_is_dropped() {
    for (name, path) in documents() {
        let json = document::read(&std::fs::read(path).unwrap()).unwrap();
        let finished = import(&json, &Options::default());
        let all = operations(&json);
        let compact = import(&json, &Options { compact: true, ..Options::default() });
        let (length, short) = (list(&finished), list(&compact));
        eprintln!(
            "{name}: {} of {all} operations, list {length} bytes, compact {short}, {} per mille",
            finished.tools.imported,
            finished.fidelity.per_mille()
        );
        assert_eq!(finished.tools.imported + finished.tools.refused, all, "{name}");
        assert!(100 * finished.tools.imported >= 97 * all, "{name}: {} of {all}", finished.tools.imported);
        let fidelity = &finished.fidelity;
        let counted = fidelity.kept + fidelity.changed + fidelity.refused + fidelity.left_out;
        let notes = fidelity.findings.len();
        assert!(counted <= values(&json) + notes, "{name}: {counted} of {}", values(&json));
        let most = match name.split(['.', '-']).next().unwrap() {
            "github" => 1_200_000,
            "openai" => 900_000,
            "twilio_api_v2010" => 350_000,
            "stripe" => 2_000_000,
            _ => usize::MAX,
        };
        assert!(length <= most, "{name}: {length}");
        assert!(2 * short <= most, "{name}: {short} of {most}");
    }
}
