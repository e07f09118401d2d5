use crate::lint::helpers::names;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::publish::clients::{self, Profile};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds names of tools that some clients refuse.
    ///
    /// `clients` in `mcpc.toml` selects the clients to check for. The default is all known clients.
    ///
    /// ## Why is this bad
    /// A client that refuses a name drops the tool, or the whole list. Some allow fewer than 64
    /// characters, and some require a letter or `_` first.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "2fa_status"
    /// description = "Whether an account has a second factor."
    /// method = "GET"
    /// endpoint = "https://api.example.com/2fa"
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml spec.toml
    /// [[tool]]
    /// name = "2fa_status"
    /// description = "Whether an account has a second factor."
    /// method = "GET"
    /// endpoint = "https://api.example.com/2fa"
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    /// ```toml mcpc.toml
    /// clients = ["anthropic", "openai"]
    /// ```
    pub UNPORTABLE_NAME = "MCP0606", "unportable-name", Warning, Check::Tool(check);
}

const CHOICE: &str = "`clients` in `mcpc.toml` selects the clients to check for; the default is all";

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(name) = context.tool.name.as_ref().filter(|name| names::problem(&name.value).is_none()) else {
        return;
    };
    let length = name.value.len();
    let begins_well = name.value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let chosen = || clients::chosen(&context.config.clients);
    let strict: Vec<&Profile> = chosen().filter(|profile| profile.letter_first && !begins_well).collect();
    if !strict.is_empty() {
        let message = format!("{} `{}`: it does not begin with a letter or `_`", refuse(&strict), name.value);
        findings.report(
            Diagnostic::new(&UNPORTABLE_NAME, context.sources.inside(name.span, 0..1), message)
                .note(CHOICE)
                .help("add a verb in front, such as `get_`"),
        );
    }
    let short: Vec<&Profile> = chosen().filter(|profile| length > profile.max_name).collect();
    if let Some(least) = short.iter().map(|profile| profile.max_name).min() {
        let message = format!("{} `{}`: it has {length} characters", refuse(&short), name.value);
        findings.report(
            Diagnostic::new(&UNPORTABLE_NAME, context.sources.inside(name.span, least..length), message)
                .note(CHOICE)
                .help(format!("shorten it to {least} characters")),
        );
    }
}

/// The beginning of a sentence about these clients.
fn refuse(profiles: &[&Profile]) -> String {
    let names: Vec<String> = profiles.iter().map(|profile| format!("`{}`", profile.name)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last} refuse", rest.join(", ")),
        _ => format!("{} refuses", names.concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with};

    #[test]
    fn the_message_names_the_clients() {
        let name = |name: &str| found(&UNPORTABLE_NAME, &tool_with("").replace("add_note", name));
        assert_eq!(
            name("2fa"),
            [(
                "`bedrock` and `gemini` refuse `2fa`: it does not begin with a letter or `_`".into(),
                "2".into()
            )]
        );
        let long = "x".repeat(61);
        assert_eq!(name(&long), [(format!("`cursor` refuses `{long}`: it has 61 characters"), "xx".into())]);
        assert_eq!(name(&"x".repeat(59)), []);
        assert_eq!(name("not a name"), []);
    }
}
