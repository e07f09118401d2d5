use super::rule;

rule! {
    /// ## What it does
    /// Finds TOML syntax errors.
    ///
    /// ## Why is this bad
    /// A file with syntax errors cannot be read. Other problems in it are reported once the syntax is fixed.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// timeout_seconds 5
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
    pub TOML_SYNTAX = "MCP0004", "toml-syntax", HardError;
}
