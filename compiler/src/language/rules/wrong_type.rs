use super::rule;

rule! {
    /// ## What it does
    /// Finds values whose type is not the one that their key expects.
    ///
    /// ## Why is this bad
    /// A string in place of a number, or a table in place of a list, has no defined meaning. Converting it
    /// would be a guess.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// timeout_seconds = "5"
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
    pub WRONG_TYPE = "MCP0103", "wrong-type", HardError;
}
