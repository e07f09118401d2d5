//! One tool.

use super::functions::renamed;
use super::{Server, codes};
use crate::import::Ledger;
use crate::import::draft::DraftParameter;
use crate::import::go_text::{Refusal, Rewritten, Roots, rewrite};
use crate::import::rest::report::{answer_template, mark};
use crate::import::rest::url::Origin;
use crate::import::rest::values::{fitting, keep_or_correct, kind, schema};
use crate::import::rest::{About, Argument, Built, RestTool, Unplaced, build, codes as rest, url};
use crate::import::secrets::default_of;
use crate::language::json::Json;
use std::collections::BTreeSet;

/// What templates of requests see: settings and arguments.
const REQUEST: Roots<'static> =
    Roots { data: &["Args"], settings: &["Config"], declared: None, has_variables: true };
/// What templates of answers see, of what there is here: the answer.
const ANSWER: Roots<'static> =
    Roots { data: &["Response", "Data"], settings: &["Config"], declared: None, has_variables: false };

/// How many hosts tools have.
pub fn origins<'d>(tools: impl Iterator<Item = &'d Json>) -> usize {
    let of = |tool: &Json| {
        let endpoint = tool.get("endpoint").and_then(Json::as_str)?;
        let rewritten = rewrite(&renamed(endpoint), REQUEST, &mut str::to_owned).ok()?;
        url::read(&rewritten.text).ok().map(|target| target.origin)
    };
    tools.filter_map(of).collect::<BTreeSet<_>>().len()
}

/// Makes a tool, or says why there is none.
pub fn import<'d>(server: &Server<'_, 'd>, value: &'d Json, place: &str) -> Result<Built, String> {
    let ledger = server.ledger;
    let name = ledger.text(value, "name").unwrap_or_default().to_owned();
    let description = ledger.text(value, "description").filter(|text| !text.trim().is_empty());
    let arguments = arguments(ledger, value);
    let own_schema = value.get("inputSchema").filter(|schema| schema.as_object().is_some());
    let mut declared: BTreeSet<String> =
        arguments.iter().map(|(.., argument)| argument.draft.name.clone()).collect();
    let input_schema = own_schema.filter(|_| arguments.is_empty());
    if let Some(properties) = input_schema.and_then(|schema| schema.get("properties")?.as_object()) {
        declared.extend(properties.iter().map(|(name, _)| name.clone()));
    }
    let endpoint = ledger.text(value, "endpoint").filter(|endpoint| !endpoint.trim().is_empty());
    let endpoint = endpoint.ok_or_else(|| "it has no `endpoint`".to_owned())?;
    let read = Reader { server, declared: &declared };
    let host = host_of(endpoint);
    let (headers, header_values) = read.headers(value, host.as_deref())?;
    let body = ledger.text(value, "requestBody").filter(|body| !body.trim().is_empty());
    let source = RestTool {
        place: place.to_owned(),
        name,
        description: description.map(str::to_owned),
        method: ledger.text(value, "method").unwrap_or_default().to_owned(),
        url: read.template("endpoint", endpoint, host.as_deref())?,
        headers,
        body: body.map(|body| read.template("requestBody", body, host.as_deref())).transpose()?,
        arguments: arguments.iter().map(|(_, _, argument)| argument.clone()).collect(),
        unplaced: Unplaced::Nowhere,
        is_form: false,
        is_multipart: arguments.iter().any(|(_, position, _)| *position == "form-data"),
    };
    let mut built = build(&source)?;
    mark(ledger, place, &built.changes, |about| match about {
        About::Url => value.get("endpoint"),
        About::Method => value.get("method"),
        About::Body => value.get("requestBody"),
        About::Header(at) => header_values.get(at).copied(),
        About::Argument(at) => arguments.get(at).map(|(value, ..)| *value),
    });
    if let Some(schema) = own_schema {
        match input_schema {
            Some(_) => {
                ledger.keep(schema);
                built.tool.input_schema = Some(schema.clone());
            }
            None => ledger.leave_out(schema, &crate::import::codes::NOT_USED, "`args` say the same"),
        }
    }
    if let Some(proxy) = value.get("proxy") {
        ledger.refuse(proxy, &codes::PROXY, "requests go to the API itself");
    }
    if let Some(meta) = value.get("meta") {
        ledger.leave_out(meta, &crate::import::codes::NOT_USED, "it says nothing about requests");
    }
    for (hint, value) in ledger.members(value, "annotations") {
        match (hint.as_str(), value) {
            ("title", Json::String(title)) => {
                ledger.keep(value);
                built.tool.title = Some(title.clone());
            }
            ("readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint", Json::Bool(truth)) => {
                ledger.keep(value);
                built.tool.hint(hint, *truth);
            }
            _ => {}
        }
    }
    if let (Some(source), Some(place)) =
        (ledger.text(value, "responseBody").filter(|text| !text.trim().is_empty()), value.get("responseBody"))
    {
        let source = renamed(source);
        // The answer as it is needs no template.
        if !is_whole_answer(&source) {
            built.tool.response_template = answer_template(ledger, place, &source, ANSWER);
        }
    }
    Ok(built)
}

fn is_whole_answer(source: &str) -> bool {
    let inner = source.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    inner.is_some_and(|inner| inner.trim() == ".Response.Data")
}

struct Reader<'r, 'l, 'd> {
    server: &'r Server<'l, 'd>,
    declared: &'r BTreeSet<String>,
}

type Headers<'d> = (Vec<(String, Rewritten)>, Vec<&'d Json>);

impl<'d> Reader<'_, '_, 'd> {
    fn headers(&self, tool: &'d Json, host: Option<&str>) -> Result<Headers<'d>, String> {
        let ledger = self.server.ledger;
        let (mut headers, mut values) = (Vec::new(), Vec::new());
        for (name, value) in ledger.members(tool, "headers") {
            let Some(source) = value.as_str() else {
                ledger.refuse_kind(value, "a text");
                continue;
            };
            if source.contains(".Request.") {
                let why = "the edge sends a credential of its own; for a token per caller see `kind = \"exchange\"`";
                ledger.refuse(value, &rest::CREDENTIAL_NOT_PASSED, why);
                continue;
            }
            ledger.open(value);
            headers.push((name.clone(), self.template(&format!("header `{name}`"), source, host)?));
            values.push(value);
        }
        Ok((headers, values))
    }

    fn template(&self, what: &str, source: &str, host: Option<&str>) -> Result<Rewritten, String> {
        let roots = Roots { declared: Some(self.declared), ..REQUEST };
        let source = renamed(source);
        rewrite(&source, roots, &mut |key| self.server.variable(key, host))
            .map_err(|refusal: Refusal| format!("{what}: {}", refusal.words(&source)))
    }
}

fn host_of(endpoint: &str) -> Option<String> {
    let rewritten = rewrite(&renamed(endpoint), REQUEST, &mut str::to_owned).ok()?;
    match url::read(&rewritten.text).ok()?.origin {
        Origin::Absolute(origin) => origin.split("://").nth(1).map(|host| host.replace('.', "_")),
        Origin::Relative => None,
    }
}

/// The arguments, with the values that they come from and the positions that they have there.
fn arguments<'d>(ledger: &Ledger<'d>, tool: &'d Json) -> Vec<(&'d Json, &'d str, Argument)> {
    let mut all: Vec<(&Json, &str, Argument)> = Vec::new();
    for value in ledger.list(tool, "args") {
        if ledger.members_of(value).is_none() {
            continue;
        }
        let Some(name) = ledger.text(value, "name").filter(|name| !name.is_empty()) else {
            ledger.refuse(value, &rest::NEVER_SENT, "an argument needs a name");
            continue;
        };
        if let Some(at) = all.iter().position(|(.., known)| known.draft.name == name) {
            let (earlier, ..) = all.remove(at);
            ledger.refuse(
                earlier,
                &rest::DUPLICATE_ARGUMENT,
                format!("a later argument is called `{name}`, too"),
            );
        }
        let kind = kind(ledger, value);
        let mut draft = DraftParameter {
            name: name.to_owned(),
            kind: Some(kind.to_owned()),
            description: ledger
                .text(value, "description")
                .map(str::to_owned)
                .filter(|text| !text.trim().is_empty()),
            required: ledger.boolean(value, "required") == Some(true),
            ..DraftParameter::default()
        };
        if let Some(default) = value.get("default") {
            // An empty text stands for none.
            let fitting = fitting(ledger, default, kind).filter(|value| value.as_str() != Some(""));
            draft.default = default_of(ledger, name, default, fitting);
        }
        if let Some(items) = value.get("items").filter(|items| kind == "array" && items.as_object().is_some())
        {
            let corrected = schema(items);
            keep_or_correct(ledger, items, corrected == *items);
            draft.keywords.push(("items".to_owned(), corrected));
        }
        let position = ledger.text(value, "position").unwrap_or_default();
        all.push((value, position, Argument { draft, position: place(position) }));
    }
    all
}

/// A position that sends the argument by itself. `path` and `body` only say that a template reads it.
fn place(position: &str) -> Option<&'static str> {
    match position {
        "query" => Some("query"),
        "header" => Some("header"),
        "form-data" => Some("body"),
        _ => None,
    }
}
