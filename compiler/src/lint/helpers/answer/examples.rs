//! What example responses show.

use super::{Kinds, Source, Unknown};
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::template::Segment;
use serde_json::Value;
use std::collections::BTreeSet;

/// The JSON bodies of the example responses that a template would render.
#[derive(Debug)]
pub(super) struct Examples {
    bodies: Vec<Value>,
}

impl Examples {
    /// Those whose status `is_meant`.
    pub fn new(tool: &CheckedTool, is_meant: impl Fn(u16) -> bool) -> Examples {
        let responses = tool.examples.iter().filter_map(|example| example.response.as_ref());
        let bodies = responses.filter_map(|response| {
            let body = match &response.body.as_ref()?.value {
                // A string is the text of the body.
                Json::String(text) => serde_json::from_str(text).ok()?,
                other => serde_json::from_str(&other.to_text()).ok()?,
            };
            let (status, body) = match tool.mcp {
                None => (response.status.as_ref().map_or(200, |status| status.value), body),
                Some(_) => of_result(body),
            };
            is_meant(status).then_some(body)
        });
        Examples { bodies: bodies.collect() }
    }
}

/// What a template sees of the result of an MCP server, and the status of an answer of its kind.
fn of_result(result: Value) -> (u16, Value) {
    let status = if result.get("isError") == Some(&Value::Bool(true)) { 500 } else { 200 };
    if let Some(structured) = result.get("structuredContent") {
        return (status, structured.clone());
    }
    let mut blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    let text = blocks.find_map(|block| block.get("text").and_then(Value::as_str)).unwrap_or_default();
    (status, serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
}

impl Source for Examples {
    fn unknown(&self, path: &[Segment]) -> Option<Unknown> {
        let mut values: Vec<&Value> = self.bodies.iter().collect();
        for (at, segment) in path.iter().enumerate() {
            let next = step(&values, segment);
            if next.is_empty() {
                let of = all_kinds(&values).without(Kinds::NULL);
                let is_known = matches!(segment, Segment::Key(_)) && of != Kinds::NONE;
                return is_known.then(|| Unknown { at, keys: keys(&values), of });
            }
            values = next;
        }
        None
    }

    fn kinds(&self, path: &[Segment]) -> Kinds {
        let mut values: Vec<&Value> = self.bodies.iter().collect();
        for segment in path {
            values = step(&values, segment);
        }
        match all_kinds(&values).without(Kinds::NULL) {
            Kinds::NONE => Kinds::ALL,
            kinds => kinds,
        }
    }

    fn is_open(&self) -> bool {
        true
    }

    fn name(&self) -> (String, bool) {
        match self.bodies.len() {
            1 => ("the example response".to_owned(), false),
            count => (format!("the {count} example responses"), true),
        }
    }

    fn remedy(&self) -> String {
        "add an example whose response has it".to_owned()
    }
}

fn step<'a>(values: &[&'a Value], segment: &Segment) -> Vec<&'a Value> {
    let mut next = Vec::new();
    for value in values {
        match (segment, value) {
            (Segment::Key(key), Value::Object(members)) => next.extend(members.get(key)),
            (Segment::Each, Value::Object(members)) => next.extend(members.values()),
            (Segment::Each, Value::Array(items)) => next.extend(items),
            _ => {}
        }
    }
    next
}

fn keys(values: &[&Value]) -> Vec<String> {
    let objects = values.iter().filter_map(|value| value.as_object());
    let keys: BTreeSet<&String> = objects.flat_map(|members| members.keys()).collect();
    keys.into_iter().take(super::MAX_KEYS).cloned().collect()
}

fn all_kinds(values: &[&Value]) -> Kinds {
    values.iter().fold(Kinds::NONE, |kinds, value| kinds.or(kind(value)))
}

fn kind(value: &Value) -> Kinds {
    match value {
        Value::Null => Kinds::NULL,
        Value::Bool(_) => Kinds::BOOLEAN,
        Value::Number(number) if number.is_f64() => Kinds::NUMBER,
        Value::Number(_) => Kinds::INTEGER,
        Value::String(_) => Kinds::STRING,
        Value::Array(_) => Kinds::ARRAY,
        Value::Object(_) => Kinds::OBJECT,
    }
}
