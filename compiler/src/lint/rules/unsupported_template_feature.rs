use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds template features that are not supported, such as partials, and templates beyond the
    /// limits.
    ///
    /// ## Why is this bad
    /// A template is compiled into a small program that runs within fixed limits. Anything that
    /// needs other files, or that could run forever, is refused at build time.
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
