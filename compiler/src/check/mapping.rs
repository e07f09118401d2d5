//! What reaches an MCP server must be what it takes: the arguments that a tool makes of its own are validated against
//! the schema that was pinned.
//!
//! They are made by the binder, of the examples and of calls that are made up. A made-up call may be one that nobody
//! makes, so only what does not depend on its values counts: a member that is missing, too many or of another type, or
//! a constant.

use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::rules::REFUSED_ARGUMENTS;
use crate::publish::pinned;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::schema::{self, SchemaProblem, Validator};
use mcp_bundle::bind::{Arguments, Binder, Limits, PreparedTool, PreparedTools, Request, Scratch, Values};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::Diagnostic;
use serde_json::{Map, Value, json};

/// Stands for values that only the edge knows. Of what holds it, nothing but its type can be said.
const UNKNOWN: &str = "mcpcValueOfTheEdge";
/// How deep made-up values go.
const MAX_DEPTH: usize = 8;
/// The longest made-up text and list.
const MAX_LENGTH: u64 = 1000;

pub fn check(contents: &Contents, toolsets: &[CheckedToolset]) -> Vec<Diagnostic> {
    let tools = toolsets.iter().flat_map(|toolset| &toolset.tools);
    let mapped: Vec<&CheckedTool> = tools.filter(|tool| is_mapped(tool)).collect();
    if mapped.is_empty() {
        return Vec::new();
    }
    let variables: Vec<Box<str>> = contents.variable_names().map(|_| UNKNOWN.into()).collect();
    let (limits, mut scratch) = (Limits::default(), Scratch::default());
    let prepared = PreparedTools::new(contents, &variables, &limits);
    let matchers = Matchers::new(contents);
    let mut mapping = Mapping {
        binder: Binder { contents, matchers: &matchers, limits: &limits, scratch: &mut scratch },
        request: Request::default(),
    };
    mapped.into_iter().filter_map(|tool| mapping.tool(tool, prepared.find(tool.label())?)).collect()
}

/// Whether the server may get other arguments than the schema of the tool's own says.
fn is_mapped(tool: &CheckedTool) -> bool {
    tool.mcp.as_ref().is_some_and(|mcp| {
        tool.body_template.is_some() || !tool.parameters.is_empty() || mcp.input_schema.is_some()
    })
}

struct Mapping<'a> {
    binder: Binder<'a>,
    request: Request,
}

impl Mapping<'_> {
    fn tool(&mut self, tool: &CheckedTool, ready: PreparedTool<'_>) -> Option<Diagnostic> {
        let theirs = pinned::input_schema(tool, tool.published_schema())?;
        // A server may well have a schema that is none. Then nothing can be said.
        let validator = schema::compile(&theirs.to_text()).ok()?;
        for (number, example) in tool.examples.iter().enumerate() {
            let arguments = example.arguments.as_ref().map_or("{}".to_owned(), |a| a.value.to_text());
            let Some(sent) = self.sent(ready, &arguments) else { continue };
            let problems = schema::validate(&validator, &sent);
            let is_known = |problem: &&SchemaProblem| {
                is_structural(problem) || at(&sent, &problem.path).is_some_and(|value| !has_unknown(value))
            };
            if let Some(problem) = problems.iter().find(is_known) {
                let of = format!("for example {}", number + 1);
                return Some(refused(tool, &of, &[problem]));
            }
        }
        let own = tool.published_schema();
        for (all, of) in
            [(true, "for a call with all arguments"), (false, "for a call without optional arguments")]
        {
            let made = [0, 1].map(|flavor| made_up(own, flavor, all, 0).to_string());
            let [Some(one), Some(other)] = made.map(|arguments| self.sent(ready, &arguments)) else {
                continue;
            };
            let problems = in_both(&validator, &one, &other);
            if !problems.is_empty() {
                return Some(refused(tool, of, &problems.iter().collect::<Vec<_>>()));
            }
        }
        None
    }

    /// The arguments that the server gets; `None` for a call that the tool refuses.
    fn sent(&mut self, ready: PreparedTool<'_>, arguments: &str) -> Option<Value> {
        let values = Values { tenant_id: Some(UNKNOWN), principal_sub: Some(UNKNOWN), ..Values::default() };
        self.binder.bind(ready, &Arguments::of_text(arguments), &values, &mut self.request).ok()?;
        serde_json::from_slice(self.request.body()?).ok()
    }
}

fn refused(tool: &CheckedTool, of: &str, problems: &[&SchemaProblem]) -> Diagnostic {
    let name = tool.mcp.as_ref().and_then(|mcp| mcp.name.as_ref()).map_or(tool.label(), |name| &name.value);
    let span = tool.body_template.as_ref().map_or(tool.label_span(), |template| template.span);
    let message = format!("`{name}` of the server refuses the arguments that it gets {of}");
    let diagnostic = Diagnostic::new(&REFUSED_ARGUMENTS, span, message);
    let diagnostic = problems.iter().fold(diagnostic, |diagnostic, problem| {
        diagnostic.note(match problem.path.as_str() {
            "" => problem.message.clone(),
            path => format!("`{path}`: {}", problem.message),
        })
    });
    diagnostic.help("write what the pinned `input_schema` describes")
}

/// What two calls with other values have in common, so that the values are not the reason.
fn in_both(validator: &Validator, one: &Value, other: &Value) -> Vec<SchemaProblem> {
    let others = schema::validate(validator, other);
    let mut problems = schema::validate(validator, one);
    problems.retain(|problem| {
        let is_constant = || match (at(one, &problem.path), at(other, &problem.path)) {
            (Some(one), Some(other)) => one == other && !has_unknown(one),
            _ => false,
        };
        others.contains(problem) && (is_structural(problem) || is_constant())
    });
    problems
}

/// Whether only the shape of the value is wrong.
fn is_structural(problem: &SchemaProblem) -> bool {
    matches!(problem.message.as_str(), "is required" | "is not allowed")
        || problem.message.contains("of type")
}

fn has_unknown(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(UNKNOWN),
        Value::Array(items) => items.iter().any(has_unknown),
        Value::Object(members) => members.values().any(has_unknown),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The value at a path such as `items[2].name`; `None` if the path does not say it clearly.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut steps = path.split(['.', '[']).filter(|step| !step.is_empty());
    steps.try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.strip_suffix(']')?.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

/// A value that a schema describes, of two that differ wherever they can.
fn made_up(schema: &Json, flavor: usize, all: bool, depth: usize) -> Value {
    let value = |json: &Json| serde_json::from_str::<Value>(&json.to_text()).unwrap_or(Value::Null);
    if let Some(fixed) = schema.get("const") {
        return value(fixed);
    }
    if let Some(allowed) = schema.get("enum").and_then(Json::as_array) {
        let chosen = if flavor == 0 { allowed.first() } else { allowed.last() };
        return chosen.map_or(Value::Null, value);
    }
    let number = |key: &str| schema.get(key).map(value).and_then(|value| value.as_f64());
    let length = |key: &str| schema.get(key).map(value).and_then(|value| value.as_u64()).unwrap_or_default();
    let kind = match schema.get("type") {
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Json::as_str),
    };
    match kind {
        Some("object") => object(schema, flavor, all, depth),
        Some("array") => {
            let count = length("minItems").max(u64::from(all)).min(MAX_LENGTH);
            let item = schema.get("items").filter(|_| depth < MAX_DEPTH);
            let item = |_| item.map_or(json!("a"), |item| made_up(item, flavor, all, depth + 1));
            (0..count).map(item).collect()
        }
        Some("integer" | "number") => {
            let least = number("minimum").or(number("exclusiveMinimum").map(|least| least + 1.0));
            let most = number("maximum").or(number("exclusiveMaximum").map(|most| most - 1.0));
            let least = least.or(most.map(|most| most - 1.0)).unwrap_or(1.0).ceil();
            let other = most.map_or(least + 1.0, |most| most.min(least + 1.0).floor());
            json!(if flavor == 0 { least as i64 } else { other as i64 })
        }
        Some("boolean") => json!(flavor == 0),
        Some("null") => Value::Null,
        None if flavor == 1 => json!(1),
        Some(_) | None => {
            let letter = if flavor == 0 { "a" } else { "b" };
            json!(letter.repeat(length("minLength").clamp(1, MAX_LENGTH) as usize))
        }
    }
}

fn object(schema: &Json, flavor: usize, all: bool, depth: usize) -> Value {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|required| required.as_str() == Some(name));
    let declared = schema_walk::declared_properties(schema).into_iter();
    let wanted = declared.filter(|(name, _)| (all && depth < MAX_DEPTH) || is_required(name));
    let members: Map<String, Value> =
        wanted.map(|(name, schema)| (name.to_owned(), made_up(schema, flavor, all, depth + 1))).collect();
    Value::Object(members)
}
