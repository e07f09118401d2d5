use super::rule;

rule! {
    /// ## What it does
    /// Finds positions of parameters that do not exist.
    ///
    /// ## Why is this bad
    /// The position decides where a value goes and how it is encoded. It is one of `path`, `query`, `header`, `cookie` and
    /// `body`.
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
