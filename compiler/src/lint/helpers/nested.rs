//! The texts in a fixed value, at any depth.

use super::locate;
use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use mcp_diagnostics::{Sources, Span, Spanned};

/// A text and the steps to it.
#[derive(Debug, PartialEq, Eq)]
pub struct NestedText<'a> {
    pub text: &'a str,
    steps: Vec<String>,
}

impl NestedText<'_> {
    /// The member that the text is the value of.
    pub fn member(&self) -> Option<&str> {
        self.steps.last().map(String::as_str)
    }

    /// How many arrays and objects it is inside of.
    pub fn depth(&self) -> usize {
        self.steps.len()
    }

    /// The literal of the text inside `whole`.
    pub fn span(&self, sources: &Sources, toolset: &CheckedToolset, tool: &CheckedTool, whole: Span) -> Span {
        if self.steps.is_empty() {
            return whole;
        }
        locate::part(sources, toolset, tool, whole, &self.steps)
    }
}

/// All texts in a value; a text itself is the only one.
pub fn texts(json: &Spanned<Json>) -> Vec<NestedText<'_>> {
    let mut found = Vec::new();
    collect(&json.value, &mut Vec::new(), &mut found);
    found
}

fn collect<'a>(json: &'a Json, steps: &mut Vec<String>, found: &mut Vec<NestedText<'a>>) {
    let mut inner = |step: String, value: &'a Json, steps: &mut Vec<String>| {
        steps.push(step);
        collect(value, steps, found);
        steps.pop();
    };
    match json {
        Json::String(text) => found.push(NestedText { text, steps: steps.clone() }),
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                inner(index.to_string(), item, steps);
            }
        }
        Json::Object(members) => {
            for (name, value) in members {
                inner(name.clone(), value, steps);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
