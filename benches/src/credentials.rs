//! What callers show `mcp-edge`, and the files that let them in.

use crate::AnyError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_edge::tenants::api_key::{self, KeyDigest};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The tenant of tokens, and the first of those with keys.
const TENANT: &str = "t0";
const ISSUER: &str = "https://id.example.com/";
const AUDIENCE: &str = "https://tools.example.com/mcp";
const KEY_ID: &str = "load";
/// Longer than any measurement.
const LIFE: Duration = Duration::from_secs(24 * 3600);
/// What nobody reaches.
const RATE: &str = "rate = { calls = 1000000, seconds = 1 }\n";

/// Names of files, beside each other.
const TENANTS: &str = "tenants.toml";
const LIMITED_TENANTS: &str = "limited-tenants.toml";
const KEY_SET: &str = "jwks.json";

/// A caller's credentials.
#[derive(Debug)]
pub struct Credentials {
    pub api_key: String,
    /// A JWT.
    pub token: String,
}

/// Writes the files that [`auth`] names into `folder`: one tenant with one key, with a rate and without, and the keys of an
/// issuer.
pub fn write(folder: &Path) -> Result<Credentials, AnyError> {
    let (tenants, keys) = tenants(1, 1)?;
    std::fs::write(folder.join(LIMITED_TENANTS), tenants.replacen("\n\n", &format!("\n{RATE}\n"), 1))?;
    std::fs::write(folder.join(TENANTS), tenants)?;
    let (key_set, token) = token()?;
    std::fs::write(folder.join(KEY_SET), key_set)?;
    Ok(Credentials { api_key: keys.into_iter().next().ok_or("there is no key")?, token })
}

/// The tables of `edge.toml` for files in `folder`, as the configuration has its name.
pub fn auth(folder: &str, limited: bool) -> String {
    let tenants = if limited { LIMITED_TENANTS } else { TENANTS };
    format!(
        "[auth]\ntenants = \"{folder}/{tenants}\"\n\
         [[auth.jwt]]\nissuer = \"{ISSUER}\"\naudience = [\"{AUDIENCE}\"]\njwks = \"{folder}/{KEY_SET}\"\n\
         tenant = {{ fixed = \"{TENANT}\" }}\n"
    )
}

/// A file of tenants with this many keys each, and all keys in their order.
pub fn tenants(tenants: usize, keys_each: usize) -> Result<(String, Vec<String>), AnyError> {
    let (mut file, mut keys) = (String::new(), Vec::new());
    for tenant in 0..tenants {
        write!(file, "[tenant.t{tenant}]\ntoolsets = [\"*\"]\n\n")?;
        for key in 0..keys_each {
            let text = api_key::generate().ok_or("the system has no randomness")?;
            let digest = KeyDigest::of(text.as_bytes());
            write!(file, "[[tenant.t{tenant}.keys]]\nid     = \"k{key}\"\ndigest = \"{digest}\"\n\n")?;
            keys.push(text);
        }
    }
    Ok((file, keys))
}

/// The set of keys of an issuer, and a token signed with its only one.
fn token() -> Result<(String, String), AnyError> {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| "no key can be made")?;
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).map_err(|_| "a new key cannot be read")?;
    let public = URL_SAFE_NO_PAD.encode(pair.public_key());
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": KEY_ID, "use": "sig", "x": public });
    let ends = (SystemTime::now().duration_since(UNIX_EPOCH)? + LIFE).as_secs();
    let claims = json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": ends, "scope": "read write" });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = json!({ "alg": "EdDSA", "kid": KEY_ID, "typ": "at+jwt" });
    let message = format!("{}.{}", part(&head), part(&claims));
    let signature = URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes()));
    Ok((json!({ "keys": [key] }).to_string(), format!("{message}.{signature}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_clean_and_have_the_keys() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = write(folder.path()).expect("files");
        for (name, has_rate) in [(TENANTS, false), (LIMITED_TENANTS, true)] {
            let text = std::fs::read_to_string(folder.path().join(name)).expect("a file");
            let file = mcp_edge::tenants::parse(&text, name).expect("clean");
            let tenant = file.find(TENANT).expect("the tenant");
            assert_eq!(
                tenant.keys.first().map(|key| key.digest),
                Some(KeyDigest::of(made.api_key.as_bytes()))
            );
            assert_eq!(tenant.rate.is_some(), has_rate);
        }
        assert_eq!(made.token.split('.').count(), 3);
    }

    #[test]
    fn tenants_have_as_many_keys_as_asked_for() {
        let (text, keys) = tenants(3, 2).expect("a file");
        let file = mcp_edge::tenants::parse(&text, "tenants.toml").expect("clean");
        assert_eq!(file.tenants.iter().map(|tenant| tenant.keys.len()).collect::<Vec<_>>(), [2, 2, 2]);
        assert_eq!(keys.len(), 6);
    }
}
