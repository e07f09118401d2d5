use super::rule;

rule! {
    /// ## What it does
    /// Finds HTTP methods that a tool cannot use.
    ///
    /// ## Why is this bad
    /// The method decides whether a call may be cached or retried and whether it has a body. HTTP methods are
    /// case-sensitive: write `GET`, not `get`.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "get"
    /// endpoint = "https://api.example.com/time"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    pub UNKNOWN_METHOD = "MCP0108", "unknown-method", HardError;
}
