use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds parts of a dialect that templates here cannot use, such as partials, and templates beyond the limits.
    ///
    /// ## Why is this bad
    /// A template is compiled into a small program that runs over the answer, within limits that hold for every
    /// call. What would need other files, or could run without end, is refused before it is served.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = { handlebars = "{{> header}}{{status}}" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = { handlebars = "Order: {{status}}" }
    /// ```
    // `template-syntax` reports it.
    pub UNSUPPORTED_TEMPLATE_FEATURE = "MCP0703", "unsupported-template-feature", HardError, Check::Reading;
}
