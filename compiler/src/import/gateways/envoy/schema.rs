//! The schema of a tool's arguments, which Envoy has as text and never looks at.

use super::super::{either, object_schema};
use super::rule::{Body, Rule};
use super::{SCHEMA_COMPLETED, SCHEMA_MISSING};
use crate::import::draft::DraftTool;
use crate::import::{Fate, Ledger};
use crate::language::json::Json;

pub struct Arguments {
    pub schema: Json,
    /// Of the schema.
    pub properties: Vec<(String, Json)>,
}

/// The schema as it is published, or one made of what the rule names.
pub fn arguments<'d>(
    ledger: &Ledger<'d>,
    shown: Option<&'d Json>,
    rule: &Rule,
    tool: &DraftTool,
) -> Result<Arguments, String> {
    let written = shown.and_then(|shown| either(shown, ["input_schema", "inputSchema"]));
    let note = |code, why: String| ledger.note(&tool.place, Fate::Changed, code, why);
    let mut members = match (written, shown) {
        (Some((key, _)), Some(shown)) => {
            let text =
                ledger.text(shown, key).ok_or("`input_schema` is not a text that holds a JSON Schema")?;
            match Json::read(text) {
                Ok(Json::Object(members)) => members,
                Ok(other) => {
                    return Err(format!("`input_schema` is {}, not an object", other.with_article()));
                }
                Err(error) => return Err(format!("`input_schema` is not JSON: {}", error.message)),
            }
        }
        _ => {
            note(
                &SCHEMA_MISSING,
                "the tool has no `input_schema`: write the arguments that it takes".to_owned(),
            );
            match object_schema(Vec::new(), Vec::new(), rule.body == Body::Rest) {
                Json::Object(members) => members,
                _ => Vec::new(),
            }
        }
    };
    if members.iter().all(|(key, _)| key != "type") {
        note(&SCHEMA_COMPLETED, "`type: object` was added to the schema".to_owned());
        members.insert(0, ("type".to_owned(), Json::string("object")));
    }
    for path in rule.placed() {
        if let Some(name) = path.first()
            && add_property(&mut members, name, if path.len() > 1 { "object" } else { "string" })
        {
            note(&SCHEMA_COMPLETED, format!("the request names `{name}`, which the schema did not declare"));
        }
    }
    if let Body::Argument(name) = &rule.body
        && add_property(&mut members, name, "object")
    {
        note(&SCHEMA_COMPLETED, format!("the body is `{name}`, which the schema did not declare"));
    }
    for name in rule.pieces.iter().filter_map(|piece| match piece {
        super::rule::Piece::Field { path, .. } => path.first(),
        super::rule::Piece::Text(_) => None,
    }) {
        if add_required(&mut members, name) {
            note(&SCHEMA_COMPLETED, format!("`{name}` is in the path, so it is required"));
        }
    }
    let properties = members.iter().find(|(key, _)| key == "properties");
    let properties = properties.and_then(|(_, value)| value.as_object()).unwrap_or_default().to_vec();
    Ok(Arguments { schema: Json::Object(members), properties })
}

/// Declares a property if it is not there; `true` if it was not.
fn add_property(members: &mut Vec<(String, Json)>, name: &str, kind: &str) -> bool {
    if members.iter().all(|(key, _)| key != "properties") {
        members.push(("properties".to_owned(), Json::Object(Vec::new())));
    }
    let properties = members.iter_mut().find_map(|(key, value)| match value {
        Json::Object(properties) if key == "properties" => Some(properties),
        _ => None,
    });
    let Some(properties) = properties.filter(|properties| properties.iter().all(|(key, _)| key != name))
    else {
        return false;
    };
    properties.push((name.to_owned(), Json::Object(vec![("type".to_owned(), Json::string(kind))])));
    true
}

fn add_required(members: &mut Vec<(String, Json)>, name: &str) -> bool {
    if members.iter().all(|(key, _)| key != "required") {
        members.push(("required".to_owned(), Json::Array(Vec::new())));
    }
    let required = members.iter_mut().find_map(|(key, value)| match value {
        Json::Array(required) if key == "required" => Some(required),
        _ => None,
    });
    let Some(required) = required.filter(|list| list.iter().all(|known| known.as_str() != Some(name))) else {
        return false;
    };
    required.push(Json::string(name));
    true
}
