//! What an `answer_schema` or `output_schema` allows.
//!
//! An object with `properties` has no others, unless it has `additionalProperties`. A schema that
//! is not understood allows everything, so only clear mistakes are reported.

use super::{Kinds, Source, Unknown};
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::template::Segment;
use std::cell::Cell;
use std::collections::BTreeSet;

/// How far references and applicators are followed in one place.
const MAX_DEPTH: usize = 32;
/// The most schemas to visit for one path. References can turn a few into very many.
const MAX_VISITS: u32 = 5_000;
/// The most schemas to visit for all paths of a template.
const MAX_VISITS_IN_ALL: u32 = 500_000;
/// The most schemas of one place.
const MAX_NODES: usize = 200;

/// Keywords that can add members in ways that are not followed.
const NOT_FOLLOWED: &[&str] = &[
    "patternProperties",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
    "additionalItems",
    "$dynamicRef",
    "$recursiveRef",
    "extends",
    "discriminator",
];

#[derive(Debug)]
pub(super) struct Schema<'a> {
    /// The key that it is given under.
    key: &'static str,
    root: &'a Json,
    visits: Cell<u32>,
    visits_in_all: Cell<u32>,
}

/// What a schema defines about one member, or about all.
#[derive(Debug)]
enum Look<'a> {
    Unsaid,
    /// Only these names, and the wanted one is not among them.
    Closed(BTreeSet<&'a str>),
    Found(Vec<&'a Json>),
    /// Anything, or something that is not understood.
    Open,
}

impl<'a> Schema<'a> {
    pub fn new(key: &'static str, root: &'a Json) -> Schema<'a> {
        Schema { key, root, visits: Cell::new(0), visits_in_all: Cell::new(0) }
    }

    /// Whether it names the last key of a path, rather than just allowing it.
    pub fn names(&self, path: &[Segment]) -> bool {
        let Some((_, outer)) = path.split_last() else { return false };
        // No API has this.
        let other = [outer, &[Segment::Key("\0".to_owned())]].concat();
        self.unknown(path).is_none() && self.unknown(&other).is_some_and(|unknown| unknown.at == outer.len())
    }

    /// Whether one more schema may be visited.
    fn visit(&self, depth: usize) -> bool {
        self.visits.set(self.visits.get().saturating_add(1));
        self.visits_in_all.set(self.visits_in_all.get().saturating_add(1));
        self.has_time() && depth <= MAX_DEPTH
    }

    fn has_time(&self) -> bool {
        self.visits.get() <= MAX_VISITS && self.visits_in_all.get() <= MAX_VISITS_IN_ALL
    }

    /// The kinds of values that a schema allows.
    fn kinds_of(&self, schema: &Json, depth: usize) -> Kinds {
        Kinds::of_schema(self.root, schema, &|depth| self.visit(depth), depth)
    }

    /// What a schema defines about a member, apart from its types.
    fn look(&self, schema: &'a Json, segment: &Segment, depth: usize) -> Look<'a> {
        match schema {
            _ if !self.visit(depth) => return Look::Open,
            Json::Bool(false) => return Look::Closed(BTreeSet::new()),
            Json::Object(_) if !NOT_FOLLOWED.iter().any(|keyword| schema.get(keyword).is_some()) => {}
            _ => return Look::Open,
        }
        let mut all = match segment {
            Segment::Key(key) => own_member(schema, key),
            Segment::Each => own_elements(schema),
        };
        if let Some(target) = schema.get("$ref") {
            let target = target.as_str().and_then(|target| schema_walk::follow(self.root, schema, target));
            all = all.and(target.map_or(Look::Open, |target| self.look(target, segment, depth + 1)));
        }
        for part in schema.get("allOf").and_then(Json::as_array).unwrap_or_default() {
            all = all.and(self.look(part, segment, depth + 1));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(keyword).and_then(Json::as_array) {
                all = all.and(self.look_any(choices.iter(), segment, depth + 1));
            }
        }
        all
    }

    /// The same, where one of several schemas applies.
    fn look_any(&self, choices: impl Iterator<Item = &'a Json>, segment: &Segment, depth: usize) -> Look<'a> {
        let holder = match segment {
            Segment::Key(_) => Kinds::OBJECT,
            Segment::Each => Kinds::OBJECT.or(Kinds::ARRAY),
        };
        let looks = choices.map(|choice| {
            if self.kinds_of(choice, depth).has(holder) {
                self.look(choice, segment, depth)
            } else {
                Look::Closed(BTreeSet::new())
            }
        });
        looks.reduce(Look::or).unwrap_or(Look::Unsaid)
    }

    /// The schemas that one step leads to. The error means that anything can be there, or nothing.
    fn step(
        &self,
        nodes: &[&'a Json],
        segment: &Segment,
    ) -> Result<Vec<&'a Json>, Option<BTreeSet<&'a str>>> {
        match self.look_any(nodes.iter().copied(), segment, 0) {
            Look::Unsaid | Look::Open => Err(None),
            Look::Closed(keys) => Err(Some(keys)),
            Look::Found(mut found) => {
                found.sort_by_key(|schema| std::ptr::from_ref::<Json>(schema));
                found.dedup_by(|a, b| std::ptr::eq(*a, *b));
                if found.len() > MAX_NODES { Err(None) } else { Ok(found) }
            }
        }
    }

    fn kinds_of_any(&self, nodes: &[&'a Json]) -> Kinds {
        nodes.iter().fold(Kinds::NONE, |kinds, node| kinds.or(self.kinds_of(node, 0)))
    }
}

impl Source for Schema<'_> {
    fn unknown(&self, path: &[Segment]) -> Option<Unknown> {
        self.visits.set(0);
        let mut nodes = vec![self.root];
        for (at, segment) in path.iter().enumerate() {
            let keys = match self.step(&nodes, segment) {
                Ok(next) => {
                    nodes = next;
                    continue;
                }
                Err(keys) => keys?,
            };
            let of = self.kinds_of_any(&nodes);
            // Without a type, or with one that allows nothing, too little is known.
            let is_said = of != Kinds::ALL && of.without(Kinds::NULL) != Kinds::NONE;
            let is_known = is_said && matches!(segment, Segment::Key(_)) && self.has_time();
            let keys = keys.into_iter().take(super::MAX_KEYS).map(str::to_owned);
            return is_known.then(|| Unknown { at, keys: keys.collect(), of });
        }
        None
    }

    fn kinds(&self, path: &[Segment]) -> Kinds {
        self.visits.set(0);
        let mut nodes = vec![self.root];
        for segment in path {
            match self.step(&nodes, segment) {
                Ok(next) => nodes = next,
                Err(_) => return Kinds::ALL,
            }
        }
        self.kinds_of_any(&nodes)
    }

    fn name(&self) -> (String, bool) {
        (format!("`{}`", self.key), false)
    }

    fn remedy(&self) -> String {
        format!("add it to `{}`", self.key)
    }
}

impl<'a> Look<'a> {
    /// Both apply. A member that one part lists exists, even if others do not list it.
    fn and(self, other: Look<'a>) -> Look<'a> {
        match (self, other) {
            (Look::Open, _) | (_, Look::Open) => Look::Open,
            (Look::Found(mut one), Look::Found(other)) => {
                one.extend(other);
                Look::Found(one)
            }
            (Look::Found(found), _) | (_, Look::Found(found)) => Look::Found(found),
            (Look::Closed(mut one), Look::Closed(other)) => {
                one.extend(other);
                Look::Closed(one)
            }
            (Look::Closed(keys), Look::Unsaid) | (Look::Unsaid, Look::Closed(keys)) => Look::Closed(keys),
            (Look::Unsaid, Look::Unsaid) => Look::Unsaid,
        }
    }

    /// One of them applies. An empty one allows everything, unless all are empty.
    fn or(self, other: Look<'a>) -> Look<'a> {
        match (self, other) {
            (Look::Unsaid, Look::Unsaid) => Look::Unsaid,
            (Look::Unsaid, _) | (_, Look::Unsaid) => Look::Open,
            (one, other) => one.and(other),
        }
    }
}

fn own_member<'a>(schema: &'a Json, key: &str) -> Look<'a> {
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or_default();
    if let Some((_, found)) = properties.iter().find(|(name, _)| name == key) {
        return Look::Found(vec![found]);
    }
    match rest(schema) {
        Some(Json::Bool(false)) => Look::Closed(properties.iter().map(|(name, _)| name.as_str()).collect()),
        Some(schema @ Json::Object(_)) => Look::Found(vec![schema]),
        Some(_) => Look::Open,
        None if properties.is_empty() => Look::Unsaid,
        None => Look::Closed(properties.iter().map(|(name, _)| name.as_str()).collect()),
    }
}

/// Elements of an array, and members of an object.
fn own_elements(schema: &Json) -> Look<'_> {
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or_default();
    let first = schema.get("prefixItems").and_then(Json::as_array).unwrap_or_default();
    let mut found: Vec<&Json> = properties.iter().map(|(_, schema)| schema).chain(first).collect();
    let items = schema.get("items");
    for more in [rest(schema), items].into_iter().flatten() {
        match more {
            Json::Bool(false) => {}
            Json::Object(_) => found.push(more),
            _ => return Look::Open,
        }
    }
    if !first.is_empty() && items.is_none() {
        return Look::Open;
    }
    if found.is_empty() { Look::Unsaid } else { Look::Found(found) }
}

/// What applies to unlisted members.
fn rest(schema: &Json) -> Option<&Json> {
    schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties"))
}
