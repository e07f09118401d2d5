use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds tools of an MCP server that send it arguments which its pinned `input_schema` refuses.
    ///
    /// `arguments_template`, constants and renamed parameters write what the server gets. `mcpc` binds the
    /// arguments of each example, and of calls that it makes up, and validates the outcome. Of a call that it
    /// made up, only what does not depend on the values counts.
    ///
    /// ## Why is this bad
    /// The server answers each of these calls with an error, and the model cannot do anything about it.
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
    /// pin = "sha256:d4017a6341be5374a92c27eaec99d5c66bc4c10ef0f3fa35f1507669928b6b61"
    /// arguments_template = '{"query": {{ .text }}, "limit": "10"}'
    /// pinned.input_schema = '{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}'
    ///
    /// [[tool.parameters]]
    /// name = "text"
    /// description = "What to look for"
    /// required = true
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
    /// pin = "sha256:d4017a6341be5374a92c27eaec99d5c66bc4c10ef0f3fa35f1507669928b6b61"
    /// arguments_template = '{"query": {{ .text }}, "limit": 10}'
    /// pinned.input_schema = '{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}'
    ///
    /// [[tool.parameters]]
    /// name = "text"
    /// description = "What to look for"
    /// required = true
    /// ```
    pub REFUSED_ARGUMENTS = "MCP0908", "refused-arguments", HardError, Check::Reading;
}
