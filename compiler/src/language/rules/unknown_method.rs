use super::rule;

rule! {
    /// ## What it does
    /// Finds HTTP methods that a tool cannot use.
    ///
    /// ## Why is this bad
    /// The method decides what may be cached, retried and sent in a body. Methods are written in capitals: HTTP tells `get` and
    /// `GET` apart.
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
