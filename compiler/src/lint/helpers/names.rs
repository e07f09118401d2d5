//! Names of tools and toolsets: 1 to 64 letters, digits, `_` and `-`.

use crate::lint::helpers::values;
use mcp_diagnostics::{Sources, Span};
use std::ops::Range;

/// Longest name, in bytes.
pub const MAX_LENGTH: usize = 64;

/// What is wrong with a name.
#[derive(Debug, PartialEq, Eq)]
pub struct NameProblem {
    /// Continues "the name …".
    pub message: String,
    /// In the name; `None` means all of it.
    range: Option<Range<usize>>,
}

impl NameProblem {
    /// Where to point; `literal` is the whole string.
    pub fn span(&self, sources: &Sources, literal: Span) -> Span {
        self.range.clone().map_or(literal, |range| sources.inside(literal, range))
    }
}

pub fn problem(name: &str) -> Option<NameProblem> {
    if name.is_empty() {
        return Some(NameProblem { message: "cannot be empty".into(), range: None });
    }
    if let Some((at, c)) = name.char_indices().find(|(_, c)| !is_name_char(*c)) {
        let message = format!("cannot contain {}", values::show_text(&c.to_string()));
        return Some(NameProblem { message, range: Some(at..at + c.len_utf8()) });
    }
    (name.len() > MAX_LENGTH).then(|| NameProblem {
        message: format!("can have at most {MAX_LENGTH} characters, and this one has {}", name.len()),
        range: Some(MAX_LENGTH..name.len()),
    })
}

/// The nearest valid name, if that is more than a guess.
pub fn better(name: &str) -> Option<String> {
    let replaced: String = name.trim().chars().map(|c| if is_name_char(c) { c } else { '_' }).collect();
    let is_plain = name.is_ascii() && replaced.bytes().any(|b| b.is_ascii_alphanumeric());
    (is_plain && problem(&replaced).is_none()).then_some(replaced)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
