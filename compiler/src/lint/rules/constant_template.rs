use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds response templates that never read the answer.
    ///
    /// ## Why is this bad
    /// Every call gives the same text, whatever the upstream said. Most often a field was written as plain text.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = "Total: {total}"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = "Total: {{ .total }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    // `template-syntax` reports it.
    pub CONSTANT_TEMPLATE = "MCP0705", "constant-template", Warning, Check::Reading;
}
