//! The arguments of a tool: which there are, what each must look like, and what needs the full validator.

use super::builder::Builder;
use super::checks::Checks;
use super::encode;
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::spec::{ParameterSpec, Type};
use mcp_bundle::plan::{Check, Parameter};
use mcp_bundle::wire_enums::Position;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Arguments {
    /// Sorted by name.
    pub parameters: Vec<Parameter>,
    /// Names of `parameters`.
    pub names: Vec<String>,
    pub additional: Option<u32>,
    pub checks: Vec<Check>,
    pub schema: Option<u32>,
}

/// Keywords of a root schema that the plan itself expresses, or that say nothing.
const ROOT_KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "title",
    "description",
    "examples",
    "default",
    "$comment",
    "$defs",
    "definitions",
    "$schema",
];

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

impl Arguments {
    pub fn index(&self, name: &str) -> Option<u32> {
        self.names.binary_search_by(|n| n.as_str().cmp(name)).ok().map(|index| index as u32)
    }
}

pub fn plan(builder: &mut Builder, tool: &CheckedTool) -> Arguments {
    let root = tool.published_schema();
    let mut planner = Planner { tool, builder, checks: Checks::default(), beyond: Vec::new() };
    let declared = schema_walk::declared_properties(root);
    let whole = needs_whole_schema(root, &declared);
    let required: Vec<&str> = root
        .get("required")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    let placed: BTreeMap<&str, &ParameterSpec> =
        tool.parameters.iter().filter(|p| !p.is_hidden()).map(|p| (p.name.value.as_str(), p)).collect();

    let mut parameters = Vec::new();
    let mut names = Vec::new();
    for (name, schema) in declared {
        let spec = placed.get(name).copied();
        let is_path = spec.is_some_and(|p| tool.position(p) == Some(Position::Path));
        let check = if whole { planner.checks.any() } else { planner.check(name, schema) };
        // The full validator speaks for itself; only a path cannot be written without its value.
        let required = required.contains(&name) && (!whole || is_path);
        parameters.push(planner.parameter(name, schema, spec, required, check));
        names.push(name.to_owned());
    }
    // A fixed answer has no body for them to go into.
    let additional = if tool.respond.is_some() { None } else { planner.additional(root) };
    let schema = match (whole, planner.beyond.is_empty()) {
        (true, _) => Some(planner.builder.schema(root)),
        (false, false) => {
            let schema = schema_of(root, std::mem::take(&mut planner.beyond));
            Some(planner.builder.schema(&schema))
        }
        (false, true) => None,
    };
    Arguments { parameters, names, additional, checks: planner.checks.into_nodes(), schema }
}

struct Planner<'b> {
    tool: &'b CheckedTool,
    builder: &'b mut Builder,
    checks: Checks,
    /// Properties whose schemas are beyond the compiled subset.
    beyond: Vec<(String, Json)>,
}

impl Planner<'_> {
    fn check(&mut self, name: &str, schema: &Json) -> u32 {
        if let Some(check) = self.checks.compile(self.builder, schema) {
            return check;
        }
        self.beyond.push((name.to_owned(), schema.clone()));
        self.checks.any()
    }

    fn parameter(
        &mut self,
        name: &str,
        schema: &Json,
        spec: Option<&ParameterSpec>,
        required: bool,
        check: u32,
    ) -> Parameter {
        // What only templates put anywhere has no position, and needs none.
        let position = spec.and_then(|parameter| self.tool.position(parameter)).unwrap_or(Position::Body);
        let kind = match schema.get("type") {
            Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
            kind => kind.and_then(Json::as_str),
        };
        let kind = kind.and_then(|kind| Type::ALL.into_iter().find(|t| t.as_str() == kind));
        let style = spec.and_then(|p| p.style.as_ref()).map(|style| style.value);
        let header = schema.get("x-mcp-header").and_then(Json::as_str);
        // An MCP server has defaults of its own for what it does not get.
        let default = schema.get("default").filter(|_| self.tool.mcp.is_none());
        Parameter {
            name: self.builder.intern(name),
            position,
            style: style.unwrap_or_else(|| encode::default_style(position, kind)),
            required,
            default: default.map(|default| self.builder.intern(&default.to_text())),
            check,
            sensitive: spec.is_some_and(|p| p.sensitive),
            mcp_header: header.map(|header| self.builder.intern(header)),
        }
    }

    /// Arguments beyond the declared ones are let through only where the schema says so in as many words. That of an MCP
    /// server means what it says.
    fn additional(&mut self, root: &Json) -> Option<u32> {
        if root.get("patternProperties").is_some() {
            return Some(self.checks.any());
        }
        match root.get("additionalProperties") {
            None => self.tool.mcp.is_some().then(|| self.checks.any()),
            Some(Json::Bool(false)) => None,
            Some(schema) => {
                let compiled = self.checks.compile(self.builder, schema);
                Some(compiled.unwrap_or_else(|| self.checks.any()))
            }
        }
    }
}

/// Whether the arguments can only be validated against the schema as a whole.
fn needs_whole_schema(root: &Json, declared: &BTreeMap<&str, &Json>) -> bool {
    let Some(members) = root.as_object() else {
        return true;
    };
    let known = |(keyword, value): &(String, Json)| match keyword.as_str() {
        "$schema" => value.as_str() == Some(DIALECT),
        // A schema for the others that the subset cannot express must be checked with them.
        "additionalProperties" => value.as_bool().is_some(),
        keyword => ROOT_KEYWORDS.contains(&keyword) || keyword.starts_with("x-"),
    };
    let required = root.get("required").and_then(Json::as_array).unwrap_or_default();
    let undeclared = |name: &Json| name.as_str().is_none_or(|name| !declared.contains_key(name));
    !members.iter().all(known)
        || schema_walk::refers_beyond_definitions(root)
        || required.iter().any(undeclared)
}

/// A schema of some of the root's properties, with the definitions they may refer to.
fn schema_of(root: &Json, properties: Vec<(String, Json)>) -> Json {
    let mut members = Vec::new();
    for keyword in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(keyword) {
            members.push((keyword.to_owned(), definitions.clone()));
        }
    }
    members.push(("properties".to_owned(), Json::Object(properties)));
    Json::Object(members)
}
