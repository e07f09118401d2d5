use super::rule;

rule! {
    /// ## What it does
    /// Finds values that have the right type, but that their key does not accept.
    ///
    /// ## Why is this bad
    /// A number out of range, an unknown word or `nan` has no meaning, so no bundle can be built.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// timeout_seconds = 0
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "add_order"
    /// description = "Adds an order to the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body = "xml"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_chart"
    /// description = "Draws the sales of a week as a chart."
    /// method = "GET"
    /// endpoint = "https://api.example.com/chart"
    /// [[tool.examples]]
    /// response = { headers = { content-type = "image/gif" }, body_base64 = "R0lGODlh*" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "add_order"
    /// description = "Adds an order to the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body = "form"
    /// timeout_seconds = 30
    /// ```
    pub INVALID_VALUE = "MCP0105", "invalid-value", HardError;
}
