//! Commands that do not exist yet: what to use until they do.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Each with what to use today.
const PLANNED: &[(&str, &str)] = &[
    ("diff", "print both bundles with `mcpc inspect BUNDLE --format json` and compare the two outputs"),
    ("import", "start a spec with `mcpc init`, and let `mcpc check` guide you"),
    (
        "studio",
        "serve the specs with `mcpc dev --mock` and add it to an MCP client, or run one call with `mcpc try`",
    ),
];

/// What to say about a command line that asks for one of them.
pub fn message(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let (name, instead) = PLANNED.iter().find(|(name, _)| name == typed)?;
    Some(format!("error: `mcpc {name}` does not exist yet\nhelp: {instead}\n"))
}
