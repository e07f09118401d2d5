//! Documents that are imported: JSON or YAML, read into the same ordered tree.
//!
//! Other people wrote them, so everything is bounded: bytes, values (those that YAML aliases repeat included) and depth. Numbers
//! keep their digits, and a member that is given twice is an error, in JSON and in YAML.

mod yaml;

use crate::language::json::{Json, JsonError};
use std::fmt::{self, Display};

/// The longest document that is read.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The most values that a document may have; GitHub's has about 700,000.
const MAX_VALUES: usize = 4_000_000;
/// The most bytes that YAML aliases may repeat.
const MAX_REPEATED_BYTES: usize = 2 * MAX_BYTES;

/// Why a document cannot be read, and where; lines and columns begin at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Line and column; `None` if it is about the whole document.
    pub at: Option<(usize, usize)>,
    pub message: String,
}

impl Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for DocumentError {}

/// Reads the one document of a text.
pub fn read(bytes: &[u8]) -> Result<Json, DocumentError> {
    let mut documents = read_all(bytes)?.into_iter();
    match (documents.next(), documents.next()) {
        (Some(document), None) => Ok(document),
        (None, _) => Err(DocumentError { at: None, message: "it is empty".to_owned() }),
        (Some(_), Some(_)) => {
            let message = "it holds more than one YAML document; split it at the lines `---`".to_owned();
            Err(DocumentError { at: None, message })
        }
    }
}

/// Reads all documents of a text: YAML may hold several, divided by `---`.
pub fn read_all(bytes: &[u8]) -> Result<Vec<Json>, DocumentError> {
    let whole = |message: String| DocumentError { at: None, message };
    if bytes.len() > MAX_BYTES {
        return Err(whole(format!("it is longer than {} MiB", MAX_BYTES / (1024 * 1024))));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count();
        whole(format!("it is not UTF-8: byte {}, on line {line}", error.valid_up_to() + 1))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let inside = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '{' | '['));
    if text.trim_start().starts_with(['{', '[']) {
        return match Json::read_at_most(MAX_VALUES, text) {
            Ok(json) => Ok(vec![json]),
            // YAML has brackets, too, with names without quotes.
            Err(error) if !inside.starts_with(|c: char| c.is_alphabetic()) => Err(of_json(text, error)),
            Err(error) => yaml::read_all(text).map_err(|_| of_json(text, error)),
        };
    }
    yaml::read_all(text)
}

fn of_json(text: &str, error: JsonError) -> DocumentError {
    let before = text.get(..error.range.start).unwrap_or(text);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
    DocumentError { at: Some((line, column)), message: error.message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> String {
        read(text.as_bytes()).map_or_else(|error| error.to_string(), |json| json.to_text())
    }

    #[test]
    fn json_and_yaml_give_the_same_tree() {
        let expected = r#"{"z":1.50,"a":["x",null,true],"200":{"b":12345678901234567890}}"#;
        assert_eq!(one(expected), expected);
        assert_eq!(one("z: 1.50\na:\n- x\n- ~\n- true\n200: {b: 12345678901234567890}\n"), expected);
        assert_eq!(
            one("\u{feff}{z: 1.50, a: [x, null, true,], 200: {b: 12345678901234567890}} # more"),
            expected
        );
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(one("{\n  \"a\": 1,\n  \"a\": 2\n}"), "line 3, column 3: duplicate member `a`");
        assert_eq!(one("a: 1\nb: 2\na: 3\n"), "line 3, column 1: duplicate member `a`");
        assert_eq!(one("{\"é\": nul}"), "line 1, column 7: expected `true`, `false` or `null`");
        assert_eq!(one(""), "it is empty");
        assert_eq!(
            one("a: 1\n---\nb: 2\n"),
            "it holds more than one YAML document; split it at the lines `---`"
        );
        assert_eq!(read(b"a: 1\nb: \xff").unwrap_err().to_string(), "it is not UTF-8: byte 9, on line 2");
        assert_eq!(read_all(b"a: 1\n---\nb: 2\n").unwrap().len(), 2);
    }

    #[test]
    fn what_is_too_big_is_refused() {
        let deep = "[".repeat(100_000);
        assert_eq!(one(&deep), "line 1, column 129: nested too deeply");
        let deep = "- ".repeat(100_000);
        assert!(one(&deep).contains("recursion limit"), "{}", one(&deep));
        let long = vec![b' '; MAX_BYTES + 1];
        assert_eq!(read(&long).unwrap_err().message, "it is longer than 64 MiB");
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert!(one(&many).contains("too many values"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s)[-:{}\\[\\]&*!|>'\"%#@,?~ \n\ta-c0-9<]{0,60}") {
            let _ = read_all(text.as_bytes());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = read_all(&bytes);
        }
    }
}
