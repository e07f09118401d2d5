//! Imports of real documents. They are in the folder that `MCPC_CORPUS` names, and in no repository. `import_frameworks.rs` has
//! short documents of the same kinds, which are always there.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "what fails here fails the test")]

mod import_support;

use import_support::{assert_counted, lost, operations};
use mcpc::check::{MemoryFiles, check_files};
use mcpc::exercise::testing::{self, Selection};
use mcpc::import::draft::{DraftContent, DraftExample, DraftResponse};
use mcpc::import::openapi::{self, Options};
use mcpc::import::{Finished, document, finish};
use mcpc::language::json::Json;
use mcpc::publish::{exact_tokens, list_entry};
use mcpc::stats;
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

/// The same, with what is in no tool and in no finding.
fn import_all(json: &Json) -> (Finished, Vec<String>) {
    let imported = openapi::import(json, &Options::default()).unwrap();
    let specs = imported.specs.clone();
    let finished = finish(imported);
    let lost = lost(json, &specs, &finished.fidelity);
    (finished, lost)
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

#[test]
fn real_documents_become_tools_and_nothing_is_dropped() {
    for (name, path) in documents() {
        let json = document::read(&std::fs::read(path).unwrap()).unwrap();
        let (finished, lost) = import_all(&json);
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
        assert_counted(&json, &finished.fidelity, &name);
        assert_eq!(lost, Vec::<String>::new(), "{name}");
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

/// Tokens of the answers in all examples: as the API sends them, and as tools show them.
fn answers(finished: &Finished) -> (usize, usize) {
    let mut files = MemoryFiles::default();
    for file in &finished.files {
        files.add(&file.name, &file.text);
    }
    let report = check_files(&files);
    let tools = stats::tools(report.contents.as_ref().unwrap(), Some(&report), &exact_tokens::count);
    let sizes = tools.iter().map(stats::ToolStats::answers_in_all);
    sizes.fold((0, 0), |(raw, shown), (more, less)| (raw + more.tokens, shown + less.tokens))
}

/// An answer that fits a schema and has all that it names, as far as `depth` goes; Stripe's document has no examples.
fn sample(json: &Json, schema: &Json, depth: usize) -> Json {
    let target = schema.get("$ref").and_then(Json::as_str).and_then(|to| {
        let mut steps = to.strip_prefix("#/")?.split('/');
        steps.try_fold(json, |value, step| value.get(step))
    });
    let schema = target.unwrap_or(schema);
    let first =
        ["anyOf", "oneOf", "allOf"].into_iter().find_map(|name| schema.get(name)?.as_array()?.first());
    let text = |name: &str| schema.get(name).and_then(Json::as_str);
    if let Some(first) = first.filter(|_| text("type").is_none()) {
        return sample(json, first, depth);
    }
    let value = schema.get("enum").and_then(Json::as_array).and_then(<[Json]>::first);
    if let Some(value) = value {
        return value.clone();
    }
    match text("type") {
        Some("integer" | "number") => Json::Number("1700000000".to_owned()),
        Some("boolean") => Json::Bool(true),
        Some("array") if depth == 0 => Json::Array(Vec::new()),
        Some("array") => {
            Json::Array(schema.get("items").map(|items| sample(json, items, depth - 1)).into_iter().collect())
        }
        Some("object") if depth == 0 => Json::Object(Vec::new()),
        Some("object") => {
            let properties = schema.get("properties").and_then(Json::as_object).unwrap_or_default();
            let each =
                properties.iter().map(|(name, schema)| (name.clone(), sample(json, schema, depth - 1)));
            Json::Object(each.collect())
        }
        _ => Json::string("an_id_1MowQVLkdIwHu7ix"),
    }
}

/// The same import with an answer for each tool that its own schema describes.
fn with_samples(json: &Json) -> Finished {
    let mut imported = openapi::import(json, &Options::default()).unwrap();
    for tool in imported.specs.iter_mut().flat_map(|spec| &mut spec.tools) {
        let mut steps = tool.place.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let operation = steps.try_fold(json, |value, step| value.get(&step)).unwrap();
        let media = operation
            .get("responses")
            .and_then(|all| all.get("200")?.get("content")?.get("application/json"));
        let Some(schema) = media.and_then(|media| media.get("schema")) else { continue };
        let body = Some(DraftContent::Json(sample(json, schema, 4)));
        let response = Some(DraftResponse { status: Some(200), body, ..DraftResponse::default() });
        let example = tool.examples.pop().unwrap_or_default();
        tool.examples = vec![DraftExample { response, ..example }];
    }
    finish(imported)
}

#[test]
fn shaped_answers_cost_less_than_a_third() {
    for (name, path) in documents() {
        let is_github = name.starts_with("github");
        if !is_github && !name.starts_with("stripe") {
            continue;
        }
        let json = document::read(&std::fs::read(path).unwrap()).unwrap();
        let finished = if is_github { import(&json, &Options::default()) } else { with_samples(&json) };
        let (raw, shown) = answers(&finished);
        eprintln!("{name}: answers {shown} of {raw} tokens");
        assert!(raw > 100_000, "{name}: {raw} tokens are too few to say anything");
        assert!(100 * shown <= 30 * raw, "{name}: {shown} of {raw}");
    }
}
