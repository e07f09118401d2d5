//! Bodies of requests as arguments.

use super::Refusal;
use super::api::{Api, Version};
use super::arguments::{Argument, Shape, describe_default};
use super::codes;
use super::encodings;
use super::examples;
use super::operations::Operation;
use super::parameters::{OldBody, credential, style_of};
use super::schemas::{Schemas, is_text_media};
use crate::language::json::Json;

/// More properties are easier to give as one object.
const MAX_PROPERTIES: usize = 256;

/// How the arguments of a body are written.
#[derive(Debug, Default)]
pub struct Body {
    /// The key `body` of the tool.
    pub kind: Option<String>,
    /// A template writes the one argument as it is.
    pub is_template: bool,
    pub content_type: Option<String>,
    pub arguments: Vec<Argument>,
    /// Arguments that the schema does not name go into it.
    pub is_open: bool,
}

/// A kind of body, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Json,
    Form,
    Text,
    Multipart,
    Bytes,
    Unknown,
}

pub fn read<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    operation: &Operation<'d>,
    old: &OldBody<'d>,
    secret: &dyn Fn(&str) -> String,
) -> Result<Body, Refusal> {
    if api.version == Version::Swagger2 {
        return of_swagger(api, schemas, operation, old, secret);
    }
    let Some(body) = operation.node.get("requestBody") else { return Ok(Body::default()) };
    let body = api.resolve(body).map_err(|why| Refusal::new(&codes::UNRESOLVED_REF, why))?;
    let ledger = &api.ledger;
    let is_required = ledger.boolean(body, "required").unwrap_or(false);
    let content = ledger.members(body, "content");
    if let Some(text) = body.get("description") {
        ledger.change(text, &codes::NOT_PUBLISHED, "the arguments have descriptions of their own");
    }
    let Some((media, node)) = content.iter().min_by_key(|(media, _)| rank(media)) else {
        return Ok(Body::default());
    };
    for (other, value) in content.iter().filter(|(other, _)| other != media) {
        let why =
            format!("the body is sent as `{}`, and not as `{}`", super::short(media), super::short(other));
        ledger.change(value, &codes::OTHER_MEDIA_TYPE, why);
    }
    ledger.members_of(node);
    for name in ["example", "examples"] {
        if let Some(example) = node.get(name) {
            ledger.change(example, &codes::EXAMPLE_USED, "it is in the arguments of the tool's example");
        }
    }
    let example = examples::of_media(api, node);
    let encoding = node.get("encoding");
    let kind = rank(media).0;
    let schema = match node.get("schema") {
        Some(schema) => schemas.argument(schema),
        None => Json::Object(Vec::new()),
    };
    // A text is sent as it is, whatever it is called.
    let is_text = schema.get("type").and_then(Json::as_str) == Some("string") && !is_binary(&schema);
    let says_nothing = schema.as_object().is_some_and(<[_]>::is_empty);
    let kind = match kind {
        Kind::Unknown if is_binary(&schema) => Kind::Bytes,
        // Nothing is known but that it is no text: a PDF, an archive.
        Kind::Unknown if says_nothing && !is_text_media(media) => Kind::Bytes,
        Kind::Unknown if says_nothing => Kind::Text,
        kind => kind,
    };
    if kind == Kind::Unknown && !is_text {
        return Err(no_such_body(media));
    }
    let source = Source { media, encoding, is_required, example };
    let body = match kind {
        Kind::Json => json(api, schemas, schema, source, body),
        Kind::Form => form(schemas, schema, &source)?,
        Kind::Multipart => multipart(schemas, schema, &source)?,
        Kind::Bytes => bytes(schema, &source),
        _ => text(schema, &source, TEXT),
    };
    if let Some(encoding) = encoding {
        encodings::account(api, encoding, kind == Kind::Multipart, &body.arguments);
    }
    Ok(body)
}

/// What is known of a body beside its schema.
struct Source<'s> {
    media: &'s str,
    encoding: Option<&'s Json>,
    is_required: bool,
    example: Option<Json>,
}

fn of_swagger<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    operation: &Operation<'d>,
    old: &OldBody<'d>,
    secret: &dyn Fn(&str) -> String,
) -> Result<Body, Refusal> {
    let ledger = &api.ledger;
    let consumes = [operation.node, api.root].into_iter().find_map(|home| home.get("consumes"));
    consumes.inspect(|consumes| ledger.keep(consumes));
    let words = consumes.and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str);
    if let Some(body) = old.body {
        if let Some(text) = body.get("description") {
            ledger.change(text, &codes::NOT_PUBLISHED, "the arguments have descriptions of their own");
        }
        let media = words.min_by_key(|word| rank(word)).unwrap_or("application/json");
        let kind = rank(media).0;
        let schema = body.get("schema").map_or(Json::Object(Vec::new()), |schema| schemas.argument(schema));
        let is_required = body.get("required").and_then(Json::as_bool).unwrap_or(false);
        let example = examples::of_schema(api, body.get("schema"));
        let source = Source { media, encoding: None, is_required, example };
        return match kind {
            Kind::Json => Ok(json(api, schemas, schema, source, body)),
            // `consumes` of the whole document is about other operations.
            Kind::Form => {
                Ok(json(api, schemas, schema, Source { media: "application/json", ..source }, body))
            }
            Kind::Text => Ok(text(schema, &source, TEXT)),
            _ => Err(no_such_body(media)),
        };
    }
    if old.fields.is_empty() {
        return Ok(Body::default());
    }
    let is_file = |field: &&Json| field.get("type").and_then(Json::as_str) == Some("file");
    let has_form = words.clone().any(|word| rank(word).0 == Kind::Form);
    let has_multipart = words.clone().any(|word| rank(word).0 == Kind::Multipart);
    let is_multipart = old.fields.iter().any(is_file) || (has_multipart && !has_form);
    let mut arguments = Vec::new();
    for field in &old.fields {
        let name = field.get("name").and_then(Json::as_str).unwrap_or_default();
        if let Some(constant) = credential(api, name, "body", field, secret) {
            arguments.push(constant);
            continue;
        }
        let mut schema = schemas.parameter(field);
        let description = field.get("description").and_then(|text| schemas.description(text, 0));
        if let (Json::Object(members), Some(text)) = (&mut schema, description) {
            members.insert(members.len().min(1), ("description".to_owned(), Json::String(text)));
        }
        describe_default(name, &mut schema);
        let kind = schemas.shape(&schema);
        let mut argument = Argument::new(name, "body", schema);
        argument.is_required = field.get("required").and_then(Json::as_bool) == Some(true);
        let format = ledger.text(field, "collectionFormat").unwrap_or("csv");
        argument.is_bytes = is_file(field);
        argument.style = (!is_multipart && kind != Shape::Scalar)
            .then(|| style_of(kind, "body", format, format == "multi"))
            .flatten();
        argument.example = examples::of_parameter(api, field);
        arguments.push(argument);
    }
    let kind = if is_multipart { "multipart" } else { "form" };
    Ok(Body { kind: Some(kind.to_owned()), arguments, ..Body::default() })
}

/// The kind of a media type, and its place among those of its kind.
fn rank(media: &str) -> (Kind, usize) {
    let plain = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match plain.as_str() {
        "application/json" => (Kind::Json, 0),
        "*/*" | "application/*" => (Kind::Json, 1),
        "application/merge-patch+json" => (Kind::Json, 2),
        "application/vnd.api+json" | "text/json" => (Kind::Json, 3),
        "application/x-www-form-urlencoded" => (Kind::Form, 0),
        "application/x-ndjson" | "application/xml" | "text/xml" => (Kind::Unknown, 0),
        "application/yaml" | "application/x-yaml" => (Kind::Text, 2),
        "multipart/form-data" => (Kind::Multipart, 0),
        other if other.starts_with("multipart/") => (Kind::Multipart, 1),
        other if other.ends_with("+json") => (Kind::Json, 4),
        other if other.starts_with("text/") => (Kind::Text, usize::from(other != "text/plain")),
        "application/octet-stream" => (Kind::Bytes, 0),
        other if ["image/", "audio/", "video/"].iter().any(|start| other.starts_with(start)) => {
            (Kind::Bytes, 1)
        }
        _ => (Kind::Unknown, 1),
    }
}

fn no_such_body(media: &str) -> Refusal {
    Refusal::new(&codes::MEDIA_TYPE, format!("no tool sends a body of `{}`", super::short(media)))
}

/// An object becomes an argument for each of its properties; anything else is one argument.
fn json(api: &Api<'_>, schemas: &Schemas<'_, '_>, schema: Json, source: Source<'_>, node: &Json) -> Body {
    let is_usual = matches!(source.media, "application/json" | "*/*" | "application/*");
    let content_type = (!is_usual).then(|| source.media.to_owned());
    let nests = |name: &String| name.contains('.') || name.is_empty();
    let object = schemas.object(&schema).filter(|object| {
        object.properties.len() <= MAX_PROPERTIES && !object.properties.iter().any(|(name, _)| nests(name))
    });
    let Some(object) = object else { return whole(schemas, schema, source, content_type) };
    if object.has_alternatives {
        let why = "clients refuse alternatives of arguments; the API checks them";
        api.ledger.change_here(node, &codes::ALTERNATIVES, why);
    }
    if !source.is_required && !object.required.is_empty() {
        let why = "the body may be left out, so none of its arguments is required; the API checks the rest";
        api.ledger.change_here(node, &codes::OPTIONAL_BODY, why);
    }
    let arguments = object.properties.into_iter().map(|(name, mut schema)| {
        describe_default(&name, &mut schema);
        let mut argument = Argument::new(&name, "body", schema);
        argument.is_required = source.is_required && object.required.contains(&name);
        argument.example = source.example.as_ref().and_then(|example| example.get(&name)).cloned();
        argument
    });
    Body { content_type, arguments: arguments.collect(), is_open: object.is_open, ..Body::default() }
}

/// The body is the argument `body`.
fn whole(schemas: &Schemas<'_, '_>, schema: Json, source: Source<'_>, content_type: Option<String>) -> Body {
    let is_text = schema.get("type").and_then(Json::as_str) == Some("string");
    let may_be_text = !matches!(schemas.shape(&schema), Shape::Array | Shape::Object);
    let mut argument = Argument::new("body", "body", described(schema, "The body of the request"));
    argument.is_whole_body = true;
    argument.is_required = source.is_required;
    argument.example = source.example;
    // A text as a whole body is sent without its quotes, which JSON needs.
    if is_text || may_be_text {
        argument.position = "";
        return Body { is_template: true, content_type, arguments: vec![argument], ..Body::default() };
    }
    Body { kind: Some(WHOLE.to_owned()), content_type, arguments: vec![argument], ..Body::default() }
}

/// The name that the argument gets follows.
const WHOLE: &str = "whole:";
const BYTES: &str = "bytes:";

fn form(schemas: &Schemas<'_, '_>, schema: Json, source: &Source<'_>) -> Result<Body, Refusal> {
    let Some(object) = schemas.object(&schema) else {
        let is_nothing = schema.as_object().is_some_and(|members| {
            let is_empty = |name: &str, value: &Json| match name {
                "type" | "description" => true,
                "properties" => value.as_object().is_some_and(<[_]>::is_empty),
                "additionalProperties" => *value == Json::Bool(false),
                _ => false,
            };
            members.iter().all(|(name, value)| is_empty(name, value))
        });
        if is_nothing || !source.is_required {
            return Ok(Body::default());
        }
        return Err(Refusal::new(&codes::MEDIA_TYPE, "a form whose fields are not known"));
    };
    let arguments = object.properties.into_iter().map(|(name, mut schema)| {
        describe_default(&name, &mut schema);
        let kind = schemas.shape(&schema);
        let how = source.encoding.and_then(|encoding| encoding.get(&name));
        let style = how.and_then(|how| how.get("style")).and_then(Json::as_str).unwrap_or("form");
        let explode =
            how.and_then(|how| how.get("explode")).and_then(Json::as_bool).unwrap_or(style == "form");
        let mut argument = Argument::new(&name, "body", schema);
        argument.style = match kind {
            Shape::Scalar => None,
            _ if encodings::is_json(how) => Some("json"),
            // Lists of objects have no place in `a=1&a=2`.
            _ => style_of(kind, "body", style, explode),
        };
        argument.is_required = source.is_required && object.required.contains(&name);
        argument.example = source.example.as_ref().and_then(|example| example.get(&name)).cloned();
        argument
    });
    Ok(Body { kind: Some("form".to_owned()), arguments: arguments.collect(), ..Body::default() })
}

/// A part for each property. Bytes are given in base64.
fn multipart(schemas: &Schemas<'_, '_>, schema: Json, source: &Source<'_>) -> Result<Body, Refusal> {
    let Some(object) = schemas.object(&schema) else {
        return Err(Refusal::new(&codes::MULTIPART, "a multipart body whose parts are not known"));
    };
    let arguments = object.properties.into_iter().map(|(name, mut schema)| {
        describe_default(&name, &mut schema);
        let how = source.encoding.and_then(|encoding| encoding.get(&name));
        let media = encodings::content_type(how);
        let is_bytes = is_binary(&schema);
        let kind = schemas.shape(&schema);
        if is_bytes {
            without_format(&mut schema);
        }
        let mut argument = Argument::new(&name, "body", schema);
        argument.is_bytes = is_bytes;
        let is_json = encodings::is_json(how);
        argument.style = (is_json && kind == Shape::Array).then_some("json");
        argument.content_type = media.filter(|_| !is_json).map(str::to_owned);
        argument.is_required = source.is_required && object.required.contains(&name);
        let example = source.example.as_ref().and_then(|example| example.get(&name));
        argument.example = if is_bytes { Some(Json::string(SAMPLE)) } else { example.cloned() };
        argument
    });
    Ok(Body { kind: Some("multipart".to_owned()), arguments: arguments.collect(), ..Body::default() })
}

/// `hello`, for examples of bytes.
const SAMPLE: &str = "aGVsbG8=";

fn is_binary(schema: &Json) -> bool {
    let text = |name: &str| schema.get(name).and_then(Json::as_str);
    text("format") == Some("binary") || schema.get("items").is_some_and(is_binary)
}

fn without_format(schema: &mut Json) {
    let Json::Object(members) = schema else { return };
    members.retain(|(name, _)| name != "format");
    if let Some((_, items)) = members.iter_mut().find(|(name, _)| name == "items") {
        without_format(items);
    }
}

/// A body that is bytes.
fn bytes(schema: Json, source: &Source<'_>) -> Body {
    let media = source.media.split(';').next().unwrap_or_default().trim();
    let content_type =
        (media != "application/octet-stream" && !media.contains('*')).then(|| media.to_owned());
    let mut body = text(schema, source, "The bytes that are sent, in base64");
    body.kind = Some(BYTES.to_owned());
    body.content_type = content_type;
    for argument in &mut body.arguments {
        argument.is_bytes = true;
        argument.example = Some(Json::string(SAMPLE));
    }
    body
}

const TEXT: &str = "The text that is sent";

/// A body that is text.
fn text(schema: Json, source: &Source<'_>, words: &str) -> Body {
    let described = described(schema, words);
    let words = described.get("description").cloned();
    let mut members = vec![("type".to_owned(), Json::string("string"))];
    members.extend(words.map(|words| ("description".to_owned(), words)));
    let mut argument = Argument::new("body", "body", Json::Object(members));
    argument.is_whole_body = true;
    argument.is_required = source.is_required;
    argument.example = source.example.clone();
    let content_type = Some(source.media.to_owned());
    Body { kind: Some(WHOLE.to_owned()), content_type, arguments: vec![argument], ..Body::default() }
}

fn described(mut schema: Json, words: &str) -> Json {
    if let Json::Object(members) = &mut schema
        && !members.iter().any(|(name, _)| matches!(name.as_str(), "description" | "$ref"))
    {
        members.insert(members.len().min(1), ("description".to_owned(), Json::string(words)));
    }
    schema
}
