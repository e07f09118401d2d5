use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds `cache_seconds` or `cache` on a method that changes something upstream, and on a tool of an MCP server
    /// whose `annotations` do not say `readOnlyHint`.
    ///
    /// ## Why is this bad
    /// A response from a cache means that no request was sent. The order would not be placed, and
    /// the caller would not notice.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "add_order"
    /// description = "Adds an order to the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// cache_seconds = 60
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// cache_seconds = 60
    /// ```
    pub CACHE_ON_UNSAFE_METHOD = "MCP0603", "cache-on-unsafe-method", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let Some(cache) = tool.cache_seconds.as_ref().filter(|cache| cache.value > 0) else { return };
    let diagnostic = match &tool.method {
        Some(method) if !method.value.is_safe() => {
            let message = format!("responses to `{}` cannot be cached", method.value);
            Diagnostic::new(&CACHE_ON_UNSAFE_METHOD, cache.span, message)
                .related(method.span, "the method is set here")
        }
        None if tool.mcp.is_some() && !tool.has_hint("readOnlyHint") => {
            let message = "results of a tool that may change something cannot be cached";
            Diagnostic::new(&CACHE_ON_UNSAFE_METHOD, cache.span, message)
        }
        _ => return,
    };
    let key = if tool.cache.is_some() { "cache" } else { "cache_seconds" };
    findings.report(diagnostic.note("a cached response means that no request is sent").help(
        match tool.mcp.is_some() {
            true => format!("remove `{key}`, or set `readOnlyHint` in `annotations` if the tool only reads"),
            false => format!("remove `{key}`"),
        },
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn no_time_means_no_cache() {
        assert_eq!(underlined(&CACHE_ON_UNSAFE_METHOD, &tool_with("cache_seconds = 0")), [""; 0]);
        assert_eq!(underlined(&CACHE_ON_UNSAFE_METHOD, &tool_with("cache_seconds = 1")), ["1"]);
    }

    #[test]
    fn a_tool_of_an_mcp_server_must_say_that_it_only_reads() {
        let spec = |line: &str| {
            format!(
                "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n\
                 [[tool]]\nname = \"a\"\nupstream = \"u\"\ncache = {{ seconds = 5 }}\n{line}\n"
            )
        };
        assert_eq!(underlined(&CACHE_ON_UNSAFE_METHOD, &spec("")), ["5"]);
        let hint = |value: bool| spec(&format!("annotations = {{ readOnlyHint = {value} }}"));
        assert_eq!(underlined(&CACHE_ON_UNSAFE_METHOD, &hint(false)), ["5"]);
        assert_eq!(underlined(&CACHE_ON_UNSAFE_METHOD, &hint(true)), [""; 0]);
    }
}
