use super::rule;

rule! {
    /// ## What it does
    /// Finds a key that is given in its long and in its short form at once.
    ///
    /// ## Why is this bad
    /// `type` and `parameter_type` are the same key. If both are there, one of the two is not what its author believes.
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
