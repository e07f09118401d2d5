//! `mcp-edge serve x.mcpk`: a word that is neither a command nor a file.

use super::{Arguments, CommandError};
use clap::CommandFactory;
use mcp_diagnostics::suggest;
use std::ffi::OsString;
use std::path::Path;

/// The failure, if the first thing that was typed is such a word.
pub fn find(typed: &[OsString]) -> Option<CommandError> {
    let word = typed.first()?.to_str()?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    let commands = commands();
    if !is_word || commands.iter().any(|command| command == word) || Path::new(word).exists() {
        return None;
    }
    let names = || commands.iter().map(String::as_str);
    let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let failure = CommandError::cannot_run(format!("there is no command `{word}`, and no file of that name"));
    let failure = match suggest::did_you_mean(word, names()) {
        Some(help) => failure.help(&help),
        None => failure,
    };
    let file = typed.get(1).and_then(|file| file.to_str()).filter(|file| !file.starts_with('-'));
    let failure = failure.help(&format!("to serve a bundle, write `mcp-edge {}`", file.unwrap_or("BUNDLE")));
    Some(failure.note(&format!("the commands are {}", listed.join(", "))))
}

/// All of them, by name.
fn commands() -> Vec<String> {
    let command = Arguments::command();
    let own = command.get_subcommands().map(|command| command.get_name().to_owned());
    own.chain(["help".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(typed: &[&str]) -> Option<String> {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        find(&typed).map(|failure| failure.text)
    }

    #[test]
    fn a_word_that_is_not_a_command_comes_with_those_that_are() {
        assert_eq!(
            text(&["chek", "x.mcpk"]).unwrap(),
            "error: there is no command `chek`, and no file of that name\n\
             help: did you mean `check`?\n\
             help: to serve a bundle, write `mcp-edge x.mcpk`\n\
             note: the commands are `check`, `init`, `key`, `schema`, `help`\n"
        );
        assert!(!text(&["serve"]).unwrap().contains("did you mean"));
    }

    #[test]
    fn commands_files_and_options_pass() {
        for typed in [&["check"][..], &["help"], &["x.mcpk"], &["./serve"], &["--config", "x"], &["-V"], &[]]
        {
            assert_eq!(text(typed), None, "{typed:?}");
        }
    }
}
