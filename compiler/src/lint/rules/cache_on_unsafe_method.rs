use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds `cache_seconds` or `cache` on a method that changes something upstream.
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
    let (Some(cache), Some(method)) = (&context.tool.cache_seconds, &context.tool.method) else {
        return;
    };
    if cache.value == 0 || method.value.is_safe() {
        return;
    }
    let message = format!("responses to `{}` cannot be cached", method.value);
    findings.report(
        Diagnostic::new(&CACHE_ON_UNSAFE_METHOD, cache.span, message)
            .related(method.span, "the method is set here")
            .note("a cached response means that no request is sent")
            .help(format!(
                "remove `{}`",
                if context.tool.cache.is_some() { "cache" } else { "cache_seconds" }
            )),
    );
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
}
