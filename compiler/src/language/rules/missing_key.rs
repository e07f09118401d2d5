use super::rule;

rule! {
    /// ## What it does
    /// Finds tables that lack a required key.
    ///
    /// ## Why is this bad
    /// Required keys have no sensible default: a tool without a name cannot be called, and a tool without an
    /// endpoint has nowhere to send its request.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// description = "The current time in UTC."
    /// method = "GET"
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
    ///
    /// A tool with a fixed response needs no method and no endpoint:
    /// ```toml
    /// [[tool]]
    /// name = "get_opening_hours"
    /// description = "When the shop is open."
    /// respond = "Monday to Friday, 9 to 18"
    /// ```
    pub MISSING_KEY = "MCP0102", "missing-key", HardError;
}
