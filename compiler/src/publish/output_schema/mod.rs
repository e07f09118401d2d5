//! The schema of a tool's structured results, derived from that of the whole answer, `select` and `max_results`.
//!
//! Whatever answer the given schema allows, what shaping keeps of it is valid by the derived one. Where that
//! cannot be said exactly, the derived schema allows more.

mod copy;
mod merge;
#[cfg(test)]
mod tests;

use crate::language::json::Json;
use crate::language::kinds::Kinds;
use crate::language::schema_walk::follow;
use crate::language::selection::Selection;
use merge::{anything, merge};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How far references, applicators and members are followed.
const MAX_DEPTH: usize = 256;
/// The most schemas to write. References can turn a few into very many; those beyond allow everything.
const MAX_SCHEMAS: usize = 100_000;
/// The most schemas to look at for the kinds of one value, and how deep.
const MAX_VISITS: usize = 1_000;
const MAX_KINDS_DEPTH: usize = 32;

/// What is allowed of what `selection` keeps of an answer that `answer` allows, if each of its lists was cut to
/// `max_results` elements before.
pub fn derive(answer: &Json, selection: &Selection, max_results: Option<u32>) -> Json {
    let most = max_results.map(|most| most as usize);
    let mut derivation = Derivation::new(answer, most, most.is_some());
    let schema = derivation.run(selection);
    if !derivation.is_loose && derivation.lost {
        return Derivation::new(answer, most, true).run(selection);
    }
    schema
}

struct Derivation<'a> {
    root: &'a Json,
    /// Elements that a list keeps.
    most: Option<usize>,
    /// A value can change what the schemas inside `not`, `if`, `oneOf` and `contains` say of it, so these are left out.
    is_loose: bool,
    /// Something of a schema was left out that a value could break.
    lost: bool,
    /// Before 2019-09, what stands beside a `$ref` means nothing.
    lone_references: bool,
    left: usize,
    /// Names of the definitions, by reference.
    names: BTreeMap<&'a str, String>,
    /// Those that are referred to, in the order in which they were met.
    targets: Vec<(String, &'a Json)>,
}

impl<'a> Derivation<'a> {
    fn new(root: &'a Json, most: Option<usize>, is_loose: bool) -> Derivation<'a> {
        let draft = root.get("$schema").and_then(Json::as_str).unwrap_or_default();
        Derivation {
            root,
            most,
            is_loose,
            lost: false,
            lone_references: draft.contains("/draft-0"),
            left: MAX_SCHEMAS,
            names: BTreeMap::new(),
            targets: Vec::new(),
        }
    }

    fn run(&mut self, selection: &Selection) -> Json {
        let schema = self.project(self.root, selection, 0);
        let Json::Object(mut members) = schema else { return schema };
        // Clients want to see at the top that results are objects.
        if members.iter().all(|(keyword, _)| keyword != "type")
            && let Some(name) = self.root_type(selection)
        {
            members.insert(0, ("type".to_owned(), Json::string(name)));
        }
        if let Some(draft) = self.root.get("$schema") {
            members.insert(0, ("$schema".to_owned(), draft.clone()));
        }
        let mut definitions = Vec::new();
        while let Some((name, target)) = self.targets.get(definitions.len()).cloned() {
            let target = self.copy(target);
            definitions.push((name, target));
        }
        if !definitions.is_empty() {
            members.push(("$defs".to_owned(), Json::Object(definitions)));
        }
        Json::Object(members)
    }

    /// The only type that a result can have. An answer of another type is an error before its schema is looked at; and
    /// where the schema says nothing of types, `null` is not what it describes.
    fn root_type(&self, selection: &Selection) -> Option<&'static str> {
        let kinds = match self.kinds(self.root) {
            Kinds::ALL => selection.fits().without(Kinds::NULL),
            kinds => kinds.and(selection.fits()),
        };
        match kinds {
            Kinds::OBJECT => Some("object"),
            Kinds::ARRAY => Some("array"),
            _ => None,
        }
    }

    /// The schema of what is kept of a value.
    fn project(&mut self, schema: &'a Json, kept: &Selection, depth: usize) -> Json {
        if kept.whole {
            return self.copy(schema);
        }
        let members = match schema {
            _ if depth > MAX_DEPTH || !self.has_room() => return anything(),
            Json::Bool(false) => return Json::Bool(false),
            Json::Object(members) => members,
            _ => return anything(),
        };
        let alone = self.lone_references && schema.get("$ref").is_some();
        let (mut out, mut parts) = (Vec::new(), Vec::new());
        let mut push = |keyword: &str, value: Json| out.push((keyword.to_owned(), value));
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                ("$ref", Json::String(target)) => {
                    let target = follow(self.root, schema, target);
                    parts.push(target.map_or_else(anything, |target| self.project(target, kept, depth + 1)));
                }
                _ if alone => {}
                ("title" | "description", Json::String(_)) => push(keyword, value.clone()),
                ("type", names) => match types(names, kept) {
                    Some(names) => push(keyword, names),
                    // It is never kept.
                    None => return Json::Bool(false),
                },
                ("additionalProperties", _) if schema.get("properties").is_some() => {}
                ("properties" | "additionalProperties", _) => {
                    let properties = self.properties(schema, kept, depth + 1);
                    if !properties.is_empty() {
                        push("properties", Json::Object(properties));
                    }
                }
                ("required", Json::Array(names)) => {
                    let names: Vec<Json> =
                        names.iter().filter(|name| self.is_kept(schema, name, kept)).cloned().collect();
                    if !names.is_empty() {
                        push(keyword, Json::Array(names));
                    }
                }
                ("items", items @ Json::Object(_)) if schema.get("prefixItems").is_none() => {
                    let each = kept.each.as_deref().filter(|each| self.fits(items, each));
                    if let Some(each) = each {
                        let items = self.project(items, each, depth + 1);
                        push(keyword, items);
                    }
                }
                ("maxItems", _) => push(keyword, value.clone()),
                ("allOf", Json::Array(all)) => {
                    for part in all {
                        parts.push(self.project(part, kept, depth + 1));
                    }
                }
                ("anyOf" | "oneOf", Json::Array(choices)) => {
                    let mut some = Vec::new();
                    for choice in choices {
                        if self.fits(choice, kept) {
                            some.push(self.project(choice, kept, depth + 1));
                        }
                    }
                    parts.push(merge::choice(some));
                }
                _ => {}
            }
        }
        merge(out, parts)
    }

    /// Those of the selected members that are declared, in the order of the schema.
    fn properties(&mut self, schema: &'a Json, kept: &Selection, depth: usize) -> Vec<(String, Json)> {
        let mut out = Vec::new();
        let declared = schema.get("properties").and_then(Json::as_object).unwrap_or_default();
        for (name, property) in declared {
            if let Some(kept) = kept.members.get(name).filter(|kept| self.fits(property, kept)) {
                out.push((name.clone(), self.project(property, kept, depth)));
            }
        }
        for (name, kept) in &kept.members {
            let others = property(schema, name).filter(|_| declared.iter().all(|(other, _)| other != name));
            if let Some(others) = others.filter(|others| self.fits(others, kept)) {
                out.push((name.clone(), self.project(others, kept, depth)));
            }
        }
        out
    }

    /// Whether a required member is always kept: whatever it is, it is of a kind that is selected.
    fn is_kept(&self, schema: &'a Json, name: &Json, kept: &Selection) -> bool {
        let Some((name, kept)) = name.as_str().and_then(|name| Some((name, kept.members.get(name)?))) else {
            return false;
        };
        let kinds = property(schema, name).map_or(Kinds::ALL, |property| self.kinds(property));
        kinds.without(kept.fits()).is_none()
    }

    /// Whether some value that a schema allows is of a kind that is kept.
    fn fits(&self, schema: &Json, kept: &Selection) -> bool {
        self.kinds(schema).has(kept.fits())
    }

    fn kinds(&self, schema: &Json) -> Kinds {
        let visits = Cell::new(0);
        let visit = |depth: usize| {
            visits.set(visits.get() + 1);
            visits.get() <= MAX_VISITS && depth <= MAX_KINDS_DEPTH
        };
        Kinds::of_schema(self.root, schema, &visit, 0)
    }

    /// Whether one more schema may be written.
    fn has_room(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// The schema of a member, as far as it is simple to say.
fn property<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    match schema.get("properties").and_then(|properties| properties.get(name)) {
        Some(property) => Some(property),
        None if schema.get("patternProperties").is_some() => None,
        None => schema.get("additionalProperties").filter(|others| others.as_object().is_some()),
    }
}

/// The types of `type` that are kept.
fn types(names: &Json, kept: &Selection) -> Option<Json> {
    let fits =
        |name: &&Json| name.as_str().and_then(Kinds::of_type).is_none_or(|kinds| kinds.has(kept.fits()));
    match names {
        Json::Array(names) => {
            let mut names: Vec<Json> = names.iter().filter(fits).cloned().collect();
            match names.len() {
                0 => None,
                1 => names.pop(),
                _ => Some(Json::Array(names)),
            }
        }
        name => Some(name.clone()).filter(|name| fits(&name)),
    }
}
