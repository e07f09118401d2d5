//! Whether a value has the form of a JSON Schema 2020-12, judged without a validator.
//!
//! Most schemas are simple, and checking ten thousand of them must be cheap. Other drafts,
//! identifiers, anchors and patterns for names are left to the full validator, which the caller
//! runs then.

use super::schemas::{Path, Written};
use super::values::{show, type_of};
use crate::language::json::Json;
use crate::language::schema_walk::{self, Holds};
use mcp_diagnostics::suggest;

pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "null"];

/// Type names of other languages.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("str", "string"),
    ("text", "string"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("dict", "object"),
    ("map", "object"),
    ("table", "object"),
];

/// Deeper values, and numbers in exponent notation, are left to the validator.
const MAX_DEPTH: usize = 24;

/// One thing that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    pub steps: Vec<String>,
    pub message: String,
    pub help: Option<String>,
    /// The word to write instead, if it is clear.
    pub instead: Option<&'static str>,
}

#[derive(Debug, Default)]
pub struct Verdict {
    pub problems: Vec<Problem>,
    /// It needs the full validator.
    pub needs_validator: bool,
}

/// The schema that local references are relative to, made when one is met.
pub type Root<'r> = &'r dyn Fn() -> &'r Json;

pub fn judge(written: &Written<'_>, root: Root<'_>) -> Verdict {
    let mut verdict = Verdict { problems: Vec::new(), needs_validator: !is_plain(&written.value.value, 0) };
    if verdict.needs_validator {
        return verdict;
    }
    written.each(&mut |schema, path| match schema {
        Json::Bool(_) => {}
        Json::Object(members) => {
            for (keyword, value) in members {
                judge_keyword(keyword, value, root, path, &mut verdict);
            }
        }
        other => {
            let message = format!("a schema must be a table, `true` or `false`, not {}", type_of(other));
            verdict.problem(path.steps(), message, None);
        }
    });
    verdict
}

impl Verdict {
    fn problem(&mut self, steps: Vec<String>, message: String, help: Option<String>) {
        self.problems.push(Problem { steps, message, help, instead: None });
    }
}

fn judge_keyword(keyword: &str, value: &Json, root: Root<'_>, path: &Path<'_>, verdict: &mut Verdict) {
    let steps = || Path::Key(path, keyword).steps();
    let expected = match (keyword, value) {
        ("type", value) => return judge_type(value, path, verdict),
        ("$ref", Json::String(reference)) => return judge_reference(reference, root, steps(), verdict),
        ("required", Json::Bool(_)) => {
            let help = "name the property in `required` of the object that has it";
            let message = "`required` must be a list of property names, not a boolean".to_owned();
            return verdict.problem(steps(), message, Some(help.into()));
        }
        ("required", value) if !is_set_of_names(value) => "a list of different names",
        ("dependentRequired", value)
            if !value.as_object().is_some_and(|map| map.iter().all(|(_, names)| is_set_of_names(names))) =>
        {
            "a table of lists of names"
        }
        ("items", Json::Array(_)) => {
            let help = Some("write `prefixItems` for the schemas of the first elements".into());
            return verdict.problem(steps(), "`items` must be one schema, not a list".into(), help);
        }
        ("allOf" | "anyOf" | "oneOf" | "prefixItems", value) => match value.as_array() {
            Some([]) | None => "a list of at least one schema",
            Some(_) => return,
        },
        ("enum" | "examples", value) if value.as_array().is_none() => "a list",
        ("multipleOf", value) if !value.as_number().is_some_and(is_positive) => "a number above 0",
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", value)
            if value.as_number().is_none() =>
        {
            "a number"
        }
        (
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains"
            | "minProperties" | "maxProperties",
            value,
        ) if !value.as_number().is_some_and(is_count) => "a whole number that is not negative",
        (
            "pattern" | "format" | "title" | "description" | "$comment" | "contentEncoding"
            | "contentMediaType" | "$ref",
            value,
        ) if value.as_str().is_none() => "a string",
        ("uniqueItems" | "deprecated" | "readOnly" | "writeOnly", value) if value.as_bool().is_none() => {
            "`true` or `false`"
        }
        (keyword, value)
            if schema_walk::holds(keyword) == Some(Holds::Map) && value.as_object().is_none() =>
        {
            "a table of schemas"
        }
        _ => return,
    };
    let message = format!("`{keyword}` must be {expected}, not {}", show(value));
    verdict.problem(steps(), message, None);
}

fn judge_type(value: &Json, path: &Path<'_>, verdict: &mut Verdict) {
    let keyword = Path::Key(path, "type");
    let mut judge_name = |name: &Json, steps: Vec<String>| {
        if name.as_str().is_some_and(|name| TYPES.contains(&name)) {
            return;
        }
        let written = name.as_str().unwrap_or_default();
        let foreign = FOREIGN_TYPES.iter().find(|(word, _)| word.eq_ignore_ascii_case(written));
        let same = TYPES.iter().copied().find(|known| known.eq_ignore_ascii_case(written));
        let instead = same.or(foreign.map(|(_, known)| *known));
        let near = instead.or_else(|| suggest::nearest(written, TYPES.iter().copied()));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write {}", suggest::one_of(TYPES.iter().copied())),
        };
        let message = format!("{} is not a JSON type", show(name));
        verdict.problems.push(Problem { steps, message, help: Some(help), instead });
    };
    match value {
        Json::Array(names) => {
            for (index, name) in names.iter().enumerate() {
                judge_name(name, Path::Index(&keyword, index).steps());
            }
            if names.is_empty() || has_twins(names) {
                let message = "`type` must be a type, or a list of different types".to_owned();
                verdict.problem(keyword.steps(), message, None);
            }
        }
        name => judge_name(name, keyword.steps()),
    }
}

fn judge_reference(reference: &str, root: Root<'_>, steps: Vec<String>, verdict: &mut Verdict) {
    let shown = super::values::show_text(reference);
    if !reference.starts_with('#') {
        let message = format!("`$ref` {shown} points outside the schema");
        let help = "copy its target into `$defs`, and refer to `#/$defs/NAME`";
        return verdict.problem(steps, message, Some(help.into()));
    }
    if reference.len() > 1 && !reference.starts_with("#/") {
        verdict.needs_validator = true;
    } else if schema_walk::resolve(root(), reference).is_none() {
        verdict.problem(steps, format!("`$ref` {shown} has no target"), None);
    }
}

/// It does not change the meaning of the rest, and every JSON parser reads it alike.
fn is_plain(value: &Json, depth: usize) -> bool {
    const LEFT_ALONE: &[&str] = &[
        "$id",
        "$anchor",
        "$dynamicRef",
        "$dynamicAnchor",
        "$recursiveRef",
        "$vocabulary",
        "patternProperties",
        "dependencies",
        "additionalItems",
    ];
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => true,
        Json::Number(text) => text.len() < 300 && !text.contains(['e', 'E']),
        Json::Array(items) => depth < MAX_DEPTH && items.iter().all(|item| is_plain(item, depth + 1)),
        Json::Object(members) => {
            let plain = |(keyword, value): &(String, Json)| match keyword.as_str() {
                "$schema" => value.as_str() == Some(DIALECT),
                "$ref" if value.as_str().is_some_and(|r| r.contains("//json-schema.org/")) => false,
                keyword => !LEFT_ALONE.contains(&keyword) && is_plain(value, depth + 1),
            };
            depth < MAX_DEPTH && members.iter().all(plain)
        }
    }
}

pub fn is_set_of_names(value: &Json) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(|n| n.as_str().is_some()) && !has_twins(names))
}

fn has_twins(names: &[Json]) -> bool {
    let mut sorted: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

fn is_positive(number: &str) -> bool {
    mcp_bundle::json::decimal::compare(number, "0") == std::cmp::Ordering::Greater
}

fn is_count(number: &str) -> bool {
    mcp_bundle::json::decimal::is_integer(number) && mcp_bundle::json::decimal::compare(number, "0").is_ge()
}
