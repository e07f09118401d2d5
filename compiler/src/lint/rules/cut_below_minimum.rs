use crate::language::json::Json;
use crate::lint::helpers::locate;
use crate::lint::helpers::schemas::{self, Path};
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools whose `output_schema` wants more elements of a list than `max_results` leaves.
    ///
    /// ## Why is this bad
    /// A longer list is cut before it is compared with the schema. It then has too few elements, and
    /// the call fails.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// max_results = 5
    /// [tool.output_schema]
    /// type = "object"
    /// properties = { orders = { type = "array", minItems = 10, items = {} } }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// max_results = 5
    /// [tool.output_schema]
    /// type = "object"
    /// properties = { orders = { type = "array", minItems = 1, items = {} } }
    /// ```
    pub CUT_BELOW_MINIMUM = "MCP0713", "cut-below-minimum", Error, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let (Some(most), Some(schema)) = (tool.max_results, &tool.output_schema) else { return };
    schemas::each(&schema.value, &Path::Root, &mut |inner, path| {
        let least =
            inner.get("minItems").and_then(Json::as_number).and_then(|least| least.parse::<u64>().ok());
        let Some(least) = least.filter(|least| *least > u64::from(most)) else { return };
        let steps = Path::Key(path, "minItems").steps();
        let span = locate::part(context.sources, context.toolset, tool, schema.span, &steps);
        let message = format!("`max_results` leaves at most {most} elements of a list that needs {least}");
        findings.report(
            Diagnostic::new(&CUT_BELOW_MINIMUM, span, message)
                .note("the schema describes the result, after lists are cut")
                .help(format!("write `minItems` of {most} or less, or raise `max_results`")),
        );
    });
}
