use crate::lint::helpers::answer;
use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds `range` and `each` over a value that is a string or a boolean according to
    /// `output_schema` or, without one, to every example response. With Handlebars, numbers count
    /// too.
    ///
    /// ## Why is this bad
    /// There are no elements to loop over. A Go template fails there, and a Handlebars template
    /// never runs the loop. Most often the list is one level deeper or higher.
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
