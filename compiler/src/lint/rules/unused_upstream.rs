use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::{Diagnostic, suggest};

rule! {
    /// ## What it does
    /// Finds upstreams that no tool in their file uses.
    ///
    /// ## Why is this bad
    /// It is a leftover, or a tool that should use it does not. Its variables must still be set at
    /// the edge.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/v1/orders"
    ///
    /// [[tool.examples]]
    /// arguments = {}
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
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub UNUSED_UPSTREAM = "MCP0211", "unused-upstream", Warning, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let (upstreams, tools) = (&context.toolset.upstreams, &context.toolset.tools);
    let names = || upstreams.iter().map(|upstream| upstream.name.value.as_str());
    let mut meant: Vec<&str> =
        tools.iter().filter_map(|tool| Some(tool.upstream.as_ref()?.value.as_str())).collect();
    meant.sort_unstable();
    meant.dedup();
    // A misspelt name is reported. That the upstream is unused follows from it.
    let misspelt = meant.iter().filter(|name| !names().any(|known| known == **name));
    let misspelt: Vec<&str> = misspelt.filter_map(|name| suggest::nearest(name, names())).collect();
    let nameless = tools.iter().any(|tool| {
        let is_path = tool.endpoint.as_ref().is_some_and(|endpoint| endpoint.value.text.starts_with('/'));
        is_path && tool.upstream.is_none() && !tool.answers_itself()
    });
    if nameless {
        return;
    }
    for upstream in upstreams {
        let name = upstream.name.value.as_str();
        if meant.binary_search(&name).is_err() && !misspelt.contains(&name) {
            findings.report(
                Diagnostic::new(
                    &UNUSED_UPSTREAM,
                    upstream.name.span,
                    format!("no tool uses upstream `{name}`"),
                )
                .help(match upstream.server {
                    Some(_) => {
                        "choose tools of it with `mcpc studio` or `mcpc import`, or remove it".to_owned()
                    }
                    None => format!("remove it, or set `upstream = \"{name}\"` in a tool"),
                }),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    #[test]
    fn a_misspelt_or_forgotten_name_is_not_reported_twice() {
        let spec = |line: &str| {
            format!(
                "[upstream.shop]\nurl = \"https://a.example\"\n[upstream.bank]\nurl = \"https://b.example\"\n\
                 [[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"/a\"\n{line}\n"
            )
        };
        assert_eq!(underlined(&UNUSED_UPSTREAM, &spec("upstream = \"shopp\"")), ["bank"]);
        assert_eq!(underlined(&UNUSED_UPSTREAM, &spec("")), [""; 0]);
    }
}
