//! Which of a server's tools are wanted.

use super::listed::{ListedTool, Unusable, shown};
use mcp_diagnostics::suggest;

/// The tools of these names, in the order of the tools; the error says which name there is none of, or why it cannot be had.
pub fn by_name(
    tools: Vec<ListedTool>,
    unusable: &[Unusable],
    names: &[String],
) -> Result<Vec<ListedTool>, String> {
    for name in names {
        if tools.iter().any(|tool| tool.name == *name) {
            continue;
        }
        let name = shown(name);
        if let Some(other) = unusable.iter().find(|other| other.name == name) {
            return Err(format!("`{name}` cannot be imported: {}", other.why));
        }
        let meant = suggest::did_you_mean(&name, tools.iter().map(|tool| tool.name.as_str()));
        let meant = meant.map(|meant| format!("; {}", shown(&meant))).unwrap_or_default();
        return Err(format!("the server has no tool `{name}`{meant}"));
    }
    Ok(tools.into_iter().filter(|tool| names.contains(&tool.name)).collect())
}
