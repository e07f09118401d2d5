//! What a template makes of an answer or of arguments, while somebody edits it.
//!
//! The spec is checked with the template in a file of its own, which is only in memory: so the places of what is wrong with
//! it are places in its text.

use super::calls::{arguments, now, previewed, result_members};
use crate::check::{Report, check};
use crate::checked::CheckedTemplate;
use crate::exercise::testing::{body_of, content_type, header};
use crate::exercise::trial::{Mask, Trial};
use crate::files::{Input, join};
use crate::language::json::Json;
use crate::publish::tokens;
use crate::spec::{TemplateDialect, TemplateSource};
use crate::studio::edits;
use crate::studio::error::ApiError;
use crate::studio::json::{Members, array, extended, object, place};
use crate::studio::workspace::{Found, Snapshot, Workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::shape::Answer;
use mcp_diagnostics::{Diagnostic, Severity};

/// The file that the template is in, without its extension, which says the dialect.
const FILE: &str = ".mcpc-studio-preview";

/// What to render.
enum Given {
    Answer(GivenAnswer),
    /// JSON, for the template of the request.
    Arguments(String),
}

struct GivenAnswer {
    status: u16,
    content_type: Option<String>,
    content_location: Option<String>,
    body: Vec<u8>,
}

pub fn render(workspace: &Workspace, name: &str, body: &Json) -> Result<Json, ApiError> {
    let of_answer = ["key", "text", "example", "status", "contentType", "body", "base64"];
    let of_request = ["key", "text", "example", "arguments", "argumentsText"];
    let members = Members::only(body, &[&of_answer[..], &of_request[3..]].concat())?;
    let key = members.text("key")?.unwrap_or("response_template");
    let snapshot = workspace.snapshot();
    let found = snapshot.tool(name)?;
    let given = match key {
        "response_template" | "error_template" => {
            Given::Answer(given_answer(&Members::only(body, &of_answer)?, found)?)
        }
        _ if key == found.tool.body_template_key() => {
            Given::Arguments(given_arguments(&Members::only(body, &of_request)?, found)?)
        }
        _ => {
            let own = found.tool.body_template_key();
            let message =
                format!("`key` is `response_template`, `error_template` or, for this tool, `{own}`");
            return Err(ApiError::bad_request(message));
        }
    };
    match members.text("text")? {
        None => {
            let (found, _, _) = snapshot.callable(name)?;
            made(workspace, found.report, name, given, Vec::new())
        }
        Some(text) => edited(workspace, &snapshot, found, key, text, given),
    }
}

/// The arguments of a call, or of an example.
fn given_arguments(members: &Members<'_>, found: Found<'_>) -> Result<String, ApiError> {
    let Some(number) = members.number("example", "", 1..=u32::MAX)? else { return arguments(members) };
    let example = (number as usize).checked_sub(1).and_then(|index| found.tool.examples.get(index));
    let example = example.ok_or_else(|| ApiError::not_found(format!("there is no example {number}")))?;
    Ok(example.arguments.as_ref().map_or_else(|| "{}".to_owned(), |arguments| arguments.value.to_text()))
}

fn given_answer(members: &Members<'_>, found: Found<'_>) -> Result<GivenAnswer, ApiError> {
    if let Some(number) = members.number("example", "", 1..=u32::MAX)? {
        let example = (number as usize).checked_sub(1).and_then(|index| found.tool.examples.get(index));
        let response = example.and_then(|example| example.response.as_ref());
        let response =
            response.ok_or_else(|| ApiError::not_found(format!("example {number} has no response")))?;
        let body = body_of(response);
        return Ok(GivenAnswer {
            status: response.status.as_ref().map_or(200, |status| status.value),
            content_type: content_type(response, &body).map(str::to_owned),
            content_location: header(response, "content-location").map(str::to_owned),
            body: body.into_owned(),
        });
    }
    let body = match (members.text("body")?, members.text("base64")?) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (None, Some(code)) => {
            STANDARD.decode(code).map_err(|_| ApiError::bad_request("`base64` is not base64"))?
        }
        (None, None) => Vec::new(),
    };
    let is_json = std::str::from_utf8(&body).is_ok_and(|text| Json::parse(text).is_some());
    let content_type = members.text("contentType")?.or(is_json.then_some("application/json"));
    Ok(GivenAnswer {
        status: members.status()?,
        content_type: content_type.map(str::to_owned),
        content_location: None,
        body,
    })
}

/// Checks the spec of the tool with the new template, and renders with that.
fn edited(
    workspace: &Workspace,
    snapshot: &Snapshot,
    found: Found<'_>,
    key: &str,
    text: &str,
    given: Given,
) -> Result<Json, ApiError> {
    let Found { report, toolset, tool } = found;
    let spec = report.sources.file(toolset.file);
    let template = match key {
        "response_template" => tool.response_template.as_ref(),
        "error_template" => tool.error_template.as_ref(),
        _ => tool.body_template.as_ref(),
    };
    let mut files = snapshot.files();
    let preview = match template.map(|template| &template.source) {
        Some(TemplateSource::File { file, .. }) => report.sources.file(*file).name.clone(),
        _ => {
            let name = format!("{FILE}.{}", extension(template));
            let value = format!("{{ file = \"{name}\" }}");
            let changed = edits::with_value(&spec.text, tool, key, &value)?;
            files.replace(&spec.name, Ok(changed));
            let folder = spec.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            join(folder, &name)
        }
    };
    files.replace(&preview, Ok(text.to_owned()));
    let input =
        Input { specs: vec![spec.name.clone()], config: snapshot.input.config.clone(), ..Input::default() };
    let report = check(&input, &files);
    let its = report
        .diagnostics
        .iter()
        .filter(|finding| is_at(&report, finding, &preview) || finding.severity == Severity::Error);
    let findings: Vec<Json> = its.map(|finding| shown(&report, finding, &preview)).collect();
    if report.contents.is_none() {
        let refused = object([("valid", false.into()), ("findings", Json::Array(findings))]);
        if let Given::Arguments(_) = given {
            return Ok(extended(refused, [("preview", Json::Null)]));
        }
        let nothing = [
            ("result", Json::Null),
            ("resultBytes", Json::Null),
            ("tokens", Json::Null),
            ("warning", Json::Null),
        ];
        return Ok(extended(refused, nothing));
    }
    made(workspace, &report, tool.label(), given, findings)
}

fn extension(template: Option<&CheckedTemplate>) -> &'static str {
    match template.map(|template| template.dialect) {
        Some(TemplateDialect::Go) => "tmpl",
        Some(TemplateDialect::Handlebars) => "hbs",
        Some(TemplateDialect::Unsaid) | None => "txt",
    }
}

fn is_at(report: &Report, finding: &Diagnostic, file: &str) -> bool {
    report.sources.file(finding.span.file).name == file
}

fn shown(report: &Report, finding: &Diagnostic, preview: &str) -> Json {
    let is_here = is_at(report, finding, preview);
    let (start, end) = (finding.start(&report.sources), finding.end(&report.sources));
    object([
        ("severity", finding.severity.word().into()),
        ("code", finding.code().into()),
        ("message", finding.message.as_str().into()),
        ("help", finding.help.as_deref().into()),
        ("start", is_here.then(|| place(start)).into()),
        ("end", is_here.then(|| place(end)).into()),
    ])
}

/// What the tool makes of it, with the code that calls run.
fn made(
    workspace: &Workspace,
    report: &Report,
    name: &str,
    given: Given,
    findings: Vec<Json>,
) -> Result<Json, ApiError> {
    let contents = report.contents.as_ref();
    let planned = contents.and_then(|contents| Some((contents, contents.tool(name)?.1)));
    let (contents, plan) = planned
        .ok_or_else(|| ApiError::not_usable(format!("`{name}` is not among the tools of its spec")))?;
    let valid = object([("valid", true.into()), ("findings", array(findings))]);
    let given = match given {
        Given::Answer(answer) => answer,
        Given::Arguments(arguments) => {
            let preview = previewed(contents, plan, &arguments, &workspace.variables()?);
            return Ok(extended(valid, [("preview", preview)]));
        }
    };
    let trial = Trial::new(contents, plan, now());
    let GivenAnswer { status, content_type, content_location, body } = given;
    let before = std::str::from_utf8(&body).ok().map(tokens::estimate);
    let (body, message) = trial.body_of_answer(body);
    let outcome = trial.shape(&Answer {
        status,
        content_type: content_type.as_deref(),
        content_location: content_location.as_deref(),
        message,
        body: &body,
    });
    let result = outcome.result.clone().unwrap_or(Json::Null);
    let result = match result.get("isError") {
        None if result != Json::Null => extended(result, [("isError", outcome.shaped.is_error.into())]),
        _ => result,
    };
    let members = result_members(&outcome, &result, before.map(Json::from), &Mask::default());
    Ok(extended(valid, members))
}
