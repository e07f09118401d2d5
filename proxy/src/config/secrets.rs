//! Values of `${NAME}`: the environment first, then a file. They never reach a message or a debug print.

use crate::runtime::exposed::is_exposed;
use mcp_diagnostics::EnvFile;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where values come from, beside the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    File(PathBuf),
    /// Supplied by the program that embeds the edge.
    Given(EnvFile),
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
    pub fn read(&self) -> Result<EnvFile, SecretsError> {
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
        SecretSource::Given(EnvFile::default())
    }
}

fn read_file(path: &Path) -> Result<EnvFile, SecretsError> {
    let name = || path.display().to_string();
    let unreadable = |source| SecretsError::Unreadable { path: name(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if is_exposed(&file.metadata().map_err(unreadable)?) {
        return Err(SecretsError::Exposed { path: name() });
    }
    let mut bytes = Vec::new();
    file.take(MAX_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_LENGTH {
        return Err(SecretsError::TooLarge { path: name() });
    }
    let text = String::from_utf8(bytes).map_err(|_| SecretsError::NotText { path: name() })?;
    EnvFile::parse(&text).map_err(|error| SecretsError::Line {
        path: name(),
        line: error.line,
        reason: error.why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
