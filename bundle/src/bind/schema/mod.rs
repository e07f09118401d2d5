//! Full JSON Schemas, for what the compiled argument checks cannot say.
//!
//! The only place that depends on the crate that does it. A schema never reaches out: a `$ref` to anything
//! but the schema itself and the standard's own meta-schemas is an error. Formats and patterns are
//! those of the compiled checks, so that the two ways of checking agree.

mod explain;

use super::formats;
use super::patterns::{PATTERN_SIZE_LIMIT, compile_pattern};
use crate::json::parse_strict;
use crate::wire_enums::ValueFormat;
use jsonschema::canonical::Containment;
use jsonschema::paths::Location;
use jsonschema::{Keyword, PatternOptions, ValidationError};
use regex::Regex;
use serde_json::{Map, Value};

/// Problems reported for one value.
pub const MAX_PROBLEMS: usize = 20;

/// How often values may be looked at to say what is wrong with them, by an estimate.
const MAX_VISITS: usize = 1 << 12;

/// References that are told apart; with more, all of them are taken to lead back to themselves.
const MAX_REFERENCES: usize = 256;

/// The longest schemas that are compared with each other, in bytes, and the most objects in one.
const MAX_COMPARED: usize = 1 << 18;
const MAX_COMPARED_SCHEMAS: usize = 2_000;

/// Keywords that lead to another part of the schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Formats that the crate would enforce on its own. Here they are only published.
const UNENFORCED: [&str; 11] = [
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
];

/// A compiled schema.
#[derive(Debug, Clone)]
pub struct Validator {
    inner: jsonschema::Validator,
    /// References that lead back to themselves.
    circular: usize,
}

/// A reference in a schema, both ends as JSON pointers.
#[derive(Debug)]
struct Reference {
    from: String,
    to: String,
}

/// Why a text is not a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    pub message: String,
    /// JSON pointer to the place in the schema; empty for the schema as a whole.
    pub pointer: String,
}

/// One way in which a value fails its schema. Never quotes the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaProblem {
    /// As in `items[2].name`, names shortened; empty for the value as a whole.
    pub path: String,
    /// The first name in `path`.
    pub root: String,
    pub message: String,
}

/// Whether one schema accepts all that another one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    Yes,
    /// There is a value that it refuses.
    No,
    /// JSON Schema can say more than can be decided.
    Unknown,
}

/// The `pattern` keyword with our own engine.
struct Pattern {
    source: String,
    regex: Regex,
}

/// Compiles a schema; draft 2020-12 unless its `$schema` names another.
pub fn compile(json_text: &str) -> Result<Validator, SchemaError> {
    let mut schema = parse_strict(json_text.as_bytes(), crate::json::MAX_DEPTH)
        .map_err(|error| SchemaError { message: error.to_string(), pointer: String::new() })?;
    // The order of keywords shows in what the validator says, and the map's own order depends on the build.
    schema.sort_all_objects();
    let mut options = jsonschema::options()
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE_LIMIT))
        .with_keyword("pattern", pattern_keyword)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true);
    for name in UNENFORCED {
        options = options.with_format(name, |_| true);
    }
    for &format in ValueFormat::ALL {
        options = options.with_format(format.as_str(), move |text| formats::matches(format, text));
    }
    match options.build(&schema) {
        Ok(inner) => Ok(Validator { inner, circular: circular_references(&schema) }),
        // Of a schema that its meta-schema refuses, the instance is the schema.
        Err(error) => Err(SchemaError {
            message: error.to_string(),
            pointer: error.instance_path().as_str().to_owned(),
        }),
    }
}

/// Whether the schema `wide` accepts every value that `narrow` accepts. Both are JSON texts.
///
/// Formats count as far as [`compile`] enforces them. What cannot be compared in little time is unknown.
pub fn coverage(wide: &str, narrow: &str) -> Coverage {
    if wide.len().max(narrow.len()) > MAX_COMPARED {
        return Coverage::Unknown;
    }
    let canonical = |text: &str| {
        let mut schema = parse_strict(text.as_bytes(), crate::json::MAX_DEPTH).ok()?;
        if without_unenforced_formats(&mut schema) > MAX_COMPARED_SCHEMAS {
            return None;
        }
        let options = jsonschema::canonical::options().offline().should_validate_formats(true);
        options.canonicalize(&schema).ok()
    };
    let (Some(wide), Some(narrow)) = (canonical(wide), canonical(narrow)) else { return Coverage::Unknown };
    match wide.covers(&narrow) {
        Ok(Containment::Yes) => Coverage::Yes,
        Ok(Containment::No) => Coverage::No,
        Ok(_) | Err(_) => Coverage::Unknown,
    }
}

/// Removes formats that are only published, and counts the objects. Recursion is bounded by the depth of the schema's text.
fn without_unenforced_formats(schema: &mut Value) -> usize {
    match schema {
        Value::Array(items) => items.iter_mut().map(without_unenforced_formats).sum(),
        Value::Object(members) => {
            if members.get("format").and_then(Value::as_str).is_some_and(|name| UNENFORCED.contains(&name)) {
                members.remove("format");
            }
            1 + members.values_mut().map(without_unenforced_formats).sum::<usize>()
        }
        _ => 0,
    }
}

/// Whether a value matches its schema, which takes little time: the crate remembers what it found for a value and a reference.
pub fn is_valid(validator: &Validator, value: &Value) -> bool {
    validator.inner.is_valid(value)
}

/// What is wrong with a value, at most [`MAX_PROBLEMS`] things.
pub fn validate(validator: &Validator, value: &Value) -> Vec<SchemaProblem> {
    if is_valid(validator, value) { Vec::new() } else { problems(validator, value) }
}

/// What is wrong with a value that is not valid, at most [`MAX_PROBLEMS`] things.
///
/// To say what is, the crate looks into all branches of an `anyOf` without that, so a schema whose
/// branches lead back to it takes time and memory exponential in the depth of the value. For a value
/// where that may be much, there is one problem that does not say where.
pub(super) fn problems(validator: &Validator, value: &Value) -> Vec<SchemaProblem> {
    if validator.circular > 1 && visits(value, 1, validator.circular, 0) > MAX_VISITS {
        let message = "the value does not match the schema and is nested too deeply to say where".to_owned();
        return vec![SchemaProblem { path: String::new(), root: String::new(), message }];
    }
    validator
        .inner
        .iter_errors(value)
        .flat_map(|error| explain::problems_of(&error))
        .take(MAX_PROBLEMS)
        .collect()
}

/// Adds to `visits` how often a value and those inside are looked at, if each of so many `branches`
/// may lead from a value to one inside. Stops beyond [`MAX_VISITS`]; recursion is bounded by the value.
fn visits(value: &Value, weight: usize, branches: usize, visits: usize) -> usize {
    let inner = weight.saturating_mul(branches);
    let add = |visits: usize, value: &Value| {
        if visits > MAX_VISITS { visits } else { self::visits(value, inner, branches, visits) }
    };
    let visits = visits.saturating_add(weight);
    match value {
        Value::Array(items) => items.iter().fold(visits, add),
        Value::Object(members) => members.values().fold(visits, add),
        _ => visits,
    }
}

/// How many references of a schema lead back to themselves, by way of others or not.
///
/// One leads to all those below its target. Those that lead nowhere, or that nothing leads to, are
/// left out until none is.
fn circular_references(schema: &Value) -> usize {
    let mut references = Vec::new();
    collect_references(schema, &mut String::new(), &mut references);
    if references.len() > MAX_REFERENCES {
        return references.len();
    }
    loop {
        let count = references.len();
        let leads = |a: &Reference, b: &Reference| {
            b.from.strip_prefix(&a.to).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let circular = |one: &Reference| {
            references.iter().any(|other| leads(one, other))
                && references.iter().any(|other| leads(other, one))
        };
        let keep: Vec<bool> = references.iter().map(circular).collect();
        let mut keep = keep.into_iter();
        references.retain(|_| keep.next().unwrap_or_default());
        if references.len() == count {
            return count;
        }
    }
}

/// Recursion is bounded by the depth of the schema's text.
fn collect_references(schema: &Value, at: &mut String, references: &mut Vec<Reference>) {
    let length = at.len();
    let mut inside = |name: &str, value: &Value| {
        at.push('/');
        at.push_str(name);
        collect_references(value, at, references);
        at.truncate(length);
    };
    match schema {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| inside(&index.to_string(), item));
        }
        Value::Object(members) => {
            for (name, member) in members {
                inside(&name.replace('~', "~0").replace('/', "~1"), member);
            }
            for target in REFERENCES.iter().filter_map(|name| members.get(*name)?.as_str()) {
                // What is not a plain pointer may lead anywhere.
                let pointer = target.strip_prefix('#').filter(|pointer| !pointer.contains('%'));
                let pointer = pointer.filter(|pointer| pointer.starts_with('/')).unwrap_or_default();
                references.push(Reference { from: at.clone(), to: pointer.to_owned() });
            }
        }
        _ => {}
    }
}

fn pattern_keyword<'a>(
    _parent: &'a Map<String, Value>,
    value: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let Value::String(pattern) = value else {
        return Err(ValidationError::custom("a pattern must be a string"));
    };
    match compile_pattern(pattern) {
        Ok(regex) => Ok(Box::new(Pattern { source: pattern.clone(), regex })),
        Err(message) => Err(ValidationError::custom(format!("pattern `{pattern}`: {message}"))),
    }
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!("the value does not match the pattern `{}`", self.source)))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(|text| self.regex.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_covers_another_if_it_accepts_all_of_it() {
        let covers = |wide: Value, narrow: Value| coverage(&wide.to_string(), &narrow.to_string());
        let string = json!({"type": "string"});
        let short = json!({"type": "string", "maxLength": 5});
        assert_eq!(covers(string.clone(), short.clone()), Coverage::Yes);
        assert_eq!(covers(short, string.clone()), Coverage::No);
        let tree = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}});
        assert_eq!(covers(tree.clone(), tree), Coverage::Yes);
        // Formats that are only published refuse nothing.
        let named = json!({"type": "string", "format": "hostname"});
        assert_eq!(covers(named, string.clone()), Coverage::Yes);
        let dated = json!({"type": "string", "format": "date"});
        assert_ne!(covers(dated, string.clone()), Coverage::Yes);
        assert_eq!(covers(json!({"$ref": "https://example.com/x"}), string.clone()), Coverage::Unknown);
        assert_eq!(coverage("{", &string.to_string()), Coverage::Unknown);
        let long = json!({"type": "string", "description": "x".repeat(MAX_COMPARED)});
        assert_eq!(covers(long, string), Coverage::Unknown);
    }

    fn problems(schema: &Value, value: &Value) -> Vec<(String, String)> {
        let validator = compile(&schema.to_string()).unwrap();
        validate(&validator, value).into_iter().map(|problem| (problem.path, problem.message)).collect()
    }

    fn refusal(schema: &Value) -> String {
        compile(&schema.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn problems_say_where_and_what_but_never_the_value() {
        let schema = json!({"properties": {"items": {"items": {"properties": {"name": {"maxLength": 3}}}}}, "required": ["id"]});
        let value = json!({"items": [{"name": "a"}, {"name": "hunter2"}]});
        let mut problems = problems(&schema, &value);
        problems.sort();
        assert_eq!(
            problems,
            [
                ("id".to_owned(), "is required".to_owned()),
                ("items[1].name".to_owned(), "the value is longer than 3 characters".to_owned()),
            ]
        );
    }

    #[test]
    fn members_too_many_are_each_a_problem() {
        let schema = json!({"properties": {"a.b": {"properties": {"k": {}}, "additionalProperties": false}}});
        let validator = compile(&schema.to_string()).unwrap();
        let problems = validate(&validator, &json!({"a.b": {"k": 0, "x": 1, "y": 2}}));
        let told: Vec<_> =
            problems.iter().map(|problem| (problem.root.as_str(), problem.path.as_str())).collect();
        assert_eq!(told, [("a.b", "a.b.x"), ("a.b", "a.b.y")]);
    }

    #[test]
    fn problems_are_bounded() {
        let value = Value::Array((0..1000).map(Value::from).collect());
        assert_eq!(problems(&json!({"items": {"type": "string"}}), &value).len(), MAX_PROBLEMS);
    }

    #[test]
    fn the_schema_decides_the_draft() {
        let tuple = json!({"prefixItems": [{"type": "string"}]});
        assert_eq!(problems(&tuple, &json!([1])).len(), 1);
        let old =
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]});
        assert_eq!(problems(&old, &json!([1])).len(), 1);
    }

    #[test]
    fn references_never_leave_the_schema() {
        for reference in ["https://example.com/s.json", "file:///etc/passwd", "other.json", "#/$defs/none"] {
            assert!(compile(&json!({"$ref": reference}).to_string()).is_err(), "{reference}");
        }
        let local = json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}});
        assert_eq!(problems(&local, &json!(1)).len(), 1);
    }

    #[test]
    fn references_in_a_circle_end() {
        let list = json!({"properties": {"next": {"$ref": "#"}}, "type": "object"});
        assert_eq!(problems(&list, &json!({"next": {"next": 1}})).len(), 1);
        let _ = compile(r##"{"$ref":"#"}"##).map(|validator| validate(&validator, &json!(1)));
    }

    #[test]
    fn circles_of_references_are_counted() {
        let count = |schema: Value| circular_references(&schema);
        assert_eq!(count(json!({"type": "string"})), 0);
        let shared = json!({"properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"items": {"$ref": "#/$defs/ab"}}, "ab": {}}});
        assert_eq!(count(shared), 0);
        let tree = json!({"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}});
        assert_eq!(count(tree), 1);
        let mutual = json!({"$ref": "#/$defs/a~1", "$defs": {"a/": {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}, "b": {"items": {"$ref": "#/$defs/a~1"}}}});
        assert_eq!(count(mutual), 3);
        for anywhere in ["#", "#name", "#/$d%65fs/n", "https://json-schema.org/draft/2020-12/schema"] {
            assert_eq!(count(json!({"items": {"$ref": anywhere}})), 1, "{anywhere}");
        }
        assert_eq!(count(json!({"items": {"$dynamicRef": "#x"}, "not": {"$recursiveRef": "#"}})), 2);
        let many: Vec<Value> = (0..300).map(|_| json!({"$ref": "#/$defs/n"})).collect();
        assert_eq!(count(json!({"anyOf": many})), 300);
    }

    #[test]
    fn problems_are_reported_as_far_as_they_can_be_found() {
        let circle = json!({"$defs": {"n": {"type": ["array", "integer"], "items": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}, "$ref": "#/$defs/n"});
        let nest = |levels: usize, inner: Value| (0..levels).fold(inner, |value, _| json!([value]));
        assert_eq!(problems(&circle, &nest(3, json!("s"))).first().unwrap().0, "[0]");
        assert!(problems(&circle, &nest(60, json!(1))).is_empty());
        let wide = Value::Array(vec![json!("s"); 2000]);
        for value in [nest(14, json!("s")), nest(60, json!("s")), nest(5, wide.clone())] {
            let told = problems(&circle, &value);
            assert!(told.len() == 1 && told[0].0.is_empty() && told[0].1.contains("too deeply"), "{told:?}");
        }
        let line =
            json!({"$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"});
        assert_eq!(problems(&line, &nest(30, wide)).len(), MAX_PROBLEMS);
    }

    #[test]
    fn invalid_schemas_are_refused() {
        assert!(refusal(&json!({"type": "strnig"})).contains("strnig"));
        assert!(refusal(&json!(3)).contains('3'));
        assert!(compile("{").is_err());
        assert!(compile(r#"{"type":"object","type":"array"}"#).unwrap_err().message.contains("twice"));
        let nested = compile(r#"{"properties":{"a":{"minLength":-1}}}"#).unwrap_err();
        assert_eq!(nested.pointer, "/properties/a/minLength");
    }

    #[test]
    fn patterns_are_those_of_the_compiled_checks() {
        assert_eq!(problems(&json!({"pattern": r"^\d$"}), &json!("٣")).len(), 1);
        assert!(problems(&json!({"pattern": r"^\d$"}), &json!(7)).is_empty());
        assert!(refusal(&json!({"pattern": "(?=a)"})).contains("look-around"));
        assert!(!refusal(&json!({"patternProperties": {"(?=a)": {}}})).is_empty());
    }

    #[test]
    fn formats_are_those_of_the_compiled_checks() {
        for &format in ValueFormat::ALL {
            let schema = json!({"format": format.as_str()});
            assert_eq!(problems(&schema, &json!("no such thing")).len(), 1, "{format}");
            assert!(problems(&schema, &json!(formats::example(format))).is_empty(), "{format}");
        }
        for name in UNENFORCED.into_iter().chain(["made-up"]) {
            assert!(problems(&json!({"format": name}), &json!("no such\nthing")).is_empty(), "{name}");
        }
    }
}
