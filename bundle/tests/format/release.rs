//! The section of a release: what it may hold, and that nobody needs it.
#![cfg(test)]

use crate::container::message_of;
use crate::encoder::{Row, assemble, features, sections};
use crate::rules::{NO_STRING, accepted, refused};
use crate::support::{Draft, sample};
use mcp_bundle::format::{Header, SectionId, Trust, read, write};
use mcp_bundle::plan::Release;

fn version(text: &str) -> impl FnOnce(&mut Draft) {
    move |d| d.contents.release = Some(Release { version: d.s(text) })
}

#[test]
fn a_version_is_written_and_read() {
    accepted(version("1.4.0"));
    accepted(version("0.0.4294967295"));
    let mut draft = sample();
    version("2.0.0")(&mut draft);
    let contents = draft.finish();
    let bytes = write(&contents).unwrap();
    assert_eq!(read(&bytes, &Trust::Any).unwrap().contents.version(), Some("2.0.0"));
    let header = Header::parse(&bytes).unwrap();
    let section = header.sections.iter().find(|section| section.id == SectionId::Release).unwrap();
    assert!(section.optional, "a reader that does not know it skips it");
}

#[test]
fn a_bundle_without_a_version_does_not_have_the_section() {
    let mut draft = sample();
    draft.contents.release = None;
    let bytes = write(&draft.finish()).unwrap();
    assert_eq!(read(&bytes, &Trust::Any).unwrap().contents.version(), None);
    assert!(Header::parse(&bytes).unwrap().sections.iter().all(|section| section.id != SectionId::Release));
}

#[test]
fn what_is_no_version_is_refused() {
    for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1..2", "1.2.12345678901", "v1.2.3"] {
        refused(&format!("manifest: `{text}` is not a version"), version(text));
    }
    refused("manifest: version is string 100000, which does not exist", |d| {
        d.contents.release = Some(Release { version: NO_STRING });
    });
}

#[test]
fn bytes_that_are_no_release_are_refused() {
    let contents = sample().finish();
    for body in [&b""[..], b"\x01\x02", b"\xff"] {
        let row = Row { id: 14, version: 1, flags: 1, body: body.to_vec() };
        let mut rows = sections(&contents);
        rows.pop();
        rows.push(row);
        let message = message_of(&assemble(features(&contents), &rows));
        assert!(message.contains("section `release`"), "{message}");
    }
}
