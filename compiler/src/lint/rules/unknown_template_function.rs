use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds functions and helpers in templates that do not exist here.
    ///
    /// Go templates have the functions of `text/template` and some of the Sprig library; Handlebars
    /// templates have the built-in helpers. Neither can be extended.
    ///
    /// ## Why is this bad
    /// Every call would fail.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ .status | uper }}"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ .status | upper }}"
    /// ```
    // `template-syntax` reports it.
    pub UNKNOWN_TEMPLATE_FUNCTION = "MCP0702", "unknown-template-function", HardError, Check::Reading;
}
