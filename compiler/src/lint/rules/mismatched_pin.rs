use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_bundle::definition::Pin;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds pins that are not the digest of the definition that the spec holds.
    ///
    /// The definition is `mcp_tool`, `description`, `input_schema` and `output_schema`, where `[tool.pinned]` does
    /// not say something else.
    ///
    /// ## Why is this bad
    /// The text was changed after it was read, or the pin belongs to another definition. At the edge, the
    /// server's definition would not be the pinned one, and the tool would refuse all calls.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query, and then some."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query, and then some."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    ///
    /// [tool.pinned]
    /// description = "Pages of the wiki that match a query."
    /// ```
    pub MISMATCHED_PIN = "MCP0222", "mismatched-pin", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (sources, tool) = (context.sources, context.tool);
    let Some(pin) = tool.mcp.as_ref().and_then(|mcp| mcp.pin.as_ref()) else { return };
    let Some(definition) = tool.definition() else {
        let message = "the definition has a number that no digest can be made of";
        let diagnostic = Diagnostic::new(&MISMATCHED_PIN, pin.span, message);
        findings.report(diagnostic.help("write it as the server does; JSON numbers are not this large"));
        return;
    };
    let right = Pin::of(definition);
    let written = pin.value.parse::<Pin>();
    if written == Ok(right) {
        return;
    }
    let diagnostic = match written {
        Err(error) => Diagnostic::new(&MISMATCHED_PIN, pin.span, "this is not a pin").note(error.to_string()),
        Ok(_) => {
            let message = format!("the pin of `{}` is not that of the definition in this spec", tool.label());
            let note = "the definition changed after it was pinned; what differs from the server's belongs into `[tool.pinned]`";
            Diagnostic::new(&MISMATCHED_PIN, pin.span, message).note(note)
        }
    };
    let edit = Edit { span: sources.inside(pin.span, 0..pin.value.len()), text: right.to_string() };
    findings.report(
        diagnostic
            .help(format!("once the definition is read, write `{right}`"))
            .fix(Applicability::DisplayOnly, vec![edit]),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    fn spec(pin: &str) -> String {
        format!(
            "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n[[tool]]\nname = \"a\"\n\
             description = \"Reads a thing of the server.\"\nupstream = \"u\"\npin = \"{pin}\"\n"
        )
    }

    #[test]
    fn the_right_pin_is_offered_and_never_applied_by_itself() {
        for pin in [Pin::of("{}").to_string(), "sha256:12".to_owned(), "TODO".to_owned()] {
            let report = check_files(&MemoryFiles::one("spec.toml", &spec(&pin)));
            let found = report.diagnostics.iter().find(|found| found.is(&MISMATCHED_PIN)).unwrap();
            let fix = found.fix.as_ref().unwrap();
            assert_eq!(fix.applicability, Applicability::DisplayOnly);
            assert!(crate::fix::apply(&report).is_empty());
            let report = check_files(&MemoryFiles::one("spec.toml", &spec(&fix.edits[0].text)));
            assert_eq!(report.errors(), 0, "{:?}", report.diagnostics);
            let contents = report.contents.unwrap();
            let definition = contents.tools[0].mcp().unwrap().definition;
            assert_eq!(Pin::of(contents.strings.get(definition)).to_string(), fix.edits[0].text);
        }
    }
}
