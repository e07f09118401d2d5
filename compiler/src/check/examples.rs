//! Examples must be calls that the tool accepts.

use crate::lint::rules::INVALID_EXAMPLE;
use crate::spec::{ExampleSpec, ToolSpec, ToolsetSpec};
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{self, Limits, Request, Scratch, Values};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_diagnostics::Diagnostic;

/// Binds the arguments of every example, exactly as the proxy will.
pub fn check(contents: &Contents, toolsets: &[ToolsetSpec]) -> Vec<Diagnostic> {
    let mut checker = Checker {
        contents,
        matchers: Matchers::new(contents),
        variables: contents.variable_names().map(Box::from).collect(),
        scratch: Scratch::default(),
        request: Request::default(),
        diagnostics: Vec::new(),
    };
    for tool in toolsets.iter().flat_map(|toolset| &toolset.tools) {
        if let Some((_, plan)) = contents.tool(tool.label()) {
            for example in &tool.examples {
                checker.example(tool, plan, example);
            }
        }
    }
    checker.diagnostics
}

struct Checker<'a> {
    contents: &'a Contents,
    matchers: Matchers,
    /// Stand-ins: what the variables hold is the edge's business.
    variables: Vec<Box<str>>,
    scratch: Scratch,
    request: Request,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn example(&mut self, tool: &ToolSpec, plan: &ToolPlan, example: &ExampleSpec) {
        let arguments = example.arguments.as_ref().map_or("{}".to_owned(), |a| a.value.to_text());
        let span = example.arguments.as_ref().map_or(example.span, |a| a.span);
        let values = Values {
            variables: &self.variables,
            tenant_id: Some("tenant"),
            principal_sub: Some("principal"),
            ..Values::default()
        };
        let outcome = bind::bind(
            self.contents,
            &self.matchers,
            plan,
            arguments.as_bytes(),
            &values,
            &Limits::default(),
            &mut self.scratch,
            &mut self.request,
        );
        let Err(error) = outcome else {
            return;
        };
        let message = format!("`{}` would refuse the arguments of this example", tool.label());
        let mut diagnostic = Diagnostic::new(&INVALID_EXAMPLE, span, message);
        for problem in error.problems {
            diagnostic = diagnostic.note(problem.message);
        }
        self.diagnostics.push(diagnostic);
    }
}
