//! Files of variables: `mcpc dev --env-file` and the `secrets` of `edge.toml` read the same ones.
//!
//! One variable on a line:
//!
//! ```text
//! # a comment; empty lines are fine
//! NAME=value
//! export NAME = value    # spaces around the name and the value are ignored
//! NAME='any # text'      # the same with "…"; there are no escapes
//! ```
//!
//! - A name has letters, digits and `_`, and does not start with a digit. Each name may appear once.
//! - A value without quotes ends at the end of the line, or at a `#` after a space: `a#b` is all
//!   value.
//! - A value in quotes ends at the same kind of quote; only a comment may follow.
//! - An empty value is none. What is set in the environment counts before what a file says.

use std::collections::BTreeMap;
use std::fmt;

/// The variables of a file. Values never reach a debug print.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EnvFile {
    values: BTreeMap<String, String>,
}

/// A line that is not as it must be. Never holds a part of it: it may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineError {
    /// From 1.
    pub line: usize,
    pub why: &'static str,
}

impl EnvFile {
    pub fn parse(text: &str) -> Result<EnvFile, LineError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut values = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let wrong = |why| LineError { line: index + 1, why };
            let Some((name, value)) = assignment(line).map_err(wrong)? else { continue };
            if values.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(wrong("the name is given on an earlier line, too; keep one of them"));
            }
        }
        Ok(EnvFile { values })
    }

    /// Takes the variables of another file over; they win.
    pub fn extend(&mut self, other: EnvFile) {
        self.values.extend(other.values);
    }

    /// The value of a name, in the environment or else in the file.
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_with(name, |name| std::env::var(name).ok())
    }

    /// The same with another environment. A value that is set but empty does not hide that of the file: a token that is
    /// sent empty helps nobody.
    pub fn get_with(&self, name: &str, environment: impl Fn(&str) -> Option<String>) -> Option<String> {
        let is_given = |value: &String| !value.is_empty();
        environment(name).filter(is_given).or_else(|| self.values.get(name).cloned().filter(is_given))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

impl FromIterator<(String, String)> for EnvFile {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> EnvFile {
        EnvFile { values: values.into_iter().collect() }
    }
}

impl fmt::Debug for EnvFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

/// The name and value of a line; `None` for an empty line or a comment.
fn assignment(line: &str) -> Result<Option<(&str, &str)>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (name, value) = line.split_once('=').ok_or("expected `NAME=value`")?;
    let exported = name.strip_prefix("export").filter(|rest| rest.starts_with(char::is_whitespace));
    let name = exported.unwrap_or(name).trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("a name consists of letters, digits and `_`");
    }
    let start = value.trim_start();
    let Some(quote) = start.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return Ok(Some((name, without_comment(value).trim())));
    };
    let inside = start.get(1..).unwrap_or_default();
    let (inside, after) = inside.split_once(quote).ok_or("the value has no closing quote")?;
    if !without_comment(after).trim().is_empty() {
        return Err("unexpected text after the closing quote");
    }
    Ok(Some((name, inside)))
}

/// What comes before a `#` that follows a space.
fn without_comment(text: &str) -> &str {
    let mut marks = text.match_indices('#').map(|(at, _)| text.get(..at).unwrap_or_default());
    marks.find(|before| before.ends_with(char::is_whitespace)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Option<String> {
        EnvFile::parse(&format!("A={text}")).unwrap().get_with("A", |_| None)
    }

    #[test]
    fn a_value_ends_at_a_comment() {
        assert_eq!(value("tok # comment").unwrap(), "tok");
        assert_eq!(value("tok\t# comment").unwrap(), "tok");
        assert_eq!(value("tok #").unwrap(), "tok");
        assert_eq!(value(" # comment"), None);
        assert_eq!(value("a#b").unwrap(), "a#b");
        assert_eq!(value("a#b # c # d").unwrap(), "a#b");
        assert_eq!(value("#b").unwrap(), "#b");
        assert_eq!(value("a b = \"c\" ").unwrap(), "a b = \"c\"");
    }

    #[test]
    fn quotes_keep_a_value() {
        assert_eq!(value("\" a # b \" # not this").unwrap(), " a # b ");
        assert_eq!(value("'a\\n\"b'").unwrap(), "a\\n\"b");
        assert_eq!((value(""), value("''"), value("\"\"")), (None, None, None));
    }

    #[test]
    fn comments_exports_and_windows_line_ends_are_understood() {
        let text = "\u{feff}# shop\r\n\r\n  export A = 1\r\nexport\tB=2\r\nexported=3\nC=4";
        let file = EnvFile::parse(text).unwrap();
        let get = |name| file.get_with(name, |_| None);
        assert_eq!(file.names().collect::<Vec<_>>(), ["A", "B", "C", "exported"]);
        assert_eq!((get("A").unwrap(), get("B").unwrap()), ("1".to_owned(), "2".to_owned()));
        assert_eq!(format!("{file:?}"), r#"{"A", "B", "C", "exported"}"#);
    }

    #[test]
    fn a_wrong_line_is_named_without_its_text() {
        let error = |text: &str| EnvFile::parse(text).map_err(|error| (error.line, error.why)).unwrap_err();
        assert_eq!(error("\nsecret"), (2, "expected `NAME=value`"));
        assert_eq!(error("a-b=secret"), (1, "a name consists of letters, digits and `_`"));
        assert_eq!(error("=secret"), (1, "a name consists of letters, digits and `_`"));
        assert_eq!(error("A='secret"), (1, "the value has no closing quote"));
        assert_eq!(error("A='sec'ret"), (1, "unexpected text after the closing quote"));
        assert_eq!(error("A='sec'#ret"), (1, "unexpected text after the closing quote"));
        assert_eq!(error("A=1\nA=2").0, 2);
    }

    #[test]
    fn the_environment_comes_first_unless_it_is_empty() {
        let file = EnvFile::parse("A=from the file").unwrap();
        let with = |value: &'static str| file.get_with("A", |_| Some(value.to_owned())).unwrap();
        assert_eq!((with("").as_str(), with("set").as_str()), ("from the file", "set"));
        assert_eq!(file.get_with("B", |_| None), None);
        let path = EnvFile::parse("PATH=from the file").unwrap();
        assert_eq!(path.get("PATH"), std::env::var("PATH").ok());
    }

    #[test]
    fn a_later_file_wins() {
        let mut first = EnvFile::parse("A=1\nB=1").unwrap();
        first.extend(EnvFile::parse("A=2").unwrap());
        let get = |name| first.get_with(name, |_| None).unwrap();
        assert_eq!((get("A").as_str(), get("B").as_str()), ("2", "1"));
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused_with_a_line_of_its_own(text in "(\\PC|[\r\n\t #='\"A]){0,80}") {
            if let Err(error) = EnvFile::parse(&text) {
                prop_assert!((1..=text.lines().count()).contains(&error.line));
            }
        }

        #[test]
        fn the_number_of_a_wrong_line_is_right(before in 0usize..20, after in 0usize..5, end in "\r?\n") {
            let fine = (0..before).map(|i| [format!("A{i}={i}"), "# c".into(), String::new()][i % 3].clone());
            let lines = fine.chain(["wrong".to_owned()]).chain((0..after).map(|_| "B".to_owned()));
            let text: String = lines.map(|line| line + &end).collect();
            prop_assert_eq!(EnvFile::parse(&text).unwrap_err().line, before + 1);
        }

        #[test]
        fn a_quoted_value_is_taken_unchanged(value in "[^'\r\n]{1,40}") {
            let file = EnvFile::parse(&format!("A='{value}' # c")).unwrap();
            prop_assert_eq!(file.get_with("A", |_| None), Some(value));
        }
    }
}
