//! Binds and shapes examples.

use super::{Actual, ActualRequest, ActualResult, Results, Selection, Test, TestFailure, Untested};
use super::{compare, coverage};
use crate::check::Report;
use crate::checked::{CheckedTool, CheckedToolset};
use crate::exercise::placeholders::{StandIns, shown};
use crate::exercise::rpc;
use crate::language::json::Json;
use crate::spec::{ExampleResponse, ExampleSpec};
use mcp_bundle::bind;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::shape::{self, Answer, Shaped};
use mcp_bundle::template::{Ambient, Ran, Trace};
use mcp_diagnostics::Spanned;
use std::borrow::Cow;

/// The time and seed of templates in examples, so that results never change: it is
/// 2026-01-01T00:00:00Z.
pub const AMBIENT: Ambient = Ambient { now_ms: 1_767_225_600_000, seed: 0 };

/// A shaped answer.
#[derive(Debug)]
pub struct Outcome {
    pub shaped: Shaped,
    /// The result, an object; `None` if it is not JSON.
    pub result: Option<Json>,
}

/// Runs the selected examples. `contents` are those of the report.
pub fn run(report: &Report, contents: &Contents, selection: &Selection) -> Results {
    let mut runner = Runner {
        contents,
        matchers: Matchers::new(contents),
        stand_ins: StandIns::new(contents),
        bind: bind::Scratch::default(),
        shape: shape::Scratch::default(),
        ran: Ran::default(),
    };
    let mut results = Results {
        tests: Vec::new(),
        tools: 0,
        untested: Vec::new(),
        untested_fail: false,
        uncovered_fail: false,
        uncovered: Vec::new(),
    };
    for toolset in &report.toolsets {
        for tool in toolset.tools.iter().filter(|tool| selection.has_tool(tool)) {
            let Some((_, plan)) = contents.tool(tool.label()) else { continue };
            results.tools += 1;
            if tool.examples.is_empty() {
                results.untested.push(Untested {
                    toolset: toolset.name.value.clone(),
                    tool: tool.label().to_owned(),
                    span: tool.label_span(),
                });
            }
            runner.ran = Ran::default();
            for (index, example) in tool.examples.iter().enumerate() {
                if selection.has_example(index + 1, example) {
                    results.tests.push(runner.test(toolset, tool, plan, index + 1, example));
                }
            }
            // Of some examples alone, nothing can be said about all.
            if !tool.examples.is_empty() && selection.has_all_examples() {
                results.uncovered.extend(coverage::coverage(&report.sources, tool, plan, &runner.ran));
            }
        }
    }
    results
}

/// Shapes an answer exactly as the proxy does, at a fixed time.
pub fn shape_answer(
    contents: &Contents,
    matchers: &Matchers,
    plan: &ToolPlan,
    answer: &Answer<'_>,
    ambient: &Ambient,
    scratch: &mut shape::Scratch,
    trace: &mut impl Trace,
) -> Outcome {
    let mut out = vec![b'{'];
    let limits = shape::Limits::default();
    let shaped = shape::shape(contents, matchers, plan, answer, ambient, &limits, scratch, trace, &mut out);
    out.push(b'}');
    let result = std::str::from_utf8(&out).ok().and_then(Json::parse);
    Outcome { shaped, result }
}

struct Runner<'a> {
    contents: &'a Contents,
    matchers: Matchers,
    stand_ins: StandIns,
    bind: bind::Scratch,
    shape: shape::Scratch,
    /// What the examples of the tool have run so far.
    ran: Ran,
}

impl Runner<'_> {
    fn test(
        &mut self,
        toolset: &CheckedToolset,
        tool: &CheckedTool,
        plan: &ToolPlan,
        number: usize,
        example: &ExampleSpec,
    ) -> Test {
        let mut failures = Vec::new();
        let (request, arguments) = self.request(plan, example, &mut failures);
        // A fixed answer is made of nothing, another one of the arguments.
        let own = ExampleResponse {
            span: example.span,
            status: None,
            headers: Vec::new(),
            body: arguments.map(|text| Spanned::new(Json::string(text), example.span)),
            bytes: None,
        };
        let fixed = tool.answers_itself().then_some(&own);
        let result = match example.response.as_ref().or(fixed) {
            Some(response) => self.result(plan, example, response, &mut failures),
            None => {
                compare::without_response(example, &mut failures);
                None
            }
        };
        Test {
            toolset: toolset.name.value.clone(),
            tool: tool.label().to_owned(),
            number,
            title: example.title.as_ref().map(|title| title.value.clone()),
            span: example.span,
            failures,
            actual: Actual { request, result },
        }
    }

    /// The request, and the object that the answer is made of, if there is one.
    fn request(
        &mut self,
        plan: &ToolPlan,
        example: &ExampleSpec,
        failures: &mut Vec<TestFailure>,
    ) -> (Option<ActualRequest>, Option<String>) {
        let arguments = example.arguments.as_ref().map_or("{}".to_owned(), |a| a.value.to_text());
        self.bind.trace = Some(std::mem::take(&mut self.ran));
        let bound =
            self.stand_ins.bind(self.contents, &self.matchers, plan, &arguments, AMBIENT, &mut self.bind);
        self.ran = self.bind.trace.take().unwrap_or_default();
        let draft = match bound {
            Ok(draft) => draft,
            Err(error) => {
                failures.push(TestFailure::of("arguments", error.to_string()));
                return (None, None);
            }
        };
        let arguments = draft.body.as_deref().filter(|_| plan.answers_with_arguments()).map(shown);
        let is_http = plan.http().is_some();
        let request = plan.request().map(|_| ActualRequest {
            method: is_http.then_some(draft.method.as_str()),
            url: is_http.then(|| shown(&draft.url)),
            headers: draft.headers.iter().map(|(name, value)| (name.clone(), shown(value))).collect(),
            body: draft.body.as_deref().map(shown),
        });
        if let Some(expected) = &example.request {
            compare::request(expected, request.as_ref(), failures);
        }
        (request, arguments)
    }

    fn result(
        &mut self,
        plan: &ToolPlan,
        example: &ExampleSpec,
        response: &ExampleResponse,
        failures: &mut Vec<TestFailure>,
    ) -> Option<ActualResult> {
        let mut body = body_of(response);
        let content_type = content_type(response, &body);
        let message = plan.mcp().map(|_| rpc::MESSAGE_ID);
        if message.is_some() {
            body = Cow::Owned(rpc::response(&body));
        }
        let answer = Answer {
            status: response.status.as_ref().map_or(200, |status| status.value),
            content_type,
            content_location: header(response, "content-location"),
            message,
            body: &body,
        };
        let outcome = shape_answer(
            self.contents,
            &self.matchers,
            plan,
            &answer,
            &AMBIENT,
            &mut self.shape,
            &mut self.ran,
        );
        let Some(result) = outcome.result else {
            failures.push(TestFailure::of("result", "it is not JSON".to_owned()));
            return None;
        };
        let broken = compare::broken(&outcome.shaped);
        let result = ActualResult {
            text: compare::text_of(&result),
            content: result.get("content").cloned(),
            structured: result.get("structuredContent").cloned(),
            broken: broken.is_some(),
        };
        compare::result(example, &result, broken, failures);
        Some(result)
    }
}

/// A string is the body as it is, anything else is written as JSON.
pub(crate) fn body_of(response: &ExampleResponse) -> Cow<'_, [u8]> {
    match (&response.bytes, response.body.as_ref().map(|body| &body.value)) {
        (Some(bytes), _) => Cow::Borrowed(bytes),
        (None, Some(Json::String(text))) => Cow::Borrowed(text.as_bytes()),
        (None, Some(json)) => Cow::Owned(json.to_text().into_bytes()),
        (None, None) => Cow::Borrowed(b""),
    }
}

/// What the header says. Examples seldom have one: then JSON is taken for JSON.
pub(crate) fn content_type<'a>(response: &'a ExampleResponse, body: &[u8]) -> Option<&'a str> {
    header(response, "content-type").or_else(|| {
        let json = std::str::from_utf8(body).ok().and_then(Json::parse);
        json.map(|_| "application/json")
    })
}

pub(crate) fn header<'a>(response: &'a ExampleResponse, name: &str) -> Option<&'a str> {
    let mut headers = response.headers.iter();
    let found = headers.find(|header| header.name.value.eq_ignore_ascii_case(name));
    found.map(|header| header.value.value.as_str())
}
