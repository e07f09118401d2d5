use crate::lint::helpers::answer;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds `range` and `each` over what `output_schema`, or else every example response, says is a string or a boolean; with
    /// Handlebars also a number.
    ///
    /// ## Why is this bad
    /// There are no elements to loop over: a Go template fails there, and a Handlebars template never runs the loop.
    /// Most often the list lies one level deeper or higher.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ range .tags }}{{ . }} {{ end }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 200, body = '{"tags":"new,paid"}' }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{#each count}}{{this}} {{/each}}"
    /// [tool.output_schema]
    /// type = "object"
    /// properties = { count = { type = "integer" } }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// response_template = "{{ range .tags }}{{ . }} {{ end }}"
    /// [[tool.examples]]
    /// arguments = {}
    /// response = { status = 200, body = '{"tags":["new","paid"]}' }
    /// ```
    pub LOOP_OVER_SCALAR = "MCP0707", "loop-over-scalar", Error, Check::Tool(answer::check_loops);
}
