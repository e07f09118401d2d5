//! Who we say we are: variables first, then what a container engine knows.

use crate::error::TransferError;
use crate::remote::Variables;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A credential. It never reaches a message or a debug print.
#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    Basic {
        user: String,
        password: String,
    },
    /// Sent as it is.
    Bearer(String),
    /// Exchanged for a token that is sent.
    Refresh(String),
}

/// The largest file of logins, and the largest answer of a helper.
const MAX_LENGTH: u64 = 1 << 20;
/// A helper may have to ask a cloud.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a helper says instead of a user's name if its secret is to be exchanged.
const TOKEN_USER: &str = "<token>";

impl Login {
    pub fn of_variables(variables: &Variables) -> Option<Login> {
        if let Some(token) = variables.get("MCP_BUNDLE_TOKEN") {
            return Some(Login::Bearer(token));
        }
        let user = variables.get("MCP_BUNDLE_USER")?;
        Some(Login::Basic { user, password: variables.get("MCP_BUNDLE_PASSWORD").unwrap_or_default() })
    }

    /// For a registry: the variables, or what `docker login` and its relatives have left. `None` is no login.
    pub fn of_registry(registry: &str, variables: &Variables) -> Result<Option<Login>, TransferError> {
        if let Some(login) = Login::of_variables(variables) {
            return Ok(Some(login));
        }
        for file in files(variables) {
            let Some(logins) = read_logins(&file)? else { continue };
            for name in names(registry) {
                if let Some(login) = find(&logins, &name)? {
                    return Ok(Some(login));
                }
            }
        }
        Ok(None)
    }

    /// The value of `authorization`.
    pub fn header(&self) -> String {
        match self {
            Login::Basic { user, password } => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
            }
            Login::Bearer(token) | Login::Refresh(token) => format!("Bearer {token}"),
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

/// Where container engines keep logins, the most explicit first.
fn files(variables: &Variables) -> Vec<PathBuf> {
    let under = |name: &str, rest: &str| variables.get(name).map(|folder| PathBuf::from(folder).join(rest));
    let explicit = variables.get("REGISTRY_AUTH_FILE").map(PathBuf::from);
    let docker = under("DOCKER_CONFIG", "config.json").or_else(|| under("HOME", ".docker/config.json"));
    let podman = under("XDG_RUNTIME_DIR", "containers/auth.json");
    explicit.into_iter().chain(podman).chain(docker).collect()
}

/// The names that a registry may have there.
fn names(registry: &str) -> Vec<String> {
    let mut names =
        vec![registry.to_owned(), format!("https://{registry}"), format!("https://{registry}/v1/")];
    if crate::location::is_docker_hub(registry) {
        names.extend(["https://index.docker.io/v1/".to_owned(), "docker.io".to_owned()]);
    }
    names
}

fn read_logins(path: &PathBuf) -> Result<Option<Value>, TransferError> {
    let wrong = |reason: String| {
        TransferError::Credentials(format!("the logins in `{}` cannot be read: {reason}", path.display()))
    };
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| wrong(error.to_string()))?,
    };
    let mut text = Vec::new();
    file.take(MAX_LENGTH).read_to_end(&mut text).map_err(|error| wrong(error.to_string()))?;
    // The error of the parser could show a part of it.
    serde_json::from_slice(&text).map(Some).map_err(|_| wrong("it is not JSON".to_owned()))
}

/// The login under this name: of its own helper, of the file, or of the helper for all.
fn find(logins: &Value, name: &str) -> Result<Option<Login>, TransferError> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    if let Some(helper) = text(logins.get("credHelpers").and_then(|helpers| helpers.get(name))) {
        return ask(&helper, name);
    }
    let entry = logins.get("auths").and_then(|auths| auths.get(name));
    if let Some(login) = entry.and_then(of_entry) {
        return Ok(Some(login));
    }
    match (entry, text(logins.get("credsStore"))) {
        // An entry without a login says that the store has it.
        (Some(_), Some(helper)) => ask(&helper, name),
        _ => Ok(None),
    }
}

fn of_entry(entry: &Value) -> Option<Login> {
    let text = |name: &str| entry.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(token) = text("registrytoken") {
        return Some(Login::Bearer(token));
    }
    if let Some(token) = text("identitytoken") {
        return Some(Login::Refresh(token));
    }
    if let Some(auth) = text("auth") {
        let decoded = String::from_utf8(STANDARD.decode(auth).ok()?).ok()?;
        let (user, password) = decoded.split_once(':')?;
        // Docker pads some of them.
        let password = password.trim_end_matches('\0');
        return Some(Login::Basic { user: user.to_owned(), password: password.to_owned() });
    }
    Some(Login::Basic { user: text("username")?, password: text("password")? })
}

/// Asks `docker-credential-HELPER`, as container engines do.
fn ask(helper: &str, name: &str) -> Result<Option<Login>, TransferError> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if helper.is_empty() || !helper.bytes().all(is_name) {
        let message = format!("the credential helper of `{name}` is not the name of a program");
        return Err(TransferError::Credentials(message));
    }
    ask_program(Path::new(&format!("docker-credential-{helper}")), name)
}

fn ask_program(program: &Path, name: &str) -> Result<Option<Login>, TransferError> {
    let failed = |reason: &str| {
        let program = program.display();
        TransferError::Credentials(format!("`{program}` gives no login for `{name}`: {reason}"))
    };
    let mut program = Command::new(program);
    program.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().map_err(|error| failed(&error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read has its own reasons; its answer counts.
        let _ = stdin.write_all(name.as_bytes());
    }
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take();
    // It ends with the helper.
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MAX_LENGTH).read_to_end(&mut answer));
        let _ = sender.send(read.map(|_| answer).unwrap_or_default());
    });
    let answer = receiver.recv_timeout(PATIENCE);
    // Whatever it still does is not needed.
    let _ = child.kill();
    let _ = child.wait();
    let answer = answer.map_err(|_| failed("it takes too long"))?;
    if answer.starts_with(b"credentials not found") {
        return Ok(None);
    }
    let answer: Value = serde_json::from_slice(&answer).map_err(|_| failed("its answer is not JSON"))?;
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (user, secret) = (text("Username"), text("Secret"));
    match (user.as_str(), secret.is_empty()) {
        (_, true) => Ok(None),
        (TOKEN_USER, false) => Ok(Some(Login::Refresh(secret))),
        (_, false) => Ok(Some(Login::Basic { user, password: secret })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        let pairs: BTreeMap<String, String> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Variables::new(move |name| pairs.get(name).cloned())
    }

    fn basic(user: &str, password: &str) -> Login {
        Login::Basic { user: user.to_owned(), password: password.to_owned() }
    }

    /// The login for `registry.example.com` in a file with this text.
    fn login(text: &str) -> Result<Option<Login>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.json"), text).unwrap();
        let variables = variables(&[("DOCKER_CONFIG", folder.path().to_str().unwrap())]);
        Login::of_registry("registry.example.com", &variables).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_come_before_files() {
        let user = variables(&[("MCP_BUNDLE_USER", "u"), ("MCP_BUNDLE_PASSWORD", "p")]);
        assert_eq!(Login::of_registry("a", &user).unwrap(), Some(basic("u", "p")));
        let token = variables(&[("MCP_BUNDLE_USER", "u"), ("MCP_BUNDLE_TOKEN", "t")]);
        assert_eq!(Login::of_registry("a", &token).unwrap(), Some(Login::Bearer("t".to_owned())));
        assert_eq!(Login::of_registry("a", &variables(&[])).unwrap(), None);
    }

    #[test]
    fn entries_of_container_engines_are_understood() {
        let auth = STANDARD.encode("me:se:cret");
        let entry = |entry: &str| format!(r#"{{"auths":{{"registry.example.com":{entry}}}}}"#);
        assert_eq!(login(&entry(&format!(r#"{{"auth":"{auth}"}}"#))).unwrap(), Some(basic("me", "se:cret")));
        assert_eq!(login(&entry(r#"{"username":"me","password":"x"}"#)).unwrap(), Some(basic("me", "x")));
        let refresh = login(&entry(&format!(r#"{{"auth":"{auth}","identitytoken":"i"}}"#))).unwrap();
        assert_eq!(refresh, Some(Login::Refresh("i".to_owned())));
        assert_eq!(login(&entry("{}")).unwrap(), None);
        assert_eq!(login(r#"{"auths":{"other.example.com":{"auth":"x"}}}"#).unwrap(), None);
        let url = format!(r#"{{"auths":{{"https://registry.example.com":{{"auth":"{auth}"}}}}}}"#);
        assert_eq!(login(&url).unwrap(), Some(basic("me", "se:cret")));
    }

    #[test]
    fn what_cannot_be_used_is_said_without_showing_it() {
        let message = login("hunter2 {").unwrap_err();
        assert!(message.contains("not JSON") && !message.contains("hunter2"), "{message}");
        let helper = |name: &str| login(&format!(r#"{{"credHelpers":{{"registry.example.com":"{name}"}}}}"#));
        assert!(helper("../x").unwrap_err().contains("not the name of a program"));
        assert!(!format!("{:?}", basic("u", "hunter2")).contains("hunter2"));
    }

    #[cfg(unix)]
    #[test]
    fn a_helper_is_asked_as_container_engines_do() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("docker-credential-test");
        let answers = |script: &str| {
            std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            ask_program(&program, "registry.example.com").map_err(|error| error.to_string())
        };
        let asked = answers(r#"read name; echo "{\"Username\":\"$1\",\"Secret\":\"$name\"}""#).unwrap();
        assert_eq!(asked, Some(basic("get", "registry.example.com")));
        let token = answers(r#"echo '{"Username":"<token>","Secret":"t"}'"#).unwrap();
        assert_eq!(token, Some(Login::Refresh("t".to_owned())));
        assert_eq!(answers("echo 'credentials not found in native keychain'; exit 1").unwrap(), None);
        assert!(answers("echo hunter2; exit 1").unwrap_err().contains("not JSON"));
        // In the same test, so that no program is written while another is started.
        let nobody = login(r#"{"credHelpers":{"registry.example.com":"of-nobody-at-all"}}"#).unwrap_err();
        assert!(nobody.contains("docker-credential-of-nobody-at-all"), "{nobody}");
    }
}
