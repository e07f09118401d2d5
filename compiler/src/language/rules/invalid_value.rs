use super::rule;

rule! {
    /// ## What it does
    /// Finds values of the right type that their key does not take.
    ///
    /// ## Why is this bad
    /// A number outside its range, an unknown word or `nan` cannot be built into a plan.
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
