use crate::language::variables::{TextPart, Variable, split_variables};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::AuthKind;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds headers and credentials of MCP servers that depend on the caller: `${tenant.id}`, `${principal.sub}`, and
    /// `auth` of kind `exchange`.
    ///
    /// ## Why is this bad
    /// The edge has one session with a server, and calls of all callers go through it. With what belongs to one
    /// of them, the others would act in that caller's name.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    /// headers = { x-user = "${principal.sub}" }
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    /// headers = { authorization = "Bearer ${WIKI_TOKEN}" }
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    pub CALLER_IN_SESSION = "MCP0224", "caller-in-session", HardError, Check::Toolset(check);
}

const NOTE: &str = "the calls of all callers go through one session with the server";

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for upstream in context.toolset.upstreams.iter().filter(|upstream| upstream.server.is_some()) {
        for header in &upstream.headers {
            let parts = split_variables(&header.value.value).0;
            let of_caller = parts.iter().find_map(|part| match part {
                TextPart::Variable(variable @ (Variable::TenantId | Variable::PrincipalSub)) => {
                    Some(variable)
                }
                TextPart::Variable(Variable::Named(_)) | TextPart::Literal(_) => None,
            });
            if let Some(variable) = of_caller {
                let message = format!("`{variable}` cannot be part of a header of an MCP server");
                findings.report(
                    Diagnostic::new(&CALLER_IN_SESSION, header.value.span, message)
                        .note(NOTE)
                        .help("write it into the tools' `arguments_template`, if the server takes it there"),
                );
            }
        }
        // A credential with such a variable is not allowed anywhere.
        if let Some(auth) = upstream.auth.as_ref().filter(|auth| auth.kind.value == AuthKind::Exchange) {
            let message = "the token of a caller cannot be that of an MCP server's session";
            findings.report(
                Diagnostic::new(&CALLER_IN_SESSION, auth.kind.span, message)
                    .note(NOTE)
                    .help("use `kind = \"oauth2\"`, which gets a token for the edge itself"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    fn found(keys: &str) -> Vec<String> {
        let spec = format!("[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n{keys}\n");
        underlined(&CALLER_IN_SESSION, &spec)
    }

    #[test]
    fn nothing_of_a_caller_gets_into_a_session() {
        assert_eq!(found("headers = { x-a = \"a ${tenant.id}\", x-b = \"${B}\" }"), ["\"a ${tenant.id}\""]);
        assert_eq!(found("[upstream.u.auth]\nkind = \"exchange\""), ["\"exchange\""]);
        assert_eq!(found("[upstream.u.auth]\nkind = \"bearer\"\ntoken = \"${T}\""), [""; 0]);
    }
}
