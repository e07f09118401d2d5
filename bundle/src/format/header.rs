//! The header and the section table: where everything is in a bundle.
//!
//! Nothing in here looks at a section's bytes: the header and the table are all that a signature needs.

use super::error::ReadError;
use super::layout::{
    Features, HEADER_LENGTH, MAGIC, MAX_FILE_LENGTH, MAX_SECTIONS, OLDEST_VERSION, Revision, SectionId,
    TABLE_ROW_LENGTH, VERSION, array_at,
};

/// In the flags of a row: a reader that does not know the section skips it.
const OPTIONAL: u16 = 1;

/// One row of the section table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    pub id: SectionId,
    /// Of what it holds; each section has its own.
    pub version: u16,
    /// Whoever does not know it can do without.
    pub optional: bool,
    /// From the start of the file.
    pub offset: u64,
    pub length: u64,
    pub digest: [u8; 32],
}

/// The header and the section table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub version: u16,
    pub features: Features,
    /// In ascending order of their ids, contiguous.
    pub sections: Vec<Section>,
    /// Length of header, table and sections: where the signature block starts.
    pub signed_length: u64,
    pub revision: Revision,
}

impl Header {
    /// Reads the header and the section table. The bytes after them need not be there: the first few
    /// hundred bytes of a file are enough to learn its revision.
    ///
    /// Says what the bytes claim; only [`super::read`] says whether the claim holds, and whether this
    /// crate understands what is in the sections.
    pub fn parse(bytes: &[u8]) -> Result<Header, ReadError> {
        check_magic(bytes)?;
        let found = u16::from_le_bytes(array_at(bytes, 8)?);
        if found < OLDEST_VERSION {
            return Err(ReadError::TooOld { found });
        }
        if found > VERSION {
            return Err(ReadError::TooNew { found });
        }
        if u16::from_le_bytes(array_at(bytes, 10)?) != 0 {
            return Err(malformed("the reserved bytes of the header are not zero"));
        }
        let count = u32::from_le_bytes(array_at(bytes, 12)?);
        let features = Features(u64::from_le_bytes(array_at(bytes, 16)?));
        let signed_length = u64::from_le_bytes(array_at(bytes, 24)?);
        if count > MAX_SECTIONS {
            return Err(malformed(format!("it has {count} sections, the most is {MAX_SECTIONS}")));
        }
        if signed_length > MAX_FILE_LENGTH {
            return Err(ReadError::TooLarge { length: signed_length });
        }
        let table_end = HEADER_LENGTH + count as usize * TABLE_ROW_LENGTH;
        let Some(head) = bytes.get(..table_end) else {
            let expected = signed_length.max(table_end as u64);
            return Err(ReadError::Truncated { expected, actual: bytes.len() as u64 });
        };
        let sections = parse_table(found, head.get(HEADER_LENGTH..).unwrap_or_default())?;
        check_contiguous(&sections, table_end as u64, signed_length)?;
        Ok(Header { version: found, features, sections, signed_length, revision: Revision::of(head) })
    }

    /// The row of a section.
    pub(super) fn section(&self, id: SectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// The bytes of the header and the table.
    pub(super) fn encode(features: Features, sections: &[Section], signed_length: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LENGTH + sections.len() * TABLE_ROW_LENGTH);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&0u16.to_le_bytes());
        out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
        out.extend_from_slice(&features.0.to_le_bytes());
        out.extend_from_slice(&signed_length.to_le_bytes());
        for section in sections {
            out.extend_from_slice(&section.id.id().to_le_bytes());
            out.extend_from_slice(&section.version.to_le_bytes());
            out.extend_from_slice(&(if section.optional { OPTIONAL } else { 0 }).to_le_bytes());
            out.extend_from_slice(&section.offset.to_le_bytes());
            out.extend_from_slice(&section.length.to_le_bytes());
            out.extend_from_slice(&section.digest);
        }
        out
    }
}

fn check_magic(bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.starts_with(&MAGIC) {
        return Ok(());
    }
    if MAGIC.starts_with(bytes) {
        return Err(ReadError::Truncated { expected: HEADER_LENGTH as u64, actual: bytes.len() as u64 });
    }
    // The first byte stripped to seven bits or re-encoded, or the line end rewritten.
    let damaged: [&[u8]; 5] =
        [b"\x89MCPK\n", b"\x89MCPK\r", b"\x09MCPK", b"\xc2\x89MCPK", "\u{fffd}MCPK".as_bytes()];
    if damaged.iter().any(|prefix| bytes.starts_with(prefix)) {
        return Err(ReadError::TextModeDamage);
    }
    let start = bytes.get(..256).unwrap_or(bytes);
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    Err(if start.iter().all(is_text) { ReadError::TextFile } else { ReadError::NotABundle })
}

fn parse_table(format: u16, table: &[u8]) -> Result<Vec<Section>, ReadError> {
    let rows = table.chunks_exact(TABLE_ROW_LENGTH).map(|row| parse_row(format, row));
    let sections = rows.collect::<Result<Vec<Section>, ReadError>>()?;
    let ids = || sections.iter().map(|section| section.id.id());
    match ids().zip(ids().skip(1)).find(|(before, after)| before >= after) {
        Some((before, after)) => {
            Err(malformed(format!("section {after} comes after section {before}, not in order")))
        }
        None => Ok(sections),
    }
}

fn parse_row(format: u16, row: &[u8]) -> Result<Section, ReadError> {
    let id = SectionId::from_id(u32::from_le_bytes(array_at(row, 0)?));
    let version = u16::from_le_bytes(array_at(row, 4)?);
    let flags = u16::from_le_bytes(array_at(row, 6)?);
    let (version, flags) = match (format, version, flags) {
        // Version 1 had no versions of sections: they are the first ones.
        (1, 0, 0) => (1, 0),
        (2.., 1.., 0 | OPTIONAL) => (version, flags),
        (1, ..) => return Err(malformed(format!("the reserved bytes of section `{id}` are not zero"))),
        (_, 0, _) => return Err(malformed(format!("section `{id}` is of version 0"))),
        _ => return Err(malformed(format!("section `{id}` has unknown flags"))),
    };
    let offset = u64::from_le_bytes(array_at(row, 8)?);
    let length = u64::from_le_bytes(array_at(row, 16)?);
    let optional = flags == OPTIONAL;
    Ok(Section { id, version, optional, offset, length, digest: array_at(row, 24)? })
}

fn check_contiguous(sections: &[Section], start: u64, end: u64) -> Result<(), ReadError> {
    let mut at = start;
    for Section { id, offset, length, .. } in sections {
        if *offset != at {
            return Err(malformed(format!("section `{id}` starts at {offset} instead of {at}")));
        }
        at = match at.checked_add(*length) {
            Some(after) if after <= end => after,
            _ => return Err(malformed(format!("section `{id}` reaches beyond the signed length"))),
        };
    }
    if at != end {
        return Err(malformed(format!("the sections end at {at} instead of {end}")));
    }
    Ok(())
}

pub(super) fn malformed(what: impl Into<String>) -> ReadError {
    ReadError::MalformedHeader { what: what.into() }
}
