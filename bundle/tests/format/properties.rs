//! No input makes the reader panic, and whatever it accepts can be written again.
#![cfg(test)]

use crate::container::with_section;
use crate::encoder::{Row, assemble, assemble_version, sections};
use crate::growth::FORMAT_1;
use crate::support::{FEATURES, key, sample, tiny};
use mcp_bundle::format::{Header, MAGIC, Section, SectionId, Trust, read, sign, write};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof};
use proptest::proptest;
use proptest::test_runner::TestCaseError;

/// A change at a place that is taken modulo the length.
#[derive(Debug, Clone)]
enum Edit {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Cut(prop::sample::Index),
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        match self {
            Edit::Insert(at, byte) => bytes.insert(at.index(length + 1), *byte),
            _ if length == 0 => {}
            Edit::Set(at, byte) => bytes[at.index(length)] = *byte,
            Edit::Remove(at) => drop(bytes.remove(at.index(length))),
            Edit::Cut(at) => bytes.truncate(at.index(length)),
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    // Small values are tags, counts and indexes; they reach further than random ones.
    let byte = prop_oneof![0..8u8, any::<u8>(), Just(0xff), Just(0x7f)];
    let index = any::<prop::sample::Index>;
    prop_oneof![
        8 => (index(), byte.clone()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        2 => (index(), byte).prop_map(|(at, byte)| Edit::Insert(at, byte)),
        2 => index().prop_map(Edit::Remove),
        1 => index().prop_map(Edit::Cut),
    ]
}

/// What was read is written again to something that reads the same.
fn reads_stably(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(bundle) = read(bytes, &Trust::Any) {
        let again = read(&write(&bundle.contents).unwrap(), &Trust::Any).unwrap();
        prop_assert_eq!(again.contents, bundle.contents);
    }
    Ok(())
}

/// The sections of the kept bundle.
fn version_1_rows() -> Vec<Row> {
    let sections = Header::parse(FORMAT_1).unwrap().sections;
    let body = |section: &Section| FORMAT_1[section.offset as usize..][..section.length as usize].to_vec();
    sections.iter().map(|s| Row { id: s.id.id(), version: 0, flags: 0, body: body(s) }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_not_a_bundle(bytes in vec(any::<u8>(), 0..600), with_magic: bool) {
        let start = if with_magic { MAGIC.as_slice() } else { &[] };
        prop_assert!(read(&[start, &bytes].concat(), &Trust::Any).is_err());
    }

    #[test]
    fn a_signed_bundle_with_any_change_is_refused(edits in vec(edit(), 1..4)) {
        let original = sign(write(&tiny()).unwrap(), &key(1)).unwrap();
        let mut bytes = original.clone();
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        let trusted = [key(1).verifying_key()];
        prop_assert_eq!(read(&bytes, &Trust::AnyOf(&trusted)).is_ok(), bytes == original);
    }

    #[test]
    fn changed_sections_with_true_digests_never_panic(
        edits in vec((0..SectionId::ALL.len(), edit()), 1..6), features in prop_oneof![4 => Just(FEATURES), 1 => 0..8u64]
    ) {
        let mut bodies = sections(&sample().finish());
        for (section, edit) in &edits {
            edit.apply(&mut bodies[*section].body);
        }
        reads_stably(&assemble(features, &bodies))?;
    }

    #[test]
    fn changed_sections_of_version_1_never_panic(edits in vec((0..7usize, edit()), 1..6)) {
        let mut rows = version_1_rows();
        for (section, edit) in &edits {
            edit.apply(&mut rows[*section].body);
        }
        reads_stably(&assemble_version(1, 6, &rows))?;
    }

    #[test]
    fn arbitrary_sections_never_panic(id in prop::sample::select(SectionId::ALL.to_vec()), body in vec(any::<u8>(), 0..200)) {
        reads_stably(&with_section(&sample().finish(), id, body))?;
    }
}
