use super::rule;

rule! {
    /// ## What it does
    /// Finds keys that upstreams of another `kind`, and their tools, have.
    ///
    /// An MCP server is asked with its own protocol. So its tools have no `method`, `endpoint`, `headers` or
    /// `body`, and tools of an HTTP API have no `pin`. A server over `stdio` has no `url`, `headers` or `auth`.
    ///
    /// ## Why is this bad
    /// The key would have no effect, and somebody means it to have one.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// endpoint = "/search"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    pub MISPLACED_KEY = "MCP0109", "misplaced-key", HardError;
}
