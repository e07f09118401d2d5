//! The bundle file, `.mcpk`: how [`Contents`](crate::plan::Contents) become bytes and back.
//!
//! `docs/BUNDLE.md` gives the layout byte by byte. In short: a header and a table that pin every
//! section by digest, the sections, and signatures over the digest of header and table.
//!
//! [`write()`] refuses what [`read`] would refuse. [`read`] never panics, allocates in proportion to the
//! file, checks signatures before it looks at any section, and returns no plan with an index out of range.

mod error;
mod header;
pub mod key_text;
mod layout;
mod reader;
mod signature;
mod verify;
mod version_1;
mod writer;

pub use ed25519_dalek::{SigningKey, VerifyingKey};
pub use error::{ReadError, SignError, WriteError};
pub use header::{Header, Section};
pub use layout::{
    Features, HEADER_LENGTH, MAGIC, MAX_FILE_LENGTH, MAX_FIXED_JSON_LENGTH, MAX_FIXED_JSON_TOTAL,
    MAX_NAME_LENGTH, MAX_SECTIONS, MAX_SIGNATURES, MAX_TOOLS, OLDEST_VERSION, Revision, SectionId,
    TABLE_ROW_LENGTH, VERSION,
};
pub use reader::{Bundle, read};
pub use signature::{
    KeyId, SIGNATURE_BLOCK_HEADER_LENGTH, SIGNATURE_CONTEXT, SIGNATURE_ENTRY_LENGTH, SIGNATURE_MAGIC, Trust,
    key_id, sign,
};
pub use verify::{Invalid, Subject, verify};
pub use writer::write;
