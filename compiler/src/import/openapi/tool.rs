//! One operation as one tool.

use super::api::Api;
use super::arguments::{Argument, name_all};
use super::bodies::{self, Body};
use super::operations::Operation;
use super::schemas::Schemas;
use super::upstreams::Upstreams;
use super::{
    Options, Refusal, answers, codes, endpoint, examples, names, parameters, security, servers, text,
};
use crate::import::Fate;
use crate::import::codes::DESCRIPTION_CHANGED;
use crate::import::draft::{DraftAllow, DraftTemplate, DraftTool};
use crate::language::json::Json;
use crate::language::names::variable;

/// Characters of a tool's description.
const DESCRIPTION: usize = 170;
const COMPACT_DESCRIPTION: usize = 80;

/// Bytes of a schema that is long: it costs a model more than a thousand tokens.
const LONG: usize = 6000;

/// A tool, and the number of its upstream.
#[derive(Debug)]
pub struct Built {
    pub tool: DraftTool,
    pub upstream: usize,
}

pub fn build<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    upstreams: &mut Upstreams,
    operation: &Operation<'d>,
    base: &str,
    options: &Options,
) -> Result<Built, Refusal> {
    let server = servers::of_operation(api, operation, base, options.server.as_deref())?;
    let (credentials, scopes) = security::of_operation(api, operation, base);
    let upstream = upstreams.number(server.clone(), credentials, scopes);
    let secret = |name: &str| variable(&[base, name], "API_KEY");
    let (mut arguments, old) = parameters::read(api, schemas, operation, &secret)?;
    let Body { kind, is_template, content_type, arguments: of_body, is_open } =
        bodies::read(api, schemas, operation, &old, &secret)?;
    arguments.extend(of_body);
    arguments.retain(|argument| !upstreams.sends(upstream, argument.position, &argument.wire));
    for (name, place, variable) in upstreams.keys(upstream) {
        arguments.retain(|argument| !(argument.position == *place && argument.wire == *name));
        arguments.push(Argument::constant(name, place, Json::string(format!("${{{variable}}}"))));
    }
    for argument in &mut arguments {
        if let Some(Json::String(value)) = &mut argument.value
            && let Some(name) = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        {
            *value = format!("${{{}}}", upstreams.own_variable(name, &server));
        }
    }
    endpoint::add_missing(api, operation, &mut arguments);
    name_all(&mut arguments);
    let mut tool = DraftTool {
        place: operation.place.clone(),
        comments: vec![origin(operation)],
        description: Some(description(api, operation, options)),
        method: Some(operation.method.to_owned()),
        endpoint: Some(endpoint::write(operation.path, &arguments)?),
        ..DraftTool::default()
    };
    let body = arguments.iter().find(|argument| argument.is_whole_body);
    tool.body = kind.map(|kind| match (kind.as_str(), body) {
        (kind, Some(argument)) if kind.ends_with(':') => format!("{kind}{}", argument.name),
        _ => kind,
    });
    tool.body_template = body.filter(|_| is_template).map(|argument| {
        // Its name begins with `body`, so it has no `-`, which templates read as minus.
        DraftTemplate::Go(format!("{{{{ .{} }}}}", argument.name))
    });
    tool.headers = content_type.map(|media| ("content-type".to_owned(), media)).into_iter().collect();
    let is_json = tool.body.is_none() && tool.body_template.is_none();
    schema(api, schemas, &mut arguments, is_json, is_open, options, &mut tool)?;
    answer(api, operation, &arguments, options, &mut tool);
    Ok(Built { tool, upstream })
}

/// Writes the arguments as parameters where these say everything, and as a schema otherwise.
fn schema(
    api: &Api<'_>,
    schemas: &Schemas<'_, '_>,
    arguments: &mut [Argument],
    is_json: bool,
    is_open: bool,
    options: &Options,
    tool: &mut DraftTool,
) -> Result<(), Refusal> {
    let visible = || arguments.iter().filter(|argument| argument.value.is_none());
    let properties = visible().map(|argument| {
        let schema = match options.compact {
            // What is in the path has a name that says enough.
            true => schemas.shallow(&argument.schema, argument.is_required && argument.position != "path"),
            false => argument.schema.clone(),
        };
        (argument.name.clone(), schema)
    });
    let properties: Vec<(String, Json)> = properties.collect();
    let required: Vec<Json> = visible()
        .filter(|argument| argument.is_required)
        .map(|argument| Json::string(&argument.name))
        .collect();
    let mut root = vec![("type".to_owned(), Json::string("object"))];
    root.push(("properties".to_owned(), Json::Object(properties)));
    if !required.is_empty() {
        root.push(("required".to_owned(), Json::Array(required)));
    }
    if is_open && is_json {
        root.push(("additionalProperties".to_owned(), Json::Bool(true)));
    }
    let complete = schemas.complete(Json::Object(root)).map_err(|_| {
        Refusal::new(&codes::TOO_LARGE, "the schema of its arguments is too large; `--compact` may help")
    })?;
    let length = complete.to_text().len();
    let complete = if length > LONG {
        let why = format!(
            "the schema has {length} bytes, so what is deep inside of its arguments has no descriptions"
        );
        api.ledger.note(&tool.place, Fate::Changed, &DESCRIPTION_CHANGED, why);
        Schemas::without_deep_words(complete)
    } else {
        complete
    };
    for argument in arguments.iter_mut().filter(|argument| argument.value.is_none()) {
        if let Some(schema) = complete.get("properties").and_then(|all| all.get(&argument.name)) {
            argument.schema = schema.clone();
        }
    }
    let is_plain = complete.get("$defs").is_none() && !is_open && tool.body_template.is_none();
    let written: Option<Vec<_>> = arguments.iter().map(Argument::written_out).collect();
    match written.filter(|_| is_plain) {
        Some(parameters) => tool.parameters = parameters,
        None => {
            tool.parameters = arguments
                .iter()
                .filter(|argument| !argument.position.is_empty())
                .filter_map(|argument| argument.placed(is_json))
                .collect();
            tool.input_schema = Some(complete);
        }
    }
    Ok(())
}

fn answer<'d>(
    api: &Api<'d>,
    operation: &Operation<'d>,
    arguments: &[Argument],
    options: &Options,
    tool: &mut DraftTool,
) {
    let answer = answers::read(api, operation, !options.no_select);
    if let Some((kept, all)) = answer.kept {
        tool.comments
            .push(format!("`select` keeps {kept} of {all} fields; without it, a model sees all of them"));
    }
    tool.select = answer.select;
    tool.output_schema = answer.output_schema.filter(|_| !options.compact);
    // Without an output schema the check knows of answers only what examples have.
    if answer.example_is_partial && tool.output_schema.is_none() {
        let reason = "answers have more fields than the example of the document".to_owned();
        tool.allow.push(DraftAllow { rule: "unknown-response-field".to_owned(), reason });
    }
    let example = examples::call(arguments, answer.example, &format!("{}/responses", operation.place));
    tool.examples.extend(example);
}

/// What the tool does: the summary, and as much of the description as helps.
fn description(api: &Api<'_>, operation: &Operation<'_>, options: &Options) -> String {
    let limit = if options.compact { COMPACT_DESCRIPTION } else { DESCRIPTION };
    let summary = text::plain(operation.summary.unwrap_or_default());
    let description = text::plain(operation.description.unwrap_or_default());
    let mut all = match (summary.is_empty(), description.is_empty()) {
        (true, true) => {
            let why = "the document has none; it is made of method and path";
            api.ledger.note(&operation.place, Fate::Changed, &DESCRIPTION_CHANGED, why);
            let words = names::of_path(operation.method, operation.path).replace('_', " ");
            format!("{} (`{} {}`).", capital(&words), operation.method, operation.path)
        }
        (false, true) => sentence(&summary),
        (true, false) => description,
        (false, false) if repeats(&summary, &description) => description,
        (false, false) => format!("{} {description}", sentence(&summary)),
    };
    if operation.is_deprecated && !all.to_lowercase().contains("deprecated") {
        all = format!("Deprecated. {all}");
    }
    let short = text::cut(&all, limit);
    if let Some(node) = operation.node.get("description").or_else(|| operation.node.get("summary")) {
        let why = match short.len() < all.len() {
            true => format!("it was cut to {} of {} characters", short.chars().count(), all.chars().count()),
            false => "its markup was removed".to_owned(),
        };
        let raw = operation.description.or(operation.summary).unwrap_or_default();
        if short.len() < all.len() || !short.contains(raw.trim()) {
            api.ledger.change(node, &DESCRIPTION_CHANGED, why);
        }
    }
    short
}

/// Method, path and tags: for people, so it costs no tokens.
fn origin(operation: &Operation<'_>) -> String {
    let tags = operation.tags.join(", ");
    let tags = if tags.is_empty() { tags } else { format!(" ({tags})") };
    format!("{} {}{tags}", operation.method, operation.path)
}

/// Whether a description begins with what the summary says.
fn repeats(summary: &str, description: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        words.map(|word| word.to_lowercase().chars().take(5).collect()).collect()
    };
    let start: String = description.chars().take(summary.chars().count() + 80).collect();
    let (said, start) = (words(summary), words(&start));
    let again = said.iter().filter(|word| start.contains(word)).count();
    !said.is_empty() && 3 * again >= 2 * said.len()
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '。']) { text.to_owned() } else { format!("{text}.") }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
