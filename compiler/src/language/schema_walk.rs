//! Looks around in JSON Schemas without validating anything.

use crate::language::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// Keywords whose schemas speak about the very same value.
const IN_PLACE_LISTS: &[&str] = &["allOf", "anyOf", "oneOf"];
const IN_PLACE: &[&str] = &["if", "then", "else"];

/// How far `$ref`s and applicators are followed.
const MAX_DEPTH: usize = 32;

static ANYTHING: Json = Json::Bool(true);

/// All property names that a schema mentions for its own value, sorted, with their schemas.
///
/// A property that only a branch mentions comes with the schema `true`: what the branch demands holds only
/// in the branch.
pub fn declared_properties(root: &Json) -> BTreeMap<&str, &Json> {
    let mut found = BTreeMap::new();
    collect(root, root, &mut found, &mut BTreeSet::new(), 0);
    for (name, schema) in properties(root) {
        found.insert(name, schema);
    }
    found
}

/// Whether it admits arguments that it does not declare: only where that is written out.
pub fn admits_others(root: &Json) -> bool {
    root.get("patternProperties").is_some()
        || root.get("additionalProperties").is_some_and(|additional| *additional != Json::Bool(false))
}

/// Whether some `$ref` leads elsewhere than into the root's definitions, or anything renames the scope.
pub fn refers_beyond_definitions(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => members.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
            ("$ref", Json::String(target)) => {
                !(target.starts_with("#/$defs/") || target.starts_with("#/definitions/"))
            }
            ("$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor", Json::String(_)) => true,
            _ => refers_beyond_definitions(value),
        }),
        Json::Array(items) => items.iter().any(refers_beyond_definitions),
        _ => false,
    }
}

/// How a keyword holds inner schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Schema,
    List,
    Map,
}

fn collect<'a>(
    root: &'a Json,
    schema: &'a Json,
    found: &mut BTreeMap<&'a str, &'a Json>,
    followed: &mut BTreeSet<&'a str>,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    for (name, _) in properties(schema) {
        found.entry(name).or_insert(&ANYTHING);
    }
    for keyword in IN_PLACE_LISTS {
        for branch in schema.get(keyword).and_then(Json::as_array).unwrap_or_default() {
            collect(root, branch, found, followed, depth + 1);
        }
    }
    for keyword in IN_PLACE {
        if let Some(branch) = schema.get(keyword) {
            collect(root, branch, found, followed, depth + 1);
        }
    }
    for (_, branch) in schema.get("dependentSchemas").and_then(Json::as_object).unwrap_or_default() {
        collect(root, branch, found, followed, depth + 1);
    }
    // Each reference is followed once: a schema may refer to itself in many branches.
    if let Some(reference) = schema.get("$ref").and_then(Json::as_str)
        && followed.insert(reference)
        && let Some(target) = resolve(root, reference)
    {
        collect(root, target, found, followed, depth + 1);
    }
}

fn properties(schema: &Json) -> &[(String, Json)] {
    schema.get("properties").and_then(Json::as_object).unwrap_or_default()
}

/// What a local reference (`#`, `#/$defs/x`) points to in its schema.
pub fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |value, step| {
        let step = percent_decoded(step)?.replace("~1", "/").replace("~0", "~");
        match value {
            Json::Object(_) => value.get(&step),
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    })
}

/// The same, from a schema inside `root`. An identifier of its own would change the meaning of its references.
pub fn follow<'a>(root: &'a Json, from: &Json, reference: &str) -> Option<&'a Json> {
    let renamed = !std::ptr::eq(from, root) && from.get("$id").is_some();
    if renamed { None } else { resolve(root, reference) }
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |b: u8| char::from(b).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

/// What a keyword holds, if that is schemas.
pub fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "items"
        | "additionalProperties"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "additionalItems"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Map,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    }

    fn with_property(name: &str) -> Json {
        object([("properties", object([(name, object([("type", Json::string("string"))]))]))])
    }

    #[test]
    fn properties_of_branches_and_references_are_declared() {
        let root = object([
            ("properties", object([("a", object([("type", Json::string("integer"))]))])),
            ("allOf", Json::Array(vec![with_property("b"), object([("$ref", Json::string("#/$defs/d"))])])),
            ("then", with_property("c")),
            ("dependentSchemas", object([("a", with_property("e"))])),
            ("$defs", object([("d", with_property("d")), ("unused", with_property("z"))])),
        ]);
        let found = declared_properties(&root);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        assert_eq!(*found["b"], Json::Bool(true));
        assert!(found["a"].get("type").is_some());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let root = object([("$ref", Json::string("#")), ("properties", object([("a", Json::Bool(true))]))]);
        assert_eq!(declared_properties(&root).len(), 1);
    }

    #[test]
    fn many_references_to_oneself_cost_no_more_than_one() {
        let myself = object([("$ref", Json::string("#"))]);
        let root = object([("allOf", Json::Array(vec![myself; 64]))]);
        assert!(declared_properties(&root).is_empty());
    }

    #[test]
    fn references_out_of_the_definitions_are_seen() {
        let inside = object([("items", object([("$ref", Json::string("#/$defs/a"))]))]);
        let outside = object([("items", object([("$ref", Json::string("#/properties/a"))]))]);
        assert!(!refers_beyond_definitions(&inside));
        assert!(refers_beyond_definitions(&outside));
    }

    #[test]
    fn references_are_pointers_with_their_escapes() {
        let schema =
            object([("$defs", object([("a/b é", Json::Bool(true)), ("l", Json::Array(vec![Json::Null]))]))]);
        assert_eq!(resolve(&schema, "#/$defs/a~1b%20%C3%A9"), Some(&Json::Bool(true)));
        assert_eq!(resolve(&schema, "#/$defs/l/0"), Some(&Json::Null));
        assert_eq!(resolve(&schema, "#"), Some(&schema));
        assert_eq!(resolve(&schema, "#/$defs/none"), None);
        assert_eq!(resolve(&schema, "#anchor"), None);
    }
}
