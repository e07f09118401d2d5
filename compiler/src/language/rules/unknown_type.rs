use super::rule;

rule! {
    /// ## What it does
    /// Finds parameters with an unknown `type`.
    ///
    /// ## Why is this bad
    /// Types are those of JSON Schema: `string`, `integer`, `number`, `boolean`, `array` and `object`. Models
    /// do not understand any others.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "int"
    /// position = "query"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// ```
    pub UNKNOWN_TYPE = "MCP0107", "unknown-type", HardError;
}
