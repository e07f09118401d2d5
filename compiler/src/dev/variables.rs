//! Values of `${NAME}`: the environment, and files of `NAME=value` lines.

use crate::files::{Files, ReadError};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::env_file::{EnvFile, LineError};
use std::fmt;

/// A variable, and the first tool that needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    pub name: String,
    pub tool: String,
    /// Where in its request.
    pub site: String,
}

/// Why a file of variables cannot be used. Never holds a part of a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    #[error("`{file}` cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("`{file}` line {line}: {why}")]
    Line { file: String, line: usize, why: &'static str },
}

/// Reads files in turn; a later one wins.
pub fn read_environment(names: &[String], files: &dyn Files) -> Result<EnvFile, EnvironmentError> {
    let mut variables = EnvFile::default();
    for name in names {
        let text = files.read(name).map_err(|error| EnvironmentError::Unreadable {
            file: name.clone(),
            why: match error {
                ReadError::Unreadable(why) => why,
                ReadError::InvalidUtf8(_) => "it is not UTF-8 text".to_owned(),
                ReadError::TooLarge(_) => "it is too large".to_owned(),
            },
        })?;
        let wrong = |error: LineError| EnvironmentError::Line {
            file: name.clone(),
            line: error.line,
            why: error.why,
        };
        variables.extend(EnvFile::parse(&text).map_err(wrong)?);
    }
    Ok(variables)
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Needed { name, tool, site } = self;
        write!(f, "`${{{name}}}` has no value, and `{tool}` needs it in {site}")
    }
}

/// All variables of a bundle that some tool needs.
pub fn needed(contents: &Contents) -> Vec<Needed> {
    let names = contents.variable_names().enumerate();
    let needed = names.filter_map(|(index, name)| {
        let (tool, site) = contents.uses_of(index).next()?;
        let tool = contents.strings.get(tool.name).to_owned();
        Some(Needed { name: name.to_owned(), tool, site: site.to_string() })
    });
    needed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let mut files = MemoryFiles::one("x.env", "\nsecret");
        files.add("a.env", "A=1\nB=1");
        files.add("b.env", "A=2");
        let read = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            read_environment(&names, &files).map_err(|error| error.to_string())
        };
        assert_eq!(read(&["a.env", "x.env"]).unwrap_err(), "`x.env` line 2: expected `NAME=value`");
        assert_eq!(read(&["y"]).unwrap_err(), "`y` cannot be read: no such file");
        let later = read(&["a.env", "b.env"]).unwrap();
        assert_eq!(later.get_with("A", |_| None).unwrap(), "2");
        assert_eq!(later.get_with("B", |_| None).unwrap(), "1");
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
        let site = "its query parameter `key`".to_owned();
        assert_eq!(needed, [Needed { name: "KEY".into(), tool: "b".into(), site }]);
    }

    #[test]
    fn a_variable_of_a_template_comes_with_a_tool_too() {
        let spec = r#"
[[tool]]
name = "a"
description = "Needs a key, a token and to know who calls."
method = "POST"
endpoint = "https://api.example.com/a"
headers = { authorization = "Bearer {{#if admin}}${TOKEN}{{/if}}${principal.sub}" }
body_template = '{"admin": {{admin}}, "key": "${KEY}"}'
[[tool.parameters]]
name = "admin"
type = "boolean"
description = "Whether as an administrator"
position = "body"
"#;
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let contents = report.contents.as_ref().unwrap();
        let messages: Vec<String> = needed(contents).iter().map(ToString::to_string).collect();
        let expected = [
            "`${KEY}` has no value, and `a` needs it in its body",
            "`${TOKEN}` has no value, and `a` needs it in its header `authorization`",
        ];
        assert_eq!(messages, expected);
        assert!(crate::dev::needs_identity(contents, &contents.tools[0]));
    }
}
