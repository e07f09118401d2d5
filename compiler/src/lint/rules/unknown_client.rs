use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds names in `clients` of `mcpc.toml` that are no client profile.
    ///
    /// ## Why is this bad
    /// Profiles say which names and how many tools a client takes. A misspelt one would check against nothing.
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
