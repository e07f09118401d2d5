use crate::lint::helpers::answer;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds fields in templates and in `select` that no answer can have.
    ///
    /// What an answer can have is told by `select`, which keeps nothing else, and by `output_schema`: an object has the
    /// `properties` that are listed, unless `additionalProperties` is written. Without a schema the example responses tell: a
    /// field is unknown if they show where it would be, none has it, and no `if` or `with` of the template asks for it first.
    /// An `error_template` is held against the examples whose status is no success. Where nothing is known, nothing is said.
    ///
    /// The paths of `select` are held against the example responses. A member that `output_schema` requires has to be among
    /// what `select` keeps.
    ///
    /// ## Why is this bad
    /// A field that is absent prints nothing, so a slip of the pen leaves a gap in the text that nobody notices. If the field
    /// exists after all, say so: add it to `output_schema`, or add an example that has it.
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
