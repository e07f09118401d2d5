//! Header, table and sections: round trips, and every way a file can be damaged.
#![cfg(test)]

use crate::encoder::{assemble, features, sections};
use crate::support::{FEATURES, key, sample, tiny};
use mcp_bundle::format::{
    Features, Header, MAX_FILE_LENGTH, MAX_TOOLS, ReadError, SectionId, Trust, read, sign, write,
};
use mcp_bundle::plan::Contents;

pub fn error_of(bytes: &[u8]) -> ReadError {
    read(bytes, &Trust::Any).unwrap_err()
}

pub fn message_of(bytes: &[u8]) -> String {
    error_of(bytes).to_string()
}

/// The unsigned bundle with `bytes` at `at`.
fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = write(&tiny()).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn what_is_written_is_read_back() {
    for contents in [tiny(), sample().finish()] {
        let bundle = read(&write(&contents).unwrap(), &Trust::Any).unwrap();
        assert_eq!(bundle.contents, contents);
        assert!(bundle.signers.is_empty());
    }
}

#[test]
fn equal_contents_give_equal_bytes_and_one_revision() {
    let (a, b) = (write(&sample().finish()).unwrap(), write(&sample().finish()).unwrap());
    assert_eq!(a, b);
    let other = read(&write(&tiny()).unwrap(), &Trust::Any).unwrap().revision;
    assert_ne!(read(&a, &Trust::Any).unwrap().revision, other);
}

#[test]
fn the_header_alone_has_the_revision() {
    let bytes = write(&tiny()).unwrap();
    let revision = read(&bytes, &Trust::Any).unwrap().revision;
    let header = Header::parse(&bytes[..32 + 6 * 56]).unwrap();
    assert_eq!(header.revision, revision);
    assert_eq!(header.sections.len(), 6);
    assert_eq!(header.signed_length, bytes.len() as u64 - 8);
    let shown = revision.to_string();
    assert!(shown.len() == 64 && shown.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')), "{shown}");
}

#[test]
fn tools_are_found_by_name() {
    let bundle = read(&write(&sample().finish()).unwrap(), &Trust::Any).unwrap();
    let (index, tool) = bundle.tool("get_order").unwrap();
    assert_eq!((index, bundle.contents.strings.get(tool.name)), (2, "get_order"));
    assert!(bundle.tool("get_orde").is_none() && bundle.tool("").is_none() && bundle.tool("zzz").is_none());
}

#[test]
fn features_follow_from_the_contents() {
    let features = |contents: &Contents| Header::parse(&write(contents).unwrap()).unwrap().features;
    assert_eq!(features(&tiny()), Features(0));
    assert_eq!(features(&sample().finish()), Features(FEATURES));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = sign(write(&tiny()).unwrap(), &key(1)).unwrap();
    for length in 0..bytes.len() {
        match error_of(&bytes[..length]) {
            ReadError::Truncated { expected, actual } => {
                assert!(actual == length as u64 && expected > actual && expected <= bytes.len() as u64);
            }
            other => panic!("{length} bytes: {other}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = sign(write(&tiny()).unwrap(), &key(1)).unwrap();
    let trusted = [key(1).verifying_key()];
    assert!(read(&bytes, &Trust::AnyOf(&trusted)).is_ok());
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged, &Trust::AnyOf(&trusted)).is_err(), "bit {bit}");
    }
}

#[test]
fn other_files_are_distinguished() {
    assert_eq!(error_of(b"[toolset]\nname = \"shop\"\n"), ReadError::TextFile);
    assert_eq!(error_of("é\n".as_bytes()), ReadError::TextFile);
    assert_eq!(error_of(b"PK\x03\x04\0\0\0\0"), ReadError::NotABundle);
    let bytes = write(&tiny()).unwrap();
    let text_mode = [
        [b"\x89MCPK\n\x1a", &bytes[8..]].concat(),
        [b"\x89MCPK\r\r\n\x1a", &bytes[8..]].concat(),
        [b"\x09MCPK\r\n\x1a", &bytes[8..]].concat(),
        String::from_utf8_lossy(&bytes).into_owned().into_bytes(),
    ];
    for damaged in text_mode {
        assert_eq!(error_of(&damaged), ReadError::TextModeDamage);
    }
}

#[test]
fn other_versions_say_which_side_to_upgrade() {
    assert_eq!(error_of(&patched(8, &[0, 0])), ReadError::TooOld { found: 0 });
    assert_eq!(error_of(&patched(8, &[3, 0])), ReadError::TooNew { found: 3 });
    assert!(message_of(&patched(8, &[3, 0])).contains("upgrade `mcp-edge`"));
}

#[test]
fn unknown_features_are_named() {
    let message = message_of(&patched(16, &[0x81, 0, 0, 0, 0, 0, 0, 0x80]));
    let expected = "needs features that are unknown here: bit 0, bit 7, bit 63; upgrade `mcp-edge`";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn features_that_the_contents_need_must_be_announced() {
    let bodies = sections(&sample().finish());
    assert!(read(&assemble(FEATURES, &bodies), &Trust::Any).is_ok());
    assert_eq!(error_of(&assemble(FEATURES - 2, &bodies)), ReadError::MissingFeature { name: "json-schema" });
    let message = message_of(&assemble(FEATURES - 4, &bodies));
    assert!(message.contains("section `templates` is of a feature that is not announced"), "{message}");
}

#[test]
fn nothing_may_follow_the_signatures() {
    let mut bytes = write(&tiny()).unwrap();
    bytes.extend(b"...");
    assert_eq!(error_of(&bytes), ReadError::TrailingBytes { count: 3 });
}

#[test]
fn a_malformed_table_is_refused() {
    let row = |index: usize| 32 + index * 56;
    let cases: [(Vec<u8>, &str); 10] = [
        (patched(10, &[1]), "the reserved bytes of the header are not zero"),
        (patched(12, &65u32.to_le_bytes()), "it has 65 sections, the most is 64"),
        (assemble(0, &sections(&tiny())[..5]), "section `policies` is missing"),
        (patched(row(1), &[3]), "section 3 comes after section 3, not in order"),
        (patched(row(5) + 4, &[0]), "section `policies` is of version 0"),
        (patched(row(5) + 6, &[2]), "section `policies` has unknown flags"),
        (patched(row(0) + 8, &[0]), "section `manifest` starts at 256 instead of 368"),
        (
            patched(row(0) + 16, &u64::MAX.to_le_bytes()),
            "section `manifest` reaches beyond the signed length",
        ),
        (patched(row(5) + 16, &[1]), "the sections end at"),
        (assemble(0, &sections(&sample().finish())), "section `templates` is of a feature that is not"),
    ];
    for (bytes, expected) in cases {
        let message = message_of(&bytes);
        assert!(message.starts_with(&format!("malformed header: {expected}")), "{message}");
    }
}

#[test]
fn the_size_limit_holds_before_anything_is_read() {
    let length = MAX_FILE_LENGTH + 1;
    assert_eq!(error_of(&patched(24, &length.to_le_bytes())), ReadError::TooLarge { length });
    assert_eq!(error_of(&patched(24, &u64::MAX.to_le_bytes())), ReadError::TooLarge { length: u64::MAX });
}

#[test]
fn a_damaged_section_is_named() {
    let bytes = write(&sample().finish()).unwrap();
    for section in Header::parse(&bytes).unwrap().sections {
        let mut damaged = bytes.clone();
        damaged[section.offset as usize] ^= 1;
        assert_eq!(error_of(&damaged), ReadError::DigestMismatch { section: section.id });
    }
}

#[test]
fn a_section_must_be_used_up() {
    let contents = sample().finish();
    for id in SectionId::ALL {
        let mut body = body_of(&contents, id);
        body.push(0);
        let error = error_of(&with_section(&contents, id, body));
        assert!(matches!(error, ReadError::Undecodable { section, .. } if section == id), "{error}");
        let error = error_of(&with_section(&contents, id, Vec::new()));
        assert!(matches!(error, ReadError::Undecodable { section, .. } if section == id), "{error}");
    }
}

/// A count costs no memory that the section does not back: serde reserves 1 MiB at most ahead of the elements.
#[test]
fn hostile_lengths_are_refused() {
    let counts = [u64::MAX, u64::from(u32::MAX), 1 << 40, MAX_TOOLS as u64, MAX_TOOLS as u64 + 1];
    for id in SectionId::ALL {
        for count in counts {
            let mut body = postcard::to_allocvec(&count).unwrap();
            // Where the count is not the first thing, it becomes an id and a count.
            body.extend(body.clone());
            let error = error_of(&with_section(&sample().finish(), id, body));
            assert!(matches!(error, ReadError::Undecodable { section, .. } if section == id), "{error}");
        }
    }
    let body = postcard::to_allocvec(&(MAX_TOOLS as u64 + 1)).unwrap();
    let message = message_of(&with_section(&tiny(), SectionId::Tools, body));
    assert!(message.contains("1000001 tools, the most is 1000000"), "{message}");
}

#[test]
fn broken_string_sections_are_refused() {
    let cases: [(&[u8], &str); 6] = [
        (&[1, 0, 0], "the count is cut"),
        (&[2, 0, 0, 0, 1, 0, 0, 0], "there are fewer ends than announced"),
        (&[255, 255, 255, 255], "there are fewer ends than announced"),
        (&[1, 0, 0, 0, 2, 0, 0, 0, b'a'], "the ends do not fit the text"),
        (&[1, 0, 0, 0, 1, 0, 0, 0, b'a', b'b'], "the ends do not fit the text"),
        (&[1, 0, 0, 0, 2, 0, 0, 0, b'a', 0xff], "not UTF-8 after byte 1"),
    ];
    for (body, expected) in cases {
        let message = message_of(&with_section(&tiny(), SectionId::Strings, body.to_vec()));
        assert!(
            message.starts_with(&format!("section `strings` cannot be decoded: {expected}")),
            "{message}"
        );
    }
}

#[test]
fn unknown_tags_are_refused() {
    // The first template's first byte is its dialect.
    let mut body = body_of(&sample().finish(), SectionId::Templates);
    assert_eq!(body[..2], [1, 1]);
    body[1] = 3;
    let error = error_of(&with_section(&sample().finish(), SectionId::Templates, body));
    assert!(matches!(error, ReadError::Undecodable { section: SectionId::Templates, .. }), "{error}");
}

/// What a section of contents holds.
pub fn body_of(contents: &Contents, id: SectionId) -> Vec<u8> {
    sections(contents).into_iter().find(|row| row.id == id.id()).unwrap().body
}

/// [`assemble`] with one section replaced.
pub fn with_section(contents: &Contents, id: SectionId, body: Vec<u8>) -> Vec<u8> {
    let mut sections = sections(contents);
    sections.iter_mut().find(|row| row.id == id.id()).unwrap().body = body;
    assemble(features(contents), &sections)
}
