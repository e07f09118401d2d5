//! Which branches of the templates no example reaches.

use super::Uncovered;
use crate::checked::{CheckedTemplate, CheckedTool};
use crate::template::BranchKind;
use mcp_bundle::plan::ToolPlan;
use mcp_bundle::template::Ran;
use mcp_diagnostics::{Sources, Span};

/// What the templates of a tool can do and its examples did not make them do. `ran` is what they
/// did.
pub fn coverage(sources: &Sources, tool: &CheckedTool, plan: &ToolPlan, ran: &Ran) -> Vec<Uncovered> {
    let response = [
        ("response_template", &tool.response_template, plan.response.template),
        ("error_template", &tool.error_template, plan.response.error_template),
    ];
    let response =
        response.into_iter().filter_map(|(key, spec, program)| Some((key, spec.as_ref()?, program?)));
    // Plans have them in the order of specs.
    let request = tool.request_templates().zip(plan.request_templates());
    let request = request.map(|((key, spec), program)| (key, spec, program));
    let mut uncovered = Vec::new();
    for (key, spec, program) in response.chain(request) {
        let entry = |span, what| Uncovered { tool: tool.label().to_owned(), template: key, span, what };
        if ran.has_program(program) {
            let branches = missed(sources, spec, program, ran);
            uncovered.extend(branches.map(|(span, what)| entry(span, what)));
        } else {
            uncovered.push(entry(spec.span, format!("`{key}`")));
        }
    }
    uncovered.sort_by_key(|uncovered| (uncovered.span.file, uncovered.span.start));
    uncovered
}

fn missed<'a>(
    sources: &'a Sources,
    spec: &'a CheckedTemplate,
    program: u32,
    ran: &'a Ran,
) -> impl Iterator<Item = (Span, String)> + 'a {
    let branches = spec.compiled().map(|compiled| compiled.branches.as_slice()).unwrap_or_default();
    branches.iter().filter(move |branch| !ran.has_op(program, branch.op as usize)).map(move |branch| {
        let span = spec.locate(sources, branch.span.clone());
        let part = match branch.kind {
            BranchKind::Taken | BranchKind::Loop => "what follows",
            BranchKind::Else => "the `else` of",
        };
        (span, format!("{part} `{}`", sources.text(span)))
    })
}
