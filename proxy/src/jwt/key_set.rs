//! The public keys of an issuer (JWKS).

use super::signature::{Algorithm, PublicKey};
use serde_json::Value;

/// The keys of an issuer that can check signatures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet(Vec<NamedKey>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedKey {
    id: Option<String>,
    /// The only algorithm that it is for, if it says so.
    algorithm: Option<String>,
    key: PublicKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    #[error("it is not a JSON Web Key Set: it needs `{{\"keys\": […]}}`")]
    NotOne,
    #[error("it has no public key that can check a signature (RSA from 2048 bits, P-256, P-384 or Ed25519)")]
    NoKeys,
}

/// Issuers have a handful. A token without the id of its key is checked with each that fits.
const MOST_KEYS: usize = 64;

impl KeySet {
    /// Keys of other kinds are left out.
    pub fn parse(text: &[u8]) -> Result<KeySet, KeySetError> {
        let document: Value = serde_json::from_slice(text).map_err(|_| KeySetError::NotOne)?;
        let keys = document.get("keys").and_then(Value::as_array).ok_or(KeySetError::NotOne)?;
        let named = keys.iter().take(MOST_KEYS).filter_map(|jwk| {
            let text = |name: &str| jwk.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(NamedKey { id: text("kid"), algorithm: text("alg"), key: PublicKey::of_jwk(jwk)? })
        });
        let named: Vec<NamedKey> = named.collect();
        if named.is_empty() { Err(KeySetError::NoKeys) } else { Ok(KeySet(named)) }
    }

    /// The keys that may have made a signature: those with the id, or, of a token that names none, all that fit.
    pub fn candidates(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        word: &str,
    ) -> impl Iterator<Item = &PublicKey> {
        let may_be = move |key: &&NamedKey| {
            id.is_none_or(|id| key.id.as_deref() == Some(id))
                && key.algorithm.as_deref().is_none_or(|only| only == word)
                && key.key.fits(algorithm)
        };
        self.0.iter().filter(may_be).map(|named| &named.key)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
