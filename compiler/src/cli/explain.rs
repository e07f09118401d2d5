//! `mcpc explain`

use super::{Outcome, Streams};
use crate::lint::rules;
use mcp_diagnostics::suggest;

/// Tell what a rule is about, with examples
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Name or code of the rule, such as `unbound-placeholder` or `MCP0301`
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
