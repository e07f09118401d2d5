//! Commands that do not exist, yet or in this build: what to use instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Each with what to use today.
const PLANNED: &[(&str, &str)] = &[(
    "studio",
    "serve the specs with `mcpc dev --mock` and add it to an MCP client, or run one call with `mcpc try`",
)];

/// Those of the feature `dev`. A build that has them knows them.
const LEFT_OUT: &[&str] = &["dev", "lock"];

/// What to say about a command line that asks for one of them.
pub fn message(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    if LEFT_OUT.contains(&typed.as_str()) {
        let how = "install `mcpc` with it: `cargo install --path compiler`, without `--no-default-features`";
        return Some(format!(
            "error: this `mcpc` was built without the feature `dev`, so it has no `mcpc {typed}`\nhelp: {how}\n"
        ));
    }
    let (name, instead) = PLANNED.iter().find(|(name, _)| name == typed)?;
    Some(format!("error: `mcpc {name}` does not exist yet\nhelp: {instead}\n"))
}

#[cfg(all(test, not(feature = "dev")))]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_lean_build_says_how_to_get_what_it_lacks() {
        for name in LEFT_OUT {
            let error = crate::cli::Arguments::try_parse_from(["mcpc", name]).unwrap_err();
            let message = message(&error).unwrap();
            assert!(message.contains("the feature `dev`") && message.contains("cargo install"), "{message}");
        }
    }
}
