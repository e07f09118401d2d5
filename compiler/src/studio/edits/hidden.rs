//! Values of `sensitive` parameters, which no file gets: placeholders stand for them in a new example.

use super::NewExample;
use crate::checked::CheckedTool;
use crate::exercise::testing::AMBIENT;
use crate::exercise::trial::{Mask, Trial};
use crate::language::json::Json;
use crate::studio::error::ApiError;
use crate::studio::workspace::Snapshot;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What URLs and forms write in another way.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Stands for a text.
const HIDDEN: &str = "hidden";

/// Stand for texts that a schema wants in another form.
const OTHER_TEXTS: [&str; 12] = [
    "hidden-hidden-hidden-hidden",
    "h",
    "hidden@example.com",
    "https://example.com/hidden",
    "00000000-0000-0000-0000-000000000000",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "127.0.0.1",
    "0000",
    "000000",
    "00000000",
    "0000000000000000",
];

/// The example with placeholders in place of sensitive values, also where the answer repeats them.
///
/// The request of an example is made of its arguments, so it has the placeholders too.
pub fn without_sensitive(
    snapshot: &Snapshot,
    tool: &CheckedTool,
    mut new: NewExample,
) -> Result<NewExample, ApiError> {
    let schema = tool.published_schema().get("properties");
    let has_sensitive = tool.parameters.iter().any(|parameter| parameter.sensitive);
    let is_known = |name: &str| schema.is_some_and(|properties| properties.get(name).is_some());
    let is_sensitive = |name: &str| match tool.parameter(name) {
        Some(parameter) => parameter.sensitive,
        // It may be one of them, misspelt.
        None => has_sensitive && !is_known(name),
    };
    let Json::Object(members) = &new.arguments else { return Ok(new) };
    let names: Vec<String> =
        members.iter().map(|(name, _)| name.clone()).filter(|name| is_sensitive(name)).collect();
    let mut hidden = Vec::new();
    for name in names {
        let before = problems(snapshot, tool, &new.arguments);
        let value = new.arguments.get(&name).cloned().unwrap_or(Json::Null);
        let schema = schema.and_then(|properties| properties.get(&name));
        let fitting = candidates(&value, schema).into_iter().find_map(|candidate| {
            let arguments = with(&new.arguments, &name, &candidate);
            (problems(snapshot, tool, &arguments) <= before).then_some((arguments, candidate))
        });
        let (arguments, placeholder) = fitting.ok_or_else(|| {
            ApiError::not_possible(format!(
                "`{name}` is sensitive, so its value is not written to a file, and no placeholder fits its schema; \
                 write the example by hand, with a value that is no secret"
            ))
        })?;
        new.arguments = arguments;
        let shown = placeholder.as_str().unwrap_or(HIDDEN).to_owned();
        leaves(&value, &mut |text| hidden.extend(forms(text).map(|form| (form, shown.clone()))));
    }
    if hidden.is_empty() { Ok(new) } else { without(new, hidden) }
}

/// The arguments with another value of one of them.
fn with(arguments: &Json, name: &str, value: &Json) -> Json {
    let members = arguments.as_object().unwrap_or_default().iter();
    let replaced = members.map(|(key, old)| (key.clone(), if key == name { value } else { old }.clone()));
    Json::Object(replaced.collect())
}

/// How many things the edge refuses in arguments; nothing is known of a tool that cannot be called.
fn problems(snapshot: &Snapshot, tool: &CheckedTool, arguments: &Json) -> usize {
    let Ok((_, contents, plan)) = snapshot.callable(tool.label()) else { return 0 };
    let drafted = Trial::new(contents, plan, AMBIENT).draft(&arguments.to_text());
    drafted.map_or_else(|error| error.problems.len() + error.omitted, |_| 0)
}

/// What may stand for a value, the best first. None of it depends on more than the type of the value.
fn candidates(value: &Json, schema: Option<&Json>) -> Vec<Json> {
    let said = |key: &str| schema.and_then(|schema| schema.get(key)).cloned();
    let listed = said("enum").and_then(|values| values.as_array()?.first().cloned());
    let mut all: Vec<Json> = said("const").or(listed).into_iter().collect();
    match value {
        Json::Null => all.push(Json::Null),
        Json::Bool(_) => all.extend([Json::Bool(false), Json::Bool(true)]),
        Json::Number(_) => {
            let plain = ["0", "1", "0.5"].map(|number| Json::Number(number.to_owned()));
            all.extend(plain.into_iter().chain(said("minimum")).chain(said("maximum")));
        }
        Json::String(_) => {
            let texts = [HIDDEN].into_iter().chain(OTHER_TEXTS);
            all.extend(texts.map(|text| Json::String(text.to_owned())));
        }
        Json::Array(_) => all.extend([Json::Array(Vec::new()), blank(value)]),
        Json::Object(_) => all.extend([Json::Object(Vec::new()), blank(value)]),
    }
    all
}

/// The same lists and objects with nothing of the values in them.
fn blank(value: &Json) -> Json {
    match value {
        Json::Null => Json::Null,
        Json::Bool(_) => Json::Bool(false),
        Json::Number(_) => Json::Number("0".to_owned()),
        Json::String(_) => Json::String(HIDDEN.to_owned()),
        Json::Array(items) => Json::Array(items.iter().map(blank).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, member)| (name.clone(), blank(member))).collect())
        }
    }
}

/// The texts and numbers in a value. Recursion is bounded as it is in all parsed JSON.
fn leaves(value: &Json, found: &mut impl FnMut(&str)) {
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(text) | Json::String(text) => found(text),
        Json::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Json::Object(members) => members.iter().for_each(|(_, member)| leaves(member, found)),
    }
}

/// A text as it is, and as a URL or a form has it.
fn forms(text: &str) -> impl Iterator<Item = String> + use<> {
    let url = utf8_percent_encode(text, ENCODED).to_string();
    [text.to_owned(), url.replace("%20", "+"), url].into_iter()
}

/// The example without these texts, each with what is shown instead.
fn without(new: NewExample, hidden: Vec<(String, String)>) -> Result<NewExample, ApiError> {
    let mask = Mask::of(hidden.iter().map(|(text, shown)| (text.as_str(), shown.clone())));
    let NewExample { title, arguments, response } = new;
    let mut response = response;
    if let Some(response) = &mut response {
        response.content_type = response.content_type.as_deref().map(|text| mask.text(text));
        match &mut response.body {
            Ok(text) => *text = without_in_body(&mask, text),
            Err(bytes) if mask.is_in(bytes) => {
                return Err(ApiError::not_possible(
                    "the answer repeats a sensitive value among bytes that are not text; save the example without its answer",
                ));
            }
            Err(_) => {}
        }
    }
    Ok(NewExample { title: title.map(|title| mask.text(&title)), arguments, response })
}

/// JSON stays JSON, and what does not hold any of the values stays as it is written.
fn without_in_body(mask: &Mask, text: &str) -> String {
    match Json::read(text) {
        Ok(json) => {
            let masked = mask.json(&json);
            if masked == json { text.to_owned() } else { masked.to_text() }
        }
        Err(_) => mask.text(text),
    }
}
