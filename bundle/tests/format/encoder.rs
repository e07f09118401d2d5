//! A separate encoder, which writes anything, valid or not.
#![cfg(test)]

use mcp_bundle::format::{HEADER_LENGTH, MAGIC, TABLE_ROW_LENGTH, VERSION};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::strings::StrId;
use sha2::{Digest, Sha256};

/// A section as a file has it.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: u32,
    pub version: u16,
    pub flags: u16,
    pub body: Vec<u8>,
}

/// The feature bits of contents.
pub fn features(contents: &Contents) -> u64 {
    let bit = |is_empty: bool, bit: u32| u64::from(!is_empty) << bit;
    bit(contents.manifest.schemas.is_empty(), 1)
        + bit(contents.templates.is_empty(), 2)
        + bit(contents.limits.is_empty(), 8)
        + bit(contents.credentials.is_empty(), 9)
        + bit(contents.servers.is_empty(), 10)
        + bit(contents.shared.is_empty(), 11)
        + bit(contents.lenient.is_empty(), 12)
        + bit(!contents.tools.iter().any(crate::bytes::has_byte_body), 13)
        + bit(!contents.tools.iter().any(ToolPlan::answers_with_arguments), 16)
}

/// The sections of contents, in the order of their ids, whether they make sense or not.
pub fn sections(contents: &Contents) -> Vec<Row> {
    let pool = &contents.strings;
    let texts: Vec<&str> = (0..pool.len()).map(|id| pool.get(StrId(id as u32))).collect();
    let mut strings = (texts.len() as u32).to_le_bytes().to_vec();
    let mut end = 0;
    for text in &texts {
        end += text.len() as u32;
        strings.extend(end.to_le_bytes());
    }
    strings.extend(texts.concat().bytes());
    let features = features(contents);
    let names = [
        (1u8, "json-schema"),
        (2, "template-programs"),
        (8, "limits"),
        (9, "credentials"),
        (10, "mcp-servers"),
        (11, "shared-limits"),
        (12, "lenient"),
        (13, "byte-bodies"),
        (16, "argument-answers"),
    ];
    let names: Vec<(u8, &str)> = names.into_iter().filter(|(bit, _)| features >> bit & 1 == 1).collect();
    let row = |id, version, flags, body| Row { id, version, flags, body };
    let mut rows = vec![
        row(1, 1, 0, postcard::to_allocvec(&contents.manifest).unwrap()),
        row(2, 2, 0, postcard::to_allocvec(&contents.upstreams).unwrap()),
        row(3, 2, 0, postcard::to_allocvec(&contents.tools).unwrap()),
        row(4, 1, 0, strings),
        row(5, 1, 0, postcard::to_allocvec(&contents.templates).unwrap()),
        row(6, 1, 0, postcard::to_allocvec(&contents.list).unwrap()),
        row(7, 2, 0, postcard::to_allocvec(&contents.policies).unwrap()),
        row(8, 1, 1, postcard::to_allocvec(&names).unwrap()),
        row(9, 1, 0, postcard::to_allocvec(&contents.limits).unwrap()),
        row(10, 1, 0, postcard::to_allocvec(&contents.credentials).unwrap()),
        row(11, 1, 0, postcard::to_allocvec(&contents.servers).unwrap()),
        row(12, 1, 0, postcard::to_allocvec(&contents.lenient).unwrap()),
        row(13, 1, 0, postcard::to_allocvec(&contents.shared).unwrap()),
        row(
            14,
            1,
            1,
            contents.release.map(|release| postcard::to_allocvec(&release).unwrap()).unwrap_or_default(),
        ),
    ];
    rows.retain(|row| match row.id {
        5 => !contents.templates.is_empty(),
        8 => features != 0,
        9 => !contents.limits.is_empty(),
        10 => !contents.credentials.is_empty(),
        11 => !contents.servers.is_empty(),
        12 => !contents.lenient.is_empty(),
        13 => !contents.shared.is_empty(),
        14 => contents.release.is_some(),
        _ => true,
    });
    rows
}

/// A file of the current format with these sections and true digests, unsigned.
pub fn assemble(features: u64, sections: &[Row]) -> Vec<u8> {
    assemble_version(VERSION, features, sections)
}

pub fn assemble_version(version: u16, features: u64, sections: &[Row]) -> Vec<u8> {
    let table_end = HEADER_LENGTH + sections.len() * TABLE_ROW_LENGTH;
    let signed_length = table_end + sections.iter().map(|row| row.body.len()).sum::<usize>();
    let mut out = MAGIC.to_vec();
    out.extend(version.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out.extend((sections.len() as u32).to_le_bytes());
    out.extend(features.to_le_bytes());
    out.extend((signed_length as u64).to_le_bytes());
    let mut offset = table_end as u64;
    for Row { id, version, flags, body } in sections {
        out.extend(id.to_le_bytes());
        out.extend(version.to_le_bytes());
        out.extend(flags.to_le_bytes());
        out.extend(offset.to_le_bytes());
        out.extend((body.len() as u64).to_le_bytes());
        out.extend(Sha256::digest(body));
        offset += body.len() as u64;
    }
    out.extend(sections.iter().flat_map(|row| &row.body));
    out.extend(b"MCPS\0\0\0\0");
    out
}
