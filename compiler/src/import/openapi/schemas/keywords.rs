//! One keyword of a schema at a time: what it becomes, and what is said about it.

use crate::import::openapi::api::Api;
use crate::import::openapi::codes;
use crate::language::json::Json;
use mcp_bundle::bind::patterns::compile_pattern;
use std::collections::BTreeSet;

/// Formats that say something to a model, or that are checked.
const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "time",
    "duration",
    "uuid",
    "ipv4",
    "ipv6",
    "email",
    "uri",
    "uri-reference",
    "hostname",
    "byte",
    "binary",
    "password",
    "regex",
];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "null"];

/// What a keyword becomes.
pub enum Keyword {
    Nothing,
    Plain(Json),
    Renamed(&'static str, Json),
    Description,
    /// A schema that is still to be converted.
    Schema,
    /// A list of such schemas.
    Schemas,
    /// Such schemas by name.
    Named,
}

/// The types that a schema allows.
#[derive(Debug, Clone, Default)]
pub struct Types {
    names: Vec<String>,
    is_nullable: bool,
    /// `null` is among the types, and not only `nullable` beside them.
    has_null: bool,
}

/// Reads what a schema says of types, or lets guess.
pub fn types<'d>(api: &Api<'d>, schema: &'d Json) -> Types {
    let ledger = &api.ledger;
    let mut types = Types::default();
    let mut add = |name: &str| -> bool {
        let known = match name {
            "int" | "int32" | "int64" | "long" => "integer",
            "float" | "double" | "decimal" => "number",
            "bool" => "boolean",
            "file" | "str" | "text" | "date" | "datetime" | "date-time" | "uuid" => "string",
            "list" => "array",
            name => name,
        };
        let is_type = TYPES.contains(&known);
        if known == "null" {
            types.is_nullable = true;
            types.has_null = true;
        } else if is_type && !types.names.iter().any(|other| other == known) {
            types.names.push(known.to_owned());
        }
        is_type && known == name
    };
    match schema.get("type") {
        None => {}
        Some(value @ Json::String(name)) => match add(name) {
            true => ledger.keep(value),
            false => ledger.change(value, &codes::INVALID, format!("`{}` is no type of JSON", short(name))),
        },
        Some(value @ Json::Array(names)) => {
            let all_known =
                names.iter().map(|name| name.as_str().is_some_and(&mut add)).fold(true, |a, b| a & b);
            match all_known {
                true => ledger.keep(value),
                false => ledger.change(value, &codes::INVALID, "not all of these are types of JSON"),
            }
        }
        Some(value) => ledger.refuse_kind(value, "the name of a type"),
    }
    for name in ["nullable", "x-nullable"] {
        if let Some(is_nullable) = ledger.boolean(schema, name) {
            types.is_nullable |= is_nullable;
        }
    }
    if types.names.is_empty() && schema.get("type").is_none() {
        let has = |name: &str| schema.get(name).is_some();
        if has("properties") {
            types.names.push("object".to_owned());
        } else if has("items") {
            types.names.push("array".to_owned());
        } else if let Some(values) = schema.get("enum").and_then(Json::as_array)
            && !values.is_empty()
            && values.iter().all(|value| value.as_str().is_some())
        {
            types.names.push("string".to_owned());
        }
    }
    types
}

impl Types {
    /// `null` is the one value that there is.
    fn is_null(&self) -> bool {
        self.has_null && self.names.is_empty()
    }

    fn fits(&self, value: &Json) -> bool {
        let name = value.type_name();
        let is = |wanted: &str| self.names.iter().any(|name| name == wanted);
        (name == "null" && self.is_nullable)
            || (self.names.is_empty() && !self.has_null && name != "null")
            || is(name)
            || (name == "integer" && is("number"))
    }

    fn is_only(&self, name: &str) -> bool {
        matches!(self.names.as_slice(), [only] if only == name)
    }

    pub fn write(&self, out: &mut Vec<(String, Json)>) {
        let mut names: Vec<Json> = self.names.iter().map(Json::string).collect();
        if self.is_nullable && (!names.is_empty() || self.is_null()) {
            names.push(Json::string("null"));
            // An `enum` is as strict as ever, so it must have what the type has.
            for (name, value) in out.iter_mut() {
                if let ("enum", Json::Array(values)) = (name.as_str(), value)
                    && !values.contains(&Json::Null)
                {
                    values.push(Json::Null);
                }
            }
        }
        let single = if names.len() == 1 { names.pop() } else { None };
        match single {
            Some(one) => out.insert(0, ("type".to_owned(), one)),
            None if names.is_empty() => {}
            None => out.insert(0, ("type".to_owned(), Json::Array(names))),
        }
    }

    /// It may be null, and no `type` can say so.
    pub fn is_nullable_beyond(&self, out: &[(String, Json)]) -> bool {
        self.is_nullable && !self.is_null() && self.names.is_empty() && !out.is_empty()
    }
}

/// What becomes of a keyword. Its value is marked, but for descriptions and schemas that are still to be converted.
pub fn read<'d>(api: &Api<'d>, schema: &'d Json, types: &Types, name: &str, value: &'d Json) -> Keyword {
    let ledger = &api.ledger;
    let wrong = |why: &str| {
        ledger.change(value, &codes::INVALID, format!("`{name}` {why}, so it is not checked"));
        Keyword::Nothing
    };
    let kept = || {
        ledger.keep(value);
        Keyword::Plain(value.clone())
    };
    match name {
        "type" | "nullable" | "x-nullable" => Keyword::Nothing,
        "description" => Keyword::Description,
        "enum" => enumeration(api, types, value),
        "const" => kept(),
        "default" if types.fits(value) => kept(),
        // The branches beside it may allow it.
        "default" if *value == Json::Null && types.names.is_empty() => {
            ledger.change(value, &codes::NOT_PUBLISHED, "a default of `null` says that there is none");
            Keyword::Nothing
        }
        "default" => wrong("has another type"),
        "format" => match value.as_str() {
            Some(format)
                if FORMATS.contains(&format) && (types.is_only("string") || types.names.is_empty()) =>
            {
                kept()
            }
            Some(format) => {
                let why = format!("nothing checks the format `{}`", short(format));
                ledger.change(value, &codes::FORMAT, why);
                Keyword::Nothing
            }
            None => wrong("is not a text"),
        },
        "pattern" => match value.as_str().map(compile_pattern) {
            Some(Ok(_)) => kept(),
            Some(Err(_)) => wrong("cannot be matched in linear time"),
            None => wrong("is not a text"),
        },
        "minimum" | "maximum" => bound(api, schema, name, value),
        "exclusiveMinimum" | "exclusiveMaximum" => match value {
            Json::Number(_) => kept(),
            // In 3.0 it says how `minimum` is meant.
            Json::Bool(_) => {
                ledger.keep(value);
                Keyword::Nothing
            }
            _ => wrong("is not a number"),
        },
        "multipleOf" => match value.as_number() {
            Some(number) if number.parse::<f64>().is_ok_and(|number| number > 0.0) => kept(),
            _ => wrong("is not a positive number"),
        },
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => match value.as_number() {
            Some(number) if number.parse::<u32>().is_ok() => kept(),
            _ => wrong("is not a whole number from 0 on"),
        },
        "uniqueItems" => match value {
            Json::Bool(true) => kept(),
            Json::Bool(false) => {
                ledger.keep(value);
                Keyword::Nothing
            }
            _ => wrong("is not `true` or `false`"),
        },
        "required" => required(api, value),
        "additionalProperties" => match value {
            Json::Bool(_) => kept(),
            Json::Object(_) => Keyword::Schema,
            _ => wrong("is not a schema"),
        },
        "items"
        | "not"
        | "contains"
        | "propertyNames"
        | "if"
        | "then"
        | "else"
        | "unevaluatedProperties"
        | "unevaluatedItems" => match value {
            Json::Object(_) | Json::Bool(_) => Keyword::Schema,
            _ => wrong("is not a schema"),
        },
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value {
            Json::Array(_) => {
                ledger.open(value);
                Keyword::Schemas
            }
            _ => wrong("is no list of schemas"),
        },
        "properties" | "dependentSchemas" => match value {
            Json::Object(_) => {
                ledger.open(value);
                Keyword::Named
            }
            _ => wrong("has no names"),
        },
        "patternProperties" => match value.as_object() {
            Some(all) if all.iter().all(|(name, _)| compile_pattern(name).is_ok()) => {
                ledger.open(value);
                Keyword::Named
            }
            _ => wrong("has a pattern that cannot be matched in linear time"),
        },
        "readOnly" | "writeOnly" => {
            ledger.keep(value);
            Keyword::Nothing
        }
        "discriminator" => {
            ledger.change(
                value,
                &codes::DISCRIMINATOR,
                "JSON Schema has none; the branches say which values they are for",
            );
            Keyword::Nothing
        }
        "example" | "examples" | "title" | "deprecated" | "externalDocs" | "xml" | "$comment" | "$schema"
        | "$id" => {
            ledger.change(value, &codes::NOT_PUBLISHED, "it says little and costs tokens");
            Keyword::Nothing
        }
        // What 3.0 calls `binary` and `byte`.
        "contentMediaType" | "contentEncoding" => match (schema.get("format"), content_format(schema)) {
            (None, Some((of, format))) if of == name => {
                ledger.keep(value);
                Keyword::Renamed("format", Json::string(format))
            }
            _ => {
                ledger.change(value, &codes::NOT_PUBLISHED, "it says little and costs tokens");
                Keyword::Nothing
            }
        },
        "$recursiveRef" | "$recursiveAnchor" | "$dynamicRef" | "$dynamicAnchor" | "$anchor" => {
            wrong("renames what references lead to")
        }
        // Reached by their references.
        "$defs" | "definitions" => {
            ledger.open(value);
            Keyword::Nothing
        }
        _ => Keyword::Nothing,
    }
}

/// The format that `contentMediaType` and `contentEncoding` stand for, and which of them says so.
fn content_format(schema: &Json) -> Option<(&'static str, &'static str)> {
    let text = |name: &str| schema.get(name).and_then(Json::as_str);
    match (text("contentEncoding"), text("contentMediaType")) {
        (Some("base64"), _) => Some(("contentEncoding", "byte")),
        (None, Some(media)) if !is_text_media(media) => Some(("contentMediaType", "binary")),
        _ => None,
    }
}

/// Whether what is of a media type can be in a text as it is.
pub fn is_text_media(media: &str) -> bool {
    let plain = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let texts = ["json", "xml", "yaml", "javascript", "x-www-form-urlencoded"];
    plain.starts_with("text/") || texts.iter().any(|end| plain.ends_with(end))
}

fn enumeration<'d>(api: &Api<'d>, types: &Types, value: &'d Json) -> Keyword {
    let ledger = &api.ledger;
    let Some(values) = value.as_array() else {
        ledger.refuse_kind(value, "a list");
        return Keyword::Nothing;
    };
    let mut fitting: Vec<Json> = Vec::new();
    let mut seen = BTreeSet::new();
    for value in values {
        // YAML reads `1` and `true` without quotes as a number and a boolean.
        let value = match value {
            Json::Number(_) | Json::Bool(_) if types.is_only("string") => Json::String(value.to_text()),
            other => other.clone(),
        };
        let is_new = match &value {
            Json::String(text) => seen.insert(text.clone()),
            other => !fitting.iter().any(|known| known.same(other)),
        };
        if is_new && types.fits(&value) {
            fitting.push(value);
        }
    }
    if fitting.as_slice() == values {
        ledger.keep(value);
    } else {
        ledger.change(value, &codes::INVALID, "some of its values have another type, or are there twice");
    }
    if fitting.is_empty() { Keyword::Nothing } else { Keyword::Plain(Json::Array(fitting)) }
}

fn bound<'d>(api: &Api<'d>, schema: &'d Json, name: &str, value: &'d Json) -> Keyword {
    if value.as_number().is_none() {
        api.ledger.change(value, &codes::INVALID, format!("`{name}` is not a number, so it is not checked"));
        return Keyword::Nothing;
    }
    api.ledger.keep(value);
    let (exclusive, other) = match name {
        "minimum" => ("exclusiveMinimum", "exclusiveMinimum"),
        _ => ("exclusiveMaximum", "exclusiveMaximum"),
    };
    if schema.get(exclusive).and_then(Json::as_bool) == Some(true) {
        return Keyword::Renamed(other, value.clone());
    }
    Keyword::Plain(value.clone())
}

fn required<'d>(api: &Api<'d>, value: &'d Json) -> Keyword {
    let Some(names) = value.as_array() else {
        let why = "`required` must be a list of names; for a property it is in the list of its object";
        api.ledger.change(value, &codes::INVALID, why);
        return Keyword::Nothing;
    };
    let mut seen = BTreeSet::new();
    let texts = names.iter().filter(|name| name.as_str().is_some_and(|name| seen.insert(name)));
    let unique: Vec<Json> = texts.cloned().collect();
    if unique.len() == names.len() {
        api.ledger.keep(value);
    } else {
        api.ledger.change(value, &codes::INVALID, "some of its names are no texts, or are there twice");
    }
    Keyword::Plain(Json::Array(unique))
}

/// A text of the document in a message.
pub fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
