//! Schemas of OpenAPI as JSON Schemas 2020-12.
//!
//! A schema that is referred to is converted once and becomes a definition, so recursion ends. What a validator could not read is
//! left out and reported: what comes out is always a valid schema.

mod branches;
mod defs;
mod keywords;

use super::api::{Api, Version};
use super::arguments::{self, Shape};
use super::codes;
use super::text;
use crate::import::codes::DESCRIPTION_CHANGED;
use crate::import::secrets::is_secret;
use crate::language::json::Json;
use crate::language::names::portable;
use branches::{combine, discriminate};
use keywords::Keyword;
pub use keywords::is_text_media;
use std::collections::{BTreeMap, BTreeSet};

/// A schema whose members are in the order that people expect.
type Members = Vec<(String, Json)>;

/// Characters of descriptions, by how deep they are.
#[derive(Debug, Clone, Copy)]
pub struct DescriptionLimits {
    /// Of an argument.
    pub argument: usize,
    /// Of a member of an argument.
    pub member: usize,
    /// Of what is deeper.
    pub deeper: usize,
}

pub struct Schemas<'a, 'd> {
    api: &'a Api<'d>,
    limits: DescriptionLimits,
    /// What each reference is called in `$defs`.
    names: BTreeMap<&'d str, String>,
    taken: BTreeSet<String>,
    definitions: BTreeMap<String, Json>,
    pending: Vec<(String, &'d Json)>,
}

impl<'a, 'd> Schemas<'a, 'd> {
    pub fn new(api: &'a Api<'d>, limits: DescriptionLimits) -> Schemas<'a, 'd> {
        Schemas {
            api,
            limits,
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            definitions: BTreeMap::new(),
            pending: Vec::new(),
        }
    }

    /// The schema of an argument.
    pub fn argument(&mut self, schema: &'d Json) -> Json {
        let converted = self.convert(schema, 0, &[]);
        self.settle();
        converted
    }

    /// The schema that a parameter of Swagger 2 is itself.
    pub fn parameter(&mut self, parameter: &'d Json) -> Json {
        const OWN: &[&str] =
            &["name", "in", "required", "description", "collectionFormat", "allowEmptyValue", "schema"];
        let converted = self.convert(parameter, 0, OWN);
        self.settle();
        converted
    }

    /// What kind of values a schema has, as far as styles are concerned.
    pub fn shape(&self, schema: &Json) -> Shape {
        let resolve = |reference: &str| self.definitions.get(reference.strip_prefix("#/$defs/")?);
        arguments::shape(schema, &resolve)
    }

    /// A description as a model reads it; what was cut is reported.
    pub fn description(&self, value: &'d Json, depth: usize) -> Option<String> {
        let limit = match depth {
            0 => self.limits.argument,
            1 => self.limits.member,
            _ => self.limits.deeper,
        };
        describe(self.api, value, limit)
    }

    /// Converts what was referred to and is not converted yet.
    fn settle(&mut self) {
        while let Some((name, schema)) = self.pending.pop() {
            let converted = self.convert(schema, 2, &[]);
            self.definitions.insert(name, converted);
        }
    }

    /// Recursion is bounded by the depth of documents: references do not recurse.
    fn convert(&mut self, schema: &'d Json, depth: usize, skip: &[&str]) -> Json {
        let ledger = &self.api.ledger;
        let Some(members) = schema.as_object() else {
            if schema.as_bool().is_some() {
                ledger.keep(schema);
                return schema.clone();
            }
            ledger.refuse_kind(schema, "a schema");
            return Json::Object(Vec::new());
        };
        ledger.open(schema);
        if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            return self.reference(schema, reference, depth);
        }
        self.plain(schema, members, depth, skip)
    }

    /// A schema by its own keywords.
    fn plain(
        &mut self,
        schema: &'d Json,
        members: &'d [(String, Json)],
        depth: usize,
        skip: &[&str],
    ) -> Json {
        let types = keywords::types(self.api, schema);
        let mut out: Members = Vec::new();
        let mut combined = Vec::new();
        for (name, value) in members.iter().filter(|(name, _)| !skip.contains(&name.as_str())) {
            match keywords::read(self.api, schema, &types, name, value) {
                Keyword::Nothing => {}
                Keyword::Plain(converted) => out.push((name.clone(), converted)),
                Keyword::Renamed(other, converted) => out.push((other.to_owned(), converted)),
                Keyword::Description => {
                    if let Some(text) = self.description(value, depth) {
                        out.push((name.clone(), Json::String(text)));
                    }
                }
                Keyword::Schema => out.push((name.clone(), self.convert(value, depth + 1, &[]))),
                Keyword::Schemas => {
                    let schemas = value.as_array().unwrap_or_default();
                    let mut converted: Vec<Json> =
                        schemas.iter().map(|schema| self.convert(schema, depth, &[])).collect();
                    let mut name = name.as_str();
                    if matches!(name, "oneOf" | "anyOf") {
                        discriminate(self.api, schema, schemas, &mut converted);
                        // The discriminator says which branch is meant, even where others fit, too.
                        let is_told = schema.get("discriminator").is_some() && schema.get("anyOf").is_none();
                        name = if is_told { "anyOf" } else { name };
                    }
                    if !converted.is_empty() {
                        combined.push((name.to_owned(), converted));
                    }
                }
                Keyword::Named => out.push((name.clone(), self.named(name, value, depth))),
            }
        }
        keep_declared(&mut out, schema);
        types.write(&mut out);
        for (name, schemas) in combined {
            combine(&name, schemas, &mut out);
        }
        if types.is_nullable_beyond(&out) {
            let null = Json::Object(vec![("type".to_owned(), Json::string("null"))]);
            return Json::Object(vec![("anyOf".to_owned(), Json::Array(vec![sorted(out), null]))]);
        }
        sorted(out)
    }

    /// Schemas by name: properties and the like.
    fn named(&mut self, keyword: &str, value: &'d Json, depth: usize) -> Json {
        let ledger = &self.api.ledger;
        let mut all = Vec::new();
        for (name, schema) in value.as_object().unwrap_or_default() {
            // A caller cannot set what only the API sets.
            if keyword == "properties" && schema.get("readOnly").and_then(Json::as_bool) == Some(true) {
                ledger.change(schema, &codes::READ_ONLY, "the API sets it, so it is no argument");
                continue;
            }
            let mut converted = self.convert(schema, depth + 1, &[]);
            if let Json::Object(members) = &mut converted {
                members.retain(|(keyword, value)| !(keyword == "default" && is_secret(name, value)));
            }
            all.push((name.clone(), converted));
        }
        Json::Object(all)
    }

    fn reference(&mut self, schema: &'d Json, reference: &'d str, depth: usize) -> Json {
        let api = self.api;
        let ledger = &api.ledger;
        let value = schema.get("$ref");
        let target = match api.target(reference) {
            Ok(target) => target,
            Err(why) => {
                value.inspect(|value| ledger.refuse(value, &codes::UNRESOLVED_REF, why));
                return Json::Object(Vec::new());
            }
        };
        value.inspect(|value| ledger.keep(value));
        let name = self.definition(reference, target);
        let mut out = vec![("$ref".to_owned(), Json::string(format!("#/$defs/{name}")))];
        let mut is_nullable = false;
        let mut has_siblings = false;
        let members = schema.as_object().unwrap_or_default();
        for (name, value) in members {
            match name.as_str() {
                "$ref" => {}
                "description" => {
                    if let Some(text) = self.description(value, depth) {
                        out.push((name.clone(), Json::String(text)));
                    }
                }
                "nullable" | "x-nullable" => {
                    is_nullable = value.as_bool() == Some(true);
                    ledger.keep(value);
                }
                "summary" | "title" | "example" | "examples" | "deprecated" | "readOnly" | "writeOnly" => {
                    ledger.change(value, &codes::NOT_PUBLISHED, "it says little and costs tokens");
                }
                // What is beside a reference counts since 3.1.
                _ if api.version == Version::V31 => has_siblings = true,
                _ => ledger.change(value, &codes::REF_SIBLING, "what is beside a `$ref` is not checked"),
            }
        }
        if has_siblings && let Json::Object(own) = self.plain(schema, members, depth, BESIDE_REF) {
            out = with_siblings(out, own);
        }
        if !is_nullable {
            return Json::Object(out);
        }
        let null = Json::Object(vec![("type".to_owned(), Json::string("null"))]);
        Json::Object(vec![("anyOf".to_owned(), Json::Array(vec![Json::Object(out), null]))])
    }

    /// The name of a definition, which is converted later if it is new.
    fn definition(&mut self, reference: &'d str, target: &'d Json) -> String {
        if let Some(name) = self.names.get(reference) {
            return name.clone();
        }
        let last = reference.rsplit('/').next().unwrap_or_default();
        let short = last.rsplit('.').find(|part| !part.is_empty()).unwrap_or(last);
        let plain = match portable(short) {
            name if name.is_empty() => "schema".to_owned(),
            name => name.chars().take(48).collect(),
        };
        let mut name = plain.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        self.names.insert(reference, name.clone());
        self.pending.push((name.clone(), target));
        name
    }
}

/// A description as a model reads it; what was cut is reported.
pub fn describe<'d>(api: &Api<'d>, value: &'d Json, limit: usize) -> Option<String> {
    let Some(text) = value.as_str() else {
        api.ledger.refuse_kind(value, "a text");
        return None;
    };
    if limit == 0 {
        api.ledger.change(value, &codes::COMPACT, "`--compact` leaves it out");
        return None;
    }
    let plain = text::plain(text);
    let short = text::first_sentence(&plain, limit);
    if short == text.trim() {
        api.ledger.keep(value);
    } else if short.len() == plain.len() {
        api.ledger.change(value, &DESCRIPTION_CHANGED, "its markup was removed");
    } else {
        let why = format!("it was cut to {} of {} characters", short.chars().count(), plain.chars().count());
        api.ledger.change(value, &DESCRIPTION_CHANGED, why);
    }
    (!short.is_empty()).then_some(short)
}

/// Keywords that a reference has for itself.
const BESIDE_REF: &[&str] = &[
    "$ref",
    "description",
    "nullable",
    "x-nullable",
    "summary",
    "title",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// A reference that holds together with other keywords.
fn with_siblings(reference: Members, mut own: Members) -> Members {
    if own.iter().all(|(name, _)| name == "default") {
        return [reference, own].concat();
    }
    let (words, reference): (Members, Members) =
        reference.into_iter().partition(|(name, _)| name == "description");
    let reference = Json::Object(reference);
    match own.iter_mut().find(|(name, _)| name == "allOf") {
        Some((_, Json::Array(all))) => all.push(reference),
        _ => own.push(("allOf".to_owned(), Json::Array(vec![reference]))),
    }
    [words, own].concat()
}

/// Members that must be there are those that can be given.
fn keep_declared(out: &mut Members, schema: &Json) {
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or_default();
    let is_read_only = |property: &Json| property.get("readOnly").and_then(Json::as_bool) == Some(true);
    let read_only: BTreeSet<&str> = properties
        .iter()
        .filter(|(_, property)| is_read_only(property))
        .map(|(name, _)| name.as_str())
        .collect();
    for (name, value) in out.iter_mut() {
        if let ("required", Json::Array(names)) = (name.as_str(), value) {
            names.retain(|name| name.as_str().is_some_and(|name| !read_only.contains(name)));
        }
    }
    out.retain(|(name, value)| !(name == "required" && value.as_array().is_some_and(<[Json]>::is_empty)));
}

fn sorted(mut out: Members) -> Json {
    const FIRST: &[&str] = &["$ref", "type", "description", "enum", "const", "default", "format"];
    const LAST: &[&str] = &["properties", "required", "additionalProperties"];
    let rank = |name: &str| {
        let first = FIRST.iter().position(|first| *first == name);
        let last = LAST.iter().position(|last| *last == name).map(|at| at + FIRST.len() + 1);
        first.or(last).unwrap_or(FIRST.len())
    };
    out.sort_by_key(|(name, _)| rank(name));
    Json::Object(out)
}

impl std::fmt::Debug for Schemas<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.definitions.keys()).finish()
    }
}
