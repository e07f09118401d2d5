//! Schemas of values that are kept as a whole.

use super::Derivation;
use super::merge::{anything, merge};
use crate::language::json::Json;
use crate::language::schema_walk::{Holds, follow, holds};

/// Definitions, which come along when they are referred to, and what says nothing about values.
const LEFT_OUT: &[&str] = &[
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$comment",
    "example",
    "examples",
    "discriminator",
    "externalDocs",
    "xml",
];

/// What a value may satisfy in another way once something is left out of it, or of the schema.
const LEFT_OUT_IF_LOOSE: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedProperties",
    "unevaluatedItems",
    "uniqueItems",
];

impl<'a> Derivation<'a> {
    /// The schema itself, with references to definitions of the derived schema.
    pub(super) fn copy(&mut self, schema: &'a Json) -> Json {
        let Json::Object(members) = schema else { return schema.clone() };
        if !self.has_room() {
            self.lost = true;
            return anything();
        }
        // Its references mean something else.
        if schema.get("$id").is_some() && !std::ptr::eq(schema, self.root) {
            self.lost = true;
            return anything();
        }
        let alone = self.lone_references && schema.get("$ref").is_some();
        let (mut out, mut parts) = (Vec::with_capacity(members.len()), Vec::new());
        for (keyword, value) in members {
            let copied = match keyword.as_str() {
                "$ref" => match self.reference(schema, value) {
                    Some(reference) => Some(reference),
                    None => {
                        self.lost = true;
                        None
                    }
                },
                _ if alone => None,
                "$dynamicRef" | "$recursiveRef" => {
                    self.lost = true;
                    None
                }
                name if LEFT_OUT.contains(&name) || name.starts_with("x-") => None,
                name if self.is_loose && LEFT_OUT_IF_LOOSE.contains(&name) => None,
                "oneOf" if self.is_loose => {
                    let choices = self.inner("oneOf", value);
                    parts.push(Json::Object(vec![("anyOf".to_owned(), choices)]));
                    None
                }
                "minItems" => self.min_items(value),
                "enum" | "const" if self.most.is_some_and(|most| has_longer_list(value, most)) => None,
                _ => Some(self.inner(keyword, value)),
            };
            out.extend(copied.map(|copied| (keyword.clone(), copied)));
        }
        merge(out, parts)
    }

    /// The value of a keyword, with the schemas in it.
    fn inner(&mut self, keyword: &str, value: &'a Json) -> Json {
        match (holds(keyword), value) {
            (Some(Holds::List | Holds::Schema), Json::Array(schemas)) => {
                Json::Array(schemas.iter().map(|schema| self.copy(schema)).collect())
            }
            (Some(Holds::Map), Json::Object(schemas)) => {
                Json::Object(schemas.iter().map(|(name, schema)| (name.clone(), self.copy(schema))).collect())
            }
            (Some(Holds::Schema), schema) => self.copy(schema),
            _ => value.clone(),
        }
    }

    /// The reference by which the derived schema has what a reference leads to.
    fn reference(&mut self, schema: &'a Json, reference: &'a Json) -> Option<Json> {
        let reference = reference.as_str()?;
        let target = follow(self.root, schema, reference)?;
        let name = match self.names.get(reference) {
            Some(name) => name.clone(),
            None => {
                let name = self.free_name(reference);
                self.names.insert(reference, name.clone());
                self.targets.push((name.clone(), target));
                name
            }
        };
        Some(Json::String(format!("#/$defs/{name}")))
    }

    /// The last part of a reference, or that with a number. It needs no escapes.
    fn free_name(&self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let mut name: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        if reference == "#" {
            name = "answer".to_owned();
        }
        let is_taken = |name: &str| self.targets.iter().any(|(taken, _)| taken == name);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or(name)
    }

    /// A list that was cut may have fewer elements.
    fn min_items(&self, value: &Json) -> Option<Json> {
        let least = value.as_number().and_then(|number| number.parse::<usize>().ok());
        match (self.most, least) {
            (Some(most), Some(least)) if least > most => Some(Json::Number(most.to_string())),
            // A number that is written in another way is not worth its size.
            (Some(_), None) => None,
            _ => Some(value.clone()),
        }
    }
}

/// Recursion is bounded by the depth of the schema's text.
fn has_longer_list(value: &Json, most: usize) -> bool {
    match value {
        Json::Array(items) => items.len() > most || items.iter().any(|item| has_longer_list(item, most)),
        Json::Object(members) => members.iter().any(|(_, member)| has_longer_list(member, most)),
        _ => false,
    }
}
