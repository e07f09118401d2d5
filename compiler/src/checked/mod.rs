//! A tool with what follows from its spec: compiled templates, where each argument goes, what clients see of it.
//!
//! Nothing here decides whether that is right: rules look at it, and only tools without errors are planned.

mod template;

pub use template::{CheckedTemplate, Flaw};

use crate::language::json::Json;
use crate::language::schema_walk;
use crate::language::selection::Selection;
use crate::publish::input_schema;
use crate::publish::list_entry::{self, EntryText};
use crate::publish::output_schema;
use crate::publish::pinned;
use crate::spec::{ParameterSpec, ToolSpec, ToolsetSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::Span;
use std::ops::Deref;
use std::sync::OnceLock;

pub type CheckedToolset = ToolsetSpec<CheckedTool>;

#[derive(Debug, Clone)]
pub struct CheckedTool {
    /// Without its templates but those of headers: they are below.
    spec: ToolSpec,
    pub endpoint_template: Option<CheckedTemplate>,
    /// One for each header.
    pub header_templates: Vec<Option<CheckedTemplate>>,
    pub body_template: Option<CheckedTemplate>,
    pub response_template: Option<CheckedTemplate>,
    pub error_template: Option<CheckedTemplate>,
    /// The parameters that go where templates of the request put them, and nowhere else.
    templated: Vec<Span>,
    generated_schema: OnceLock<Json>,
    derived_output: OnceLock<Option<Json>>,
    list_entry: OnceLock<EntryText>,
    definition: OnceLock<Option<String>>,
}

impl CheckedTool {
    pub fn new(mut spec: ToolSpec) -> CheckedTool {
        let header_templates = spec.headers.iter().map(|header| header.template.clone());
        let mut tool = CheckedTool {
            endpoint_template: spec.endpoint_template.take().map(CheckedTemplate::new),
            header_templates: header_templates.map(|template| template.map(CheckedTemplate::new)).collect(),
            body_template: spec.body_template.take().map(CheckedTemplate::new),
            response_template: spec.response_template.take().map(CheckedTemplate::new),
            error_template: spec.error_template.take().map(CheckedTemplate::new),
            templated: Vec::new(),
            generated_schema: OnceLock::new(),
            derived_output: OnceLock::new(),
            list_entry: OnceLock::new(),
            definition: OnceLock::new(),
            spec,
        };
        tool.templated = tool.parameters_of_templates();
        tool
    }

    /// Where a parameter goes; `None` if only templates of the request put it anywhere.
    pub fn position(&self, parameter: &ParameterSpec) -> Option<Position> {
        let is_templated = self.templated.contains(&parameter.span);
        (!is_templated).then(|| parameter.position.as_ref().map_or(Position::Body, |p| p.value))
    }

    /// The schema of its arguments as it is published: the spec's own, or one made of the parameters when it is first
    /// asked for.
    pub fn published_schema(&self) -> &Json {
        match &self.spec.input_schema {
            Some(schema) => &schema.value,
            None => self.generated_schema.get_or_init(|| input_schema::generate(&self.spec)),
        }
    }

    /// Its entry in `tools/list`, made when it is first asked for.
    pub fn list_entry(&self) -> &EntryText {
        let write = || list_entry::write(&self.spec, self.published_schema(), self.published_output_schema());
        self.list_entry.get_or_init(write)
    }

    /// The schema of its structured results: the spec's own, or what follows from `answer_schema` and `select`.
    pub fn published_output_schema(&self) -> Option<&Json> {
        let derive = || {
            let selection = Selection::new(self.select.iter().map(|path| path.value.as_str()))?;
            Some(output_schema::derive(&self.answer_schema.as_ref()?.value, &selection, self.max_results))
        };
        match &self.output_schema {
            Some(schema) => Some(&schema.value),
            None => self.derived_output.get_or_init(derive).as_ref(),
        }
    }

    /// The templates of its request, each with the key that it is given under.
    pub fn request_templates(&self) -> impl Iterator<Item = (&'static str, &CheckedTemplate)> {
        let endpoint = self.endpoint_template.iter().map(|template| ("endpoint", template));
        let headers = self.header_templates.iter().flatten().map(|template| ("headers", template));
        endpoint
            .chain(headers)
            .chain(self.body_template.iter().map(|template| (self.body_template_key(), template)))
    }

    /// The key that the template of the body is given under.
    pub fn body_template_key(&self) -> &'static str {
        if self.mcp.is_some() { "arguments_template" } else { "body_template" }
    }

    /// What is pinned of the tool's definition at its MCP server, as [`definition::canonical`] writes it; `None` for a
    /// tool without a server, or if a schema holds a number that no digest can be made of.
    ///
    /// [`definition::canonical`]: mcp_bundle::definition::canonical
    pub fn definition(&self) -> Option<&str> {
        let make = || pinned::definition(&self.spec, self.published_schema());
        self.definition.get_or_init(make).as_deref()
    }

    /// Whether a template of its request is wrong in a way that leaves open which arguments it was meant to read. What
    /// is said about them then would be guessed.
    pub fn has_doubtful_template(&self) -> bool {
        let schema = self.input_schema.as_ref().map(|schema| schema_walk::declared_properties(&schema.value));
        let is_open =
            self.input_schema.as_ref().is_some_and(|schema| schema_walk::admits_others(&schema.value));
        let is_known = |name: &str| {
            is_open
                || self.parameter(name).is_some()
                || schema.as_ref().is_some_and(|schema| schema.contains_key(name))
        };
        let misplaced = self.endpoint.as_ref().is_some_and(|endpoint| endpoint.value.text.contains("{{"))
            && self.endpoint_template.is_none();
        let unknown = |template: &CheckedTemplate| {
            template.compiled().is_none_or(|compiled| compiled.keys().any(|key| !is_known(key)))
        };
        misplaced || self.request_templates().any(|(_, template)| unknown(template))
    }

    /// Whether a template of its request reads the argument of that name.
    pub fn is_read(&self, name: &str) -> bool {
        self.request_templates().any(|(_, template)| template.reads(name))
    }

    /// Whether a property of `input_schema` that no parameter places goes where templates put it, and not into the body
    /// by itself.
    pub fn is_templated(&self, name: &str) -> bool {
        self.body_template.is_some() || (self.is_read(name) && !self.is_whole_body(name))
    }

    /// The parameters that templates of the request take the place of a position for: those that they read and
    /// that have none, and what would be in the body if no template wrote it.
    fn parameters_of_templates(&self) -> Vec<Span> {
        let has_body = self.body_template.is_some();
        let in_doubt = self.has_doubtful_template();
        let placeholders = self.endpoint.as_ref().map(|endpoint| endpoint.value.placeholders.as_slice());
        let is_templated = |parameter: &&ParameterSpec| {
            let name = &parameter.name.value;
            match parameter.position.as_ref().map(|position| position.value) {
                None => has_body || (!parameter.is_hidden() && (in_doubt || self.is_templated(name))),
                Some(Position::Body) => has_body,
                // The template is where it is in the path.
                Some(Position::Path) => {
                    !parameter.is_hidden()
                        && placeholders
                            .unwrap_or_default()
                            .iter()
                            .all(|placeholder| placeholder.name != *name)
                        && self.endpoint_template.as_ref().is_some_and(|template| template.reads(name))
                }
                Some(_) => false,
            }
        };
        self.parameters.iter().filter(is_templated).map(|parameter| parameter.span).collect()
    }
}

impl Deref for CheckedTool {
    type Target = ToolSpec;

    fn deref(&self) -> &ToolSpec {
        &self.spec
    }
}
