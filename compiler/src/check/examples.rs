//! Examples must be calls that the tool accepts.

use crate::checked::{CheckedTool, CheckedToolset};
use crate::lint::rules::INVALID_EXAMPLE;
use crate::spec::ExampleSpec;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, Binder, Limits, PreparedTool, PreparedTools, Request, Scratch, Values};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::Diagnostic;

/// Binds the arguments of every example, exactly as the proxy will.
pub fn check(contents: &Contents, toolsets: &[CheckedToolset]) -> Vec<Diagnostic> {
    // The edge has the values of variables; here their names are used instead.
    let variables: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let (limits, mut scratch) = (Limits::default(), Scratch::default());
    let prepared = PreparedTools::new(contents, &variables, &limits);
    let matchers = Matchers::new(contents);
    let mut checker = Checker {
        binder: Binder { contents, matchers: &matchers, limits: &limits, scratch: &mut scratch },
        request: Request::default(),
        diagnostics: Vec::new(),
    };
    for tool in toolsets.iter().flat_map(|toolset| &toolset.tools) {
        if let Some(ready) = prepared.find(tool.label()) {
            for example in &tool.examples {
                checker.example(tool, ready, example);
            }
        }
    }
    checker.diagnostics
}

struct Checker<'a> {
    binder: Binder<'a>,
    request: Request,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn example(&mut self, tool: &CheckedTool, ready: PreparedTool<'_>, example: &ExampleSpec) {
        let arguments = example.arguments.as_ref().map_or("{}".to_owned(), |a| a.value.to_text());
        let span = example.arguments.as_ref().map_or(example.span, |a| a.span);
        let values =
            Values { tenant_id: Some("tenant"), principal_sub: Some("principal"), ..Values::default() };
        let arguments = Arguments::of_text(&arguments);
        let outcome = self.binder.bind(ready, &arguments, &values, &mut self.request);
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
