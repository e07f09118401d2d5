//! Why a bundle could not be read, written or signed.
//!
//! Each message is one line after the name of the file, and says what to do.

use super::layout::{MAX_FILE_LENGTH, MAX_SIGNATURES, OLDEST_VERSION, SectionId, VERSION};
use super::signature::KeyId;
use super::verify::Invalid;
use thiserror::Error;

/// Why bytes are not a bundle that may be served.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    #[error("not a bundle: it does not begin as one; build one with `mcpc build`")]
    NotABundle,
    #[error("not a bundle but a text file; if it holds tool specs, compile them with `mcpc build`")]
    TextFile,
    #[error(
        "damaged by a text-mode transfer: line ends or characters were converted; copy it again as binary"
    )]
    TextModeDamage,
    #[error("truncated: at least {expected} bytes expected, {actual} found; copy it again")]
    Truncated { expected: u64, actual: u64 },
    #[error("{count} bytes follow the end of the bundle; copy it again, or rebuild it with `mcpc build`")]
    TrailingBytes { count: u64 },
    #[error(
        "too large: {length} bytes, the limit is {MAX_FILE_LENGTH}; split the tools over several bundles"
    )]
    TooLarge { length: u64 },
    #[error("format version {found} is older than {OLDEST_VERSION}; rebuild it with a current `mcpc build`")]
    TooOld { found: u16 },
    #[error(
        "format version {found} is newer than {VERSION}; upgrade `mcp-edge`, or rebuild it with an older `mcpc`"
    )]
    TooNew { found: u16 },
    /// By the names that the bundle gives them, or by their bits.
    #[error(
        "needs features that are unknown here: {}; upgrade `mcp-edge`, or rebuild it with an older `mcpc`",
        list(features)
    )]
    UnknownFeatures { features: Vec<String> },
    #[error("has the unknown section {id}; upgrade `mcp-edge`, or rebuild it with an older `mcpc`")]
    UnknownSection { id: u32 },
    #[error(
        "section `{section}` is of version {found}, newer than {}; upgrade `mcp-edge`, or rebuild it with an older `mcpc`",
        section.version()
    )]
    NewerSection { section: SectionId, found: u16 },
    #[error("malformed header: {what}; copy it again, or rebuild it with `mcpc build`")]
    MalformedHeader { what: String },
    #[error("malformed signature block: {what}; copy it again, or sign it again")]
    MalformedSignatures { what: String },
    #[error("section `{section}` does not match its digest: the file is damaged; copy it again")]
    DigestMismatch { section: SectionId },
    #[error("section `{section}` cannot be decoded: {reason}; rebuild it with `mcpc build`")]
    Undecodable { section: SectionId, reason: String },
    #[error("does not announce feature `{name}` which its contents need; rebuild it with `mcpc build`")]
    MissingFeature { name: &'static str },
    #[error("announces feature `{name}` which its contents do not need; rebuild it with `mcpc build`")]
    NeedlessFeature { name: &'static str },
    #[error("invalid plan: {0}; rebuild it with `mcpc build`")]
    Invalid(#[from] Box<Invalid>),
    #[error("not signed, but a signature is required; sign it with `mcpc build --sign`")]
    Unsigned,
    #[error(
        "signed only by unknown keys: {}; trust one of them, or sign with a trusted key (`mcpc build --sign`)",
        list(keys)
    )]
    UnknownSigners { keys: Vec<KeyId> },
    #[error(
        "the signature of key {key} is not valid: the file is damaged or forged; do not use it, copy it again"
    )]
    BadSignature { key: KeyId },
}

/// Why contents could not be written as a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    #[error("invalid plan: {0}")]
    Invalid(#[from] Box<Invalid>),
    #[error(
        "too large: {length} bytes, the limit is {MAX_FILE_LENGTH}; split the tools over several bundles"
    )]
    TooLarge { length: u64 },
    #[error("section `{section}` cannot be encoded: {reason}")]
    Unencodable { section: SectionId, reason: String },
}

/// Why a bundle could not be signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignError {
    /// What the reader refuses is not worth a signature.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    #[error("it already has {MAX_SIGNATURES} signatures, the most there can be; rebuild it to start over")]
    TooManySignatures,
    /// Small-order keys: anyone could sign in their name.
    #[error("the key is too weak to sign with; make one with `mcpc keygen`")]
    WeakKey,
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
