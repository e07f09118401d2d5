use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds names in `clients` of `mcpc.toml` that are not client profiles.
    ///
    /// ## Why is this bad
    /// A profile defines which names and how many tools a client accepts. A misspelt one would
    /// check nothing.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// clients = ["openai", "antropic"]
    /// ```
    ///
    /// ## Passes
    /// ```toml mcpc.toml
    /// clients = ["openai", "anthropic"]
    /// ```
    pub UNKNOWN_CLIENT = "MCP0906", "unknown-client", HardError, Check::Reading;
}
