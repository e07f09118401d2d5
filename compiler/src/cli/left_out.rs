//! Commands that this build does not have: how to get them.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What is typed, the command that it belongs to, and the feature that has it. A build with the feature knows the command.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("dev", "mcpc dev", "dev"),
    ("lock", "mcpc lock", "dev"),
    ("mcp", "mcpc import mcp", "dev"),
    ("mcp-servers", "mcpc import mcp-servers", "dev"),
    ("push", "mcpc push", "remote"),
    ("studio", "mcpc studio", "dev"),
];

/// What to say about a command line that asks for one of them.
pub fn message(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let (_, command, feature) = LEFT_OUT.iter().find(|(name, ..)| name == typed)?;
    let how = "install `mcpc` with it: `cargo install --path compiler`, without `--no-default-features`";
    Some(format!(
        "error: this `mcpc` was built without the feature `{feature}`, so it has no `{command}`\nhelp: {how}\n"
    ))
}

#[cfg(all(test, not(feature = "dev"), not(feature = "remote")))]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_lean_build_says_how_to_get_what_it_lacks() {
        for (_, command, feature) in LEFT_OUT {
            let error = crate::cli::Arguments::try_parse_from(command.split(' ')).unwrap_err();
            let message = message(&error).unwrap();
            let said = message.contains(&format!("the feature `{feature}`"));
            assert!(said && message.contains("cargo install"), "{message}");
        }
    }
}
