//! One tool: its name, its parameters, and every index that it holds.

use super::checks;
use super::mcp;
use super::request;
use super::scan::{Class, Scanner, name};
use super::shared::{Ascending, Checked, ensure, index, optional_index, quote, text};
use super::text::{is_token, is_tool_name};
use crate::plan::{Backend, Contents, HttpPlan, Parameter, ResponsePlan, ToolPlan};
use crate::shape::select;
use crate::template::Destination;
use crate::wire_enums::{BodyKind, Position};

/// Goes through the tools in their order.
pub(super) struct Verifier<'a> {
    contents: &'a Contents,
    names: Ascending<'a>,
    /// How often each parameter of the current tool is placed; kept to reuse the allocation.
    placed: Vec<u32>,
    scanner: Scanner<'a>,
}

impl<'a> Verifier<'a> {
    pub(super) fn new(contents: &'a Contents) -> Verifier<'a> {
        Verifier {
            contents,
            names: Ascending::new("tool"),
            placed: Vec::new(),
            scanner: Scanner::new(&contents.strings),
        }
    }

    pub(super) fn tool(&mut self, tool: &ToolPlan) -> Checked {
        let Contents { strings, manifest, .. } = self.contents;
        let name = name(strings, tool.name, "name")?;
        ensure(is_tool_name(name), || "a name is 1 to 64 letters, digits, `_` and `-`".to_owned())?;
        self.names.next(name)?;

        index(tool.toolset, manifest.toolsets.len(), "toolset")?;
        optional_index(tool.schema, manifest.schemas.len(), "schema")?;
        index(tool.policy, self.contents.policies.len(), "policy")?;
        self.response(&tool.response)?;

        for (at, check) in tool.checks.iter().enumerate() {
            checks::check(self.contents, &mut self.scanner, check, at)
                .map_err(|problem| format!("check {at}: {problem}"))?;
        }
        optional_index(tool.additional, tool.checks.len(), "additional arguments: check")?;
        let takes_additional =
            tool.bound().is_some_and(|http| matches!(http.body.kind, BodyKind::Json | BodyKind::Template));
        ensure(tool.additional.is_none() || takes_additional, || {
            "additional arguments without a JSON body to write them into".to_owned()
        })?;
        self.parameters(tool)?;
        match &tool.backend {
            Backend::Http(http) => self.request(tool, http),
            Backend::Fixed(answer) => text(strings, *answer, "fixed answer").map(drop),
            Backend::Arguments(plan) => {
                let is_read = plan.body.kind == BodyKind::Json && tool.response.template.is_some();
                ensure(is_read, || "an answer of arguments without a template that reads them".to_owned())?;
                self.bound(tool, plan, false)
            }
            Backend::Mcp(plan) => {
                self.request(tool, &plan.request)?;
                mcp::tool(self.contents, &mut self.scanner, plan)
            }
        }
    }

    fn response(&self, response: &ResponsePlan) -> Checked {
        let Contents { strings, manifest, templates, .. } = self.contents;
        for (template, what) in [(response.template, "template"), (response.error_template, "error template")]
        {
            optional_index(template, templates.programs.len(), what)?;
            let program = template.and_then(|index| templates.programs.get(index as usize));
            ensure(program.is_none_or(|program| program.place == Destination::Text), || {
                format!("{what} does not write text")
            })?;
        }
        optional_index(response.output_schema, manifest.schemas.len(), "output schema")?;
        ensure(response.select.len() <= select::MAX_PATHS, || {
            format!("{} selected paths, the most is {}", response.select.len(), select::MAX_PATHS)
        })?;
        for path in &response.select {
            text(strings, *path, "selected path")?;
        }
        Ok(())
    }

    fn parameters(&mut self, tool: &ToolPlan) -> Checked {
        let mut names = Ascending::new("parameter");
        for parameter in &tool.parameters {
            let name = name(&self.contents.strings, parameter.name, "parameter name")?;
            names.next(name)?;
            self.parameter(tool, parameter)
                .map_err(|problem| format!("parameter {}: {problem}", quote(name)))?;
        }
        Ok(())
    }

    fn parameter(&mut self, tool: &ToolPlan, parameter: &Parameter) -> Checked {
        index(parameter.check, tool.checks.len(), "check")?;
        self.scanner.optional_text(parameter.default, Class::Json, "default")?;
        if let Some(header) = parameter.mcp_header {
            let header = name(&self.contents.strings, header, "header name")?;
            ensure(is_token(header), || format!("{} cannot name a header", quote(header)))?;
        }
        let may_be_absent = !parameter.required && parameter.default.is_none();
        ensure(parameter.position != Position::Path || !may_be_absent, || {
            "part of the path, but neither required nor with a default".to_owned()
        })
    }

    fn request(&mut self, tool: &ToolPlan, http: &HttpPlan) -> Checked {
        index(http.upstream, self.contents.upstreams.len(), "upstream")?;
        self.bound(tool, http, true)
    }

    /// What arguments are bound to: each of them once. Where nothing is sent, that is a body alone.
    fn bound(&mut self, tool: &ToolPlan, http: &HttpPlan, is_sent: bool) -> Checked {
        self.placed.clear();
        self.placed.resize(tool.parameters.len(), 0);
        let request =
            request::Request::new(self.contents, &tool.parameters, http, &mut self.scanner, &mut self.placed);
        if is_sent {
            request.check()?;
        } else {
            request.check_body()?;
        }
        // An argument may be read by a template instead.
        let least = u32::from(tool.request_templates().next().is_none());
        for (parameter, count) in tool.parameters.iter().zip(&self.placed) {
            ensure((least..=1).contains(count), || {
                let (name, position) = (self.contents.strings.get(parameter.name), parameter.position);
                format!("parameter {} is placed {count} times in the {position}, not once", quote(name))
            })?;
        }
        Ok(())
    }
}
