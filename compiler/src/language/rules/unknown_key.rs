use super::rule;

rule! {
    /// ## What it does
    /// Finds keys that the spec language does not have.
    ///
    /// ## Why is this bad
    /// A misspelt key would be ignored, and the tool would quietly do something else than it says.
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
