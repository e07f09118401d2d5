use crate::lint::helpers::answer;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds fields in templates and in `select` that no response can have.
    ///
    /// The fields of a response are known from `select`, which keeps nothing else, and from
    /// `answer_schema` or `output_schema`: an object has the listed `properties`, unless
    /// `additionalProperties` is set. Without a schema, the example responses decide. Then a field is
    /// unknown if the examples show where it would be, none has it, and no `if` or `with` of the
    /// template tests for it. An `error_template` is compared with the examples of errors. Where
    /// nothing is known, nothing is reported.
    ///
    /// The paths of `select` are compared with `answer_schema`, or without one with the example
    /// responses. `select` must keep each member that `output_schema` requires.
    ///
    /// ## Why is this bad
    /// A missing field prints nothing, so a typo leaves a gap in the text that nobody notices. If
    /// the field does exist, add it to the schema, or add an example that has it.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "Order {{ .orderId }}: {{ .statuss }}"
    /// [tool.output_schema]
    /// type = "object"
    /// properties = { orderId = { type = "string" }, status = { type = "string" } }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{#each items}}{{name}} {{prize}}{{/each}}"
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 200, body = '{"items":[{"name":"pen","price":3}]}' }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// select = ["orderId", "items[].name"]
    /// response_template = "Order {{ .orderId }}: {{ .status }}"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// select = ["orderId", "items[].prize"]
    /// [tool.answer_schema]
    /// type = "object"
    /// [tool.answer_schema.properties]
    /// orderId = { type = "string" }
    /// items = { type = "array", items = { type = "object", properties = { price = { type = "number" } } } }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// select = ["orderId", "totl"]
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 200, body = '{"orderId":"42","total":3}' }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "Order {{ .orderId }}{{ if .note }} ({{ .note }}){{ end }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 200, body = '{"orderId":"42"}' }
    /// ```
    pub UNKNOWN_RESPONSE_FIELD = "MCP0706", "unknown-response-field", Error, Check::Tool(answer::check_fields);
}
