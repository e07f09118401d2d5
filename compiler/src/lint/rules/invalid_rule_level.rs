use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds levels in `mcpc.toml` that do not exist, or that the rule cannot have.
    ///
    /// ## Why is this bad
    /// A rule can be set to `allow`, `warn` or `error`. Some rules are always errors, because a
    /// spec that breaks them cannot be built.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// [rules]
    /// missing-example = "off"
    /// ```
    ///
    /// ## Passes
    /// ```toml mcpc.toml
    /// [rules]
    /// missing-example = "allow"
    /// ```
    pub INVALID_RULE_LEVEL = "MCP0905", "invalid-rule-level", HardError, Check::Reading;
}
