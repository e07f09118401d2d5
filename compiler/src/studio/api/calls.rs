//! Calls of tools: what they would send, and what comes of them.

use super::tools::needed;
use crate::exercise::mock::ExampleAnswers;
use crate::exercise::placeholders::{Draft, shown};
use crate::exercise::testing::{self, Outcome, text_of};
use crate::exercise::trial::{self, Given, MAX_RESPONSE_BYTES, Mask, NoAnswer, NotReady, Ready, Trial};
use crate::language::json::Json;
use crate::language::variables::TextPart;
use crate::publish::tokens;
use crate::studio::error::ApiError;
use crate::studio::json::{Members, array, extended, milliseconds, object};
use crate::studio::workspace::{Found, Workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::bind::{BindError, Limits};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::shape::Answer;
use mcp_bundle::template::Ambient;
use mcp_diagnostics::EnvFile;
use mcp_edge::upstream::Received;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Bytes of an answer that are shown as it came.
const MAX_RAW: usize = 1 << 20;

/// The name of `${tenant.id}` and of `${principal.sub}` in a mock, which sends nothing.
const NOBODY: &str = "nobody";

/// A call that was made.
#[derive(Debug)]
pub struct Called {
    source: &'static str,
    /// The number of the example that answered.
    example: Option<usize>,
    request: Json,
    received: Option<Received>,
    outcome: Outcome,
    mask: Mask,
    pub time: Duration,
}

/// Who calls, if anyone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caller<'a> {
    tenant: Option<&'a str>,
    principal: Option<&'a str>,
}

/// A tool that can be called, and where.
#[derive(Debug, Clone, Copy)]
pub struct Callee<'a> {
    pub workspace: &'a Workspace,
    pub found: Found<'a>,
    pub contents: &'a Contents,
    pub plan: &'a ToolPlan,
}

/// The arguments of a request: JSON, or a text that may not be.
pub fn arguments(members: &Members<'_>) -> Result<String, ApiError> {
    if let Some(text) = members.text("argumentsText")? {
        return Ok(text.to_owned());
    }
    Ok(members.get("arguments").map_or_else(|| "{}".to_owned(), Json::to_text))
}

pub fn preview(workspace: &Workspace, name: &str, body: &Json) -> Result<Json, ApiError> {
    let members = Members::only(body, &["arguments", "argumentsText"])?;
    let arguments = arguments(&members)?;
    let snapshot = workspace.snapshot();
    let (_, contents, plan) = snapshot.callable(name)?;
    Ok(previewed(contents, plan, &arguments, &workspace.variables()?))
}

/// The request that arguments make, or what is wrong with them.
pub fn previewed(contents: &Contents, plan: &ToolPlan, arguments: &str, values: &EnvFile) -> Json {
    let trial = Trial::new(contents, plan, now());
    let variables = needed(contents, plan, values);
    let draft = match trial.draft(arguments) {
        Ok(draft) => draft,
        Err(error) => {
            return extended(
                problems(&error, false),
                [
                    ("request", Json::Null),
                    ("http", Json::Null),
                    ("curl", Json::Null),
                    ("message", Json::Null),
                    ("notes", Json::Array(Vec::new())),
                    ("variables", variables),
                ],
            );
        }
    };
    let mut notes: Vec<String> = trial.credential_note().into_iter().collect();
    notes.extend(trial.session_note().map(str::to_owned));
    let is_sent = trial.upstream().is_some() && trial.program().is_none();
    let unencoded = trial::unencoded_variables(&draft).into_iter().filter(|_| is_sent);
    notes.extend(unencoded.map(|variable| {
        format!(
            "in the `curl` command, `{variable}` is inserted unencoded; the edge encodes it for its position"
        )
    }));
    let message = trial.program().map(|_| shown(draft.body.as_deref().unwrap_or_default()));
    let given = |value: Json| if is_sent { value } else { Json::Null };
    object([
        ("valid", true.into()),
        ("problems", Json::Array(Vec::new())),
        ("omitted", 0_usize.into()),
        ("request", given(request(&draft))),
        ("http", given(http(&draft).into())),
        ("curl", given(trial::command(&draft).into())),
        ("message", message.into()),
        ("notes", array(notes)),
        ("variables", variables),
    ])
}

fn problems(error: &BindError, is_valid: bool) -> Json {
    let problems = error.problems.iter().map(|problem| {
        object([
            ("kind", problem.kind.as_str().into()),
            ("argument", problem.argument.as_str().into()),
            ("message", problem.message.as_str().into()),
        ])
    });
    object([("valid", is_valid.into()), ("problems", array(problems)), ("omitted", error.omitted.into())])
}

/// Says one problem in words: all of them are in the details.
fn refused(error: &BindError) -> ApiError {
    let first = error.problems.first().map_or("the arguments are refused", |first| first.message.as_str());
    let message = match error.problems.len().saturating_sub(1) + error.omitted {
        0 => first.to_owned(),
        1 => format!("{first} (and 1 more problem)"),
        more => format!("{first} (and {more} more problems)"),
    };
    ApiError::not_possible(message).with(problems(error, false))
}

/// A list, because a header may be there twice.
fn request(draft: &Draft) -> Json {
    let headers = draft
        .headers
        .iter()
        .map(|(name, value)| object([("name", name.into()), ("value", shown(value).into())]));
    object([
        ("method", draft.method.as_str().into()),
        ("url", shown(&draft.url).into()),
        ("headers", array(headers)),
        ("body", draft.body.as_deref().map(shown).into()),
    ])
}

/// The request as HTTP writes it, with a line feed at the end of each line.
fn http(draft: &Draft) -> String {
    let (host, target) = divided(&draft.url);
    let target = if target.is_empty() { "/" } else { target.as_str() };
    let mut out = format!("{} {target} HTTP/1.1\nhost: {host}\n", draft.method);
    for (name, value) in &draft.headers {
        out.push_str(&format!("{name}: {}\n", shown(value)));
    }
    if let Some(body) = &draft.body {
        out.push_str(&format!("\n{}", shown(body)));
    }
    out
}

/// The authority of a URL, and what follows it. A variable may stand for any part of what is before the path.
fn divided(url: &[TextPart]) -> (String, String) {
    let (mut host, mut target, mut is_target) = (String::new(), String::new(), false);
    for part in url {
        let text = shown(std::slice::from_ref(part));
        if is_target {
            target.push_str(&text);
            continue;
        }
        let TextPart::Literal(literal) = part else {
            host.push_str(&text);
            continue;
        };
        let rest = match literal.split_once("://") {
            Some((scheme, rest)) if !scheme.contains('/') => rest,
            _ => literal,
        };
        let (before, after) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        host.push_str(before);
        is_target = !after.is_empty();
        target.push_str(after);
    }
    (host, target)
}

pub fn send(workspace: &Workspace, name: &str, body: &Json) -> Result<Json, ApiError> {
    let members = Members::only(body, &["arguments", "argumentsText", "tenant", "principal"])?;
    let caller = Caller { tenant: members.text("tenant")?, principal: members.text("principal")? };
    let arguments = arguments(&members)?;
    let snapshot = workspace.snapshot();
    let (found, contents, plan) = snapshot.callable(name)?;
    Ok(call(Callee { workspace, found, contents, plan }, &arguments, caller)?.json())
}

/// Makes a call, or answers it from the examples.
pub fn call(callee: Callee<'_>, arguments: &str, caller: Caller<'_>) -> Result<Called, ApiError> {
    let Callee { workspace, contents, plan, .. } = callee;
    let trial = Trial::new(contents, plan, now());
    let draft = trial.draft(arguments).map_err(|error| refused(&error))?;
    let begin = Instant::now();
    if trial.upstream().is_none() {
        let nothing =
            Answer { status: 200, content_type: None, content_location: None, message: None, body: b"" };
        let outcome = trial.shape(&nothing);
        return Ok(Called {
            source: "fixed",
            example: None,
            request: Json::Null,
            received: None,
            outcome,
            mask: Mask::default(),
            time: begin.elapsed(),
        });
    }
    let (source, example, received, mask) = if workspace.places.is_mock {
        let (example, received) = mocked(callee, &trial, &draft, arguments)?;
        ("mock", example, received, Mask::default())
    } else {
        let (received, mask) = sent(callee, &trial, &draft, arguments, caller)?;
        ("upstream", None, received, mask)
    };
    let time = begin.elapsed();
    let answer = Answer {
        status: received.status,
        content_type: received.content_type.as_deref(),
        content_location: received.content_location.as_deref(),
        message: received.message,
        body: &received.body,
    };
    let outcome = trial.shape(&answer);
    let request = match trial.program() {
        Some(program) => trial::program_message(program, &draft),
        None => request(&draft),
    };
    Ok(Called { source, example, request, received: Some(received), outcome, mask, time })
}

/// The answer of an example, as in `mcpc dev --mock`: variables have their names as values.
fn mocked(
    callee: Callee<'_>,
    trial: &Trial<'_>,
    draft: &Draft,
    arguments: &str,
) -> Result<(Option<usize>, Received), ApiError> {
    let Callee { found, contents, plan, .. } = callee;
    let names: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let answers = ExampleAnswers::of(&found.report.toolsets, contents, &names, &Limits::default());
    let secrets = trial.secrets(draft, |name| Some(name.to_owned()), Some(NOBODY), Some(NOBODY));
    let secrets = secrets.map_err(|_| ApiError::internal("a mock has a value for every variable"))?;
    let request = trial.bind(arguments, &secrets).map_err(|error| refused(&error))?;
    let tool = contents.strings.get(plan.name);
    let mut received = Received::default();
    let answered = answers.answer(tool, &request, MAX_RESPONSE_BYTES, &mut received);
    answered.map_err(|error| ApiError::upstream(error.to_string()))?;
    Ok((answers.number(tool, &request), received))
}

fn sent(
    callee: Callee<'_>,
    trial: &Trial<'_>,
    draft: &Draft,
    arguments: &str,
    caller: Caller<'_>,
) -> Result<(Received, Mask), ApiError> {
    let variables = callee.workspace.variables()?;
    let programs = &callee.workspace.places.programs;
    let given = Given { variables: &variables, programs, tenant: caller.tenant, principal: caller.principal };
    let ready = Ready::new(trial, draft, arguments, given).map_err(|error| match error {
        NotReady::Missing(missing) => {
            let names: Vec<String> = missing.iter().map(|variable| format!("`{variable}`")).collect();
            let verb = if names.len() == 1 { "has" } else { "have" };
            let message = format!(
                "{} {verb} no value: set it in the environment or in an `--env-file`; a tenant and a principal are given with the call",
                names.join(", ")
            );
            let missing = array(missing.iter().map(ToString::to_string));
            ApiError::not_usable(message).with(object([("variables", missing)]))
        }
        NotReady::Other(error) => ApiError::not_usable(format!("{error:#}")),
    })?;
    let mask = trial.mask(&ready.secrets);
    let received = ready.send(trial).map_err(|error| match &error {
        NoAnswer::Server { failure, .. } => {
            let mut problem = ApiError::server(failure);
            problem.message = mask.text(&problem.message);
            problem
        }
        other => ApiError::upstream(mask.text(&format!("{other:#}"))),
    })?;
    Ok((received, mask))
}

impl Called {
    /// The result as a client gets it, without the values of variables.
    pub fn result(&self) -> Json {
        let result = self.outcome.result.as_ref().map(|result| self.mask.json(result));
        match result {
            Some(result) if result.get("isError").is_none() => {
                extended(result, [("isError", self.outcome.shaped.is_error.into())])
            }
            Some(result) => result,
            None => Json::Null,
        }
    }

    pub fn json(&self) -> Json {
        let raw = self.received.as_ref().map(|received| raw(received, &self.mask));
        let location = self.received.as_ref().and_then(|received| received.location.as_deref());
        let before = raw.as_ref().and_then(|raw| raw.get("tokens").cloned());
        extended(
            object([
                ("source", self.source.into()),
                ("example", self.example.into()),
                ("milliseconds", milliseconds(self.time)),
                ("request", self.request.clone()),
                ("status", self.received.as_ref().map(|received| received.status).into()),
                ("location", location.map(|location| self.mask.text(location)).into()),
                ("raw", raw.into()),
            ]),
            result_members(&self.outcome, &self.result(), before, &self.mask),
        )
    }
}

/// What is said of a result, whether it comes from a call or from a template that is being edited.
pub fn result_members(
    outcome: &Outcome,
    result: &Json,
    before: Option<Json>,
    mask: &Mask,
) -> [(&'static str, Json); 4] {
    let warning = testing::broken(&outcome.shaped).map(|failure| {
        let why = failure.actual.unwrap_or_default();
        format!("`{}` failed: {}", failure.what, mask.text(&why))
    });
    let after = tokens::estimate(&text_of(result));
    [
        ("result", result.clone()),
        ("resultBytes", result.to_text().len().into()),
        ("tokens", object([("before", before.unwrap_or(Json::Null)), ("after", after.into())])),
        ("warning", warning.into()),
    ]
}

/// The answer as it came, but without the values of variables.
fn raw(received: &Received, mask: &Mask) -> Json {
    let about = object([
        ("contentType", received.content_type.as_deref().into()),
        ("bytes", received.body.len().into()),
    ]);
    let (tokens, text, base64, truncated) = match std::str::from_utf8(&received.body) {
        Ok(text) => {
            let masked = mask.text(text);
            let end = (0..=MAX_RAW.min(masked.len())).rev().find(|end| masked.is_char_boundary(*end));
            let shown = masked.get(..end.unwrap_or_default()).unwrap_or_default();
            (Some(tokens::estimate(text)), Some(shown.to_owned()), None, shown.len() < masked.len())
        }
        Err(_) => {
            let shown = received.body.get(..MAX_RAW).unwrap_or(&received.body);
            (None, None, Some(STANDARD.encode(shown)), shown.len() < received.body.len())
        }
    };
    extended(
        about,
        [
            ("tokens", tokens.into()),
            ("text", text.into()),
            ("base64", base64.into()),
            ("truncated", truncated.into()),
        ],
    )
}

/// What templates get as time and chance.
pub fn now() -> Ambient {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Ambient { now_ms, seed: getrandom::u64().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::variables::split_variables;

    #[test]
    fn a_url_is_divided_wherever_its_variables_are() {
        let of = |url: &str| divided(&split_variables(url).0);
        let pair = |host: &str, target: &str| (host.to_owned(), target.to_owned());
        assert_eq!(of("https://a.example:81/b?c=d"), pair("a.example:81", "/b?c=d"));
        assert_eq!(of("https://a.example"), pair("a.example", ""));
        assert_eq!(of("https://a.example?x=https://b/c"), pair("a.example", "?x=https://b/c"));
        assert_eq!(of("https://${HOST}:${PORT}/b/${ID}"), pair("${HOST}:${PORT}", "/b/${ID}"));
        assert_eq!(of("${SHOP}/b?c=${KEY}"), pair("${SHOP}", "/b?c=${KEY}"));
    }
}
