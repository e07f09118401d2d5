use super::rule;

rule! {
    /// ## What it does
    /// Finds tables without a key that they need.
    ///
    /// ## Why is this bad
    /// There is no sensible default: a tool without a name cannot be called, one without an endpoint goes nowhere.
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
    /// A tool with a fixed answer needs neither method nor endpoint:
    /// ```toml
    /// [[tool]]
    /// name = "get_opening_hours"
    /// description = "When the shop is open."
    /// respond = "Monday to Friday, 9 to 18"
    /// ```
    pub MISSING_KEY = "MCP0102", "missing-key", HardError;
}
