//! What is no TOML.

use super::Reading;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::toml_tree::{self, TomlTable};

impl<'d> Reading<'d> {
    /// Parses the text; syntax errors are reported, and what could be understood is returned.
    pub fn parse(&mut self) -> TomlTable<'d> {
        let rule = self.language.rules.syntax;
        let (table, errors) = toml_tree::read(self.text);
        if let Some(other) = other_language(self.text).filter(|_| !errors.is_empty()) {
            let message = format!("this is {other}, not TOML");
            let diagnostic = Diagnostic::of(rule, Span::whole_file(self.file), message);
            self.report(diagnostic.help(self.language.how_to_begin));
            return TomlTable::default();
        }
        for error in errors {
            let range = error.span().unwrap_or(0..0);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let escape = message.contains("escape");
            let mut diagnostic = Diagnostic::of(rule, self.span(range), message);
            if escape {
                let help = "a backslash begins an escape here; write `'…'` instead of `\"…\"`, or double the backslash";
                diagnostic = diagnostic.help(help);
            }
            self.report(diagnostic);
        }
        table
    }
}

/// The language of a text that is plainly not TOML: its first line tells.
fn other_language(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let line = text.lines().find(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty())?;
    let key = line.split(':').next().unwrap_or_default();
    let word = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if line.starts_with('{') {
        Some("JSON")
    } else if line.trim_end() == "---" || (line.contains(':') && word && !key.is_empty()) {
        Some("YAML")
    } else {
        None
    }
}
