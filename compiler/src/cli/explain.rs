//! `mcpc explain`

use super::{Outcome, Streams};
use crate::diff::rules as changes;
use crate::lint::rules;
use mcp_diagnostics::suggest;

/// Explain a rule of `check`, with examples, or a change of `diff`
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The rule's name or code, such as `unbound-placeholder`, `MCP0301` or `MCD0101`
    #[arg(value_name = "RULE")]
    rule: String,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    if let Some(change) = changes::find(&arguments.rule) {
        write!(streams.out, "{}", change.markdown())?;
        return Ok(Outcome::Clean);
    }
    let Some(rule) = rules::find(&arguments.rule) else {
        let codes = rules::all().map(|rule| rule.code);
        let changes = changes::all().flat_map(|change| [change.name, change.code]);
        let meant = suggest::did_you_mean(&arguments.rule, rules::names().chain(codes).chain(changes));
        let meant = meant.unwrap_or_else(|| "`mcpc rules` lists all rules".into());
        anyhow::bail!("there is no rule `{}`; {meant}", arguments.rule);
    };
    write!(streams.out, "{}", rules::markdown(rule))?;
    Ok(Outcome::Clean)
}
