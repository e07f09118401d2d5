//! One JSON document, on one line. Scripts rely on its shape: a key is added with a reason and
//! never removed.

use super::{Results, Test};
use crate::check::Report;
use crate::render::JsonPosition;
use mcp_diagnostics::Span;
use serde::Serialize;
use std::io::{Result, Write};

#[derive(Serialize)]
struct Document<'r> {
    version: u32,
    tests: Vec<TestEntry<'r>>,
    untested: Vec<UntestedEntry<'r>>,
    uncovered: Vec<UncoveredEntry<'r>>,
    summary: Summary,
}

#[derive(Serialize)]
struct TestEntry<'r> {
    toolset: &'r str,
    tool: &'r str,
    /// Its number within the tool, from 1.
    example: usize,
    title: Option<&'r str>,
    #[serde(flatten)]
    place: JsonPlace<'r>,
    status: &'static str,
    failures: Vec<FailureEntry<'r>>,
}

#[derive(Serialize)]
struct FailureEntry<'r> {
    what: &'r str,
    expected: Option<&'r str>,
    actual: Option<&'r str>,
}

#[derive(Serialize)]
struct UntestedEntry<'r> {
    tool: &'r str,
    #[serde(flatten)]
    place: JsonPlace<'r>,
}

#[derive(Serialize)]
struct UncoveredEntry<'r> {
    tool: &'r str,
    template: &'r str,
    #[serde(flatten)]
    place: JsonPlace<'r>,
    what: &'r str,
}

#[derive(Serialize)]
struct JsonPlace<'r> {
    file: &'r str,
    start: JsonPosition,
}

#[derive(Serialize)]
struct Summary {
    tools: usize,
    examples: usize,
    passed: usize,
    failed: usize,
    untested: usize,
}

pub fn write(report: &Report, results: &Results, out: &mut dyn Write) -> Result<()> {
    let untested = results.untested.iter();
    let uncovered = results.uncovered.iter();
    let document = Document {
        version: 1,
        tests: results.tests.iter().map(|test| entry(report, test)).collect(),
        untested: untested
            .map(|tool| UntestedEntry { tool: &tool.tool, place: place(report, tool.span) })
            .collect(),
        uncovered: uncovered
            .map(|branch| UncoveredEntry {
                tool: &branch.tool,
                template: branch.template,
                place: place(report, branch.span),
                what: &branch.what,
            })
            .collect(),
        summary: Summary {
            tools: results.tools,
            examples: results.tests.len(),
            passed: results.passed(),
            failed: results.failed(),
            untested: results.untested.len(),
        },
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

fn entry<'r>(report: &'r Report, test: &'r Test) -> TestEntry<'r> {
    let failures = test.failures.iter().map(|failure| FailureEntry {
        what: &failure.what,
        expected: failure.expected.as_deref(),
        actual: failure.actual.as_deref(),
    });
    TestEntry {
        toolset: &test.toolset,
        tool: &test.tool,
        example: test.number,
        title: test.title.as_deref(),
        place: place(report, test.span),
        status: if test.is_passed() { "passed" } else { "failed" },
        failures: failures.collect(),
    }
}

fn place(report: &Report, span: Span) -> JsonPlace<'_> {
    let file = report.sources.file(span.file);
    JsonPlace { file: &file.name, start: file.location(span.start as usize).into() }
}
