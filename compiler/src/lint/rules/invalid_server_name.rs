use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Transport;
use mcp_diagnostics::{Diagnostic, Spanned};

rule! {
    /// ## What it does
    /// Finds names of MCP servers and their tools that cannot be names: empty ones, and those with blanks at an end
    /// or characters that nobody sees.
    ///
    /// A server over `stdio` is called what the upstream's `server` says, or else as the upstream is.
    ///
    /// ## Why is this bad
    /// The edge starts the program of `[stdio.NAME]` with exactly this name. Without a name that people can read
    /// and write, no program is found.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.files]
    /// kind = "mcp"
    /// transport = "stdio"
    /// server = ""
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "files"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.files]
    /// kind = "mcp"
    /// transport = "stdio"
    /// server = "filesystem"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "files"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    pub INVALID_SERVER_NAME = "MCP0223", "invalid-server-name", HardError, Check::Toolset(check);
}

/// Longer names are nobody's.
const MAX_BYTES: usize = 256;

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for upstream in &context.toolset.upstreams {
        let stdio = upstream.server.as_ref().filter(|server| server.transport == Transport::Stdio);
        if let Some(name) = stdio.and_then(|server| server.program.as_ref()) {
            let help = "write the name of the `[stdio.NAME]` in `edge.toml` that starts the program";
            name_of("a program", name, help, findings);
        }
    }
    let tools = context.toolset.tools.iter().filter_map(|tool| tool.mcp.as_ref()?.name.as_ref());
    for name in tools {
        name_of("a tool of a server", name, "write the name that the server lists it with", findings);
    }
}

fn name_of(what: &str, name: &Spanned<String>, help: &str, findings: &mut Findings<'_>) {
    let text = name.value.as_str();
    let problem = if text.is_empty() {
        "is not empty"
    } else if text.trim() != text {
        "does not begin or end with a blank"
    } else if text.chars().any(char::is_control) {
        "has no control characters"
    } else if text.len() > MAX_BYTES {
        "has at most 256 bytes"
    } else {
        return;
    };
    let message = format!("the name of {what} {problem}");
    findings.report(Diagnostic::new(&INVALID_SERVER_NAME, name.span, message).help(help));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;

    #[test]
    fn an_upstream_without_a_name_has_no_program() {
        let spec = "[upstream.\"\"]\nkind = \"mcp\"\ntransport = \"stdio\"\n";
        assert_eq!(found(&INVALID_SERVER_NAME, spec)[0].0, "the name of a program is not empty");
        for (name, problem) in [
            (" a", "the name of a program does not begin or end with a blank"),
            ("a\\u0007b", "the name of a program has no control characters"),
            (&"a".repeat(257), "the name of a program has at most 256 bytes"),
        ] {
            let spec = format!("[upstream.u]\nkind = \"mcp\"\ntransport = \"stdio\"\nserver = \"{name}\"\n");
            assert_eq!(found(&INVALID_SERVER_NAME, &spec)[0].0, problem);
        }
        let spec = "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n[[tool]]\nname = \"a\"\n\
                    upstream = \"u\"\nmcp_tool = \"\"\n";
        assert_eq!(found(&INVALID_SERVER_NAME, spec)[0].0, "the name of a tool of a server is not empty");
    }
}
