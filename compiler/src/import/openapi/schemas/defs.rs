//! Definitions that several places share, as one tool needs them.

use super::{Members, Schemas};
use crate::language::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// The most values that the schema of one tool may have.
const MAX_VALUES: usize = 60_000;
/// A definition that is shorter is written where it is used.
const TINY: usize = 60;
/// How deep schemas may become when definitions are written where they are used.
const MAX_DEPTH: usize = 48;

/// The properties of an object, and which of them must be there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectShape {
    pub properties: Members,
    pub required: Vec<String>,
    /// Only some of its alternatives need some of the properties.
    pub has_alternatives: bool,
    /// Other members are allowed, and the schema says so.
    pub is_open: bool,
}

/// What an object has so far, to find it again among thousands.
#[derive(Debug, Default)]
struct Seen {
    properties: BTreeMap<String, usize>,
    required: BTreeSet<String>,
}

/// The schema of a tool would be too large for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// How often each definition is used, and whether it leads back to itself.
#[derive(Debug, Default)]
struct Uses {
    counts: BTreeMap<String, usize>,
    values: usize,
}

impl Schemas<'_, '_> {
    /// Adds the definitions that a schema needs; those that are used once are written where they are used.
    pub fn complete(&self, schema: Json) -> Result<Json, TooLarge> {
        let mut uses = Uses::default();
        let mut pending = vec![&schema];
        while let Some(next) = pending.pop() {
            let mut found = Vec::new();
            uses.look(next, &mut found)?;
            pending.extend(found.iter().filter_map(|name| self.definitions.get(name)));
        }
        let is_kept = |name: &str| {
            let used = uses.counts.get(name).copied().unwrap_or_default();
            let definition = self.definitions.get(name);
            used > 1 && definition.is_none_or(|definition| !is_tiny(definition))
        };
        let mut inliner = Inliner {
            definitions: &self.definitions,
            is_kept: &is_kept,
            stack: Vec::new(),
            needed: Vec::new(),
            values: 0,
        };
        let mut out = inliner.inline(&schema, 0)?;
        let mut definitions = BTreeMap::new();
        while let Some(name) = inliner.needed.pop() {
            if definitions.contains_key(&name) {
                continue;
            }
            let Some(definition) = self.definitions.get(&name) else { continue };
            definitions.insert(name.clone(), Json::Null);
            inliner.stack = vec![name.clone()];
            let inlined = inliner.inline(definition, 1)?;
            inliner.stack.clear();
            definitions.insert(name, inlined);
        }
        if let (Json::Object(members), false) = (&mut out, definitions.is_empty()) {
            members.push(("$defs".to_owned(), Json::Object(definitions.into_iter().collect())));
        }
        Ok(out)
    }

    /// The schema of a tool without descriptions of what is deep inside of its arguments.
    pub fn without_deep_words(schema: Json) -> Json {
        strip(schema, 0)
    }

    /// A schema of an argument without what is inside of its members, and without a description if its name is enough.
    pub fn shallow(&self, schema: &Json, has_description: bool) -> Json {
        let mut short = self.cut(schema, 0, 0);
        if let (Json::Object(members), false) = (&mut short, has_description) {
            members.retain(|(name, _)| name != "description");
        }
        short
    }

    fn cut(&self, schema: &Json, depth: usize, steps: usize) -> Json {
        const DEEPEST: usize = 1;
        let Json::Object(members) = schema else { return schema.clone() };
        let target = schema.get("$ref").and_then(definition_of).and_then(|name| self.definitions.get(name));
        if let Some(target) = target {
            if steps > 8 {
                return Json::Object(Vec::new());
            }
            let mut whole = self.cut(target, depth, steps + 1);
            let words = members.iter().find(|(name, _)| name == "description");
            if let (Json::Object(whole), Some(words)) = (&mut whole, words) {
                whole.retain(|(name, _)| name != "description");
                whole.insert(whole.len().min(1), words.clone());
            }
            return whole;
        }
        let mut out: Members = Vec::new();
        for (name, value) in members {
            match (name.as_str(), value) {
                ("properties" | "patternProperties", Json::Object(all)) => {
                    if depth < DEEPEST {
                        let each = all
                            .iter()
                            .map(|(name, schema)| (name.clone(), self.cut(schema, depth + 1, steps + 1)));
                        out.push((name.clone(), Json::Object(each.collect())));
                    }
                }
                ("pattern" | "minLength" | "maxLength", _) => {}
                ("required", _) if depth >= DEEPEST => {}
                ("items" | "additionalProperties", Json::Object(_)) => {
                    out.push((name.clone(), self.cut(value, depth, steps + 1)));
                }
                ("anyOf" | "oneOf" | "allOf", Json::Array(_)) if depth >= DEEPEST => {}
                ("anyOf" | "oneOf" | "allOf", Json::Array(branches)) => {
                    let each = branches.iter().map(|branch| self.cut(branch, depth + 1, steps + 1));
                    out.push((name.clone(), Json::Array(each.collect())));
                }
                ("not" | "if" | "then" | "else" | "dependentSchemas" | "prefixItems" | "contains", _) => {}
                _ => out.push((name.clone(), value.clone())),
            }
        }
        Json::Object(out)
    }

    /// What kind of object a schema is, if it is plainly one: through references and `allOf`.
    pub fn object(&self, schema: &Json) -> Option<ObjectShape> {
        let mut shape = ObjectShape::default();
        self.add_object(schema, &mut shape, &mut Seen::default(), 0)?;
        (!shape.properties.is_empty()).then_some(shape)
    }

    fn add_object(
        &self,
        schema: &Json,
        shape: &mut ObjectShape,
        seen: &mut Seen,
        depth: usize,
    ) -> Option<()> {
        if depth > 8 {
            return None;
        }
        for (name, value) in schema.as_object()? {
            match name.as_str() {
                "$ref" => {
                    let name = value.as_str()?.strip_prefix("#/$defs/")?;
                    self.add_object(self.definitions.get(name)?, shape, seen, depth + 1)?;
                }
                "allOf" => {
                    for part in value.as_array()? {
                        self.add_object(part, shape, seen, depth + 1)?;
                    }
                }
                "type" if value.as_str() == Some("object") => {}
                "type" => {
                    // A body that may be null is one that may be left out.
                    let names = value.as_array()?;
                    names.iter().find(|name| name.as_str() == Some("object"))?;
                }
                "properties" => {
                    for (name, property) in value.as_object()? {
                        let at = *seen.properties.entry(name.clone()).or_insert(shape.properties.len());
                        match shape.properties.get_mut(at) {
                            None => shape.properties.push((name.clone(), property.clone())),
                            Some((_, known)) if known == property => {}
                            Some((_, known)) => {
                                *known = Json::Object(vec![(
                                    "allOf".to_owned(),
                                    Json::Array(vec![known.clone(), property.clone()]),
                                )]);
                            }
                        }
                    }
                }
                "required" => {
                    for name in value.as_array()?.iter().filter_map(Json::as_str) {
                        if seen.required.insert(name.to_owned()) {
                            shape.required.push(name.to_owned());
                        }
                    }
                }
                "anyOf" | "oneOf" if value.as_array()?.iter().all(only_requires) => {
                    shape.has_alternatives = true;
                }
                "description" | "minProperties" | "default" => {}
                "additionalProperties" => shape.is_open |= *value != Json::Bool(false),
                _ => return None,
            }
        }
        Some(())
    }
}

/// Whether a schema says only which members must be there.
fn only_requires(schema: &Json) -> bool {
    schema.as_object().is_some_and(|members| {
        members.iter().all(|(name, _)| matches!(name.as_str(), "required" | "type" | "description" | "not"))
    })
}

/// `depth` counts properties: those of the tool are at 0, and definitions are deep.
fn strip(schema: Json, depth: usize) -> Json {
    const DEEPEST: usize = 1;
    match schema {
        Json::Array(items) => Json::Array(items.into_iter().map(|item| strip(item, depth)).collect()),
        Json::Object(members) => {
            let kept = members.into_iter().filter(|(name, value)| {
                depth <= DEEPEST || name != "description" || value.as_str().is_none()
            });
            let each = kept.map(|(name, value)| match (name.as_str(), value) {
                ("properties" | "$defs", Json::Object(all)) => {
                    let deeper = if name == "$defs" { DEEPEST + 1 } else { depth + 1 };
                    let all = all.into_iter().map(|(name, schema)| (name, strip(schema, deeper)));
                    (name, Json::Object(all.collect()))
                }
                ("enum" | "const" | "default" | "examples", value) => (name, value),
                (_, value) => (name, strip(value, depth)),
            });
            Json::Object(each.collect())
        }
        other => other,
    }
}

/// Short, and without references: it is shorter than a name for it.
fn is_tiny(definition: &Json) -> bool {
    let text = definition.to_text();
    text.len() <= TINY && !text.contains("\"$ref\"")
}

impl Uses {
    /// Counts the references in a schema; `found` gets those that are new.
    fn look(&mut self, schema: &Json, found: &mut Vec<String>) -> Result<(), TooLarge> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(TooLarge);
        }
        match schema {
            Json::Array(items) => items.iter().try_for_each(|item| self.look(item, found)),
            Json::Object(members) => members.iter().try_for_each(|(name, value)| {
                if let ("$ref", Some(target)) = (name.as_str(), definition_of(value)) {
                    let count = self.counts.entry(target.to_owned()).or_default();
                    *count += 1;
                    if *count == 1 {
                        found.push(target.to_owned());
                    }
                    return Ok(());
                }
                self.look(value, found)
            }),
            _ => Ok(()),
        }
    }
}

/// Adds the keywords of some properties to those that are known, such as the one value that a discriminator has.
fn narrow(known: &mut Members, more: &Json) {
    for (name, keywords) in more.as_object().unwrap_or_default() {
        match known.iter_mut().find(|(own, _)| own == name) {
            Some((_, Json::Object(property))) => {
                let keywords = keywords.as_object().unwrap_or_default();
                property.retain(|(own, _)| !keywords.iter().any(|(name, _)| name == own));
                property.extend(keywords.iter().cloned());
            }
            Some((_, known)) => *known = keywords.clone(),
            None => known.push((name.clone(), keywords.clone())),
        }
    }
}

fn definition_of(value: &Json) -> Option<&str> {
    value.as_str()?.strip_prefix("#/$defs/")
}

struct Inliner<'a> {
    definitions: &'a BTreeMap<String, Json>,
    is_kept: &'a dyn Fn(&str) -> bool,
    /// Definitions that are being written: one that leads back to itself stays a definition.
    stack: Vec<String>,
    needed: Vec<String>,
    values: usize,
}

impl Inliner<'_> {
    fn inline(&mut self, schema: &Json, depth: usize) -> Result<Json, TooLarge> {
        self.values += 1;
        if self.values > 2 * MAX_VALUES {
            return Err(TooLarge);
        }
        match schema {
            Json::Array(items) => {
                let items: Result<Vec<Json>, TooLarge> =
                    items.iter().map(|item| self.inline(item, depth + 1)).collect();
                Ok(Json::Array(items?))
            }
            Json::Object(members) => {
                let reference = members.iter().find(|(name, _)| name == "$ref");
                if let Some(name) = reference.and_then(|(_, value)| definition_of(value)) {
                    return self.reference(name, members, depth);
                }
                // It closes nothing, so it says nothing. The arguments of a tool are open or not by their own word.
                let is_noise = |name: &str, value: &Json| {
                    depth > 0
                        && name == "additionalProperties"
                        && *value == Json::Bool(true)
                        && members.iter().any(|(name, kind)| name == "type" && kind.as_object().is_none())
                };
                let members: Result<Members, TooLarge> = members
                    .iter()
                    .filter(|(name, value)| !is_noise(name, value))
                    .map(|(name, value)| Ok((name.clone(), self.inline(value, depth + 1)?)))
                    .collect();
                Ok(Json::Object(members?))
            }
            other => Ok(other.clone()),
        }
    }

    fn reference(&mut self, name: &str, members: &[(String, Json)], depth: usize) -> Result<Json, TooLarge> {
        let is_circle = self.stack.iter().any(|open| open == name);
        let definition = self.definitions.get(name);
        let Some(Json::Object(inner)) =
            definition.filter(|_| !is_circle && depth <= MAX_DEPTH && !(self.is_kept)(name))
        else {
            if let Some(Json::Bool(_)) = definition {
                return Ok(definition.cloned().unwrap_or(Json::Null));
            }
            self.needed.push(name.to_owned());
            return Ok(Json::Object(members.to_vec()));
        };
        self.stack.push(name.to_owned());
        let inlined = self.inline(&Json::Object(inner.clone()), depth);
        self.stack.pop();
        let Json::Object(mut inlined) = inlined? else { return Ok(Json::Object(members.to_vec())) };
        // What is said where it is used fits better.
        for (own, value) in members.iter().filter(|(own, _)| own != "$ref") {
            match inlined.iter_mut().find(|(name, _)| name == own) {
                Some((_, Json::Object(known))) if own == "properties" => narrow(known, value),
                Some((_, known)) => *known = value.clone(),
                None => inlined.insert(inlined.len().min(1), (own.clone(), value.clone())),
            }
        }
        Ok(Json::Object(inlined))
    }
}
