use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds names of rules that do not exist, in an `allow` and in `mcpc.toml`.
    ///
    /// ## Why is this bad
    /// A misspelt name has no effect: the rule keeps its default level.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// allow = [{ rule = "missing-exampel", reason = "the answer is never the same" }]
    /// ```
    /// ```toml mcpc.toml
    /// [rules]
    /// missing-exampel = "error"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// allow = [{ rule = "missing-example", reason = "the answer is never the same" }]
    /// ```
    /// ```toml mcpc.toml
    /// [rules]
    /// missing-example = "error"
    /// ```
    pub UNKNOWN_RULE = "MCP0901", "unknown-rule", HardError, Check::Reading;
}
