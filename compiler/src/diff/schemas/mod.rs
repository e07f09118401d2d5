//! What changed between two JSON Schemas, in words.
//!
//! Names each difference that is simple to name, and says of the others that they are there. Whether a schema accepts all that
//! another one does is decided elsewhere.

#[cfg(test)]
mod tests;

use crate::language::json::Json;
use crate::language::kinds::Kinds;
use crate::language::schema_walk::{Holds, follow, holds};
use mcp_bundle::json::decimal;
use mcp_diagnostics::visible::one_line;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// How deep schemas are compared, references included.
const MAX_DEPTH: usize = 64;
/// The most differences to name.
const MAX_DIFFERENCES: usize = 200;
/// Characters of a value in a message.
const MAX_SHOWN: usize = 60;

/// Keywords that say nothing about which values are valid.
const ANNOTATIONS: &[&str] = &[
    "$comment",
    "$schema",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "example",
    "examples",
    "contentEncoding",
    "contentMediaType",
];

/// Bounds, and whether a greater number is tighter.
const BOUNDS: &[(&str, bool)] = &[
    ("minimum", true),
    ("exclusiveMinimum", true),
    ("maximum", false),
    ("exclusiveMaximum", false),
    ("minLength", true),
    ("maxLength", false),
    ("minItems", true),
    ("maxItems", false),
    ("minProperties", true),
    ("maxProperties", false),
];

/// Keywords that are compared one by one; any other is only compared as a whole.
const COMPARED: &[&str] = &[
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "$ref",
    "$defs",
    "definitions",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A property is not named any more; `accepted`: it may be there nonetheless.
    Removed {
        accepted: bool,
    },
    Added,
    AddedRequired,
    BecameRequired,
    BecameOptional,
    TypeNarrowed,
    TypeWidened,
    ValueRemoved,
    ValueAdded,
    Tightened,
    Loosened,
    OthersRefused,
    OthersAccepted,
    /// It cannot be said whether more or less is valid.
    Unclear,
}

#[derive(Debug)]
pub struct Difference {
    pub kind: Kind,
    pub message: String,
}

/// What a value is in messages: `` `items[].name` ``.
struct Named<'p>(&'p str);

impl std::fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            f.write_str("the value as a whole")
        } else {
            write!(f, "`{}`", one_line(self.0))
        }
    }
}

/// Whether two schemas are the same but for what says nothing about values.
pub fn is_same(old: &Json, new: &Json) -> bool {
    stripped(old).same(&stripped(new))
}

/// A schema without annotations. Recursion is bounded by the depth of its text.
fn stripped(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let kept = members
        .iter()
        .filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str()) && !keyword.starts_with("x-"));
    let inner = |(keyword, value): &(String, Json)| {
        let value = match (holds(keyword), value) {
            (Some(Holds::List | Holds::Schema), Json::Array(all)) => {
                Json::Array(all.iter().map(stripped).collect())
            }
            (Some(Holds::Map), Json::Object(all)) => {
                Json::Object(all.iter().map(|(name, inner)| (name.clone(), stripped(inner))).collect())
            }
            (Some(Holds::Schema), inner) => stripped(inner),
            _ => value.clone(),
        };
        (keyword.clone(), value)
    };
    Json::Object(kept.map(inner).collect())
}

/// What changed from one schema to another.
pub fn differences(old: &Json, new: &Json) -> Vec<Difference> {
    let (old, new) = (stripped(old), stripped(new));
    let mut walk = Walk { old: &old, new: &new, found: Vec::new(), seen: BTreeSet::new() };
    walk.compare(&old, &new, &mut String::new(), 0);
    walk.found
}

struct Walk<'a> {
    old: &'a Json,
    new: &'a Json,
    found: Vec<Difference>,
    /// Places of pairs that were compared: references may lead back.
    seen: BTreeSet<(usize, usize)>,
}

impl<'a> Walk<'a> {
    fn add(&mut self, kind: Kind, message: String) {
        if self.found.len() < MAX_DIFFERENCES {
            self.found.push(Difference { kind, message });
        }
    }

    fn compare(&mut self, old: &'a Json, new: &'a Json, path: &mut String, depth: usize) {
        let place = |schema: &Json| std::ptr::from_ref(schema) as usize;
        if !self.seen.insert((place(old), place(new))) {
            return;
        }
        if depth > MAX_DEPTH {
            return self.add(Kind::Unclear, format!("{} is too deep to compare", Named(path)));
        }
        if let Some(targets) = self.targets(old, new) {
            return self.compare(targets.0, targets.1, path, depth + 1);
        }
        match (old.as_bool(), new.as_bool()) {
            (Some(false), Some(false)) => return,
            (Some(false), _) => return self.add(Kind::TypeWidened, format!("{} may be there", Named(path))),
            (_, Some(false)) => {
                return self.add(Kind::TypeNarrowed, format!("{} may not be there", Named(path)));
            }
            _ => {}
        }
        self.types(old, new, path);
        self.values(old, new, path);
        self.bounds(old, new, path);
        self.members(old, new, path, depth);
        self.elements(old, new, path, depth);
        self.rest(old, new, path);
    }

    /// Where references lead, if one of the two is nothing else.
    fn targets(&self, old: &'a Json, new: &'a Json) -> Option<(&'a Json, &'a Json)> {
        let target = |root: &'a Json, schema: &'a Json| {
            let only = schema.as_object().is_some_and(|members| {
                members
                    .iter()
                    .all(|(keyword, _)| matches!(keyword.as_str(), "$ref" | "$defs" | "definitions"))
            });
            follow(root, schema, schema.get("$ref").filter(|_| only)?.as_str()?)
        };
        match (target(self.old, old), target(self.new, new)) {
            (None, None) => None,
            (a, b) => Some((a.unwrap_or(old), b.unwrap_or(new))),
        }
    }

    fn types(&mut self, old: &Json, new: &Json, path: &str) {
        let kinds = |schema: &Json| match schema.get("type") {
            Some(Json::String(name)) => Kinds::of_type(name).unwrap_or(Kinds::ALL),
            Some(Json::Array(names)) => {
                let of = |name: &Json| name.as_str().and_then(Kinds::of_type).unwrap_or(Kinds::ALL);
                names.iter().fold(Kinds::NONE, |kinds, name| kinds.or(of(name)))
            }
            _ => Kinds::ALL,
        };
        let (was, now) = (kinds(old), kinds(new));
        let said = |schema: &Json| match schema.get("type") {
            None => "anything".to_owned(),
            Some(Json::String(name)) => format!("`{name}`"),
            Some(names) => {
                let names = names.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
                names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
            }
        };
        if was != now {
            let kind = if was.without(now).is_none() { Kind::TypeWidened } else { Kind::TypeNarrowed };
            self.add(kind, format!("{} is {}, was {}", Named(path), said(new), said(old)));
        }
    }

    fn values(&mut self, old: &Json, new: &Json, path: &str) {
        let values = |schema: &'_ Json| -> Option<Vec<Json>> {
            match (schema.get("const"), schema.get("enum")) {
                (Some(one), _) => Some(vec![one.clone()]),
                (None, Some(Json::Array(all))) => Some(all.clone()),
                _ => None,
            }
        };
        let list = |values: &[Json]| {
            let shown: Vec<String> =
                values.iter().take(8).map(|value| format!("`{}`", shown(value))).collect();
            let more = if values.len() > shown.len() { " …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        let name = Named(path).to_string();
        match (values(old), values(new)) {
            (None, None) => {}
            (None, Some(now)) => {
                self.add(Kind::ValueRemoved, format!("{name} is only one of {}", list(&now)));
            }
            (Some(_), None) => {
                self.add(Kind::ValueAdded, format!("{name} is not one of a few values any more"));
            }
            (Some(was), Some(now)) => {
                let without = |all: &[Json], others: &[Json]| -> Vec<Json> {
                    all.iter().filter(|one| !others.iter().any(|other| one.same(other))).cloned().collect()
                };
                let (lost, gained) = (without(&was, &now), without(&now, &was));
                if !lost.is_empty() {
                    self.add(Kind::ValueRemoved, format!("{name} is never {} any more", list(&lost)));
                }
                if !gained.is_empty() {
                    self.add(Kind::ValueAdded, format!("{name} may be {}", list(&gained)));
                }
            }
        }
    }

    fn bounds(&mut self, old: &Json, new: &Json, path: &str) {
        for (keyword, greater_is_tighter) in BOUNDS {
            let bound = |schema: &'_ Json| schema.get(keyword).and_then(Json::as_number).map(str::to_owned);
            let (was, now) = (bound(old), bound(new));
            let kind = match (&was, &now) {
                (None, None) => continue,
                (None, Some(_)) => Kind::Tightened,
                (Some(_), None) => Kind::Loosened,
                (Some(was), Some(now)) => match decimal::compare(now, was) {
                    Ordering::Equal => continue,
                    Ordering::Greater if *greater_is_tighter => Kind::Tightened,
                    Ordering::Less if !*greater_is_tighter => Kind::Tightened,
                    _ => Kind::Loosened,
                },
            };
            self.bound(kind, keyword, was, now, path);
        }
        for keyword in ["pattern", "format", "multipleOf"] {
            let text = |schema: &'_ Json| schema.get(keyword).map(shown);
            let (was, now) = (text(old), text(new));
            let kind = match (&was, &now) {
                (was, now) if was == now => continue,
                (None, _) => Kind::Tightened,
                (_, None) => Kind::Loosened,
                _ => Kind::Unclear,
            };
            self.bound(kind, keyword, was, now, path);
        }
        let unique = |schema: &Json| schema.get("uniqueItems").and_then(Json::as_bool) == Some(true);
        match (unique(old), unique(new)) {
            (false, true) => {
                self.add(Kind::Tightened, format!("no element of {} repeats another", Named(path)));
            }
            (true, false) => self.add(Kind::Loosened, format!("elements of {} may repeat", Named(path))),
            _ => {}
        }
    }

    fn bound(&mut self, kind: Kind, keyword: &str, was: Option<String>, now: Option<String>, path: &str) {
        let said = |bound: Option<String>| bound.map_or("not set".to_owned(), |bound| format!("`{bound}`"));
        self.add(kind, format!("`{keyword}` of {} is {}, was {}", Named(path), said(now), said(was)));
    }

    fn members(&mut self, old: &'a Json, new: &'a Json, path: &mut String, depth: usize) {
        let properties =
            |schema: &'a Json| schema.get("properties").and_then(Json::as_object).unwrap_or_default();
        let required = |schema: &Json, name: &str| {
            let names = schema.get("required").and_then(Json::as_array).unwrap_or_default();
            names.iter().any(|one| one.as_str() == Some(name))
        };
        let others = |schema: &'a Json| schema.get("additionalProperties");
        let is_closed = |schema: &'a Json| others(schema).and_then(Json::as_bool) == Some(false);
        let length = path.len();
        let inside = |path: &mut String, name: &str| {
            path.truncate(length);
            if length > 0 {
                path.push('.');
            }
            path.push_str(name);
        };
        let required_names = |schema: &'a Json| {
            schema
                .get("required")
                .and_then(Json::as_array)
                .unwrap_or_default()
                .iter()
                .filter_map(Json::as_str)
        };
        let declared = properties(old).iter().chain(properties(new)).map(|(name, _)| name.as_str());
        let mut seen = BTreeSet::new();
        let all = declared.chain(required_names(old)).chain(required_names(new));
        for name in all.filter(|name| seen.insert(*name)) {
            inside(path, name);
            let find = |schema: &'a Json| properties(schema).iter().find(|(other, _)| other == name);
            let is_required = (required(old, name), required(new, name));
            match (find(old), find(new)) {
                (Some(_), None) => {
                    let kind = Kind::Removed { accepted: !is_closed(new) };
                    self.add(kind, format!("{} is gone", Named(path)));
                }
                (None, Some(_)) if is_required == (false, true) => {
                    self.add(Kind::AddedRequired, format!("{} is new and required", Named(path)));
                    continue;
                }
                (None, Some(_)) => self.add(Kind::Added, format!("{} is new", Named(path))),
                (Some((_, before)), Some((_, after))) => self.compare(before, after, path, depth + 1),
                (None, None) => {}
            }
            match is_required {
                (false, true) => self.add(Kind::BecameRequired, format!("{} is required", Named(path))),
                // One that is gone is not worth a second word.
                (true, false) if find(new).is_some() || find(old).is_none() => {
                    self.add(Kind::BecameOptional, format!("{} is optional", Named(path)));
                }
                _ => {}
            }
        }
        path.truncate(length);
        match (is_closed(old), is_closed(new)) {
            (false, true) => self
                .add(Kind::OthersRefused, format!("{} has no other members than those named", Named(path))),
            (true, false) => self.add(
                Kind::OthersAccepted,
                format!("{} may have other members than those named", Named(path)),
            ),
            (false, false) => match (others(old), others(new)) {
                (Some(before @ Json::Object(_)), Some(after @ Json::Object(_))) => {
                    inside(path, "*");
                    self.compare(before, after, path, depth + 1);
                    path.truncate(length);
                }
                (before, after) if before.is_some_and(is_demanding) != after.is_some_and(is_demanding) => {
                    self.add(
                        Kind::Unclear,
                        format!("other members of {} are described in another way", Named(path)),
                    );
                }
                _ => {}
            },
            (true, true) => {}
        }
    }

    fn elements(&mut self, old: &'a Json, new: &'a Json, path: &mut String, depth: usize) {
        let length = path.len();
        path.push_str("[]");
        match (old.get("items"), new.get("items")) {
            (Some(before), Some(after)) => self.compare(before, after, path, depth + 1),
            (None, Some(after)) if is_demanding(after) => {
                self.add(Kind::Tightened, format!("{} is described now, was anything", Named(path)));
            }
            (Some(before), None) if is_demanding(before) => {
                self.add(Kind::Loosened, format!("{} is anything", Named(path)));
            }
            _ => {}
        }
        path.truncate(length);
    }

    /// Keywords that are compared as a whole.
    fn rest(&mut self, old: &Json, new: &Json, path: &str) {
        let members = [old, new].into_iter().flat_map(|schema| schema.as_object().unwrap_or_default());
        let keywords: BTreeSet<&str> = members.map(|(keyword, _)| keyword.as_str()).collect();
        for keyword in keywords {
            let is_compared =
                COMPARED.contains(&keyword) || BOUNDS.iter().any(|(bound, _)| *bound == keyword);
            let (was, now) = (old.get(keyword), new.get(keyword));
            let is_same = match (was, now) {
                // What is referred to may have changed.
                (Some(was), Some(now)) => was.same(now) && (!refers(was) || self.old.same(self.new)),
                _ => false,
            };
            if !is_compared && !is_same {
                self.add(Kind::Unclear, format!("`{keyword}` of {} is written in another way", Named(path)));
            }
        }
    }
}

/// Whether a schema refuses anything.
fn is_demanding(schema: &Json) -> bool {
    schema.as_bool() == Some(false) || schema.as_object().is_some_and(|members| !members.is_empty())
}

/// Whether something in it is elsewhere, where it may have changed. Recursion is bounded by the depth of the text.
fn refers(value: &Json) -> bool {
    match value {
        Json::Object(members) => members.iter().any(|(name, value)| name == "$ref" || refers(value)),
        Json::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// A value in a message.
fn shown(value: &Json) -> String {
    let text = value.as_str().map_or_else(|| value.to_text(), str::to_owned);
    let line = one_line(&text).into_owned();
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
