//! Upstreams that are not there: calls are answered from the examples of the specs.
//!
//! A call gets the response of the example whose arguments make the same request. Otherwise it gets
//! that of the tool's first example with a successful response, or else with any, and a note says
//! so.

use crate::checked::CheckedToolset;
use crate::exercise::rpc;
use crate::exercise::testing::{AMBIENT, body_of, content_type, header};
use crate::language::json::Json;
use crate::spec::{ExampleResponse, ExampleSpec};
use arc_swap::ArcSwap;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, Binder, Limits, PreparedTool, PreparedTools, Request, Scratch, Values};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::visible::one_line;
use mcp_edge::upstream::{Exchange, FixedAnswers, Received, UpstreamError};
use std::collections::BTreeMap;

/// Status of a call to a tool without examples.
const NOT_IMPLEMENTED: u16 = 501;

/// The answers of the specs that are served now.
pub struct Mock {
    answers: ArcSwap<ExampleAnswers>,
    /// Takes a line about each call that gets the response of another one.
    note: Box<dyn Fn(&str) + Send + Sync>,
}

/// What the examples of a set of specs say, by tool.
#[derive(Debug, Default)]
pub struct ExampleAnswers {
    tools: BTreeMap<String, Vec<ExampleAnswer>>,
}

#[derive(Debug)]
struct ExampleAnswer {
    /// Of the example within its tool, from 1.
    number: usize,
    /// `None` if it cannot be made without knowing who calls.
    request: Option<Request>,
    status: u16,
    content_type: Option<String>,
    content_location: Option<String>,
    body: Vec<u8>,
    /// Of the response of an MCP server that the body is.
    message: Option<u64>,
}

impl std::fmt::Debug for Mock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mock").field("answers", &self.answers).finish_non_exhaustive()
    }
}

impl Mock {
    pub fn new(note: impl Fn(&str) + Send + Sync + 'static) -> Mock {
        Mock { answers: ArcSwap::default(), note: Box::new(note) }
    }

    pub fn replace(&self, answers: ExampleAnswers) {
        self.answers.store(answers.into());
    }
}

impl FixedAnswers for Mock {
    fn answer(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        let answers = self.answers.load();
        if let Some(number) = answers.other_example(call.tool, call.request) {
            let tool = one_line(call.tool);
            (self.note)(&format!(
                "note: {tool}: no example makes this request, so example {number} answers it\n"
            ));
        }
        answers.answer(call.tool, call.request, call.max_response, received)
    }
}

impl ExampleAnswers {
    /// `variables` and `limits` are those that calls are bound with.
    pub fn of(
        toolsets: &[CheckedToolset],
        contents: &Contents,
        variables: &[Box<str>],
        limits: &Limits,
    ) -> ExampleAnswers {
        let matchers = Matchers::new(contents);
        let prepared = PreparedTools::new(contents, variables, limits);
        let mut scratch = Scratch::default();
        let mut binder = Binder { contents, matchers: &matchers, limits, scratch: &mut scratch };
        let mut tools = BTreeMap::new();
        for tool in toolsets.iter().flat_map(|toolset| &toolset.tools) {
            let Some(ready) = prepared.find(tool.label()) else { continue };
            let answer = |(index, example): (usize, &ExampleSpec)| {
                let response = example.response.as_ref()?;
                let answer = ExampleAnswer::of(index + 1, response, request(&mut binder, ready, example));
                Some(if tool.mcp.is_some() { answer.of_server() } else { answer })
            };
            let answers: Vec<ExampleAnswer> = tool.examples.iter().enumerate().filter_map(answer).collect();
            if !answers.is_empty() {
                tools.insert(tool.label().to_owned(), answers);
            }
        }
        ExampleAnswers { tools }
    }

    /// Whether a tool has any answer.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// The number of the example whose answer a request gets.
    pub fn number(&self, tool: &str, request: &Request) -> Option<usize> {
        Some(self.find(tool, request)?.number)
    }

    /// Answers as the upstream would, within the same limit.
    pub fn answer(
        &self,
        tool: &str,
        request: &Request,
        max_response: usize,
        received: &mut Received,
    ) -> Result<(), UpstreamError> {
        let Some(found) = self.find(tool, request) else {
            let message = format!("no example in the spec of `{tool}` has a response");
            let error = Json::Object(vec![("error".to_owned(), Json::String(message))]);
            received.status = NOT_IMPLEMENTED;
            received.content_type = Some("application/json".to_owned());
            received.body.extend_from_slice(error.to_text().as_bytes());
            return Ok(());
        };
        if found.body.len() > max_response {
            return Err(UpstreamError::TooLarge { status: found.status, limit: max_response });
        }
        received.status = found.status;
        received.content_type.clone_from(&found.content_type);
        received.content_location.clone_from(&found.content_location);
        received.message = found.message;
        received.body.extend_from_slice(&found.body);
        Ok(())
    }

    /// The number of the example that answers a request which is not its own.
    fn other_example(&self, tool: &str, request: &Request) -> Option<usize> {
        let found = self.find(tool, request)?;
        (found.request.as_ref() != Some(request)).then_some(found.number)
    }

    fn find(&self, tool: &str, request: &Request) -> Option<&ExampleAnswer> {
        let answers = self.tools.get(tool)?;
        let same = answers.iter().find(|answer| answer.request.as_ref() == Some(request));
        let success = || answers.iter().find(|answer| (200..300).contains(&answer.status));
        same.or_else(success).or_else(|| answers.first())
    }
}

impl ExampleAnswer {
    fn of(number: usize, response: &ExampleResponse, request: Option<Request>) -> ExampleAnswer {
        let body = body_of(response);
        ExampleAnswer {
            number,
            request,
            status: response.status.as_ref().map_or(200, |status| status.value),
            content_type: content_type(response, &body).map(str::to_owned),
            content_location: header(response, "content-location").map(str::to_owned),
            body: body.into_owned(),
            message: None,
        }
    }

    /// The example says what an MCP server results in.
    fn of_server(self) -> ExampleAnswer {
        ExampleAnswer { body: rpc::response(&self.body), message: Some(rpc::MESSAGE_ID), ..self }
    }
}

/// The request that an example's arguments make.
fn request(binder: &mut Binder<'_>, tool: PreparedTool<'_>, example: &ExampleSpec) -> Option<Request> {
    let arguments = example.arguments.as_ref().map_or("{}".to_owned(), |a| a.value.to_text());
    let values = Values { ambient: AMBIENT, ..Values::default() };
    let mut request = Request::default();
    binder.bind(tool, &Arguments::of_text(&arguments), &values, &mut request).ok()?;
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    const SPEC: &str = r#"
[upstream.u]
url = "https://api.example.com"
headers = { authorization = "Bearer ${TOKEN}" }
[[tool]]
name = "add"
description = "Adds an item to the list."
upstream = "u"
method = "POST"
endpoint = "/items"
[[tool.parameters]]
name = "name"
description = "Name of the item"
required = true
[[tool.examples]]
arguments = { name = "taken" }
response = { status = 409, body = { error = "taken" } }
[[tool.examples]]
arguments = { name = "a" }
response = { body = { made = "a" } }
[[tool.examples]]
arguments = { name = "b" }
response = { status = 201, headers = { content-type = "text/plain", content-location = "/items/b" }, body = "made b" }
[[tool.examples]]
arguments = { name = "c" }
[[tool]]
name = "broken"
description = "Only ever fails."
upstream = "u"
method = "GET"
endpoint = "/broken"
[[tool.parameters]]
name = "q"
description = "What to look for"
position = "query"
[[tool.examples]]
arguments = { q = "x" }
response = { status = 500, body = "" }
[[tool]]
name = "unknown"
description = "Has no example."
upstream = "u"
method = "GET"
endpoint = "/unknown"
"#;

    /// The answers of the examples, and the request of a call.
    fn bound(tool: &str, arguments: &str) -> (ExampleAnswers, Request) {
        bound_of(SPEC, tool, arguments)
    }

    fn bound_of(spec: &str, tool: &str, arguments: &str) -> (ExampleAnswers, Request) {
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let problems: Vec<_> = report.diagnostics.iter().map(|d| &d.message).collect();
        let contents = report.contents.as_ref().unwrap_or_else(|| panic!("{problems:?}"));
        let (variables, limits): (Vec<Box<str>>, _) = (vec!["secret".into(); 2], Limits::default());
        let answers = ExampleAnswers::of(&report.toolsets, contents, &variables, &limits);
        let prepared = PreparedTools::new(contents, &variables, &limits);
        let (matchers, mut request) = (Matchers::new(contents), Request::default());
        let (arguments, mut scratch) = (Arguments::of_text(arguments), Scratch::default());
        let mut binder = Binder { contents, matchers: &matchers, limits: &limits, scratch: &mut scratch };
        let ready = prepared.find(tool).unwrap();
        binder.bind(ready, &arguments, &Values::default(), &mut request).unwrap();
        (answers, request)
    }

    /// The answer to a call.
    fn call(tool: &str, arguments: &str, max_response: usize) -> Result<Received, UpstreamError> {
        call_of(SPEC, tool, arguments, max_response)
    }

    fn call_of(
        spec: &str,
        tool: &str,
        arguments: &str,
        max_response: usize,
    ) -> Result<Received, UpstreamError> {
        let (answers, request) = bound_of(spec, tool, arguments);
        let mut received = Received::default();
        answers.answer(tool, &request, max_response, &mut received)?;
        Ok(received)
    }

    fn other(tool: &str, arguments: &str) -> Option<usize> {
        let (answers, request) = bound(tool, arguments);
        answers.other_example(tool, &request)
    }

    fn body(tool: &str, arguments: &str) -> (u16, String) {
        let received = call(tool, arguments, 1000).unwrap();
        (received.status, String::from_utf8(received.body).unwrap())
    }

    #[test]
    fn the_call_of_an_example_gets_its_answer() {
        assert_eq!(body("add", r#"{"name":"taken"}"#), (409, r#"{"error":"taken"}"#.into()));
        assert_eq!(body("add", r#"{ "name" : "b" }"#), (201, "made b".into()));
        let received = call("add", r#"{"name":"b"}"#, 1000).unwrap();
        assert_eq!(received.content_type.as_deref(), Some("text/plain"));
        assert_eq!(received.content_location.as_deref(), Some("/items/b"));
    }

    #[test]
    fn other_calls_get_the_first_successful_answer() {
        assert_eq!(body("add", r#"{"name":"z"}"#), (200, r#"{"made":"a"}"#.into()));
        assert_eq!(body("add", r#"{"name":"c"}"#), (200, r#"{"made":"a"}"#.into()));
        let received = call("add", r#"{"name":"z"}"#, 1000).unwrap();
        assert_eq!(received.content_type.as_deref(), Some("application/json"));
        assert_eq!(body("broken", r#"{"q":"y"}"#), (500, String::new()));
    }

    #[test]
    fn a_call_that_gets_the_response_of_another_is_noticed() {
        assert_eq!(other("add", r#"{"name":"z"}"#), Some(2));
        assert_eq!(other("add", r#"{"name":"c"}"#), Some(2), "its example has no response");
        assert_eq!(other("add", r#"{"name":"b"}"#), None);
        assert_eq!(other("unknown", "{}"), None);
    }

    #[test]
    fn a_tool_without_examples_says_so() {
        let (status, body) = body("unknown", "{}");
        assert_eq!(status, 501);
        assert_eq!(body, r#"{"error":"no example in the spec of `unknown` has a response"}"#);
    }

    #[test]
    fn the_result_of_an_mcp_server_is_a_response() {
        let spec = include_str!("../../../tests/fixtures/mcp_servers.toml");
        let received = call_of(spec, "close_ticket", r#"{"id":7,"reason":"spam"}"#, 1000).unwrap();
        assert_eq!(received.message, Some(rpc::MESSAGE_ID));
        let body = String::from_utf8(received.body).unwrap();
        assert!(body.starts_with(r#"{"jsonrpc":"2.0","id":0,"result":{"content":["#), "{body}");
        assert_eq!(call("add", r#"{"name":"b"}"#, 1000).unwrap().message, None);
    }

    #[test]
    fn an_answer_beyond_the_limit_of_the_call_is_refused() {
        let error = call("add", r#"{"name":"b"}"#, 3).unwrap_err();
        assert_eq!(error, UpstreamError::TooLarge { status: 201, limit: 3 });
    }
}
