use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds response templates that never read the response.
    ///
    /// A response without a body has nothing to read. So the rule is silent where each example of a
    /// success has an empty body, and for `DELETE`, `PUT`, `PATCH`, `HEAD` and `OPTIONS` without
    /// such an example.
    ///
    /// ## Why is this bad
    /// Every call gives the same text, whatever the upstream said. Most often a field was written
    /// as plain text.
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
    /// ```toml
    /// [[tool]]
    /// name = "empty_cart"
    /// description = "Removes everything from the cart."
    /// method = "POST"
    /// endpoint = "https://api.example.com/cart/clear"
    /// response_template = "The cart is empty."
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 204 }
    /// ```
    // `template-syntax` reports it.
    pub CONSTANT_TEMPLATE = "MCP0705", "constant-template", Warning, Check::Reading;
}
