use super::rule;

rule! {
    /// ## What it does
    /// Finds spec files that declare no tool.
    ///
    /// ## Why is this bad
    /// Clients cannot use an empty toolset. Usually `[[tool]]` is missing or commented out. The
    /// tools of an MCP server may be chosen later, so a file with a server needs none.
    ///
    /// ## Fails
    /// ```toml
    /// [toolset]
    /// title = "Clock"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [toolset]
    /// title = "Clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    pub EMPTY_SPEC = "MCP0005", "empty-spec", HardError;
}
