//! Signatures, and the keys that check them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::Value;

/// The algorithms of JWTs that are accepted. With symmetric ones, anyone who can check a token could also make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

/// A public key that checks signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Algorithm {
    pub const WORDS: [(&'static str, Algorithm); 9] = [
        ("RS256", Algorithm::Rs256),
        ("RS384", Algorithm::Rs384),
        ("RS512", Algorithm::Rs512),
        ("PS256", Algorithm::Ps256),
        ("PS384", Algorithm::Ps384),
        ("PS512", Algorithm::Ps512),
        ("ES256", Algorithm::Es256),
        ("ES384", Algorithm::Es384),
        ("EdDSA", Algorithm::EdDsa),
    ];

    pub fn from_word(word: &str) -> Option<Algorithm> {
        Algorithm::WORDS.iter().find(|(known, _)| *known == word).map(|(_, algorithm)| *algorithm)
    }
}

impl PublicKey {
    /// Reads a JWK; `None` if it is of a kind or size that is not used here, or not for checking signatures.
    pub fn of_jwk(jwk: &Value) -> Option<PublicKey> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?.trim_end_matches('=')).ok();
        if text("use").is_some_and(|used| used != "sig") {
            return None;
        }
        let operations = jwk.get("key_ops").and_then(Value::as_array);
        if operations.is_some_and(|all| !all.iter().any(|operation| operation == "verify")) {
            return None;
        }
        match (text("kty")?, text("crv")) {
            ("RSA", _) => {
                let (modulus, exponent) = (bytes("n")?, bytes("e")?);
                // `ring` refuses the rest, too, but only when a token comes.
                let is_long_enough =
                    (256..=1024).contains(&modulus.iter().skip_while(|byte| **byte == 0).count());
                is_long_enough.then_some(PublicKey::Rsa { modulus, exponent })
            }
            ("EC", Some("P-256")) => point(bytes("x")?, bytes("y")?, 32).map(PublicKey::P256),
            ("EC", Some("P-384")) => point(bytes("x")?, bytes("y")?, 48).map(PublicKey::P384),
            ("OKP", Some("Ed25519")) => bytes("x").filter(|key| key.len() == 32).map(PublicKey::Ed25519),
            _ => None,
        }
    }

    /// Whether a signature by this algorithm can be checked with this key.
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        use Algorithm::{EdDsa, Es256, Es384, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};
        match self {
            PublicKey::Rsa { .. } => matches!(algorithm, Rs256 | Rs384 | Rs512 | Ps256 | Ps384 | Ps512),
            PublicKey::P256(_) => algorithm == Es256,
            PublicKey::P384(_) => algorithm == Es384,
            PublicKey::Ed25519(_) => algorithm == EdDsa,
        }
    }

    pub fn verify(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        if !self.fits(algorithm) {
            return false;
        }
        let plain = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
        };
        match self {
            PublicKey::Rsa { modulus, exponent } => {
                let parameters = match algorithm {
                    Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
                    Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
                    Algorithm::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
                    Algorithm::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
                    _ => &signature::RSA_PKCS1_2048_8192_SHA256,
                };
                let trimmed = |number: &[u8]| {
                    let zeros = number.iter().take_while(|byte| **byte == 0).count();
                    number.get(zeros..).unwrap_or_default().to_vec()
                };
                let key = RsaPublicKeyComponents { n: trimmed(modulus), e: trimmed(exponent) };
                key.verify(parameters, message, signature).is_ok()
            }
            PublicKey::P256(key) => plain(&signature::ECDSA_P256_SHA256_FIXED, key),
            PublicKey::P384(key) => plain(&signature::ECDSA_P384_SHA384_FIXED, key),
            PublicKey::Ed25519(key) => plain(&signature::ED25519, key),
        }
    }
}

/// An uncompressed point.
fn point(x: Vec<u8>, y: Vec<u8>, length: usize) -> Option<Vec<u8>> {
    (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
}
