//! Several schemas of one value as one schema that is short to read.

use crate::language::json::Json;

/// The schema that allows everything.
pub fn anything() -> Json {
    Json::Object(Vec::new())
}

pub fn is_anything(schema: &Json) -> bool {
    schema.as_bool() == Some(true) || schema.as_object().is_some_and(<[_]>::is_empty)
}

/// One schema for a value that is valid by one of several.
pub fn choice(mut choices: Vec<Json>) -> Json {
    if choices.iter().any(is_anything) {
        return anything();
    }
    choices.retain(|choice| choice.as_bool() != Some(false));
    match choices.len() {
        0 => Json::Bool(false),
        1 => choices.remove(0),
        _ => Json::Object(vec![("anyOf".to_owned(), Json::Array(choices))]),
    }
}

/// One schema for a value that is valid by all: the members of the first, and parts beside it.
pub fn merge(mut out: Vec<(String, Json)>, parts: Vec<Json>) -> Json {
    let mut rest = Vec::new();
    for part in parts {
        match part {
            Json::Bool(false) => return Json::Bool(false),
            Json::Object(members) => match joined(&out, &members) {
                Some(both) => out = both,
                None => rest.push(Json::Object(members)),
            },
            _ => {}
        }
    }
    if !rest.is_empty() {
        match out.iter_mut().find(|(keyword, _)| keyword == "allOf") {
            Some((_, Json::Array(all))) => all.append(&mut rest),
            _ => out.push(("allOf".to_owned(), Json::Array(rest))),
        }
    }
    Json::Object(out)
}

/// Both schemas in one, if no keyword of theirs is in the way of another.
fn joined(one: &[(String, Json)], other: &[(String, Json)]) -> Option<Vec<(String, Json)>> {
    let mut both = one.to_vec();
    for (keyword, value) in other {
        let Some((_, own)) = both.iter_mut().find(|(own, _)| own == keyword) else {
            both.push((keyword.clone(), value.clone()));
            continue;
        };
        match (keyword.as_str(), own, value) {
            ("title" | "description", ..) => {}
            (_, own, value) if own == value => {}
            ("required", Json::Array(own), Json::Array(names)) => {
                own.extend(names.iter().filter(|name| !one_has(one, name)).cloned());
            }
            ("properties", Json::Object(own), Json::Object(more)) => {
                if more.iter().any(|(name, _)| own.iter().any(|(other, _)| other == name)) {
                    return None;
                }
                own.extend(more.iter().cloned());
            }
            _ => return None,
        }
    }
    (!meddles(one, other) && !meddles(other, one)).then_some(both)
}

/// Whether some keyword of the first would mean something else with those of the other beside it.
fn meddles(one: &[(String, Json)], other: &[(String, Json)]) -> bool {
    let has = |keywords: &[&str]| other.iter().any(|(keyword, _)| keywords.contains(&keyword.as_str()));
    one.iter().any(|(keyword, _)| match keyword.as_str() {
        "additionalProperties" => has(&["properties", "patternProperties"]),
        "items" | "additionalItems" => has(&["prefixItems", "items"]),
        "if" => has(&["then", "else"]),
        "contains" => has(&["minContains", "maxContains"]),
        "unevaluatedProperties" | "unevaluatedItems" => !other.is_empty(),
        _ => false,
    })
}

fn one_has(one: &[(String, Json)], name: &Json) -> bool {
    let required =
        one.iter().find(|(keyword, _)| keyword == "required").and_then(|(_, names)| names.as_array());
    required.is_some_and(|names| names.contains(name))
}
