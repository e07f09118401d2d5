use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds templates that both dialects accept and read differently.
    ///
    /// ## Why is this bad
    /// The dialect of a plain string is inferred from its text. Where the text fits both, a guess
    /// would often be wrong, and the result would be another text than the author meant.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = "Total: {{ $.total }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = { go = "Total: {{ $.total }}" }
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    // `template-syntax` reports it.
    pub AMBIGUOUS_DIALECT = "MCP0704", "ambiguous-dialect", Error, Check::Reading;
}
