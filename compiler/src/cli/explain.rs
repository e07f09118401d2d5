//! `mcpc explain`

use super::{Outcome, Streams};
use crate::lint::rules;
use mcp_diagnostics::suggest;

/// Explain a rule, with examples
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The rule's name or code, such as `unbound-placeholder` or `MCP0301`
    #[arg(value_name = "RULE")]
    rule: String,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let Some(rule) = rules::find(&arguments.rule) else {
        let codes = rules::all().map(|rule| rule.code);
        let meant = suggest::did_you_mean(&arguments.rule, rules::names().chain(codes));
        let meant = meant.unwrap_or_else(|| "`mcpc rules` lists all rules".into());
        anyhow::bail!("there is no rule `{}`; {meant}", arguments.rule);
    };
    write!(streams.out, "{}", rules::markdown(rule))?;
    Ok(Outcome::Clean)
}
