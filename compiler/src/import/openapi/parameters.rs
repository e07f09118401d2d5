//! Parameters of operations as arguments of tools.

use super::Refusal;
use super::api::{Api, Version};
use super::arguments::{Argument, Shape, describe_default};
use super::codes;
use super::examples;
use super::operations::Operation;
use super::schemas::Schemas;
use crate::import::codes as import_codes;
use crate::language::json::Json;
use std::collections::BTreeMap;

/// Headers that follow from the request, or that the upstream's `auth` sends.
const IGNORED: &[&str] = &["accept", "content-type", "authorization"];
/// Headers that no tool may set.
const FORBIDDEN: &[&str] = &[
    "host",
    "content-length",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
];
/// Names of parameters whose value is a credential.
const CREDENTIALS: &[&str] = &[
    "token",
    "access_token",
    "accesstoken",
    "api_key",
    "apikey",
    "api-key",
    "x-api-key",
    "auth_token",
    "x-auth-token",
    "authtoken",
    "api_token",
    "x-access-token",
];

/// Parameters of Swagger 2 that make the body.
#[derive(Debug, Default)]
pub struct OldBody<'d> {
    pub body: Option<&'d Json>,
    pub fields: Vec<&'d Json>,
}

/// Everything but the body; that of Swagger 2 is beside it.
pub fn read<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    operation: &Operation<'d>,
    secret: &dyn Fn(&str) -> String,
) -> Result<(Vec<Argument>, OldBody<'d>), Refusal> {
    let mut found: Vec<(&str, &str, &'d Json)> = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (home, is_own) in [(operation.item, false), (operation.node, true)] {
        for parameter in api.ledger.list(home, "parameters") {
            let target = api.resolve(parameter).map_err(|why| Refusal::new(&codes::UNRESOLVED_REF, why))?;
            let (Some(name), Some(place)) = (api.ledger.text(target, "name"), api.ledger.text(target, "in"))
            else {
                return Err(Refusal::new(&codes::INVALID, "a parameter has no `name` or no `in`"));
            };
            if name.is_empty() {
                api.ledger.refuse(target, &codes::INVALID, "a parameter without a name cannot be sent");
                continue;
            }
            let known = places.get(&(name, place)).and_then(|at| found.get_mut(*at));
            match known {
                // What an operation says of a parameter replaces what its path says.
                Some(known) if is_own => *known = (name, place, target),
                Some(_) => api.ledger.change(target, &codes::INVALID, "the parameter is there twice"),
                None => {
                    places.insert((name, place), found.len());
                    found.push((name, place, target));
                }
            }
        }
    }
    let mut arguments = Vec::new();
    let mut old = OldBody::default();
    for (name, place, node) in found {
        api.ledger.boolean(node, "required");
        match place {
            "body" if api.version == Version::Swagger2 => old.body = Some(node),
            "formData" if api.version == Version::Swagger2 => old.fields.push(node),
            "path" => arguments.push(one(api, schemas, name, "path", node)?),
            "query" | "header" | "cookie" => {
                let position = match place {
                    "query" => "query",
                    "header" => "header",
                    _ => "cookie",
                };
                if let Some(special) = special(api, name, position, node, secret)? {
                    arguments.extend(special);
                } else {
                    add(api, schemas, name, position, node, &mut arguments)?;
                }
            }
            other => {
                let why = format!("no parameter is in `{}`", super::short(other));
                api.ledger.refuse(node, &codes::INVALID, why);
            }
        }
    }
    Ok((arguments, old))
}

/// Headers and credentials that are no arguments: nothing, or a value that the caller never sees.
fn special<'d>(
    api: &Api<'d>,
    name: &str,
    position: &'static str,
    node: &'d Json,
    secret: &dyn Fn(&str) -> String,
) -> Result<Option<Option<Argument>>, Refusal> {
    let lower = name.to_ascii_lowercase();
    if position == "header" {
        if IGNORED.contains(&lower.as_str()) {
            let why = "it follows from the request, or the upstream's `auth` sends it";
            api.ledger.change(node, &codes::IGNORED_HEADER, why);
            return Ok(Some(None));
        }
        if FORBIDDEN.contains(&lower.as_str()) || lower.starts_with("proxy-") || lower.starts_with("mcp-") {
            let why = format!("a tool may not set the header `{}`", super::short(name));
            if is_required(node) {
                return Err(Refusal::new(&codes::FORBIDDEN_HEADER, why));
            }
            api.ledger.refuse(node, &codes::FORBIDDEN_HEADER, why);
            return Ok(Some(None));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            let why = format!("`{}` is no name of a header", super::short(name));
            if is_required(node) {
                return Err(Refusal::new(&codes::INVALID, why));
            }
            api.ledger.refuse(node, &codes::INVALID, why);
            return Ok(Some(None));
        }
    }
    Ok(credential(api, name, position, node, secret).map(Some))
}

/// The value of a parameter that is a credential.
pub fn credential(
    api: &Api<'_>,
    name: &str,
    position: &'static str,
    node: &Json,
    secret: &dyn Fn(&str) -> String,
) -> Option<Argument> {
    let lower = name.to_ascii_lowercase();
    if !CREDENTIALS.contains(&lower.as_str()) {
        return None;
    }
    // Other things are called a token, too.
    let words = node.get("description").and_then(Json::as_str).unwrap_or_default().to_lowercase();
    let is_credential =
        ["auth", "api key", "api token", "access token", "bearer"].iter().any(|word| words.contains(word));
    if lower == "token" && !is_credential {
        return None;
    }
    let variable = secret(name);
    let why = format!("a model must not know it: it is `${{{variable}}}`");
    api.ledger.change(node, &import_codes::SECRET_REPLACED, why);
    Some(Argument::constant(name, position, Json::string(format!("${{{variable}}}"))))
}

fn is_required(node: &Json) -> bool {
    node.get("required").and_then(Json::as_bool) == Some(true)
}

/// Adds a parameter, or one argument for each member of an object that is sent as its members.
fn add<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    name: &str,
    position: &'static str,
    node: &'d Json,
    arguments: &mut Vec<Argument>,
) -> Result<(), Refusal> {
    let argument = one(api, schemas, name, position, node)?;
    let style = node.get("style").and_then(Json::as_str).unwrap_or("form");
    let explode = node.get("explode").and_then(Json::as_bool).unwrap_or(style == "form");
    let kind = schemas.shape(&argument.schema);
    if position == "query"
        && kind == Shape::Object
        && style == "form"
        && explode
        && node.get("content").is_none()
    {
        let Some(object) = schemas.object(&argument.schema) else {
            let why = format!("`{}` is an object whose members are not known", super::short(name));
            if is_required(node) {
                return Err(Refusal::new(&codes::STYLE, why));
            }
            api.ledger.refuse(node, &codes::STYLE, why);
            return Ok(());
        };
        api.ledger.change_here(
            node,
            &codes::STYLE,
            "its members are arguments of their own, as they are sent",
        );
        for (member, schema) in object.properties {
            let mut one = Argument::new(&member, position, schema);
            one.is_required = argument.is_required && object.required.contains(&member);
            one.style = style_of(schemas.shape(&one.schema), position, "form", true)
                .filter(|_| schemas.shape(&one.schema) != Shape::Scalar);
            arguments.push(one);
        }
        return Ok(());
    }
    arguments.push(argument);
    Ok(())
}

/// One parameter as it is.
fn one<'d>(
    api: &Api<'d>,
    schemas: &mut Schemas<'_, 'd>,
    name: &str,
    position: &'static str,
    node: &'d Json,
) -> Result<Argument, Refusal> {
    let ledger = &api.ledger;
    let content = node.get("content").and_then(Json::as_object).and_then(<[_]>::first);
    let mut schema = match (api.version, node.get("schema"), content) {
        (Version::Swagger2, ..) => schemas.parameter(node),
        (_, Some(schema), _) => schemas.argument(schema),
        (_, None, Some((_, media))) => {
            node.get("content").inspect(|content| ledger.open(content));
            ledger.open(media);
            match media.get("schema") {
                Some(schema) => schemas.argument(schema),
                None => Json::Object(Vec::new()),
            }
        }
        (_, None, None) => Json::Object(vec![("type".to_owned(), Json::string("string"))]),
    };
    let description = node.get("description").and_then(|text| schemas.description(text, 0));
    let is_deprecated = ledger.boolean(node, "deprecated").unwrap_or(false);
    let words = match (description, is_deprecated) {
        (Some(text), true) if !text.to_lowercase().contains("deprecated") => {
            Some(format!("Deprecated. {text}"))
        }
        (None, true) => Some("Deprecated.".to_owned()),
        (text, _) => text,
    };
    set_description(&mut schema, words);
    for name in ["example", "examples"] {
        if let Some(example) = node.get(name) {
            ledger.change(example, &codes::EXAMPLE_USED, "it is an argument of the tool's example");
        }
    }
    if ledger.boolean(node, "allowEmptyValue") == Some(true)
        && let Some(value) = node.get("allowEmptyValue")
    {
        ledger.change(value, &codes::STYLE, "an empty text is sent as `name=`");
    }
    if ledger.boolean(node, "allowReserved") == Some(true)
        && let Some(value) = node.get("allowReserved")
    {
        ledger.change(value, &codes::STYLE, "reserved characters are encoded, too");
    }
    let mut argument = Argument::new(name, position, schema);
    argument.is_required = position == "path" || is_required(node);
    argument.example = examples::of_parameter(api, node);
    argument.style = style(api, schemas, &argument, node, content.is_some())?;
    if position == "path" {
        usable_in_path(&mut argument.schema);
    }
    constant(api, &mut argument, node);
    describe_default(name, &mut argument.schema);
    Ok(argument)
}

/// No path can hold an empty text, or one that leads up.
fn usable_in_path(schema: &mut Json) {
    let Json::Object(members) = schema else { return };
    for (name, value) in members.iter_mut() {
        if let ("enum", Json::Array(values)) = (name.as_str(), value) {
            values.retain(|value| !matches!(value.as_str(), Some("" | "." | "..")));
        }
    }
    members
        .retain(|(name, value)| name != "enum" || value.as_array().is_some_and(|values| !values.is_empty()));
}

/// A required argument with one possible value is none.
fn constant(api: &Api<'_>, argument: &mut Argument, node: &Json) {
    let values = argument.schema.get("enum").and_then(Json::as_array).unwrap_or_default();
    if let ([only], true) = (values, argument.is_required)
        && only.is_scalar()
        && !only.as_str().is_some_and(|text| text.is_empty() || text.contains("${"))
    {
        argument.value = Some(only.clone());
        api.ledger.change_here(node, &codes::CONSTANT, "it has one possible value, which is always sent");
    }
}

fn set_description(schema: &mut Json, text: Option<String>) {
    let (Json::Object(members), Some(text)) = (schema, text) else { return };
    match members.iter_mut().find(|(name, _)| name == "description") {
        Some((_, known)) => *known = Json::String(text),
        None => members.insert(members.len().min(1), ("description".to_owned(), Json::String(text))),
    }
}

/// How a list or an object is written; the error is for what the path cannot do without.
fn style<'d>(
    api: &Api<'d>,
    schemas: &Schemas<'_, 'd>,
    argument: &Argument,
    node: &'d Json,
    is_content: bool,
) -> Result<Option<&'static str>, Refusal> {
    let ledger = &api.ledger;
    let position = argument.position;
    let kind = schemas.shape(&argument.schema);
    let old = ledger.text(node, "collectionFormat");
    let written = ledger.text(node, "style");
    let explode = ledger.boolean(node, "explode");
    if kind == Shape::Scalar {
        return match written {
            Some(other @ ("label" | "matrix")) => Err(unsupported(argument, other)),
            _ => Ok(None),
        };
    }
    if is_content {
        return Ok(Some("json"));
    }
    let name = match (api.version, old, written) {
        (Version::Swagger2, Some("multi"), _) => "multi",
        (Version::Swagger2, Some("ssv"), _) => "spaceDelimited",
        (Version::Swagger2, Some("pipes"), _) => "pipeDelimited",
        (Version::Swagger2, Some("tsv"), _) => return Err(unsupported(argument, "tsv")),
        (Version::Swagger2, ..) => "csv",
        (_, _, Some(name)) => name,
        (_, _, None) if matches!(position, "path" | "header") => "simple",
        _ => "form",
    };
    let explode = explode.unwrap_or(matches!(name, "form" | "multi"));
    match style_of(kind, position, name, explode) {
        Some(style) => Ok(Some(style)),
        None => Err(unsupported(argument, name)),
    }
}

fn unsupported(argument: &Argument, style: &str) -> Refusal {
    let why =
        format!("nothing writes `{}` in a {} as `{style}`", super::short(&argument.wire), argument.position);
    Refusal::new(&codes::STYLE, why)
}

/// Our style for one of OpenAPI.
pub fn style_of(kind: Shape, position: &str, style: &str, explode: bool) -> Option<&'static str> {
    Some(match (style, position, kind) {
        ("deepObject", "query" | "body", _) => "deep",
        ("spaceDelimited", _, Shape::Array) => "space",
        ("pipeDelimited", _, Shape::Array) => "pipe",
        ("csv", _, Shape::Array) => "comma",
        ("simple", _, Shape::Array) => "comma",
        ("form", "cookie", Shape::Array) => "comma",
        ("form" | "multi", "query" | "body", Shape::Array) => {
            if explode {
                "repeat"
            } else {
                "comma"
            }
        }
        // Several kinds of values: lists as the style says, objects by their members.
        ("form" | "multi", "query" | "body", Shape::Mixed) => {
            if explode {
                "repeat"
            } else {
                "comma"
            }
        }
        ("form", "body", Shape::Object) if explode => "deep",
        ("form" | "multi", _, Shape::Object) => "comma",
        ("simple" | "csv" | "form" | "multi", _, Shape::Mixed) => "comma",
        ("simple" | "csv", _, Shape::Object) => "comma",
        _ => return None,
    })
}
