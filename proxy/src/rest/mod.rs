//! The REST forms beside MCP: plain JSON over plain paths.

pub mod api_v1;
pub mod gateway;

use crate::call::{Beside, Done, ToolCall, counted};
use crate::observe::record::Outcome;
use crate::request::failure::{ErrorType, Failure};
use crate::request::reply::Reply;
use crate::serving::context::Context;
use mcp_bundle::bind::Arguments;
use mcp_bundle::json::{Kind, Scanner};

/// Reads `{"<tool_key>": "…", "<arguments_key>": {…}}`.
fn read_call<'a>(
    context: &Context<'a>,
    body: &'a [u8],
    tool_key: &'static str,
    arguments_key: &'static str,
) -> Result<ToolCall<'a, 'a>, Failure> {
    find_call(context, body, tool_key, arguments_key).map_err(|failure| counted(context, failure))
}

fn find_call<'a>(
    context: &Context<'a>,
    body: &'a [u8],
    tool_key: &'static str,
    arguments_key: &'static str,
) -> Result<ToolCall<'a, 'a>, Failure> {
    let not_json = |error: mcp_bundle::json::ScanError| Failure::NotJson(error.to_string());
    let mut scanner = Scanner::new(body, context.settings.limits.json_depth).map_err(not_json)?;
    if scanner.peek().map_err(not_json)? != Kind::Object {
        return Err(Failure::InvalidRequest("the body must be a JSON object"));
    }
    let (mut tool, mut arguments) = (None, None);
    let mut twice = false;
    scanner.enter_object().map_err(not_json)?;
    while let Some(key) = scanner.next_key().map_err(not_json)? {
        let value = scanner.value().map_err(not_json)?;
        if key.is_text(tool_key) {
            twice |= tool.replace(value).is_some();
        } else if key.is_text(arguments_key) {
            twice |= arguments.replace(value).is_some();
        }
    }
    scanner.finish().map_err(not_json)?;
    if twice {
        return Err(Failure::InvalidRequest("the body has a duplicate member"));
    }
    let Some(tool) = tool.filter(|tool| tool.kind == Kind::String) else {
        return Err(Failure::InvalidParams(format!("`{tool_key}` must be a string").into()));
    };
    let arguments = match arguments {
        None => None,
        Some(value) if value.kind == Kind::Null => None,
        Some(value) if value.kind == Kind::Object => Some(Arguments::of_text(value.text)),
        Some(_) => return Err(Failure::InvalidParams(format!("`{arguments_key}` must be an object").into())),
    };
    let mut buffer = String::new();
    let name = tool.unescaped(&mut buffer);
    let tool = context.view.find(name).ok_or_else(|| Failure::UnknownTool(name.to_owned()))?;
    context.check_scopes(&tool)?;
    Ok(ToolCall { tool, arguments, protocol: None, beside: Beside::default() })
}

/// The type and HTTP status of a call that failed; `of_upstream` is the type of its upstream's failures.
const fn error_type(done: &Done, of_upstream: ErrorType) -> (ErrorType, u16) {
    match done.outcome {
        Outcome::InvalidArguments => (ErrorType::Parameter, 400),
        Outcome::UpstreamStatus if is_unavailable(done.upstream_status) => (of_upstream, 503),
        Outcome::UpstreamStatus | Outcome::Unusable | Outcome::ResponseTooLarge => (of_upstream, 500),
        Outcome::UpstreamFailed | Outcome::UpstreamTimeout => (of_upstream, 503),
        Outcome::UpstreamUnavailable => (of_upstream, 503),
        Outcome::RateLimited => (ErrorType::Service, 429),
        Outcome::Overloaded => (ErrorType::Service, 503),
        Outcome::Ok | Outcome::Cancelled => (ErrorType::Internal, 500),
    }
}

/// Says when to try again, if a limit was met.
fn say_when(done: &Done, reply: &mut Reply) {
    let seconds = done.retry_after_seconds.map(|seconds| ("retry-after", seconds.to_string()));
    reply.headers.extend(seconds);
}

/// Whether a gateway in front of the upstream, or the upstream itself, says that it cannot be used now.
const fn is_unavailable(status: Option<u16>) -> bool {
    matches!(status, Some(502..=504))
}
