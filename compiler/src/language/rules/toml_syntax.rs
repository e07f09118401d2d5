use super::rule;

rule! {
    /// ## What it does
    /// Finds text that is not TOML.
    ///
    /// ## Why is this bad
    /// A line that cannot be read has no meaning. Nothing else is reported about the file until it can be read.
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
