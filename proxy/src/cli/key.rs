//! `mcp-edge key new`: an API key for a tenant. The key itself is stored nowhere.

use super::CommandError;
use crate::tenants::api_key::{self, KeyDigest};

/// A new key.
pub struct NewKey {
    /// The key itself.
    pub text: String,
    /// What lets it in, for the file of tenants.
    pub lines: String,
}

/// The key on the first line, then what goes into the file of tenants.
pub fn new(tenant: &str, id: &str) -> Result<String, CommandError> {
    let NewKey { text, lines } = make(tenant, id)?;
    Ok(format!(
        "{text}\n\n\
         # The line above is the key. It is shown only now; give it to the caller.\n\
         # Add these lines to the file of tenants:\n{lines}"
    ))
}

pub fn make(tenant: &str, id: &str) -> Result<NewKey, CommandError> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    for (what, name) in [("--tenant", tenant), ("--id", id)] {
        if name.is_empty() || name.len() > 128 || !name.chars().all(is_good) {
            return Err(CommandError::cannot_run(format!("`{what} {name}`: this is not a name"))
                .help("use letters, digits, `-`, `_` and `.`, at most 128 of them"));
        }
    }
    let text = api_key::generate()
        .ok_or_else(|| CommandError::cannot_run("the system has no randomness to make a key from"))?;
    let digest = KeyDigest::of(text.as_bytes());
    // A name with a dot would be two in TOML.
    let table = if tenant.contains('.') { format!("\"{tenant}\"") } else { tenant.to_owned() };
    let lines = format!("[[tenant.{table}.keys]]\nid     = \"{id}\"\ndigest = \"{digest}\"\n");
    Ok(NewKey { text, lines })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenants;

    #[test]
    fn the_printed_lines_let_the_printed_key_in() {
        for tenant in ["acme", "a.b-c_d"] {
            let printed = new(tenant, "ci").unwrap();
            let (key, lines) = printed.split_once('\n').unwrap();
            let file = tenants::parse(lines, "tenants.toml").unwrap();
            let entry = file.find(tenant).unwrap();
            assert_eq!(
                (entry.keys[0].id.as_str(), entry.keys[0].digest),
                ("ci", KeyDigest::of(key.as_bytes()))
            );
        }
        assert!(new("a b", "ci").is_err() && new("a", "").is_err());
    }
}
