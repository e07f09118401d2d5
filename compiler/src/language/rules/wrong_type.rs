use super::rule;

rule! {
    /// ## What it does
    /// Finds values of another type than their key takes.
    ///
    /// ## Why is this bad
    /// A text in place of a number, or a single table in place of a list, has no meaning there, and converting it would be a
    /// guess.
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
