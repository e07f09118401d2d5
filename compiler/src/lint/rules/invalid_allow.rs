use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds an `allow` of a rule that cannot be switched off.
    ///
    /// ## Why is this bad
    /// Such a rule finds specs that cannot be built, or not safely. Allowing it would change
    /// nothing.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// allow = [{ rule = "unbound-placeholder", reason = "it is filled in later" }]
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
    pub INVALID_ALLOW = "MCP0904", "invalid-allow", HardError, Check::Reading;
}
