use super::rule;

rule! {
    /// ## What it does
    /// Finds types of parameters that do not exist.
    ///
    /// ## Why is this bad
    /// The types are those of JSON: `string`, `integer`, `number`, `boolean`, `array` and `object`. A model could not be told
    /// what another one means.
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
