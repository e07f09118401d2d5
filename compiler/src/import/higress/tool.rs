//! One tool.

use super::arguments;
use super::codes;
use super::security::{self, Security};
use super::server::{REQUEST, Server};
use crate::import::Ledger;
use crate::import::draft::{DraftAuth, DraftTemplate, DraftTool};
use crate::import::go_text::{Refusal, Rewritten, Roots, rewrite};
use crate::import::rest::report::{answer_template, mark};
use crate::import::rest::url::Origin;
use crate::import::rest::{About, Argument, RestTool, Unplaced, build, codes as rest, url};
use crate::language::json::Json;
use std::collections::BTreeSet;

/// What templates of answers see: the answer, and nothing else.
const ANSWER: Roots<'static> = Roots { data: &[], settings: &[], declared: None, has_variables: false };

/// What templates see that answer without a request: the arguments.
const DIRECT: Roots<'static> = Roots { data: &["args"], settings: &[], declared: None, has_variables: false };

/// Functions that know the connection, which an edge keeps to itself.
const CONNECTION: [&str; 2] = ["getRealIP", "getSocketIP"];

/// A tool, and where its request goes, if it sends one.
pub type Made = (DraftTool, Option<(Origin, Option<DraftAuth>)>);

/// Makes a tool, or says why there is none.
pub fn import<'d>(
    server: &Server<'_, 'd>,
    value: &'d Json,
    place: &str,
    security: &Security<'_, 'd>,
) -> Result<Made, String> {
    let ledger = server.ledger;
    let name = ledger.text(value, "name").unwrap_or_default().to_owned();
    let description =
        ledger.text(value, "description").map(str::to_owned).filter(|text| !text.trim().is_empty());
    let arguments = arguments::read(ledger, value);
    let declared: BTreeSet<String> =
        arguments.iter().map(|(_, argument)| argument.draft.name.clone()).collect();
    if let Some(requirement) = value.get("security") {
        security::gateway(ledger, requirement);
    }
    if let Some(only) = value.get("legacyOnly") {
        security::legacy_only(ledger, only);
    }
    let request = ledger.object(value, "requestTemplate");
    let url = request.and_then(|request| request.get("url")).and_then(Json::as_str).unwrap_or_default();
    let Some(request) = request.filter(|_| !url.trim().is_empty()) else {
        let tool = DraftTool { place: place.to_owned(), name, description, ..DraftTool::default() };
        return direct(ledger, value, tool, &arguments, &declared).map(|tool| (tool, None));
    };
    let (source, parts) = Reader { server, ledger, declared: &declared }.request(request, url, &arguments)?;
    let source = RestTool { place: place.to_owned(), name, description, ..source };
    let mut built = build(&source)?;
    request.get("url").into_iter().for_each(|url| ledger.keep(url));
    mark(ledger, &format!("{place}/requestTemplate"), &built.changes, |about| match about {
        About::Url => request.get("url"),
        About::Method => request.get("method"),
        About::Body => request.get("body"),
        About::Header(at) => parts.headers.get(at).copied(),
        About::Argument(at) => arguments.get(at).map(|(value, _)| *value),
    });
    answer(ledger, value, &mut built.tool);
    Ok((built.tool, Some((built.origin, security.of(Some(request))))))
}

/// A tool that answers by a template and without a request.
fn direct<'d>(
    ledger: &Ledger<'d>,
    value: &'d Json,
    mut tool: DraftTool,
    arguments: &[(&'d Json, Argument)],
    declared: &BTreeSet<String>,
) -> Result<DraftTool, String> {
    let body = ledger.object(value, "responseTemplate").and_then(|response| response.get("body"));
    let (Some(place), Some(source)) = (body, body.and_then(Json::as_str)) else {
        return Err("it has neither a `url` nor a `body` of its `responseTemplate`".to_owned());
    };
    ledger.keep(place);
    let template = answer_template(ledger, place, source, Roots { declared: Some(declared), ..DIRECT });
    tool.respond_template = Some(template.ok_or_else(|| "its template cannot be had here".to_owned())?);
    tool.parameters = arguments.iter().map(|(_, argument)| argument.draft.clone()).collect();
    Ok(tool)
}

/// The values of a request, for what is said about them.
struct Parts<'d> {
    headers: Vec<&'d Json>,
}

struct Reader<'r, 'l, 'd> {
    server: &'r Server<'l, 'd>,
    ledger: &'r Ledger<'d>,
    declared: &'r BTreeSet<String>,
}

impl<'d> Reader<'_, '_, 'd> {
    fn request(
        &self,
        request: &'d Json,
        url: &str,
        arguments: &[(&'d Json, Argument)],
    ) -> Result<(RestTool, Parts<'d>), String> {
        let host = host_of(url);
        let host = host.as_deref();
        let url = self.template("url", url, host)?;
        let mut headers = Vec::new();
        let mut parts = Parts { headers: Vec::new() };
        for header in self.ledger.list(request, "headers") {
            if self.ledger.members_of(header).is_none() {
                continue;
            }
            let key = self.ledger.text(header, "key").unwrap_or_default();
            let value = self.ledger.text(header, "value").unwrap_or_default();
            if key.is_empty() {
                continue;
            }
            let connection = CONNECTION.into_iter().find(|name| value.contains(name));
            if let Some(function) = connection {
                let why = format!("`{function}` knows the address of the caller, which is not sent to APIs");
                self.ledger.refuse(header, &rest::HEADER_REFUSED, why);
                continue;
            }
            headers.push((key.to_owned(), self.template(&format!("header `{key}`"), value, host)?));
            parts.headers.push(header);
        }
        let body = self.ledger.text(request, "body").filter(|body| !body.trim().is_empty());
        let body = body.map(|body| self.template("body", body, host)).transpose()?;
        let flag = |name: &str| self.ledger.boolean(request, name) == Some(true);
        let (to_json, to_query, to_form) =
            (flag("argsToJsonBody"), flag("argsToUrlParam"), flag("argsToFormBody"));
        if [to_json, to_query, to_form].into_iter().filter(|flag| *flag).count() > 1 {
            return Err(
                "more than one of `argsToJsonBody`, `argsToUrlParam` and `argsToFormBody` is set".to_owned()
            );
        }
        let tool = RestTool {
            method: self.ledger.text(request, "method").unwrap_or_default().to_owned(),
            url,
            headers,
            body,
            arguments: arguments.iter().map(|(_, argument)| argument.clone()).collect(),
            unplaced: match (to_query, to_json || to_form) {
                (true, _) => Unplaced::Query,
                (_, true) => Unplaced::Body,
                _ => Unplaced::Nowhere,
            },
            is_form: to_form,
            ..RestTool::default()
        };
        Ok((tool, parts))
    }

    fn template(&self, what: &str, source: &str, host: Option<&str>) -> Result<Rewritten, String> {
        let roots = Roots { declared: Some(self.declared), ..REQUEST };
        rewrite(source, roots, &mut |key| self.server.variable(key, host))
            .map_err(|refusal: Refusal| format!("{what}: {}", refusal.words(source)))
    }
}

/// The host of an URL, which the names of variables depend on.
fn host_of(url: &str) -> Option<String> {
    let rewritten = rewrite(url, REQUEST, &mut str::to_owned).ok()?;
    match url::read(&rewritten.text).ok()?.origin {
        Origin::Absolute(origin) => origin.split("://").nth(1).map(|host| host.replace('.', "_")),
        Origin::Relative => None,
    }
}

/// How an answer becomes text.
fn answer<'d>(ledger: &Ledger<'d>, value: &'d Json, tool: &mut DraftTool) {
    if let Some(schema) = value.get("outputSchema") {
        match schema.get("type").and_then(Json::as_str) == Some("object") {
            true => {
                ledger.keep(schema);
                tool.output_schema = Some(schema.clone());
            }
            false => {
                ledger.refuse(schema, &rest::TEMPLATE_REFUSED, "an output schema must be of type `object`");
            }
        }
    }
    if let Some(response) = ledger.object(value, "responseTemplate") {
        let text = |name: &str| ledger.text(response, name).filter(|text| !text.is_empty());
        let (body, before, after) = (text("body"), text("prependBody"), text("appendBody"));
        if let (Some(source), Some(place)) = (body, response.get("body")) {
            tool.response_template = answer_template(ledger, place, source, ANSWER);
        } else if before.is_some() || after.is_some() {
            let source = format!("{}{{{{ . }}}}{}", literal(before), literal(after));
            tool.response_template = Some(DraftTemplate::Go(source));
            for place in [response.get("prependBody"), response.get("appendBody")].into_iter().flatten() {
                let why = "an answer that is not JSON is shown as an error, with its text";
                ledger.change(place, &rest::ANSWER_MUST_BE_JSON, why);
            }
        }
    }
    if let (Some(source), Some(place)) = (
        ledger.text(value, "errorResponseTemplate").filter(|text| !text.is_empty()),
        value.get("errorResponseTemplate"),
    ) {
        if source.contains("_headers") {
            ledger.refuse(
                place,
                &codes::STATUS_TEMPLATE,
                "the edge shows the status and the answer by itself",
            );
        } else {
            tool.error_template = answer_template(ledger, place, source, ANSWER);
        }
    }
}

/// Text in which braces begin no action.
fn literal(text: Option<&str>) -> String {
    text.unwrap_or_default().replace("{{", "{{ \"{{\" }}")
}
