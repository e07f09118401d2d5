use crate::lint::helpers::html;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds HTML character references such as `&lt;` in the text of `response_template` and
    /// `error_template`, and calls of `html` there.
    ///
    /// ## Why is this bad
    /// The text goes to a model, and no browser turns `&lt;` back into `<`. Templates here do not
    /// escape HTML, so there is nothing to undo.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = "Total &lt; limit: {{ .total }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_total"
    /// description = "The total of the current order."
    /// method = "GET"
    /// endpoint = "https://api.example.com/total"
    /// response_template = "Note: {{ .note | html }}"
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
    /// response_template = "Total < limit: {{ .total }}, note: {{ .note }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub HTML_IN_TEMPLATE = "MCP0708", "html-in-template", Warning, Check::Tool(html::check);
}
