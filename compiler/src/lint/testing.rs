//! For tests of rules: a spec in, what one rule says about it out.

use super::Rule;
use crate::check::{MemoryFiles, check_files};

/// The messages of a rule, each with the text that it underlines.
pub fn found(rule: &Rule, spec: &str) -> Vec<(String, String)> {
    let report = check_files(&MemoryFiles::one("spec.toml", spec));
    let of_rule = report.diagnostics.iter().filter(|d| d.is(rule));
    of_rule.map(|d| (d.message.clone(), report.sources.text(d.span).to_owned())).collect()
}

/// The texts that a rule underlines.
pub fn underlined(rule: &Rule, spec: &str) -> Vec<String> {
    found(rule, spec).into_iter().map(|(_, text)| text).collect()
}

/// A sound tool with one more thing in it.
pub fn tool_with(rest: &str) -> String {
    format!(
        "[[tool]]\nname = \"add_note\"\ndescription = \"Adds a note to the notebook.\"\nmethod = \"POST\"\n\
         endpoint = \"https://api.example.com/notes\"\n{rest}\n[[tool.examples]]\narguments = {{}}\n"
    )
}

/// A sound tool whose parameter `p` has these keys.
pub fn parameter_with(keys: &str) -> String {
    tool_with(&format!("[[tool.parameters]]\nname = \"p\"\ndescription = \"A thing.\"\n{keys}"))
}
