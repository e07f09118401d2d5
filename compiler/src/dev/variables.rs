//! What `${NAME}` stands for: the environment, and files of `NAME=value` lines.

use crate::check::{Files, ReadError};
use mcp_bundle::plan::{Contents, HttpPlan, Part, ToolPlan};
use mcp_bundle::wire_enums::PartKind;
use std::collections::BTreeMap;
use std::fmt;

/// Values by name. The environment comes first, as it does for other tools that read such files.
#[derive(Clone, Default)]
pub struct Variables {
    from_files: BTreeMap<String, String>,
}

/// A variable, and the first tool that needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    pub name: String,
    pub tool: String,
}

/// Why a file of variables cannot be used. Never holds a part of a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    #[error("`{file}` cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("`{file}` line {line}: {why}")]
    Line { file: String, line: usize, why: &'static str },
}

impl Variables {
    /// Reads files in turn; a later one wins.
    pub fn read(names: &[String], files: &dyn Files) -> Result<Variables, EnvironmentError> {
        let mut variables = Variables::default();
        for name in names {
            let text = files.read(name).map_err(|error| EnvironmentError::Unreadable {
                file: name.clone(),
                why: match error {
                    ReadError::Unreadable(why) => why,
                    ReadError::InvalidUtf8(_) => "it is not UTF-8 text".to_owned(),
                    ReadError::TooLarge(_) => "it is too large".to_owned(),
                },
            })?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            for (index, line) in text.lines().enumerate() {
                let wrong = |why| EnvironmentError::Line { file: name.clone(), line: index + 1, why };
                if let Some((key, value)) = assignment(line).map_err(wrong)? {
                    variables.from_files.insert(key, value);
                }
            }
        }
        Ok(variables)
    }

    /// An empty value is none.
    pub fn get(&self, name: &str) -> Option<String> {
        let given = |value: &String| !value.is_empty();
        let environment = std::env::var(name).ok().filter(given);
        environment.or_else(|| self.from_files.get(name).filter(|value| given(value)).cloned())
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.from_files.keys()).finish()
    }
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`${{{}}}` has no value, and `{}` needs it", self.name, self.tool)
    }
}

/// All variables of a bundle that some tool needs.
pub fn needed(contents: &Contents) -> Vec<Needed> {
    let uses = |tool: &ToolPlan, index: usize| {
        parts(tool).any(|part| part.kind == PartKind::Variable && part.id as usize == index)
    };
    let names = contents.variable_names().enumerate();
    names
        .filter_map(|(index, name)| {
            let tool = contents.tools.iter().find(|tool| uses(tool, index))?;
            Some(Needed { name: name.to_owned(), tool: contents.strings.get(tool.name).to_owned() })
        })
        .collect()
}

/// Everything that a tool's request is made of.
pub(super) fn parts(tool: &ToolPlan) -> impl Iterator<Item = &Part> {
    tool.http().into_iter().flat_map(HttpPlan::parts)
}

/// `NAME=value`, with or without `export` and quotes; `None` for an empty line or a comment.
fn assignment(line: &str) -> Result<Option<(String, String)>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or("expected `NAME=value`")?;
    let (name, value) = (name.trim(), value.trim());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("a name consists of letters, digits and `_`");
    }
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            let (inside, after) = rest.split_once(quote).ok_or("the value has no closing quote")?;
            let after = after.trim_start();
            if !after.is_empty() && !after.starts_with('#') {
                return Err("something stands after the closing quote");
            }
            return Ok(Some((name.to_owned(), inside.to_owned())));
        }
    }
    let value = value.split_once(" #").map_or(value, |(value, _)| value.trim_end());
    Ok(Some((name.to_owned(), value.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    fn read(text: &str) -> Result<Variables, EnvironmentError> {
        Variables::read(&["x.env".to_owned()], &MemoryFiles::one("x.env", text))
    }

    fn value(text: &str) -> Option<String> {
        read(&format!("MCPC_TEST_VALUE={text}")).unwrap().get("MCPC_TEST_VALUE")
    }

    #[test]
    fn values_may_be_quoted_and_followed_by_comments() {
        assert_eq!(value("a b").unwrap(), "a b");
        assert_eq!(value(" a=b # not this").unwrap(), "a=b");
        assert_eq!(value("a#b").unwrap(), "a#b");
        assert_eq!(value("\" a # b \" # not this").unwrap(), " a # b ");
        assert_eq!(value("'a\\n\"b'").unwrap(), "a\\n\"b");
        assert_eq!((value(""), value("''")), (None, None));
    }

    #[test]
    fn comments_exports_and_windows_line_ends_are_understood() {
        let variables =
            read("\u{feff}# a comment\r\n\r\nexport MCPC_TEST_A = 1\r\nMCPC_TEST_A=2\r\n").unwrap();
        assert_eq!(variables.get("MCPC_TEST_A").unwrap(), "2");
        assert_eq!(format!("{variables:?}"), r#"{"MCPC_TEST_A"}"#);
    }

    #[test]
    fn a_line_that_is_no_assignment_is_named_without_its_text() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(error("\nsecret"), "`x.env` line 2: expected `NAME=value`");
        assert_eq!(error("a-b=secret"), "`x.env` line 1: a name consists of letters, digits and `_`");
        assert_eq!(error("A='secret"), "`x.env` line 1: the value has no closing quote");
        assert_eq!(error("A='sec'ret"), "`x.env` line 1: something stands after the closing quote");
        let missing = Variables::read(&["y".to_owned()], &MemoryFiles::default()).unwrap_err().to_string();
        assert_eq!(missing, "`y` cannot be read: no such file");
    }

    #[test]
    fn a_needed_variable_comes_with_a_tool() {
        let spec = r#"
[upstream.u]
url = "https://api.example.com"
[[tool]]
name = "a"
description = "Needs nothing."
upstream = "u"
method = "GET"
endpoint = "/a"
[[tool]]
name = "b"
description = "Needs a key."
upstream = "u"
method = "GET"
endpoint = "/b"
[[tool.parameters]]
name = "key"
description = "The key"
position = "query"
value = "${KEY}"
"#;
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let needed = needed(report.contents.as_ref().unwrap());
        assert_eq!(needed, [Needed { name: "KEY".into(), tool: "b".into() }]);
    }
}
