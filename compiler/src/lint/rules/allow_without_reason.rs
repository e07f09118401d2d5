use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds an `allow` whose reason is empty.
    ///
    /// ## Why is this bad
    /// The next reader needs the reason to decide whether it still holds.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// allow = [{ rule = "missing-example", reason = "" }]
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
    pub ALLOW_WITHOUT_REASON = "MCP0902", "allow-without-reason", HardError, Check::Reading;
}
