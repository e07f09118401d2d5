//! `docs/BUNDLE.md` shows a whole bundle, byte by byte; here it is made again.
#![cfg(test)]

use crate::support::tiny;
use ed25519_dalek::SigningKey;
use mcp_bundle::format::{
    Features, HEADER_LENGTH, Header, MAX_FILE_LENGTH, MAX_FIXED_JSON_LENGTH, MAX_FIXED_JSON_TOTAL,
    MAX_NAME_LENGTH, MAX_SECTIONS, MAX_SIGNATURES, MAX_TOOLS, OLDEST_VERSION, SectionId, TABLE_ROW_LENGTH,
    Trust, VERSION, key_id, read, sign, write,
};
use std::fmt::Write;

const DOCS: &str = include_str!("../../../docs/BUNDLE.md");

/// The secret key of RFC 8032 §7.1, TEST 1.
const SECRET: [u8; 32] = [
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44,
    0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
];

/// The fenced block that follows `<!-- name -->`.
fn block(name: &str) -> &'static str {
    let (_, after) = DOCS.split_once(&format!("<!-- {name} -->\n\n```text\n")).unwrap();
    after.split_once("```").unwrap().0
}

fn hex_dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (line, chunk) in bytes.chunks(16).enumerate() {
        write!(out, "{:04x} ", line * 16).unwrap();
        for at in 0..16 {
            let gap = if at == 8 { " " } else { "" };
            match chunk.get(at) {
                Some(byte) => write!(out, "{gap} {byte:02x}").unwrap(),
                None => write!(out, "{gap}   ").unwrap(),
            }
        }
        let shown = |b: &u8| if b.is_ascii_graphic() || *b == b' ' { char::from(*b) } else { '.' };
        writeln!(out, "  |{}|", chunk.iter().map(shown).collect::<String>()).unwrap();
    }
    out
}

fn map(bytes: &[u8], key: &SigningKey) -> String {
    let header = Header::parse(bytes).unwrap();
    let mut rows = vec![
        (0, HEADER_LENGTH as u64, "header".to_owned()),
        (HEADER_LENGTH as u64, (header.sections.len() * TABLE_ROW_LENGTH) as u64, "section table".to_owned()),
    ];
    rows.extend(
        header.sections.iter().map(|s| (s.offset, s.length, format!("section {}, {}", s.id.id(), s.id))),
    );
    rows.push((
        header.signed_length,
        bytes.len() as u64 - header.signed_length,
        "signature block".to_owned(),
    ));
    let mut out = String::from("offset  length  what\n");
    for (offset, length, what) in rows {
        writeln!(out, "  {offset:04x}  {length:6}  {what}").unwrap();
    }
    writeln!(out, "\nrevision  {}\nkey id    {}", header.revision, key_id(&key.verifying_key())).unwrap();
    out
}

#[test]
fn the_documented_bundle_is_what_is_written() {
    let key = SigningKey::from_bytes(&SECRET);
    let bytes = sign(write(&tiny()).unwrap(), &key).unwrap();
    assert!(read(&bytes, &Trust::AnyOf(&[key.verifying_key()])).is_ok());
    let (dump, map) = (hex_dump(&bytes), map(&bytes, &key));
    assert_eq!(block("tiny bundle: bytes"), dump, "docs/BUNDLE.md should show:\n{dump}");
    assert_eq!(block("tiny bundle: map"), map, "docs/BUNDLE.md should show:\n{map}");
}

#[test]
fn the_documented_bytes_are_a_bundle() {
    let bytes: Vec<u8> = block("tiny bundle: bytes")
        .lines()
        .flat_map(|line| line.split('|').next().unwrap().split_whitespace().skip(1))
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    assert_eq!(read(&bytes, &Trust::Any).unwrap().contents, tiny());
}

#[test]
fn the_pieces_in_detail_are_pieces_of_the_bundle() {
    let bytes = write(&tiny()).unwrap();
    let (_, detail) = DOCS.split_once("Two pieces in detail.").unwrap();
    let shown: Vec<u8> = detail
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .flat_map(|(bytes, _)| bytes.split(' '))
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    let sections = Header::parse(&bytes).unwrap().sections;
    let pieces = [SectionId::Manifest, SectionId::Tools].map(|id| {
        let section = sections.iter().find(|section| section.id == id).unwrap();
        assert!(detail.contains(&format!("at `{:04x}`", section.offset)), "{id}");
        &bytes[section.offset as usize..][..section.length as usize]
    });
    assert_eq!(shown, pieces.concat());
}

#[test]
fn numbers_in_the_docs_are_those_of_the_code() {
    let rows = SectionId::ALL.map(|id| format!("| {} | `{id}` | {} |", id.id(), id.version()));
    let features = Features::NAMES.map(|(f, name)| format!("| {} | `{name}` |", f.0.trailing_zeros()));
    let numbers = [
        format!("| file | {} MiB |", MAX_FILE_LENGTH >> 20),
        format!("| sections | {MAX_SECTIONS} |"),
        format!("| tools | {MAX_TOOLS} |"),
        format!("| signatures | {MAX_SIGNATURES} |"),
        format!("| a name | {MAX_NAME_LENGTH} bytes |"),
        format!("| a fixed JSON value in parts | {} MiB |", MAX_FIXED_JSON_LENGTH >> 20),
        format!("| all of those together | {} MiB |", MAX_FIXED_JSON_TOTAL >> 20),
        format!("format version, {VERSION}"),
        format!("reads versions {OLDEST_VERSION} and {VERSION}"),
    ];
    for row in rows.iter().chain(&features).chain(&numbers) {
        assert!(DOCS.contains(row.as_str()), "docs/BUNDLE.md lacks `{row}`");
    }
}
