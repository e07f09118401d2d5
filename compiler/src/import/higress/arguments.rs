//! Arguments of a tool.

use crate::import::Ledger;
use crate::import::draft::DraftParameter;
use crate::import::rest::{Argument, codes};
use crate::language::json::Json;

/// Keywords that the source takes and drops.
const IGNORED: [&str; 8] =
    ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"];

/// Reads the arguments, with the values that they come from. Of two with one name the later one counts.
pub fn read<'d>(ledger: &Ledger<'d>, tool: &'d Json) -> Vec<(&'d Json, Argument)> {
    let mut all: Vec<(&Json, Argument)> = Vec::new();
    for value in ledger.list(tool, "args") {
        if ledger.members_of(value).is_none() {
            continue;
        }
        let Some(name) = ledger.text(value, "name").filter(|name| !name.is_empty()) else {
            ledger.refuse(value, &codes::NEVER_SENT, "an argument needs a name");
            continue;
        };
        if let Some(at) = all.iter().position(|(_, known)| known.draft.name == name) {
            let (earlier, _) = all.remove(at);
            let why = format!("a later argument is called `{name}`, too");
            ledger.refuse(earlier, &codes::DUPLICATE_ARGUMENT, why);
        }
        all.push((value, argument(ledger, value, name)));
    }
    all
}

fn argument<'d>(ledger: &Ledger<'d>, value: &'d Json, name: &str) -> Argument {
    let kind = kind(ledger, value);
    let mut draft = DraftParameter {
        name: name.to_owned(),
        kind: Some(kind.to_owned()),
        description: ledger
            .text(value, "description")
            .map(str::to_owned)
            .filter(|text| !text.trim().is_empty()),
        ..DraftParameter::default()
    };
    let mut required_members = value.get("objectRequired");
    match value.get("required") {
        Some(list @ Json::Array(_)) => required_members = Some(list),
        Some(required) => {
            draft.required = required.as_bool() == Some(true);
            keep_or_refuse(ledger, required, required.as_bool().is_some(), "`true` or `false`");
        }
        None => {}
    }
    if let Some(default) = value.get("default") {
        draft.default = fitting(ledger, default, kind);
    }
    for item in ledger.list(value, "enum") {
        draft.enumeration.extend(fitting(ledger, item, kind));
    }
    let member = |name: &str, of: &str| value.get(name).filter(|_| kind == of);
    if let Some(items) = member("items", "array") {
        let corrected = schema(items);
        keep_or_correct(ledger, items, corrected == *items);
        draft.keywords.push(("items".to_owned(), corrected));
    }
    if let Some(properties) = member("properties", "object") {
        let members = properties.as_object().unwrap_or_default();
        let mut required = required_here(members);
        let members = members.iter().map(|(name, value)| (name.clone(), schema(value))).collect();
        let corrected = Json::Object(members);
        keep_or_correct(ledger, properties, corrected == *properties);
        draft.keywords.push(("properties".to_owned(), corrected));
        if let Some(list) = required_members {
            ledger.keep(list);
            required = list.as_array().unwrap_or_default().to_vec();
        }
        if !required.is_empty() {
            draft.keywords.push(("required_properties".to_owned(), Json::Array(required)));
        }
    }
    for keyword in IGNORED {
        if let Some(bound) = value.get(keyword) {
            ledger.change(bound, &codes::NOW_ENFORCED, format!("`{keyword}` is published and enforced here"));
            draft.keywords.push((keyword.to_owned(), bound.clone()));
        }
    }
    Argument { draft, position: position(ledger, value) }
}

/// The type; `string` where the source has none.
fn kind<'d>(ledger: &Ledger<'d>, value: &'d Json) -> &'static str {
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
fn schema(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let mut all: Vec<(String, Json)> = Vec::new();
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("type", Json::String(kind)) => {
                        all.push((name.clone(), Json::string(nearest_kind(kind).0)))
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
fn required_here(properties: &[(String, Json)]) -> Vec<Json> {
    let says = |value: &Json| value.get("required").and_then(Json::as_bool) == Some(true);
    properties.iter().filter(|(_, value)| says(value)).map(|(name, _)| Json::string(name)).collect()
}

fn value_of<'j>(members: &'j [(String, Json)], name: &str) -> Option<&'j Json> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

fn keep_or_correct(ledger: &Ledger<'_>, value: &Json, is_same: bool) {
    match is_same {
        true => ledger.keep(value),
        false => {
            let why =
                "a type that there is not, or a `required` of a property itself, which belongs to the object";
            ledger.change(value, &codes::SCHEMA_CORRECTED, why);
        }
    }
}

fn position<'d>(ledger: &Ledger<'d>, value: &'d Json) -> Option<&'static str> {
    const POSITIONS: [&str; 5] = ["query", "path", "header", "cookie", "body"];
    let written = value.get("position")?;
    let name = written.as_str().unwrap_or_default().to_ascii_lowercase();
    let known = POSITIONS.into_iter().find(|position| *position == name);
    match known {
        Some(_) => ledger.keep(written),
        None => ledger.refuse(
            written,
            &crate::import::codes::WRONG_KIND,
            "no place has this name; the source ignores it, too",
        ),
    }
    known
}

/// A value of a type; one of another type is converted if nothing is lost.
fn fitting(ledger: &Ledger<'_>, value: &Json, kind: &str) -> Option<Json> {
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

fn keep_or_refuse(ledger: &Ledger<'_>, value: &Json, is_good: bool, expected: &str) {
    if is_good { ledger.keep(value) } else { ledger.refuse_kind(value, expected) }
}
