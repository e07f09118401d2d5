use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Applicability, Diagnostic, Edit, suggest};

rule! {
    /// ## What it does
    /// Finds tools whose `upstream` is not declared in their file.
    ///
    /// ## Why is this bad
    /// The upstream defines the host of the request. Upstreams are not shared between files.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shops"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    pub UNKNOWN_UPSTREAM = "MCP0204", "unknown-upstream", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(name) = context.tool.upstream.as_ref().filter(|_| context.upstream.is_none()) else {
        return;
    };
    let known = || context.toolset.upstreams.iter().map(|upstream| upstream.name.value.as_str());
    let message = format!("this file has no upstream `{}`", name.value);
    let mut diagnostic = Diagnostic::new(&UNKNOWN_UPSTREAM, name.span, message);
    if name.value.contains("://") {
        diagnostic = diagnostic.note("`upstream` is the name of an `[upstream.NAME]` of this file").help(format!(
            "declare `[upstream.NAME]` with `url = \"{}\"` and write its name here, or write an absolute URL as `endpoint` and no `upstream`",
            name.value
        ));
    } else if let Some(meant) = suggest::nearest(&name.value, known()) {
        let edit =
            Edit { span: context.sources.inside(name.span, 0..name.value.len()), text: meant.to_owned() };
        let declared = context.toolset.upstreams.iter().find(|upstream| upstream.name.value == meant);
        diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        diagnostic = diagnostic.fix(Applicability::DisplayOnly, vec![edit]);
        diagnostic.related.extend(declared.map(|upstream| (upstream.name.span, "declared here".to_owned())));
    } else {
        if known().next().is_some() {
            diagnostic = diagnostic.note(format!("it has {}", suggest::one_of(known())));
        }
        let help = format!("declare it: `[upstream.{}]` and below it `url = \"https://…\"`", name.value);
        diagnostic = diagnostic.help(help);
    }
    findings.report(diagnostic);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_url_is_not_a_name() {
        let spec =
            "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"/a\"\nupstream = \"https://a.example\"\n";
        let report = check_files(&MemoryFiles::one("a.toml", spec));
        let found = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_UPSTREAM)).unwrap();
        assert!(found.help.as_ref().unwrap().contains("with `url = \"https://a.example\"`"));
    }

    #[test]
    fn an_upstream_of_another_file_is_not_known() {
        let tool = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"/a\"\nupstream = \"shop\"\n";
        let mut files = MemoryFiles::one("a.toml", tool);
        files.add(
            "b.toml",
            "[upstream.shop]\nurl = \"https://a.example\"\n[[tool]]\nname = \"b\"\nrespond = \"b\"",
        );
        let report = check_files(&files);
        let found = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_UPSTREAM)).unwrap();
        assert_eq!(report.sources.text(found.span), "\"shop\"");
        assert!(found.help.as_ref().unwrap().starts_with("declare it: `[upstream.shop]`"));
    }
}
