//! What a schema of an answer says of its fields: through references, `allOf` and alternatives.

use super::api::Api;
use crate::language::json::Json;
use std::collections::BTreeSet;

/// How many references and combinations are followed for one value.
const MAX_STEPS: usize = 24;

#[derive(Debug, Clone, Copy)]
pub enum Kind<'d> {
    Scalar,
    Object,
    List(&'d Json),
    /// Nothing is known, or several kinds are possible.
    Any,
}

#[derive(Debug)]
pub struct View<'d> {
    pub kind: Kind<'d>,
    pub types: Vec<&'static str>,
    pub is_nullable: bool,
    /// An object with any names.
    pub is_map: bool,
    pub properties: Vec<(&'d str, &'d Json)>,
    required: BTreeSet<&'d str>,
}

impl View<'_> {
    pub fn is_required(&self, name: &str) -> bool {
        self.required.contains(name)
    }

    /// The types of a field. Of one that an API may leave out nothing is promised: it may be `null`, too.
    pub fn leaf(&self, is_sure: bool) -> Vec<&'static str> {
        if self.is_nullable || !is_sure { Vec::new() } else { self.types.clone() }
    }
}

pub fn is_object(api: &Api<'_>, schema: &Json) -> bool {
    // The schema lives as long as the document, but its borrow here need not.
    matches!(view(api, schema).kind, Kind::Object)
}

pub fn view<'v>(api: &'v Api<'_>, schema: &'v Json) -> View<'v> {
    let mut view = View {
        kind: Kind::Any,
        types: Vec::new(),
        is_nullable: false,
        is_map: false,
        properties: Vec::new(),
        required: BTreeSet::new(),
    };
    let mut gathered = Gathered::default();
    gather(api, schema, true, &mut view, &mut gathered, &mut 0);
    let Gathered { has_object, items, is_mixed, .. } = gathered;
    view.is_map = has_object && view.properties.is_empty();
    view.kind = match (has_object, items, view.types.is_empty()) {
        _ if is_mixed => Kind::Any,
        (true, None, true) if !view.properties.is_empty() => Kind::Object,
        (false, Some(items), true) => Kind::List(items),
        (false, None, false) => Kind::Scalar,
        _ => Kind::Any,
    };
    if !matches!(view.kind, Kind::Scalar) {
        view.types.clear();
    }
    view
}

#[derive(Default)]
struct Gathered<'v> {
    has_object: bool,
    items: Option<&'v Json>,
    names: BTreeSet<&'v str>,
    /// Lists of different things.
    is_mixed: bool,
}

/// Adds what a schema says. `is_certain`: it holds for every value, and not only for one of several alternatives.
fn gather<'v>(
    api: &'v Api<'_>,
    schema: &'v Json,
    is_certain: bool,
    view: &mut View<'v>,
    gathered: &mut Gathered<'v>,
    steps: &mut usize,
) {
    *steps += 1;
    if *steps > MAX_STEPS {
        return;
    }
    if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
        if let Some(target) = api.known(reference) {
            gather(api, target, is_certain, view, gathered, steps);
        }
        return;
    }
    let flag = |name: &str| schema.get(name).and_then(Json::as_bool) == Some(true);
    view.is_nullable |= flag("nullable") || flag("x-nullable");
    let names: Vec<&str> = match schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ if schema.get("items").is_some() => vec!["array"],
        _ if schema.get("enum").is_some() => vec!["string"],
        _ => Vec::new(),
    };
    for name in names {
        match name {
            "object" => gathered.has_object = true,
            "array" => match (gathered.items, schema.get("items")) {
                (None, Some(items)) => gathered.items = Some(items),
                (Some(known), Some(items)) if known == items => {}
                _ => gathered.is_mixed = true,
            },
            "null" => view.is_nullable = true,
            "integer" | "number" | "string" | "boolean" => {
                let known =
                    ["integer", "number", "string", "boolean"].into_iter().find(|known| *known == name);
                view.types.extend(known.filter(|known| !view.types.contains(known)));
            }
            _ => gathered.is_mixed = true,
        }
    }
    for (name, property) in schema.get("properties").and_then(Json::as_object).unwrap_or_default() {
        // What callers only write is never in an answer.
        let is_written = property.get("writeOnly").and_then(Json::as_bool) == Some(true);
        if !is_written && gathered.names.insert(name) {
            view.properties.push((name, property));
        }
    }
    if is_certain {
        let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
        view.required.extend(required.iter().filter_map(Json::as_str));
    }
    for part in schema.get("allOf").and_then(Json::as_array).unwrap_or_default() {
        gather(api, part, is_certain, view, gathered, steps);
    }
    for keyword in ["oneOf", "anyOf"] {
        let branches = schema.get(keyword).and_then(Json::as_array).unwrap_or_default();
        let is_alone = branches.len() == 1;
        for branch in branches {
            gather(api, branch, is_certain && is_alone, view, gathered, steps);
        }
    }
}
