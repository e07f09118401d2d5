use super::rule;

rule! {
    /// ## What it does
    /// Finds keys that are set twice, by their long and by their short name.
    ///
    /// ## Why is this bad
    /// `type` and `parameter_type` are two names of one key. If both are set, one of them has no effect.
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
    /// type = "integer"
    /// parameter_type = "number"
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
    pub KEY_GIVEN_TWICE = "MCP0104", "key-given-twice", HardError;
}
