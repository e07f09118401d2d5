use super::rule;

rule! {
    /// ## What it does
    /// Finds parameters with an unknown `position`.
    ///
    /// ## Why is this bad
    /// The position decides where a value goes and how it is encoded. It must be `path`, `query`, `header`,
    /// `cookie` or `body`.
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
    /// position = "qurey"
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
    pub UNKNOWN_POSITION = "MCP0106", "unknown-position", HardError;
}
