//! Runs the examples of a set of specs: arguments → exact request, response → exact result.
//!
//! Nothing here binds or shapes on its own: the functions that the proxy runs do, so what passes
//! here is what runs there. Renderers decide nothing, as in [`crate::render`].

mod compare;
mod coverage;
mod diff;
mod report_human;
mod report_json;
mod report_junit;
mod run;
mod select;
mod update;

pub use compare::{broken, is_text, text_of};
pub use report_junit::write_refused as write_refused_junit;
pub(crate) use run::body_of;
pub use run::{AMBIENT, Outcome, run, shape_answer};
#[cfg(feature = "dev")]
pub(crate) use run::{content_type, header};
pub use select::{ExampleFilter, SelectError, Selection};
pub use update::{Change, FileUpdate, Stuck, Updates, updates};

use crate::check::Report;
use crate::language::json::Json;
use mcp_diagnostics::Span;
use std::io::{BufWriter, Result, Write};

/// What became of the examples.
#[derive(Debug)]
pub struct Results {
    /// In the order of the specs.
    pub tests: Vec<Test>,
    /// Tools that were selected.
    pub tools: usize,
    /// Those of them that have no example at all.
    pub untested: Vec<Untested>,
    /// Whether they count as failures.
    pub untested_fail: bool,
    pub uncovered: Vec<Uncovered>,
    /// Whether they count as failures.
    pub uncovered_fail: bool,
}

/// One example.
#[derive(Debug)]
pub struct Test {
    pub toolset: String,
    pub tool: String,
    /// Of the example within its tool, from 1.
    pub number: usize,
    pub title: Option<String>,
    pub span: Span,
    /// Empty if it passed.
    pub failures: Vec<TestFailure>,
    pub actual: Actual,
}

/// Something that is not as the example says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    /// A key of the example, such as `request.url`, or of the tool, such as `response_template`.
    pub what: String,
    /// `None`: there should be no such failure.
    pub expected: Option<String>,
    /// `None`: there is nothing.
    pub actual: Option<String>,
}

/// What binding and shaping made of an example.
#[derive(Debug, Default)]
pub struct Actual {
    /// `None` if the arguments were refused, or the tool sends none.
    pub request: Option<ActualRequest>,
    /// `None` if there is no response to shape, or it could not be shaped.
    pub result: Option<ActualResult>,
}

#[derive(Debug)]
pub struct ActualRequest {
    /// `None` for a call of an MCP server, of which only the arguments count.
    pub method: Option<&'static str>,
    /// Likewise. Variables appear as `${NAME}`, here and below.
    pub url: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

#[derive(Debug, Default)]
pub struct ActualResult {
    pub text: String,
    /// All items; `None` if there are none.
    pub content: Option<Json>,
    pub structured: Option<Json>,
    /// A template failed or the result breaks its schema: nothing that an example should state.
    pub broken: bool,
}

#[derive(Debug)]
pub struct Untested {
    pub toolset: String,
    pub tool: String,
    pub span: Span,
}

/// A branch of a template that no example takes.
#[derive(Debug)]
pub struct Uncovered {
    pub tool: String,
    /// The key of the tool, such as `response_template` or `endpoint`.
    pub template: &'static str,
    pub span: Span,
    /// Such as ``the `else` of this``.
    pub what: String,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// What failed, with the differences, for people
    Human,
    /// One JSON document
    Json,
    /// JUnit XML, for CI systems
    Junit,
}

impl Results {
    pub fn passed(&self) -> usize {
        self.tests.iter().filter(|test| test.is_passed()).count()
    }

    pub fn failed(&self) -> usize {
        self.tests.len() - self.passed()
    }
}

impl Test {
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// `get_order, example 2 (with details)`
    pub fn label(&self) -> String {
        let title = self.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
        format!("{}, example {}{title}", self.tool, self.number)
    }
}

/// Writes results. Only [`ReportFormat::Human`] uses colour.
pub fn render(
    format: ReportFormat,
    report: &Report,
    results: &Results,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let mut out = BufWriter::new(out);
    match format {
        ReportFormat::Human => report_human::write(report, results, color, &mut out),
        ReportFormat::Json => report_json::write(report, results, &mut out),
        ReportFormat::Junit => report_junit::write(report, results, &mut out),
    }?;
    out.flush()
}
