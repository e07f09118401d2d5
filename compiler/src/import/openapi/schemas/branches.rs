//! Branches of `allOf`, `anyOf` and `oneOf`, and what tells them apart.

use super::Members;
use crate::import::openapi::api::Api;
use crate::import::openapi::view::view;
use crate::language::json::Json;

/// Adds `allOf`, `anyOf` or `oneOf`. One schema alone is no choice.
pub fn combine(name: &str, mut schemas: Vec<Json>, out: &mut Members) {
    if name != "allOf" {
        join_null(&mut schemas);
    }
    if schemas.len() == 1
        && let Some(Json::Object(members)) = schemas.pop()
    {
        let is_free = |out: &Members| members.iter().all(|(name, _)| !out.iter().any(|(own, _)| own == name));
        let own_words = |(name, _): &(String, Json)| name == "description";
        if is_free(out) {
            out.extend(members);
            return;
        }
        let rest: Members = members.iter().filter(|member| !own_words(member)).cloned().collect();
        if rest
            .iter()
            .all(|(name, value)| out.iter().find(|(own, _)| own == name).is_none_or(|(_, own)| own == value))
        {
            for (name, value) in rest {
                if !out.iter().any(|(own, _)| *own == name) {
                    out.push((name, value));
                }
            }
            return;
        }
        schemas.push(Json::Object(members));
    }
    if !schemas.is_empty() {
        out.push((name.to_owned(), Json::Array(schemas)));
    }
}

/// A schema or `null` is that schema with one more type: this is how 3.1 writes `nullable`.
fn join_null(schemas: &mut Vec<Json>) {
    let is_null = |schema: &Json| matches!(schema.as_object(), Some([(name, kind)]) if name == "type" && kind.as_str() == Some("null"));
    let Some(at) = schemas.iter().position(is_null).filter(|_| schemas.len() == 2) else { return };
    let Some(Json::Object(members)) = schemas.get_mut(1 - at) else { return };
    // These hold for `null`, too.
    let applies = |name: &str| matches!(name, "const" | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "$ref");
    if members.iter().any(|(name, _)| applies(name)) {
        return;
    }
    let Some((_, kind)) = members.iter_mut().find(|(name, _)| name == "type") else { return };
    let mut names = match std::mem::replace(kind, Json::Null) {
        Json::Array(names) => names,
        one => vec![one],
    };
    if !names.iter().any(|name| name.as_str() == Some("null")) {
        names.push(Json::string("null"));
    }
    *kind = Json::Array(names);
    if let Some((_, Json::Array(values))) = members.iter_mut().find(|(name, _)| name == "enum")
        && !values.contains(&Json::Null)
    {
        values.push(Json::Null);
    }
    schemas.remove(at);
}

/// Writes into the branches of a choice which values of the discriminator they are for, where they do not say so themselves.
pub fn discriminate(api: &Api<'_>, schema: &Json, branches: &[Json], converted: &mut [Json]) {
    let Some(discriminator) = schema.get("discriminator") else { return };
    let Some(property) = discriminator.get("propertyName").and_then(Json::as_str) else { return };
    let mapping = discriminator.get("mapping").and_then(Json::as_object).unwrap_or_default();
    for (branch, converted) in branches.iter().zip(converted) {
        let (Some(reference), Json::Object(members)) = (branch.get("$ref").and_then(Json::as_str), converted)
        else {
            continue;
        };
        if !members.iter().any(|(name, _)| name == "$ref") {
            continue;
        }
        let known = allowed(api, branch, property);
        if matches!(known.as_deref(), Some([_])) {
            continue;
        }
        let last = reference.rsplit('/').next().unwrap_or_default();
        let leads_here = |target: &Json| target.as_str().is_some_and(|to| to == reference || to == last);
        let keys = mapping.iter().filter(|(_, target)| leads_here(target)).map(|(key, _)| key.as_str());
        let mut values: Vec<&str> = keys.collect();
        if values.is_empty() {
            values.push(last);
        }
        let mut values: Vec<Json> = values.into_iter().map(Json::string).collect();
        // A document whose schemas say otherwise does not use its own names.
        values.retain(|value| known.as_ref().is_none_or(|known| known.contains(value)));
        let keyword = match values.len() {
            0 => continue,
            1 => ("const".to_owned(), values.remove(0)),
            _ => ("enum".to_owned(), Json::Array(values)),
        };
        let properties = Json::Object(vec![(property.to_owned(), Json::Object(vec![keyword]))]);
        members.push(("properties".to_owned(), properties));
    }
}

/// The values that a schema itself allows for a property; `None` if it names none.
fn allowed(api: &Api<'_>, schema: &Json, property: &str) -> Option<Vec<Json>> {
    let view = view(api, schema);
    let (_, mut schema) = view.properties.into_iter().find(|(name, _)| *name == property)?;
    if let Some(target) = schema.get("$ref").and_then(Json::as_str).and_then(|to| api.known(to)) {
        schema = target;
    }
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(values)) => values.as_array().map(<[Json]>::to_vec),
        (None, None) => None,
    }
}
