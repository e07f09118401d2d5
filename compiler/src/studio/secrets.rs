//! The file of keys that were typed into the page. Only its owner can read it, and no spec holds any of them.

use super::error::ApiError;
use crate::files::disk;
use mcp_diagnostics::EnvFile;
use std::fs;
use std::path::Path;

/// Longest value in bytes.
const MAX_VALUE: usize = 8 << 10;

/// Sets variables in a file, which it makes if it is not there. Everything else in it stays.
///
/// `is_ours`: the file is in a folder of the studio's own, which version control is told to ignore.
pub fn set(path: &Path, variables: &[(String, String)], is_ours: bool) -> Result<(), ApiError> {
    if variables.is_empty() {
        return Ok(());
    }
    let failed = |error: std::io::Error| {
        let (name, why) = (disk::display(path), disk::plain(&error));
        ApiError::not_possible(format!("the keys cannot be written to `{name}`: {why}"))
    };
    let before = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let mut text = before;
    for (name, value) in variables {
        text = with(&text, name, &literal(value)?);
    }
    if EnvFile::parse(&text).is_err() {
        let name = disk::display(path);
        return Err(ApiError::not_possible(format!(
            "`{name}` is not a file of `NAME=value` lines; fix it by hand"
        )));
    }
    if is_ours && let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(ignore, "*\n").map_err(failed)?;
        }
    }
    disk::write_atomically(path, text.as_bytes(), true).map_err(failed)
}

/// A value as the file has it, which knows no escapes.
fn literal(value: &str) -> Result<String, ApiError> {
    if value.is_empty() || value.len() > MAX_VALUE || value.chars().any(char::is_control) {
        let message = format!("a key has 1 to {MAX_VALUE} bytes and no control characters");
        return Err(ApiError::bad_request(message));
    }
    match (value.contains('\''), value.contains('"')) {
        (false, _) => Ok(format!("'{value}'")),
        (true, false) => Ok(format!("\"{value}\"")),
        (true, true) => Err(ApiError::bad_request("a key cannot hold both kinds of quotes")),
    }
}

/// The text with a line for a variable, in place of one that is there.
fn with(text: &str, name: &str, literal: &str) -> String {
    let is_its = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.split_once('=').is_some_and(|(key, _)| key.trim() == name)
    };
    let mut out = String::new();
    let mut is_there = false;
    for line in text.split_inclusive('\n') {
        if is_its(line) {
            is_there = true;
            out.push_str(&format!("{name}={literal}\n"));
        } else {
            out.push_str(line);
        }
    }
    if !is_there {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&format!("{name}={literal}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_it_and_version_control_ignores_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".mcpc").join("secrets.env");
        set(&path, &[("A".to_owned(), "one".to_owned())], true).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(folder.path().join(".mcpc/.gitignore")).unwrap(), "*\n");
        set(&path, &[("A".to_owned(), "two".to_owned()), ("B".to_owned(), "it's".to_owned())], true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "A='two'\nB=\"it's\"\n");
    }

    #[test]
    fn other_lines_stay() {
        let text = "# mine\nexport A = old # why\r\nAB=1\nB=2";
        assert_eq!(with(text, "A", "'x'"), "# mine\nA='x'\nAB=1\nB=2");
        assert_eq!(with(text, "C", "'x'"), format!("{text}\nC='x'\n"));
    }

    #[test]
    fn what_the_file_cannot_hold_is_refused() {
        for bad in ["", "a\nb", "a\0", "'\"", &"x".repeat(MAX_VALUE + 1)] {
            assert!(literal(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn values_come_back(first in "[^\\p{Cc}']{1,40}", second in "[^\\p{Cc}\"]{1,40}") {
            let text = with("", "A", &literal(&first).unwrap());
            let text = with(&text, "B", &literal(&second).unwrap());
            let text = with(&text, "A", &literal(&second).unwrap());
            let file = EnvFile::parse(&text).unwrap();
            let get = |name| file.get_with(name, |_| None);
            prop_assert_eq!(get("A"), Some(second.clone()), "{}", text);
            prop_assert_eq!(get("B"), Some(second), "{}", text);
        }
    }
}
