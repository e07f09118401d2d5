use super::rule;

rule! {
    /// ## What it does
    /// Finds keys that are not part of the spec language.
    ///
    /// ## Why is this bad
    /// If misspelt keys were ignored, a tool would silently behave differently from what its spec says.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// timeout_second = 5
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// timeout_seconds = 5
    /// ```
    pub UNKNOWN_KEY = "MCP0101", "unknown-key", HardError;
}
