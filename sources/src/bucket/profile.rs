//! The files of the AWS command line: `~/.aws/credentials` and `~/.aws/config`.

use crate::error::TransferError;
use crate::remote::Variables;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

/// Long-lived or exported credentials of a profile.
pub struct Profile {
    pub key: String,
    pub secret: String,
    pub token: Option<String>,
}

const MAX_LENGTH: u64 = 1 << 20;

type Section = BTreeMap<String, String>;

impl Profile {
    /// Those of `AWS_PROFILE`, by default of `default`.
    pub fn find(variables: &Variables) -> Result<Option<Profile>, TransferError> {
        let Some(text) = read("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", variables)? else {
            return Ok(None);
        };
        let mut section = section(&text, &name(variables));
        let mut take = |key: &str| section.remove(key).filter(|value| !value.is_empty());
        let (key, secret) = (take("aws_access_key_id"), take("aws_secret_access_key"));
        Ok(key.zip(secret).map(|(key, secret)| Profile { key, secret, token: take("aws_session_token") }))
    }

    pub fn region(variables: &Variables) -> Result<Option<String>, TransferError> {
        let Some(text) = read("AWS_CONFIG_FILE", ".aws/config", variables)? else { return Ok(None) };
        let name = name(variables);
        let heading = if name == "default" { name } else { format!("profile {name}") };
        Ok(section(&text, &heading).remove("region").filter(|region| !region.is_empty()))
    }
}

fn name(variables: &Variables) -> String {
    variables.get("AWS_PROFILE").unwrap_or_else(|| "default".to_owned())
}

fn read(variable: &str, usual: &str, variables: &Variables) -> Result<Option<String>, TransferError> {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(usual));
    let Some(path) = variables.get(variable).map(PathBuf::from).or_else(home) else { return Ok(None) };
    let wrong = |reason: &dyn std::fmt::Display| {
        TransferError::Credentials(format!("`{}` cannot be read: {reason}", path.display()))
    };
    let file = match std::fs::File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| wrong(&error))?,
    };
    let mut text = String::new();
    file.take(MAX_LENGTH).read_to_string(&mut text).map_err(|error| wrong(&error))?;
    Ok(Some(text))
}

/// The `name = value` lines below `[heading]`.
fn section(text: &str, heading: &str) -> Section {
    let mut is_inside = false;
    let mut section = Section::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            is_inside = name.0.split_whitespace().eq(heading.split_whitespace());
        } else if is_inside
            && !line.starts_with(['#', ';'])
            && let Some((name, value)) = line.split_once('=')
        {
            section.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_profile_that_is_asked_for_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (credentials, config) = (folder.path().join("credentials"), folder.path().join("config"));
        let text = "# mine\n[default]\naws_access_key_id=A\naws_secret_access_key = B\n\n[ci]\naws_access_key_id = C\n\
                    aws_secret_access_key = D=\naws_session_token = E\n[half]\naws_access_key_id = F\n";
        std::fs::write(&credentials, text).unwrap();
        std::fs::write(&config, "[default]\nregion = eu-west-1\n[profile ci]\nregion = eu-north-1\n")
            .unwrap();
        let variables = |profile: &'static str| {
            let (credentials, config) = (credentials.display().to_string(), config.display().to_string());
            Variables::new(move |name| match name {
                "AWS_SHARED_CREDENTIALS_FILE" => Some(credentials.clone()),
                "AWS_CONFIG_FILE" => Some(config.clone()),
                "AWS_PROFILE" => Some(profile.to_owned()).filter(|profile| !profile.is_empty()),
                _ => None,
            })
        };
        let found = |profile| {
            let profile = Profile::find(&variables(profile)).unwrap()?;
            Some((profile.key, profile.secret, profile.token))
        };
        assert_eq!(found(""), Some(("A".to_owned(), "B".to_owned(), None)));
        assert_eq!(found("ci"), Some(("C".to_owned(), "D=".to_owned(), Some("E".to_owned()))));
        assert_eq!(found("half"), None);
        assert_eq!(found("other"), None);
        assert_eq!(Profile::region(&variables("")).unwrap().as_deref(), Some("eu-west-1"));
        assert_eq!(Profile::region(&variables("ci")).unwrap().as_deref(), Some("eu-north-1"));
        assert!(Profile::find(&Variables::new(|_| None)).unwrap().is_none());
    }

    proptest! {
        #[test]
        fn nothing_breaks(text in "(\\[|\\]|=|\n|#|a| |default){0,40}") {
            let _ = section(&text, "default");
        }
    }
}
