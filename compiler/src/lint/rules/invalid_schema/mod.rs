use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::locate;
use crate::lint::helpers::schema_shape::{self, Problem};
use crate::lint::helpers::schemas::{self, Written};
use crate::lint::helpers::values::show;
use crate::lint::{Check, Findings, SetContext, rule};
use mcp_bundle::bind::patterns::compile_pattern;
use mcp_bundle::bind::schema;
use mcp_diagnostics::{Diagnostic, Span, suggest};
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds schemas that are not valid JSON Schemas, that refer to other documents, that do not
    /// describe an object where arguments are one, or that require an argument which they do not
    /// declare.
    ///
    /// It looks at `input_schema` and `output_schema` of a tool and at `items`, `properties` and
    /// `additionalProperties` of its parameters.
    ///
    /// ## Why is this bad
    /// Clients refuse a tool whose schema they cannot read, or drop the whole list. With a
    /// reference to another document, the meaning of a bundle would change with that document.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// [[tool.parameters]]
    /// name = "tags"
    /// type = "array"
    /// items = { type = "strnig" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// input_schema = { properties = { name = { type = "string" } } }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_user"
    /// method = "GET"
    /// endpoint = "https://api.example.com/user"
    /// output_schema = { "$ref" = "https://api.example.com/user.json" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// input_schema = { type = "object", properties = { name = { type = "string" } }, required = ["nmae"] }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// input_schema = { type = "object", properties = { name = { type = "string" } } }
    /// ```
    pub INVALID_SCHEMA = "MCP0406", "invalid-schema", HardError, Check::Set(check);
}

/// The validator's result for a schema, by its text. Importers write the same schema into many
/// tools.
type Seen = BTreeMap<String, Option<schema::SchemaError>>;

struct SchemaOwner<'a> {
    context: &'a SetContext<'a>,
    toolset: &'a CheckedToolset,
    tool: &'a CheckedTool,
}

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let mut seen = Seen::new();
    for (toolset, tool) in context.tools() {
        let place = SchemaOwner { context, toolset, tool };
        if let Some(diagnostic) = place.root_type() {
            findings.report(diagnostic);
        }
        place.unsatisfiable(findings);
        for written in schemas::written(tool) {
            place.check(&written, &mut seen, findings);
        }
    }
}

impl SchemaOwner<'_> {
    fn check(&self, written: &Written<'_>, seen: &mut Seen, findings: &mut Findings<'_>) {
        // A parameter's schemas are parts of the generated one, and so are their references.
        let root = || match written.parameter {
            None => &written.value.value,
            Some(_) => self.tool.published_schema(),
        };
        let verdict = schema_shape::judge(written, &root);
        for problem in verdict.problems {
            findings.report(self.problem(written, &problem));
        }
        if !verdict.needs_validator {
            return;
        }
        let Some(error) = refused(root(), seen) else {
            return;
        };
        let mut steps: Vec<String> = error.pointer.split('/').skip(1).map(str::to_owned).collect();
        if let Some(parameter) = written.parameter {
            let own = ["properties", parameter.name.value.as_str(), written.key];
            if !steps.iter().map(String::as_str).take(3).eq(own) {
                return;
            }
            steps.drain(..3);
        }
        let message = error.message.split_whitespace().collect::<Vec<_>>().join(" ");
        let problem = Problem { steps, message, help: None, instead: None };
        findings.report(self.problem(written, &problem));
    }

    fn problem(&self, written: &Written<'_>, problem: &Problem) -> Diagnostic {
        let span = self.part(written.value.span, &problem.steps);
        let message = format!("{} is not a valid JSON Schema: {}", written.label(), problem.message);
        let diagnostic = Diagnostic::new(&INVALID_SCHEMA, span, message).maybe_help(problem.help.clone());
        match problem.instead {
            Some(word) if self.is_table(written.value.span) => {
                diagnostic.replace(span, Json::string(word).to_text())
            }
            _ => diagnostic,
        }
    }

    /// Arguments are always an object, and clients need the schema to say so.
    fn root_type(&self) -> Option<Diagnostic> {
        let schema = self.tool.input_schema.as_ref()?;
        let said = schema.value.get("type");
        if said.and_then(Json::as_str) == Some("object") {
            return None;
        }
        let message = match said {
            Some(other) => format!("`input_schema` must have `type = \"object\"`, not {}", show(other)),
            None => "`input_schema` must have `type = \"object\"`".to_owned(),
        };
        let span = match said {
            Some(_) => self.part(schema.span, &["type".into()]),
            None => schema.span,
        };
        let diagnostic = Diagnostic::new(&INVALID_SCHEMA, span, message)
            .note("the arguments of a call are an object, and MCP requires the schema to say so");
        if !self.is_table(schema.span) {
            return Some(diagnostic.help("write `\"type\": \"object\"` in it"));
        }
        let inline = self.context.sources.text(schema.span).starts_with('{');
        if said.is_some() || !inline {
            return Some(diagnostic.help("write `type = \"object\"` in it"));
        }
        let empty = schema.value.as_object().is_some_and(<[_]>::is_empty);
        let opening = Span { end: schema.span.start + 1, ..schema.span };
        let text = if empty { "{ type = \"object\"" } else { "{ type = \"object\"," };
        Some(diagnostic.help("add it").replace(opening, text))
    }

    /// Undeclared arguments are refused, so a required one could never be supplied.
    fn unsatisfiable(&self, findings: &mut Findings<'_>) {
        let Some(schema) = &self.tool.input_schema else {
            return;
        };
        let root = &schema.value;
        let is_open = root.get("additionalProperties").is_some_and(|value| *value != Json::Bool(false));
        let required = root.get("required").filter(|names| schema_shape::is_set_of_names(names));
        let required = required.and_then(Json::as_array).unwrap_or_default();
        if is_open || root.get("patternProperties").is_some() || required.is_empty() {
            return;
        }
        let declared = schema_walk::declared_properties(root);
        for (index, name) in required.iter().enumerate() {
            let Some(name) = name.as_str().filter(|name| !declared.contains_key(*name)) else {
                continue;
            };
            let span = self.part(schema.span, &["required".into(), index.to_string()]);
            let message = format!("`input_schema` requires `{name}`, which it does not declare");
            let known = declared.keys().copied();
            findings.report(
                Diagnostic::new(&INVALID_SCHEMA, span, message)
                    .note("undeclared arguments are refused, so callers could never satisfy it")
                    .help(format!("declare `{name}` under `properties`, or remove it from `required`"))
                    .maybe_help(suggest::did_you_mean(name, known)),
            );
        }
    }

    fn is_table(&self, whole: Span) -> bool {
        locate::is_table(self.context.sources, self.tool, whole)
    }

    fn part(&self, whole: Span, steps: &[String]) -> Span {
        locate::part(self.context.sources, self.toolset, self.tool, whole, steps)
    }
}

/// The validator's objection to a schema. Patterns are left to `bad-pattern`.
fn refused(root: &Json, seen: &mut Seen) -> Option<schema::SchemaError> {
    let text = root.to_text();
    if let Some(known) = seen.get(&text) {
        return known.clone();
    }
    let error = schema::compile(&text).err().and_then(|error| {
        let mut sound = root.clone();
        if drop_bad_patterns(&mut sound) { schema::compile(&sound.to_text()).err() } else { Some(error) }
    });
    seen.insert(text, error.clone());
    error
}

fn drop_bad_patterns(value: &mut Json) -> bool {
    match value {
        Json::Array(items) => items.iter_mut().fold(false, |dropped, item| drop_bad_patterns(item) | dropped),
        Json::Object(members) => {
            let before = members.len();
            members.retain(|(name, value)| {
                name != "pattern" || value.as_str().is_none_or(|pattern| compile_pattern(pattern).is_ok())
            });
            let dropped = members.len() < before;
            members.iter_mut().fold(dropped, |dropped, (_, value)| drop_bad_patterns(value) | dropped)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
