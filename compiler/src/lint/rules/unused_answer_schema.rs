use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools with an `answer_schema` that nothing needs: without `select` no `output_schema`
    /// follows from it, and without a template there are no fields to compare with it.
    ///
    /// ## Why is this bad
    /// It looks as if results had a schema, but clients never see it.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "Gets the order that was made last."
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// answer_schema = { type = "object", properties = { id = { type = "string" } } }
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "Gets the order that was made last."
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// select = ["id"]
    /// answer_schema = { type = "object", properties = { id = { type = "string" }, note = {} } }
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub UNUSED_ANSWER_SCHEMA = "MCP0712", "unused-answer-schema", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let is_used = !tool.select.is_empty() || tool.response_template.is_some();
    // With `respond` there is no answer at all, which has a rule of its own.
    let Some(schema) = tool.answer_schema.as_ref().filter(|_| !is_used && !tool.answers_itself()) else {
        return;
    };
    let message = format!("nothing of tool `{}` uses its `answer_schema`", tool.label());
    findings.report(
        Diagnostic::new(&UNUSED_ANSWER_SCHEMA, schema.span, message)
            .note("`output_schema` follows from it together with `select`")
            .help("choose what to keep with `select`, or call it `output_schema` to publish all of it"),
    );
}
