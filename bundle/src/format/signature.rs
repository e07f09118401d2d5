//! Signatures over a bundle's revision, and the block at its end that holds them.

use super::error::{ReadError, SignError};
use super::header::Header;
use super::layout::{MAX_SIGNATURES, Revision, array_at, write_hex};
use super::reader;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::fmt;

/// The first bytes of the signature block.
pub const SIGNATURE_MAGIC: [u8; 4] = *b"MCPS";
/// Comes before the revision in the signed message, so that the signature means nothing anywhere
/// else.
pub const SIGNATURE_CONTEXT: &[u8; 24] = b"mcpc bundle revision v1\0";

/// Bytes of the block before its entries.
pub const SIGNATURE_BLOCK_HEADER_LENGTH: usize = 8;
/// Bytes of one entry: public key and signature.
pub const SIGNATURE_ENTRY_LENGTH: usize = 32 + 64;

/// Whose signature a bundle needs.
#[derive(Debug, Clone, Copy)]
pub enum Trust<'a> {
    /// Integrity only: signatures are not needed, but those present must be valid.
    Any,
    /// At least one signature by one of these keys; with no keys, nothing is trusted.
    AnyOf(&'a [VerifyingKey]),
}

/// A short name for a public key: the first 8 bytes of its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId(pub [u8; 8]);

/// One entry of the signature block, not verified yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    key: [u8; 32],
    signature: [u8; 64],
}

/// The name under which messages mention a key.
pub fn key_id(key: &VerifyingKey) -> KeyId {
    KeyId::of(key.as_bytes())
}

/// Adds the key's signature to a bundle, in place of an earlier one by the same key.
///
/// The bundle is read in full first: a signature says that it can be served.
pub fn sign(bytes: Vec<u8>, key: &SigningKey) -> Result<Vec<u8>, SignError> {
    reader::read(&bytes, &Trust::Any)?;
    let header = Header::parse(&bytes)?;
    let start = header.signed_length as usize;
    let mut entries = parse_block(&bytes, start)?;

    let public = key.verifying_key();
    if public.is_weak() {
        return Err(SignError::WeakKey);
    }
    let signature = key.sign(&message(&header.revision)).to_bytes();
    let entry = Entry { key: public.to_bytes(), signature };
    match entries.binary_search_by_key(&entry.key, |e| e.key) {
        Ok(at) => entries.splice(at..=at, [entry]).for_each(drop),
        Err(_) if entries.len() == MAX_SIGNATURES => return Err(SignError::TooManySignatures),
        Err(at) => entries.insert(at, entry),
    }

    let mut signed = bytes;
    signed.truncate(start);
    append_block(&mut signed, &entries);
    Ok(signed)
}

/// Writes the signature block; `entries` are sorted by key.
pub(super) fn append_block(out: &mut Vec<u8>, entries: &[Entry]) {
    out.extend_from_slice(&SIGNATURE_MAGIC);
    out.extend_from_slice(&(entries.len() as u16).to_le_bytes());
    out.extend_from_slice(&0u16.to_le_bytes());
    for entry in entries {
        out.extend_from_slice(&entry.key);
        out.extend_from_slice(&entry.signature);
    }
}

/// Reads the signature block, which starts at `start` and ends the file.
pub(super) fn parse_block(bytes: &[u8], start: usize) -> Result<Vec<Entry>, ReadError> {
    if array_at(bytes, start)? != SIGNATURE_MAGIC {
        return Err(malformed("it does not begin with `MCPS`"));
    }
    let count = usize::from(u16::from_le_bytes(array_at(bytes, start + 4)?));
    if u16::from_le_bytes(array_at(bytes, start + 6)?) != 0 {
        return Err(malformed("its reserved bytes are not zero"));
    }
    if count > MAX_SIGNATURES {
        return Err(malformed(&format!("it has {count} signatures, the most is {MAX_SIGNATURES}")));
    }
    let entries_start = start + SIGNATURE_BLOCK_HEADER_LENGTH;
    let end = entries_start + count * SIGNATURE_ENTRY_LENGTH;
    let Some(block) = bytes.get(entries_start..end) else {
        return Err(ReadError::Truncated { expected: end as u64, actual: bytes.len() as u64 });
    };
    if bytes.len() > end {
        return Err(ReadError::TrailingBytes { count: (bytes.len() - end) as u64 });
    }
    let entries = block
        .chunks_exact(SIGNATURE_ENTRY_LENGTH)
        .map(|entry| Ok(Entry { key: array_at(entry, 0)?, signature: array_at(entry, 32)? }))
        .collect::<Result<Vec<_>, ReadError>>()?;
    if !entries.is_sorted_by(|a, b| a.key < b.key) {
        return Err(malformed("its keys are not in ascending order"));
    }
    Ok(entries)
}

/// Checks every signature of the bundle, and that one of them is trusted.
pub(super) fn check(
    entries: &[Entry],
    revision: &Revision,
    trust: &Trust<'_>,
) -> Result<Vec<VerifyingKey>, ReadError> {
    if let Trust::AnyOf(trusted) = trust {
        if entries.is_empty() {
            return Err(ReadError::Unsigned);
        }
        let is_trusted = |entry: &Entry| trusted.iter().any(|key| *key.as_bytes() == entry.key);
        if !entries.iter().any(is_trusted) {
            return Err(ReadError::UnknownSigners {
                keys: entries.iter().map(|e| KeyId::of(&e.key)).collect(),
            });
        }
    }
    let message = message(revision);
    let check_one = |entry: &Entry| {
        let key = VerifyingKey::from_bytes(&entry.key).ok()?;
        key.verify_strict(&message, &Signature::from_bytes(&entry.signature)).ok()?;
        Some(key)
    };
    entries
        .iter()
        .map(|entry| check_one(entry).ok_or(ReadError::BadSignature { key: KeyId::of(&entry.key) }))
        .collect()
}

impl KeyId {
    fn of(public: &[u8; 32]) -> KeyId {
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(Sha256::digest(public));
        KeyId([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

fn message(revision: &Revision) -> Vec<u8> {
    [SIGNATURE_CONTEXT.as_slice(), &revision.0].concat()
}

fn malformed(what: &str) -> ReadError {
    ReadError::MalformedSignatures { what: what.to_owned() }
}
