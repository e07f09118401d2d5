//! Lines about the calls that are served.

use crate::exercise::placeholders::shown;
use crate::exercise::trial::Trial;
use crate::language::json::Json;
use crate::publish::bundle_view;
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::template::Ambient;
use mcp_diagnostics::visible::one_line;
use mcp_edge::observe::Observer;
use mcp_edge::observe::record::{CallRecord, CallStart, Outcome, Refusal};
use mcp_edge::request::failure::Failure;
use std::fmt::{self, Debug, Write as _};

/// Shown instead of the value of a `sensitive` parameter.
const HIDDEN: &str = "***";

/// Characters of the arguments that are shown.
const MAX_ARGUMENTS: usize = 500;

/// Writes a line when a call ends, and with `verbose` one when it begins.
pub struct CallLines<W> {
    pub write: W,
    pub verbose: bool,
}

impl<W: Fn(&str) + Send + Sync> Observer for CallLines<W> {
    fn calling(&self, start: &CallStart<'_>) {
        if self.verbose
            && let Some(line) = start_line(start)
        {
            (self.write)(&line);
        }
    }

    fn call(&self, record: &CallRecord<'_>) {
        (self.write)(&end_line(record));
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        match refusal.failure {
            Failure::UnknownTool(name) => {
                (self.write)(&format!("call {}: unknown tool\n", one_line(&cut(name))));
            }
            failure if self.verbose => {
                (self.write)(&format!("refused: {}\n", one_line(&failure.message())));
            }
            _ => {}
        }
    }
}

impl<W> Debug for CallLines<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallLines")
    }
}

/// `call get_order {"id":"7"}: GET https://api.example.com/orders/7`
fn start_line(start: &CallStart<'_>) -> Option<String> {
    let plan = start.contents.tools.get(start.index)?;
    let text = start.arguments.unwrap_or("{}");
    let arguments = Json::parse(text).map(|arguments| without_secrets(start.contents, plan, arguments));
    let arguments = arguments.map_or_else(|| "(unreadable)".to_owned(), |arguments| arguments.to_text());
    let mut line = format!("call {} {}", start.contents.strings.get(plan.name), cut(&arguments));
    if let Some(request) = request(start.contents, plan, text) {
        let _ = write!(line, ": {request}");
    }
    Some(format!("{}\n", one_line(&line)))
}

/// The arguments without the values of `sensitive` parameters. Where there are such parameters, an
/// argument of another name may be one of them, misspelt.
fn without_secrets(contents: &Contents, plan: &ToolPlan, arguments: Json) -> Json {
    let Json::Object(members) = arguments else { return arguments };
    let has_sensitive = has_sensitive(plan);
    let is_hidden = |name: &str| {
        let parameter = plan.parameters.iter().find(|p| contents.strings.get(p.name) == name);
        parameter.map_or(has_sensitive, |parameter| parameter.sensitive)
    };
    let shown = |(name, value): (String, Json)| {
        let value = if is_hidden(&name) { Json::string(HIDDEN) } else { value };
        (name, value)
    };
    Json::Object(members.into_iter().map(shown).collect())
}

/// Method and URL, with `${NAME}` for variables. Parameters of a tool with `sensitive` ones stay
/// `{name}`. `None` for a fixed response and for arguments that are refused.
fn request(contents: &Contents, plan: &ToolPlan, arguments: &str) -> Option<String> {
    if let Some(call) = plan.mcp() {
        let server = contents.server_name(call.server as usize).unwrap_or_default();
        return Some(format!("`{}` of server `{server}`", contents.strings.get(call.name)));
    }
    let http = plan.http()?;
    if has_sensitive(plan) {
        return Some(format!("{} {}", http.method, bundle_view::url(contents, plan, http)));
    }
    let draft = Trial::new(contents, plan, Ambient::default()).draft(arguments).ok()?;
    Some(format!("{} {}", draft.method, shown(&draft.url)))
}

fn has_sensitive(plan: &ToolPlan) -> bool {
    plan.parameters.iter().any(|parameter| parameter.sensitive)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_ARGUMENTS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `call get_order: ok, status 200, 0.4 ms`
fn end_line(record: &CallRecord<'_>) -> String {
    let mut line = format!("call {}: {}", one_line(record.tool), record.outcome.as_str());
    if let Some(status) = record.upstream_status {
        let _ = write!(line, ", status {status}");
    }
    if let Some(why) = why(record) {
        let _ = write!(line, " ({})", one_line(&why));
    }
    let microseconds = record.total.as_micros();
    let _ = writeln!(line, ", {}.{} ms", microseconds / 1000, microseconds % 1000 / 100);
    line
}

/// Why a call failed, beyond its outcome. Holds no value of a `sensitive` parameter.
fn why(record: &CallRecord<'_>) -> Option<String> {
    if let Some(first) = record.problems.first() {
        return Some(match record.problems.len() - 1 {
            0 => first.message.clone(),
            more => format!("{}; and {more} more", first.message),
        });
    }
    if let Some(error) = record.error {
        return Some(error.to_owned());
    }
    let says_more = !matches!(record.outcome, Outcome::Ok | Outcome::Cancelled | Outcome::UpstreamStatus);
    record.reason.filter(|reason| says_more && *reason != record.outcome.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use mcp_bundle::bind::{Problem, ProblemKind};
    use mcp_edge::observe::counts::CallCounts;
    use mcp_edge::request::facts::RequestFacts;
    use mcp_edge::request::id::RequestId;
    use mcp_edge::request::identity::{Caller, Peer};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    #[test]
    fn a_call_is_one_line_with_the_reason_of_a_failure() {
        let lines = Arc::new(Mutex::new(String::new()));
        let into = lines.clone();
        let write = move |line: &str| into.lock().unwrap().push_str(line);
        let calls = CallLines { write, verbose: false };
        let counts = &CallCounts::default().of(["a"].into_iter());
        let (request_id, caller, peer) = (&RequestId::Made(1), &Caller::Anonymous, &Peer::default());
        let record = CallRecord {
            request: RequestFacts { request_id, caller, peer, toolset: None, revision: None, protocol: None },
            tool: "a\nb",
            index: 0,
            contents: &Contents::default(),
            counts,
            tenant_counts: None,
            outcome: Outcome::Ok,
            reason: None,
            problems: &[],
            error: None,
            upstream_host: None,
            upstream_status: Some(200),
            attempts: 1,
            total: Duration::from_micros(12_345),
            upstream: Duration::ZERO,
            bind: None,
            render: None,
            request_bytes: 0,
            response_bytes: 0,
            arguments: None,
            ambient: Ambient::default(),
        };
        calls.call(&record);
        let failed = CallRecord { upstream_status: None, ..record };
        let (invalid, short) = (Outcome::InvalidArguments, Duration::from_micros(40));
        let problem = |message: &str| Problem {
            kind: ProblemKind::Missing,
            argument: "id".into(),
            message: message.into(),
        };
        let problems = &[problem("`id` is required (string)"), problem("x")];
        let reason = Some("missing");
        calls.call(&CallRecord { tool: "c", outcome: invalid, total: short, problems, reason, ..failed });
        let (error, outcome) = (Some("could not connect"), Outcome::UpstreamFailed);
        let total = Duration::from_micros(1_100);
        calls.call(&CallRecord { tool: "d", outcome, error, total, ..failed });
        let (outcome, reason) = (Outcome::Unusable, Some("output_schema"));
        calls.call(&CallRecord { tool: "e", outcome, reason, total, ..failed });
        assert_eq!(
            *lines.lock().unwrap(),
            "call a b: ok, status 200, 12.3 ms\n\
            call c: invalid_arguments (`id` is required (string); and 1 more), 0.0 ms\n\
            call d: upstream_failed (could not connect), 1.1 ms\n\
            call e: unusable_answer (output_schema), 1.1 ms\n"
        );
    }

    const SPEC: &str = r#"
[upstream.shop]
url = "https://api.example.com"
headers = { authorization = "Bearer ${TOKEN}" }
[[tool]]
name = "get_order"
description = "Gets one order of the shop."
upstream = "shop"
method = "GET"
endpoint = "/orders/{id}"
[[tool.parameters]]
name = "id"
description = "Id of the order"
required = true
position = "path"
[[tool.parameters]]
name = "key"
description = "The key"
position = "query"
value = "${KEY}"
[[tool]]
name = "log_in"
description = "Logs a user in with a password."
upstream = "shop"
method = "GET"
endpoint = "/log-in"
[[tool.parameters]]
name = "password"
description = "The password"
position = "query"
sensitive = true
[[tool.parameters]]
name = "user"
description = "The user"
position = "query"
"#;

    fn start(tool: &str, arguments: &str) -> String {
        let report = check_files(&MemoryFiles::one("spec.toml", SPEC));
        let contents = report.contents.as_ref().unwrap();
        let (index, _) = contents.tool(tool).unwrap();
        start_line(&CallStart { index, contents, arguments: Some(arguments) }).unwrap()
    }

    #[test]
    fn the_verbose_line_has_arguments_and_url_and_no_secret() {
        assert_eq!(
            start("get_order", r#"{ "id": "a b" }"#),
            "call get_order {\"id\":\"a b\"}: GET https://api.example.com/orders/a%20b?key=${KEY}\n"
        );
        assert_eq!(start("get_order", r#"{"i":1}"#), "call get_order {\"i\":1}\n", "refused");
        let line = start("log_in", r#"{"user":"ada","password":"hunter2","pasword":"hunter2"}"#);
        let arguments = r#"{"user":"ada","password":"***","pasword":"***"}"#;
        let url = "https://api.example.com/log-in?password={password}&user={user}";
        assert_eq!(line, format!("call log_in {arguments}: GET {url}\n"));
        let long = start("get_order", &format!(r#"{{"id":"{}"}}"#, "x".repeat(600)));
        assert!(long.contains("x…: GET https"), "{long}");
    }
}
