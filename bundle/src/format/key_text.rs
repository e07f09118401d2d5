//! Signing keys as text: one line, a prefix that says what it is, and base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{SigningKey, VerifyingKey};

const SECRET_PREFIX: &str = "mcpc-ed25519-secret:";
const PUBLIC_PREFIX: &str = "mcpc-ed25519:";

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("it is a public key; signing needs the secret one that `mcpc keygen` wrote")]
    PublicKey,
    #[error("it is a secret key; only its public part is wanted here, see `mcpc keygen --public`")]
    SecretKey,
    #[error("not a key; make one with `mcpc keygen`")]
    NoKey,
    #[error("it is a damaged key; copy it again")]
    Damaged,
}

pub fn write_secret(key: &SigningKey) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(key.to_bytes()))
}

pub fn write_public(key: &VerifyingKey) -> String {
    format!("{PUBLIC_PREFIX}{}", STANDARD.encode(key.to_bytes()))
}

pub fn read_secret(text: &str) -> Result<SigningKey, KeyError> {
    let text = text.trim();
    if text.starts_with(PUBLIC_PREFIX) {
        return Err(KeyError::PublicKey);
    }
    let encoded = text.strip_prefix(SECRET_PREFIX).ok_or(KeyError::NoKey)?;
    Ok(SigningKey::from_bytes(&decode(encoded)?))
}

pub fn read_public(text: &str) -> Result<VerifyingKey, KeyError> {
    let text = text.trim();
    if text.starts_with(SECRET_PREFIX) {
        return Err(KeyError::SecretKey);
    }
    let encoded = text.strip_prefix(PUBLIC_PREFIX).ok_or(KeyError::NoKey)?;
    VerifyingKey::from_bytes(&decode(encoded)?).map_err(|_| KeyError::Damaged)
}

fn decode(encoded: &str) -> Result<[u8; 32], KeyError> {
    let bytes = STANDARD.decode(encoded).map_err(|_| KeyError::Damaged)?;
    bytes.try_into().map_err(|_| KeyError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_their_text() {
        let key = SigningKey::from_bytes(&[7; 32]);
        assert_eq!(read_secret(&format!("{}\n", write_secret(&key))).unwrap().to_bytes(), key.to_bytes());
        assert_eq!(read_public(&write_public(&key.verifying_key())).unwrap(), key.verifying_key());
    }

    #[test]
    fn the_two_kinds_are_told_apart() {
        let key = SigningKey::from_bytes(&[7; 32]);
        assert_eq!(read_secret(&write_public(&key.verifying_key())).unwrap_err(), KeyError::PublicKey);
        assert_eq!(read_public(&write_secret(&key)).unwrap_err(), KeyError::SecretKey);
    }

    #[test]
    fn invalid_keys_are_refused() {
        for text in ["", "hello", "mcpc-ed25519"] {
            assert_eq!(read_secret(text).unwrap_err(), KeyError::NoKey);
            assert_eq!(read_public(text).unwrap_err(), KeyError::NoKey);
        }
        for encoded in ["", "AAAA", "!!!!"] {
            assert_eq!(read_secret(&format!("{SECRET_PREFIX}{encoded}")).unwrap_err(), KeyError::Damaged);
            assert_eq!(read_public(&format!("{PUBLIC_PREFIX}{encoded}")).unwrap_err(), KeyError::Damaged);
        }
    }
}
