use crate::lint::helpers::templates;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds templates that are not written in the grammar of their dialect.
    ///
    /// It also finds templates of JSON bodies that never write JSON, or that write a member of an
    /// object twice. With conditions or loops in a template, that is only known when it is rendered.
    ///
    /// ## Why is this bad
    /// The template cannot be compiled, so the response cannot be rendered. A body that is not JSON, or
    /// that could be read in two ways, is never sent.
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
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body_template = '{"item": {{ toJson .item }}, "item": 1}'
    /// parameters = [{ name = "item", type = "string", description = "What is ordered", required = true }]
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
