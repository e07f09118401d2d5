use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds an `allow` for a rule that has no findings there.
    ///
    /// ## Why is this bad
    /// The problem is gone. The `allow` would hide the next mistake of the same kind.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// allow = [{ rule = "missing-example", reason = "the answer is never the same" }]
    ///
    /// [[tool.examples]]
    /// arguments = {}
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
    pub UNUSED_ALLOW = "MCP0903", "unused-allow", Warning, Check::Reading;
}
