use crate::language::json::Json;
use crate::language::variables::{TextPart, Variable, split_variables};
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_bundle::template::OpCode;
use mcp_bundle::wire_enums::PartKind;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds `cache = { shared = true }` on a tool whose request depends on the caller: by
    /// `${tenant.id}` or `${principal.sub}`, in a header, a constant, the endpoint or a body.
    ///
    /// What tenants have variables of their own for (`variables` in `tenants.toml`) is not known
    /// when a spec is compiled. The edge sees to that: answers are shared only among calls whose
    /// requests are the same, byte for byte.
    ///
    /// ## Why is this bad
    /// A shared cache gives every tenant the same answers. Here each caller asks for something
    /// else, so either nothing is ever shared, or an answer is shown to a tenant that it is not
    /// for.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { X-Tenant = "${tenant.id}" }
    /// cache = { seconds = 60, shared = true }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { X-Tenant = "${tenant.id}" }
    /// cache = { seconds = 60 }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub CALLER_IN_SHARED_CACHE = "MCP0616", "caller-in-shared-cache", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let shared = context.tool.cache.as_ref().and_then(|cache| cache.shared.as_ref());
    let Some(shared) = shared.filter(|shared| shared.value) else { return };
    let Some(place) = of_caller(context) else { return };
    let message = "answers that depend on the caller cannot be shared among tenants";
    findings.report(
        Diagnostic::new(&CALLER_IN_SHARED_CACHE, shared.span, message)
            .related(place, "the request depends on the caller here")
            .help("remove `shared`: each tenant then has its own answers"),
    );
}

/// Where the request names the caller.
fn of_caller(context: &ToolContext<'_>) -> Option<Span> {
    let of_upstream = context.upstream.into_iter().flat_map(|upstream| &upstream.headers);
    let mut headers = of_upstream.chain(&context.tool.headers);
    let in_headers = headers.find(|header| names_caller(&header.value.value));
    let mut constants = context.tool.parameters.iter().filter_map(|parameter| parameter.value.as_ref());
    let mut in_constants = || constants.find(|value| has_caller(&value.value));
    let mut templates = context.tool.request_templates();
    let mut in_templates = || {
        templates.find(|(_, template)| {
            let ops = template.compiled().map(|compiled| &compiled.programs.ops);
            let of_caller = [PartKind::TenantId, PartKind::PrincipalSub].map(|kind| u32::from(kind.tag()));
            ops.is_some_and(|ops| {
                ops.iter().any(|op| op.code == OpCode::Variable && of_caller.contains(&op.a))
            })
        })
    };
    let place = in_headers.map(|header| header.value.span).or_else(|| Some(in_constants()?.span));
    place.or_else(|| Some(in_templates()?.1.span))
}

fn names_caller(text: &str) -> bool {
    let is_caller =
        |part: &TextPart| matches!(part, TextPart::Variable(Variable::TenantId | Variable::PrincipalSub));
    split_variables(text).0.iter().any(is_caller)
}

fn has_caller(value: &Json) -> bool {
    match value {
        Json::String(text) => names_caller(text),
        Json::Array(items) => items.iter().any(has_caller),
        Json::Object(members) => members.iter().any(|(_, value)| has_caller(value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    const SHARED: &str = "cache = { seconds = 5, shared = true }";

    fn found(rest: &str) -> Vec<String> {
        underlined(&CALLER_IN_SHARED_CACHE, &tool_with(rest).replace("POST", "GET"))
    }

    #[test]
    fn the_caller_is_found_wherever_a_request_has_it() {
        for caller in ["${tenant.id}", "${principal.sub}"] {
            for rest in [
                format!("headers = {{ X-Who = \"a {caller}\" }}\n{SHARED}"),
                format!("headers = {{ X-Who = \"{{{{ .p }}}} {caller}\" }}\n{SHARED}"),
                format!(
                    "{SHARED}\n[[tool.parameters]]\nname = \"p\"\nposition = \"query\"\nvalue = \"{caller}\""
                ),
            ] {
                assert_eq!(found(&rest), ["true"], "{rest}");
            }
        }
    }

    #[test]
    fn what_is_the_same_for_everyone_may_be_shared() {
        assert_eq!(found(&format!("headers = {{ X-Key = \"${{KEY}}\" }}\n{SHARED}")), [""; 0]);
        let caller = "headers = { X-Who = \"${tenant.id}\" }\ncache = { seconds = 5, shared = false }";
        assert_eq!(found(caller), [""; 0]);
    }
}
