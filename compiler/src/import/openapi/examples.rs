//! Examples of a document as examples of tools: calls with the responses that belong to them.

use super::api::Api;
use super::arguments::Argument;
use crate::import::draft::{DraftContent, DraftExample, DraftResponse};
use crate::import::secrets::{blank, is_secret};
use crate::language::json::Json;

/// The longest response that an example may have, as JSON.
pub const MAX_RESPONSE: usize = 32 * 1024;

/// The example of a parameter, wherever the document has it.
pub fn of_parameter<'d>(api: &Api<'d>, parameter: &'d Json) -> Option<Json> {
    let own = parameter.get("example").or_else(|| parameter.get("x-example")).cloned();
    own.or_else(|| first_named(api, parameter)).or_else(|| {
        let schema = parameter.get("schema").unwrap_or(parameter);
        of_schema(api, Some(schema))
    })
}

/// The example of a body or of a response.
pub fn of_media<'d>(api: &Api<'d>, media: &'d Json) -> Option<Json> {
    let own = media.get("example").cloned();
    own.or_else(|| first_named(api, media)).or_else(|| of_schema(api, media.get("schema")))
}

/// The example that a schema has itself.
pub fn of_schema<'d>(api: &Api<'d>, schema: Option<&'d Json>) -> Option<Json> {
    let mut schema = schema?;
    for _ in 0..8 {
        let example = schema.get("example").cloned();
        let example = example.or_else(|| schema.get("examples")?.as_array()?.first().cloned());
        if example.is_some() {
            return example;
        }
        let reference = schema.get("$ref")?.as_str()?;
        schema = api.target(reference).ok()?;
    }
    None
}

/// The first of `examples`, which are objects with a `value`.
fn first_named<'d>(api: &Api<'d>, home: &'d Json) -> Option<Json> {
    let (_, mut example) =
        home.get("examples")?.as_object()?.iter().map(|(name, value)| (name, value)).next()?;
    if let Some(reference) = example.get("$ref").and_then(Json::as_str) {
        example = api.target(reference).ok()?;
    }
    example.get("value").cloned()
}

/// A call with what the document has for its arguments, or with values that fit; `None` if none can be made up.
pub fn call(arguments: &[Argument], response: Option<(u64, Json)>, place: &str) -> Option<DraftExample> {
    let mut given = Vec::new();
    for argument in arguments.iter().filter(|argument| argument.value.is_none()) {
        let value = match &argument.example {
            // Documents are copied with the credentials that someone tried.
            Some(example) if is_secret(&argument.wire, example) => None,
            Some(example) => fitting(example, &argument.schema),
            None => None,
        };
        let value = value.map(|mut value| {
            blank(&mut value);
            value
        });
        let value = match value {
            None if argument.is_required => Some(made_up(&argument.schema, &argument.wire, 0)?),
            value => value,
        };
        given.extend(value.map(|value| (argument.name.clone(), value)));
    }
    let response = response.map(|(status, body)| DraftResponse {
        status: Some(status),
        body: Some(DraftContent::Json(body)),
        ..DraftResponse::default()
    });
    Some(DraftExample { place: place.to_owned(), arguments: given, response, ..DraftExample::default() })
}

/// The example as a value of the schema's type: documents write `"1,2"` for a list and `"true"` for a boolean.
fn fitting(example: &Json, schema: &Json) -> Option<Json> {
    let Some(kind) = schema.get("type").and_then(Json::as_str) else { return Some(example.clone()) };
    let name = example.type_name();
    if name == kind || (kind == "number" && name == "integer") {
        return Some(example.clone());
    }
    match (kind, example) {
        ("string", Json::Number(_) | Json::Bool(_)) => Some(Json::String(example.to_text())),
        ("array", Json::String(text)) if !text.contains('=') => {
            let items = text.split(',').map(|item| fitting(&Json::string(item.trim()), schema.get("items")?));
            items.collect::<Option<Vec<Json>>>().map(Json::Array)
        }
        ("boolean" | "integer" | "number", Json::String(text)) => {
            Json::parse(text.trim()).filter(|value| value.is_scalar()).and_then(|value| {
                let fits = value.type_name() == kind || (kind == "number" && value.type_name() == "integer");
                fits.then_some(value)
            })
        }
        _ => None,
    }
}

/// A plain value that fits a schema; `None` where that takes more than looking at the type.
fn made_up(schema: &Json, name: &str, depth: usize) -> Option<Json> {
    if depth > 6 || schema.get("$ref").is_some() {
        return None;
    }
    if let Some(pattern) = schema.get("pattern").and_then(Json::as_str) {
        return super::sample::of_pattern(pattern).map(Json::String);
    }
    if let Some(first) = schema.get("enum").and_then(Json::as_array).and_then(<[_]>::first) {
        return Some(first.clone());
    }
    if let Some(constant) = schema.get("const").or_else(|| schema.get("default")) {
        return Some(constant.clone());
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(first) = schema.get(keyword).and_then(Json::as_array).and_then(<[_]>::first) {
            return made_up(first, name, depth + 1);
        }
    }
    let kind = match schema.get("type") {
        Some(Json::Array(names)) => names.first().and_then(Json::as_str),
        other => other.and_then(Json::as_str),
    };
    Some(match kind.unwrap_or("string") {
        "integer" | "number" => {
            let least = schema.get("minimum").and_then(Json::as_number);
            Json::Number(least.map_or("1".to_owned(), str::to_owned))
        }
        "boolean" => Json::Bool(true),
        "array" => match (schema.get("items"), schema.get("minItems")) {
            (Some(items), Some(_)) => Json::Array(vec![made_up(items, name, depth + 1)?]),
            _ => Json::Array(Vec::new()),
        },
        "object" => {
            let mut members = Vec::new();
            let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
            for name in required.iter().filter_map(Json::as_str) {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                members.push((name.to_owned(), made_up(property?, name, depth + 1)?));
            }
            Json::Object(members)
        }
        "null" => Json::Null,
        _ => Json::String(made_up_text(schema, name)?),
    })
}

fn made_up_text(schema: &Json, name: &str) -> Option<String> {
    let text = match schema.get("format").and_then(Json::as_str) {
        Some("date") => "2026-01-31".to_owned(),
        Some("date-time") => "2026-01-31T12:00:00Z".to_owned(),
        Some("time") => "12:00:00Z".to_owned(),
        Some("uuid") => "6f3b1f0e-8a53-4c43-9d8a-0d6d2f0c9f11".to_owned(),
        Some("email") => "ada@example.com".to_owned(),
        Some("uri" | "uri-reference") => "https://example.com/".to_owned(),
        Some("ipv4") => "192.0.2.1".to_owned(),
        Some("ipv6") => "2001:db8::1".to_owned(),
        Some("byte") => "aGVsbG8=".to_owned(),
        _ => {
            let word: String =
                name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(24).collect();
            if word.is_empty() { "text".to_owned() } else { format!("a_{word}") }
        }
    };
    let bound = |name: &str| schema.get(name).and_then(Json::as_number).and_then(|n| n.parse::<usize>().ok());
    let length = text.len();
    if bound("maxLength").is_some_and(|longest| length > longest) {
        return bound("maxLength").map(|longest| "x".repeat(longest.min(24)));
    }
    match bound("minLength") {
        Some(shortest) if shortest > 256 => None,
        Some(shortest) if length < shortest => Some(format!("{text}{}", "x".repeat(shortest - length))),
        _ => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_made_up_where_their_type_is_enough() {
        for (schema, expected) in [
            (r#"{"type":"integer","minimum":5}"#, Some("5")),
            (r#"{"type":"string","enum":["a"]}"#, Some("\"a\"")),
            (r#"{"type":"string","pattern":"^AC[0-9a-f]{4}$"}"#, Some("\"AC0000\"")),
            (r#"{"type":"string","pattern":"^(a|b)$"}"#, None),
            (r#"{"type":"string","minLength":8}"#, Some("\"a_namexx\"")),
            (
                r#"{"type":"object","required":["a"],"properties":{"a":{"type":["boolean","null"]},"b":{}}}"#,
                Some("{\"a\":true}"),
            ),
            (r##"{"$ref":"#/$defs/x"}"##, None),
        ] {
            let made = made_up(&Json::read(schema).unwrap(), "name", 0).map(|value| value.to_text());
            assert_eq!(made.as_deref(), expected, "{schema}");
        }
    }
}
