//! Types, schemas and defaults of arguments, as other gateways take them and as they have to be.

use super::codes;
use crate::import::Ledger;
use crate::language::json::Json;

/// The type; `string` where the source has none.
pub fn kind<'d>(ledger: &Ledger<'d>, value: &'d Json) -> &'static str {
    let Some(written) = value.get("type") else { return "string" };
    let (kind, is_exact) = nearest_kind(written.as_str().unwrap_or_default());
    match is_exact {
        true => ledger.keep(written),
        false => {
            let why = format!("`{}` is no type; `{kind}` was taken", written.as_str().unwrap_or("this"));
            ledger.change(written, &codes::SCHEMA_CORRECTED, why);
        }
    }
    kind
}

fn nearest_kind(written: &str) -> (&'static str, bool) {
    const KINDS: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];
    if let Some(kind) = KINDS.iter().find(|kind| **kind == written) {
        return (kind, true);
    }
    let kind = match written.to_ascii_lowercase().as_str() {
        "integer" | "int" | "int32" | "int64" | "long" => "integer",
        "number" | "float" | "float64" | "double" | "decimal" => "number",
        "boolean" | "bool" => "boolean",
        "array" | "list" => "array",
        "object" | "map" | "dict" | "json" => "object",
        _ => "string",
    };
    (kind, false)
}

/// A schema within a schema, with types that there are, and with `required` as the list of names that it has to be.
pub fn schema(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let mut all: Vec<(String, Json)> = Vec::new();
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("type", Json::String(kind)) => {
                        all.push((name.clone(), Json::string(nearest_kind(kind).0)));
                    }
                    // It belongs into the list of the object around it.
                    ("required", Json::Bool(_)) => {}
                    ("properties", Json::Object(inner)) => {
                        let required = required_here(inner);
                        let inner = inner.iter().map(|(name, value)| (name.clone(), schema(value))).collect();
                        all.push((name.clone(), Json::Object(inner)));
                        if !required.is_empty()
                            && value_of(members, "required").is_none_or(|r| r.as_bool().is_some())
                        {
                            all.push(("required".to_owned(), Json::Array(required)));
                        }
                    }
                    _ => all.push((name.clone(), schema(value))),
                }
            }
            Json::Object(all)
        }
        Json::Array(items) => Json::Array(items.iter().map(schema).collect()),
        value => value.clone(),
    }
}

/// The names of properties that say of themselves that they are required.
pub fn required_here(properties: &[(String, Json)]) -> Vec<Json> {
    let says = |value: &Json| value.get("required").and_then(Json::as_bool) == Some(true);
    properties.iter().filter(|(_, value)| says(value)).map(|(name, _)| Json::string(name)).collect()
}

fn value_of<'j>(members: &'j [(String, Json)], name: &str) -> Option<&'j Json> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

pub fn keep_or_correct(ledger: &Ledger<'_>, value: &Json, is_same: bool) {
    match is_same {
        true => ledger.keep(value),
        false => {
            let why =
                "a type that there is not, or a `required` of a property itself, which belongs to the object";
            ledger.change(value, &codes::SCHEMA_CORRECTED, why);
        }
    }
}

/// A value of a type; one of another type is converted if nothing is lost.
pub fn fitting(ledger: &Ledger<'_>, value: &Json, kind: &str) -> Option<Json> {
    let fits = match value {
        Json::String(_) => kind == "string",
        Json::Number(_) => matches!(kind, "integer" | "number"),
        Json::Bool(_) => kind == "boolean",
        Json::Array(_) => kind == "array",
        Json::Object(_) => kind == "object",
        // The source takes it for none.
        Json::Null => {
            ledger.keep(value);
            return None;
        }
    };
    if fits {
        ledger.keep(value);
        return Some(value.clone());
    }
    let converted = match (value, kind) {
        (Json::Number(number), "string") => Some(Json::string(number)),
        (Json::Bool(truth), "string") => Some(Json::string(truth.to_string())),
        (Json::String(text), "boolean") => text.parse().ok().map(Json::Bool),
        (Json::String(text), "integer" | "number" | "array" | "object") => {
            Json::parse(text).filter(|parsed| match parsed {
                Json::Number(_) => matches!(kind, "integer" | "number"),
                Json::Array(_) => kind == "array",
                Json::Object(_) => kind == "object",
                _ => false,
            })
        }
        _ => None,
    };
    match converted {
        Some(_) => ledger.change(
            value,
            &codes::DEFAULT_CONVERTED,
            format!("it is written as a value of type {kind}"),
        ),
        None => ledger.refuse_kind(value, &format!("a value of type {kind}")),
    }
    converted
}

pub fn keep_or_refuse(ledger: &Ledger<'_>, value: &Json, is_good: bool, expected: &str) {
    if is_good { ledger.keep(value) } else { ledger.refuse_kind(value, expected) }
}
