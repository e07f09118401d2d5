//! Values of `${NAME}`: the environment first, then a file. They never reach a message or a debug print.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where values come from, beside the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    File(PathBuf),
    /// Whoever serves the bundle knows them.
    Given(Secrets),
}

/// The values of a secrets file at one moment.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    values: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    #[error("secrets file `{path}` cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("secrets file `{path}` is readable by everyone on this machine; run `chmod o-rwx {path}`")]
    Exposed { path: String },
    #[error("secrets file `{path}` has more than {MAX_LENGTH} bytes")]
    TooLarge { path: String },
    #[error("secrets file `{path}` is not UTF-8 text")]
    NotText { path: String },
    #[error("secrets file `{path}`, line {line}: {reason}")]
    Line { path: String, line: usize, reason: &'static str },
}

const MAX_LENGTH: u64 = 1 << 20;

impl SecretSource {
    /// Reads the file, if there is one.
    pub fn read(&self) -> Result<Secrets, SecretsError> {
        match self {
            SecretSource::File(path) => read_file(path),
            SecretSource::Given(secrets) => Ok(secrets.clone()),
        }
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            SecretSource::File(path) => Some(path),
            SecretSource::Given(_) => None,
        }
    }
}

/// The environment alone.
impl Default for SecretSource {
    fn default() -> SecretSource {
        SecretSource::Given(Secrets::default())
    }
}

impl FromIterator<(String, String)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> Secrets {
        Secrets { values: values.into_iter().collect() }
    }
}

impl Secrets {
    /// The value of a name. An empty one counts as none, so it does not hide that of the file either: a token that is
    /// sent empty helps nobody.
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_with(name, |name| std::env::var(name).ok())
    }

    fn get_with(&self, name: &str, environment: impl Fn(&str) -> Option<String>) -> Option<String> {
        let set = |value: &String| !value.is_empty();
        environment(name).filter(set).or_else(|| self.values.get(name).cloned().filter(set))
    }

    /// Reads `NAME=value` lines; `Err` has the line's number and what is wrong with it.
    pub fn parse(text: &str) -> Result<Secrets, (usize, &'static str)> {
        let mut values = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once('=').ok_or((number, "it is not `NAME=value`"))?;
            let name = name.strip_prefix("export ").unwrap_or(name).trim();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err((number, "the name before `=` must be letters, digits and `_`"));
            }
            let value = unquoted(value.trim()).ok_or((number, "the quotes around the value do not match"))?;
            if values.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err((number, "the name stands on an earlier line, too; keep one of them"));
            }
        }
        Ok(Secrets { values })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

fn read_file(path: &Path) -> Result<Secrets, SecretsError> {
    let name = || path.display().to_string();
    let unreadable = |source| SecretsError::Unreadable { path: name(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    // The opened file and not the path: nobody can swap it in between.
    if is_exposed(&file.metadata().map_err(unreadable)?) {
        return Err(SecretsError::Exposed { path: name() });
    }
    let mut bytes = Vec::new();
    file.take(MAX_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_LENGTH {
        return Err(SecretsError::TooLarge { path: name() });
    }
    let text = String::from_utf8(bytes).map_err(|_| SecretsError::NotText { path: name() })?;
    Secrets::parse(&text).map_err(|(line, reason)| SecretsError::Line { path: name(), line, reason })
}

/// A value in quotes is taken as it stands between them.
fn unquoted(value: &str) -> Option<&str> {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value.strip_prefix(quote)?.strip_suffix(quote),
        _ => Some(value),
    }
}

/// Groups are fine: that is how mounted secrets are shared with a service's user.
#[cfg(unix)]
fn is_exposed(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o007 != 0
}

#[cfg(not(unix))]
fn is_exposed(_metadata: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_and_values() {
        let text = "# shop\nEDGE_T_A=plain # not a comment\r\n\nexport EDGE_T_B=\"a = b\"\nEDGE_T_C=''\nEDGE_T_D = x\n";
        let secrets = Secrets::parse(text).unwrap();
        assert_eq!(secrets.get("EDGE_T_A").as_deref(), Some("plain # not a comment"));
        assert_eq!(secrets.get("EDGE_T_B").as_deref(), Some("a = b"));
        assert_eq!(secrets.get("EDGE_T_C"), None, "an empty value is none");
        assert_eq!(secrets.get("EDGE_T_D").as_deref(), Some("x"));
        assert_eq!(secrets.get("EDGE_T_E"), None);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number_only() {
        for (text, line) in [
            ("A=1\nhunter2", 2),
            ("A-B=hunter2", 1),
            ("=hunter2", 1),
            ("A=\"hunter2", 1),
            ("A=1\nA=hunter2", 2),
        ] {
            let (found, reason) = Secrets::parse(text).unwrap_err();
            assert_eq!(found, line, "{text}");
            assert!(!reason.contains("hunter2"));
        }
    }

    #[test]
    fn values_are_in_no_debug_print() {
        let secrets = Secrets::parse("A=hunter2").unwrap();
        assert_eq!(format!("{secrets:?}"), "{\"A\"}");
    }

    #[test]
    fn the_environment_comes_first() {
        let secrets = Secrets::parse("PATH=from the file").unwrap();
        assert_eq!(secrets.get("PATH"), std::env::var("PATH").ok());
    }

    #[test]
    fn an_empty_variable_does_not_hide_the_file() {
        let secrets = Secrets::parse("EDGE_T_A=from the file").unwrap();
        let with = |value: &'static str| secrets.get_with("EDGE_T_A", |_| Some(value.to_owned()));
        assert_eq!(with("").as_deref(), Some("from the file"));
        assert_eq!(with("set").as_deref(), Some("set"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_everyone_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.env");
        std::fs::write(&path, "A=hunter2").unwrap();
        let source = SecretSource::File(path.clone());
        let allow = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            source.read().map_err(|error| error.to_string())
        };
        assert!(allow(0o640).is_ok());
        assert!(allow(0o644).unwrap_err().contains("chmod o-rwx"));
    }
}
