//! API keys: random text that only its holder has. The edge knows the digest.
//!
//! A key has 256 random bits, so a plain SHA-256 is enough: there is nothing to guess, and nothing to slow down.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// What every key starts with, so that people and scanners of leaked secrets recognise one.
pub const PREFIX: &str = "mek_";

/// What a digest starts with in `tenants.toml`.
pub const DIGEST_PREFIX: &str = "sha256:";

/// Random bytes of a key.
const ENTROPY: usize = 32;

/// SHA-256 of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyDigest(pub [u8; 32]);

/// A new key; `None` if the system has no randomness.
pub fn generate() -> Option<String> {
    let mut secret = [0; ENTROPY];
    getrandom::fill(&mut secret).ok()?;
    Some(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(secret)))
}

impl KeyDigest {
    pub fn of(key: &[u8]) -> KeyDigest {
        KeyDigest(Sha256::digest(key).into())
    }

    /// Reads `sha256:` and 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<KeyDigest> {
        let digits: &[u8; 64] = text.strip_prefix(DIGEST_PREFIX)?.as_bytes().try_into().ok()?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
            *byte = (value_of(*high)? << 4) | value_of(*low)?;
        }
        Some(KeyDigest(bytes))
    }
}

/// Of a hexadecimal digit.
fn value_of(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

impl std::fmt::Display for KeyDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(DIGEST_PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let key = generate().unwrap();
        assert!(key.starts_with(PREFIX) && key.len() == 47, "{key}");
        assert_ne!(key, generate().unwrap());
        let digest = KeyDigest::of(key.as_bytes());
        assert_eq!(KeyDigest::parse(&digest.to_string()), Some(digest));
        let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(KeyDigest::of(b"abc").to_string(), known);
        for wrong in [
            "",
            "sha256:",
            "ba78",
            &known.replace("ba", "+a"),
            known.get(..70).unwrap(),
            &known.replace('b', "é"),
        ] {
            assert_eq!(KeyDigest::parse(wrong), None, "{wrong}");
        }
    }
}
