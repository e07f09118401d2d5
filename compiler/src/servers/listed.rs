//! A tool as its server lists it.

use crate::language::json::{Json, JsonError};
use mcp_bundle::definition;
use mcp_diagnostics::visible::one_line;
use std::collections::BTreeMap;

/// Longest definition in bytes: no model reads more, and nobody reviews it.
pub const MAX_DEFINITION: usize = 256 << 10;
/// Longest name in bytes.
const MAX_NAME: usize = 512;
/// How much of a name, and of another text, messages show, in characters.
const SHOWN_NAME: usize = 80;
const SHOWN_TEXT: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Json,
    pub output_schema: Option<Json>,
    /// The members that the spec language has, in the order of the server.
    pub annotations: Vec<(String, Json)>,
    /// [`definition::canonical`] of it.
    pub canonical: String,
}

/// A tool that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unusable {
    /// Its name for messages.
    pub name: String,
    pub why: String,
}

/// Reads the elements of `tools` of a server, sorted by name whatever the server's order.
pub fn read_all<'t>(texts: impl IntoIterator<Item = &'t str>) -> (Vec<ListedTool>, Vec<Unusable>) {
    let (mut tools, mut unusable) = (BTreeMap::<String, Vec<ListedTool>>::new(), Vec::new());
    for (index, text) in texts.into_iter().enumerate() {
        match read(text, index) {
            Ok(tool) => tools.entry(tool.name.clone()).or_default().push(tool),
            Err(why) => unusable.push(why),
        }
    }
    let mut all = Vec::new();
    for (name, mut same) in tools {
        match (same.pop(), same.len()) {
            (Some(tool), 0) => all.push(tool),
            (_, others) => {
                let why = format!("the server lists {} tools of this name", others + 1);
                unusable.push(Unusable { name: shown(&name), why });
            }
        }
    }
    unusable.sort();
    (all, unusable)
}

fn read(text: &str, index: usize) -> Result<ListedTool, Unusable> {
    let nameless = || format!("tool {}", index + 1);
    let json = match Json::read(text) {
        Ok(json) => json,
        Err(JsonError { message, .. }) => {
            let name = Json::parse(text).as_ref().and_then(name_of).map_or_else(nameless, shown);
            return Err(Unusable {
                name,
                why: format!("its definition is not valid: {}", one_line(&message)),
            });
        }
    };
    let name = name_of(&json);
    let unusable = |why: String| Unusable { name: name.map_or_else(nameless, shown), why };
    let Some(name) = name else {
        return Err(unusable("it has no `name`, or one that is not a string".to_owned()));
    };
    if text.len() > MAX_DEFINITION {
        let limit = MAX_DEFINITION >> 10;
        return Err(unusable(format!(
            "its definition has {} KiB; the limit is {limit} KiB",
            text.len() >> 10
        )));
    }
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(unusable(format!("its name has {} bytes; it must have 1 to {MAX_NAME}", name.len())));
    }
    let member = |key: &str| json.get(key).filter(|value| **value != Json::Null);
    let text_of = |key: &str| match member(key) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(unusable(format!("its `{key}` is {}, not a string", other.with_article()))),
    };
    let schema_of = |key: &str| match member(key) {
        None => Ok(None),
        Some(schema @ Json::Object(_)) => Ok(Some(schema.clone())),
        Some(other) => Err(unusable(format!("its `{key}` is {}, not an object", other.with_article()))),
    };
    let input_schema =
        schema_of("inputSchema")?.ok_or_else(|| unusable("it has no `inputSchema`".to_owned()))?;
    let value = serde_json::from_str(text).ok().and_then(|value| definition::canonical(&value));
    let canonical =
        value.ok_or_else(|| unusable("its definition holds a number that is too large".to_owned()))?;
    Ok(ListedTool {
        name: name.to_owned(),
        title: text_of("title")?,
        description: text_of("description")?.filter(|text| !text.is_empty()),
        input_schema,
        output_schema: schema_of("outputSchema")?,
        annotations: annotations(member("annotations")),
        canonical,
    })
}

fn name_of(json: &Json) -> Option<&str> {
    json.get("name").and_then(Json::as_str)
}

/// A name that a server made up, short and safe to print.
pub(super) fn shown(name: &str) -> String {
    cut(name, SHOWN_NAME)
}

/// The same for a text with such a name in it.
pub(super) fn shown_text(text: &str) -> String {
    cut(text, SHOWN_TEXT)
}

fn cut(text: &str, length: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.into_owned(),
    }
}

/// Others are for other readers: what a spec publishes are those that MCP names.
fn annotations(value: Option<&Json>) -> Vec<(String, Json)> {
    let is_known = |name: &str, value: &Json| match name {
        "title" => value.as_str().is_some(),
        "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint" => value.as_bool().is_some(),
        _ => false,
    };
    let members = value.and_then(Json::as_object).unwrap_or_default();
    members.iter().filter(|(name, value)| is_known(name, value)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#""inputSchema":{"type":"object"}"#;

    fn why(text: &str) -> String {
        let (tools, unusable) = read_all([text]);
        assert_eq!(tools, []);
        format!("{}: {}", unusable[0].name, unusable[0].why)
    }

    #[test]
    fn a_tool_that_cannot_be_used_is_named_with_the_reason() {
        assert_eq!(why("x"), "tool 1: its definition is not valid: expected a value");
        assert_eq!(why(r#"{"name":1}"#), "tool 1: it has no `name`, or one that is not a string");
        assert_eq!(why(r#"{"name":"a\u001b\n"}"#), "a␛ : it has no `inputSchema`");
        assert_eq!(
            why(r#"{"name":"a","inputSchema":true}"#),
            "a: its `inputSchema` is a boolean, not an object"
        );
        assert_eq!(
            why(r#"{"name":"a","name":"a"}"#),
            "a: its definition is not valid: duplicate member `name`"
        );
        let empty = format!(r#"{{"name":"",{SCHEMA}}}"#);
        assert_eq!(why(&empty), ": its name has 0 bytes; it must have 1 to 512");
        let number = r#"{"name":"a","inputSchema":{"minimum":1e999}}"#;
        assert_eq!(why(number), "a: its definition holds a number that is too large");
        let title = format!(r#"{{"name":"a","title":[],{SCHEMA}}}"#);
        assert_eq!(why(&title), "a: its `title` is an array, not a string");
        let huge = format!(r#"{{"name":"a","description":"{}",{SCHEMA}}}"#, "x".repeat(MAX_DEFINITION));
        assert_eq!(why(&huge), "a: its definition has 256 KiB; the limit is 256 KiB");
    }

    #[test]
    fn tools_of_one_name_are_left_out_together_and_the_rest_is_sorted() {
        let tool = |name: &str| format!(r#"{{"name":"{name}",{SCHEMA}}}"#);
        let texts = [tool("c"), tool("b"), tool("a"), tool("b")];
        let (tools, unusable) = read_all(texts.iter().map(String::as_str));
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let why = "the server lists 2 tools of this name".to_owned();
        assert_eq!(unusable, [Unusable { name: "b".into(), why }]);
    }

    #[test]
    fn what_a_spec_does_not_publish_is_not_taken() {
        let text = r#"{"name":"a","annotations":{"x":1,"title":"A","readOnlyHint":"yes","idempotentHint":true},
            "inputSchema":{},"outputSchema":null,"description":""}"#;
        let (tools, _) = read_all([text]);
        let names: Vec<&str> = tools[0].annotations.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["title", "idempotentHint"]);
        assert_eq!((&tools[0].output_schema, &tools[0].description), (&None, &None));
    }
}
