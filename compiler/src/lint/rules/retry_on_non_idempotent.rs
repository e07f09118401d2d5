use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds `retry_count` on calls that are not safe to repeat.
    ///
    /// ## Why is this bad
    /// A request without a response may still have been carried out. So a `POST` or `PATCH` is
    /// never repeated unless the tool sets `idempotent = true`, and the retries will not happen. The same holds for
    /// a tool of an MCP server whose `annotations` say neither `readOnlyHint` nor `idempotentHint`.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "add_order"
    /// description = "Adds an order to the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// retry_count = 2
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// description = "Orders of the shop that match a query."
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders/search"
    /// retry_count = 2
    /// idempotent = true
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub RETRY_ON_NON_IDEMPOTENT = "MCP0604", "retry-on-non-idempotent", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    if tool.is_idempotent() {
        return;
    }
    // Retries of an upstream are for those of its tools that are safe to repeat.
    let Some(retries) = tool.retry_count.as_ref().filter(|retries| retries.value > 0) else {
        return;
    };
    let name = tool.label();
    let diagnostic = match &tool.method {
        Some(method) => {
            let message = format!("`{name}` will never be retried: `{}` is not idempotent", method.value);
            Diagnostic::new(&RETRY_ON_NON_IDEMPOTENT, retries.span, message)
                .related(method.span, "the method is set here")
        }
        None => {
            let message = format!("`{name}` will never be retried: nothing says that it is idempotent");
            Diagnostic::new(&RETRY_ON_NON_IDEMPOTENT, retries.span, message)
        }
    };
    findings.report(
        diagnostic
            .note("a request without a response may still have been carried out")
            .help("remove `retry_count`, or add `idempotent = true` if the call is safe to repeat"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    #[test]
    fn only_the_tools_own_retries_count() {
        let spec = |line: &str| {
            format!(
                "[upstream.u]\nurl = \"https://a.example\"\nretry_count = 3\n\
                 [[tool]]\nname = \"a\"\nmethod = \"PATCH\"\nendpoint = \"/a\"\nupstream = \"u\"\n{line}\n"
            )
        };
        assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec("")), [""; 0]);
        assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec("retry_count = 1")), ["1"]);
        assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec("retry_count = 0")), [""; 0]);
        assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec("idempotent = true")), [""; 0]);
    }

    #[test]
    fn annotations_say_it_for_a_tool_of_an_mcp_server() {
        let spec = |line: &str| {
            format!(
                "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n\
                 [[tool]]\nname = \"a\"\nupstream = \"u\"\nretry_count = 1\n{line}\n"
            )
        };
        assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec("")), ["1"]);
        for hint in ["readOnlyHint", "idempotentHint"] {
            let annotations = format!("annotations = {{ {hint} = true }}");
            assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec(&annotations)), [""; 0]);
            let denied = format!("{annotations}\nidempotent = false");
            assert_eq!(underlined(&RETRY_ON_NON_IDEMPOTENT, &spec(&denied)), ["1"]);
        }
    }
}
