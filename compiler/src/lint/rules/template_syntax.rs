use crate::lint::helpers::templates;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds templates that are not written in the grammar of their dialect.
    ///
    /// ## Why is this bad
    /// The template cannot be compiled, so the response cannot be rendered.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ range .items }}{{ .name }}"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = { handlebars = "{{#each items}}{{name}}{{/if}}" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ range .items }}{{ .name }}{{ end }}"
    /// ```
    // Reports for the other rules about templates as well, so that each template is parsed once.
    pub TEMPLATE_SYNTAX = "MCP0701", "template-syntax", HardError, Check::Tool(templates::check);
}
