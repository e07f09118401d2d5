//! Other versions: what a reader takes, what it skips, and how it refuses the rest.
#![cfg(test)]

use crate::container::{error_of, message_of};
use crate::encoder::{Row, assemble, assemble_version, features, sections};
use crate::support::{FEATURES, sample, tiny};
use mcp_bundle::format::{Features, Header, ReadError, SectionId, Trust, VERSION, key_id, read, sign, write};
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::Method;

/// See `fixtures/README.md`.
pub const FORMAT_1: &[u8] = include_bytes!("../fixtures/format-1.mcpk");

fn unknown(id: u32, flags: u16) -> Row {
    Row { id, version: 7, flags, body: b"of a later compiler".to_vec() }
}

/// The sample with a change of its table and one section more.
fn with_row(row: Row) -> Vec<u8> {
    let contents = sample().finish();
    assemble(features(&contents), &[sections(&contents), vec![row]].concat())
}

#[test]
fn an_unknown_optional_section_is_skipped() {
    let bytes = with_row(unknown(40, 1));
    let bundle = read(&bytes, &Trust::Any).unwrap();
    assert_eq!(bundle.contents, sample().finish());
    // It is a part of what the revision stands for, and signed with the rest.
    let without = read(&write(&sample().finish()).unwrap(), &Trust::Any).unwrap();
    assert_ne!(bundle.revision, without.revision);
    let signed = sign(bytes.clone(), &crate::support::key(1)).unwrap();
    assert_eq!(signed[..bytes.len() - 8], bytes[..bytes.len() - 8]);
    // It is looked at for damage.
    let mut damaged = bytes;
    let at = damaged.len() - 9;
    damaged[at] ^= 1;
    assert_eq!(error_of(&damaged), ReadError::DigestMismatch { section: SectionId::Unknown(40) });
    assert!(message_of(&damaged).starts_with("section `40` does not match its digest"));
}

#[test]
fn an_unknown_section_that_is_not_optional_is_refused() {
    assert_eq!(error_of(&with_row(unknown(40, 0))), ReadError::UnknownSection { id: 40 });
}

#[test]
fn a_newer_version_of_a_section_is_refused_by_name() {
    let contents = sample().finish();
    for (at, row) in sections(&contents).into_iter().enumerate() {
        let mut rows = sections(&contents);
        rows[at].version += 1;
        let section = SectionId::from_id(row.id);
        let error = error_of(&assemble(FEATURES, &rows));
        assert_eq!(error, ReadError::NewerSection { section, found: row.version + 1 });
        let expected = format!(
            "section `{section}` is of version {}, newer than {}; upgrade `mcp-edge`",
            row.version + 1,
            row.version
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn unknown_features_are_refused_by_the_names_that_the_bundle_has() {
    let contents = sample().finish();
    let names = |names: &[(u8, &str)]| {
        let mut rows = sections(&contents);
        rows[7].body = postcard::to_allocvec(names).unwrap();
        message_of(&assemble(FEATURES + (1 << 5) + (1 << 6), &rows))
    };
    let message = names(&[(1, "json-schema"), (2, "template-programs"), (5, "upstream-\n\"auth\"")]);
    let expected =
        r#"needs features that are unknown here: `upstream-\n\"auth\"` (bit 5), bit 6; upgrade `mcp-edge`"#;
    assert!(message.starts_with(expected), "{message}");
    // A list that cannot be read hides nothing.
    let mut rows = sections(&contents);
    rows[7].body = vec![0xff; 3];
    let message = message_of(&assemble(FEATURES + (1 << 5), &rows));
    assert!(message.starts_with("needs features that are unknown here: bit 5; upgrade"), "{message}");
}

#[test]
fn names_of_features_are_those_of_the_features() {
    let contents = sample().finish();
    let mut rows = sections(&contents);
    let names = [(1u8, "json-schema"), (2, "programs"), (8, "limits"), (9, "credentials")];
    rows[7].body = postcard::to_allocvec(&names).unwrap();
    let error = error_of(&assemble(FEATURES, &rows));
    assert!(matches!(error, ReadError::Undecodable { section: SectionId::FeatureNames, .. }), "{error}");
    rows.remove(7);
    let message = message_of(&assemble(FEATURES, &rows));
    assert!(message.starts_with("malformed header: section `feature-names` is missing"), "{message}");
}

#[test]
fn a_feature_that_nothing_needs_is_refused() {
    let mut contents = sample().finish();
    contents.manifest.schemas.clear();
    let mut rows = sections(&contents);
    rows[7] = sections(&sample().finish())[7].clone();
    assert_eq!(error_of(&assemble(FEATURES, &rows)), ReadError::NeedlessFeature { name: "json-schema" });
    // The bit alone, as a flipped one: the sections of the feature are missing.
    let mut bytes = write(&tiny()).unwrap();
    for bit in 0..64 {
        bytes[16 + bit / 8] ^= 1 << (bit % 8);
        assert!(read(&bytes, &Trust::Any).is_err(), "bit {bit}");
        bytes[16 + bit / 8] ^= 1 << (bit % 8);
    }
    assert!(read(&bytes, &Trust::Any).is_ok());
}

#[test]
fn sections_need_their_features() {
    let ids = |contents: &Contents| {
        let header = Header::parse(&write(contents).unwrap()).unwrap();
        header.sections.iter().map(|section| section.id.id()).collect::<Vec<u32>>()
    };
    assert_eq!(ids(&tiny()), [1, 2, 3, 4, 6, 7]);
    assert_eq!(ids(&sample().finish()), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn the_version_after_the_next_is_refused() {
    let bytes = assemble_version(VERSION + 1, 0, &sections(&tiny()));
    let message = message_of(&bytes);
    let expected = "format version 3 is newer than 2; upgrade `mcp-edge`, or rebuild it with an older `mcpc`";
    assert_eq!(message, expected);
}

#[test]
fn a_bundle_of_version_1_is_read() {
    let bundle = read(FORMAT_1, &Trust::Any).unwrap();
    assert_eq!((bundle.version, bundle.features), (1, Features(6)));
    assert_eq!(
        bundle.revision.to_string(),
        "f9b9fae63ca0256c809ee005d1b76008f22af35a370e6e62b4ed9b0f6f583dfb"
    );
    let [signer] = bundle.signers.as_slice() else { panic!("one signer") };
    assert_eq!(key_id(signer).to_string(), "21fe31dfa154a261");
    assert!(read(FORMAT_1, &Trust::AnyOf(&[*signer])).is_ok());

    let names: Vec<&str> =
        bundle.contents.tools.iter().map(|tool| bundle.contents.strings.get(tool.name)).collect();
    assert_eq!(names, ["create_order", "find_orders", "note", "opening_hours", "pay", "search"]);
    let tool = |name| bundle.tool(name).unwrap().1;
    let text = |id| bundle.contents.strings.get(id);
    assert_eq!(tool("opening_hours").fixed_answer().map(text), Some("Monday to Friday, 9 to 17."));
    let create = tool("create_order").http().unwrap();
    assert_eq!((create.method, create.headers.len(), create.cookies.len()), (Method::Post, 2, 1));
    assert!(tool("search").schema.is_some() && tool("search").response.output_schema.is_some());
    // Written again, it is of today's version and holds the same.
    let again = read(&write(&bundle.contents).unwrap(), &Trust::Any).unwrap();
    assert_eq!((again.version, again.contents), (VERSION, bundle.contents));
}

#[test]
fn damage_of_a_bundle_of_version_1_is_found() {
    let signer = read(FORMAT_1, &Trust::Any).unwrap().signers;
    for at in (0..FORMAT_1.len()).step_by(7) {
        let mut damaged = FORMAT_1.to_vec();
        damaged[at] ^= 0x10;
        assert!(read(&damaged, &Trust::AnyOf(&signer)).is_err(), "byte {at}");
        assert!(matches!(error_of(&FORMAT_1[..at]), ReadError::Truncated { .. }), "{at} bytes");
    }
}

#[test]
fn sections_had_no_versions_in_version_1() {
    let mut bytes = FORMAT_1.to_vec();
    bytes[32 + 4] = 1;
    let message = message_of(&bytes);
    assert!(message.contains("the reserved bytes of section `manifest` are not zero"), "{message}");
}

/// What version 1 could say and today's plans cannot.
#[test]
fn a_tool_of_version_1_has_either_an_upstream_or_a_fixed_answer() {
    assert_eq!(version_1(Some(0), true, false), Ok(()));
    assert_eq!(version_1(None, false, true), Ok(()));
    let refused = |upstream, path, respond, expected| {
        let message = version_1(upstream, path, respond).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    refused(None, true, false, "neither an upstream nor a fixed answer");
    refused(Some(0), true, true, "both an upstream and a fixed answer");
    refused(None, true, true, "a fixed answer, but also a request");
}

/// Reads the tiny bundle as version 1 would have written it.
fn version_1(upstream: Option<u32>, path: bool, respond: bool) -> Result<(), String> {
    let contents = tiny();
    let tool = &contents.tools[0];
    let http = tool.http().unwrap();
    let path = if path { http.path.as_slice() } else { &[] };
    let nothing = None::<u32>;
    let response = (nothing, nothing, Vec::<u32>::new(), nothing, respond.then_some(0u32));
    let request = (upstream, http.method, path, &http.query, &http.headers, &http.cookies, &http.body);
    let rest = (&tool.parameters, nothing, &tool.checks, nothing, tool.policy, response);
    let mut rows = sections(&contents);
    rows[2].body = postcard::to_allocvec(&[(tool.name, tool.toolset, request, rest)]).unwrap();
    let u = &contents.upstreams[0];
    let origin = (u.name, u.scheme, u.host, u.port, u.authority, u.connect_timeout_ms);
    rows[1].body = postcard::to_allocvec(&[origin]).unwrap();
    let p = &contents.policies[0];
    let limits = (p.max_response_bytes, p.max_text_bytes);
    let policy = (p.timeout_ms, p.retry_count, p.idempotent, p.cache_seconds, limits, &p.scopes);
    rows[5].body = postcard::to_allocvec(&[policy]).unwrap();
    // The count of a list, which an array does not have.
    [1, 2, 5].into_iter().for_each(|at| rows[at].body.insert(0, 1));
    let templates = postcard::to_allocvec(&contents.templates).unwrap();
    rows.insert(4, Row { id: 5, version: 0, flags: 0, body: templates });
    rows.iter_mut().for_each(|row| row.version = 0);
    let bundle = read(&assemble_version(1, 0, &rows), &Trust::Any).map_err(|error| error.to_string())?;
    assert!(respond || bundle.contents == contents);
    Ok(())
}

#[test]
fn no_feature_bit_flips_unseen() {
    let unsigned = |bytes: &[u8]| {
        let end = Header::parse(bytes).unwrap().signed_length as usize;
        bytes[..end].to_vec()
    };
    let newest = write(&sample().finish()).unwrap();
    let (newest_tiny, first) = (write(&tiny()).unwrap(), include_bytes!("../fixtures/format-2-first.mcpk"));
    for bytes in [FORMAT_1, &newest, &newest_tiny, first] {
        assert!(read(bytes, &Trust::Any).is_ok());
        for bit in 0..64 {
            let mut flipped = unsigned(bytes);
            // What follows is a block without signatures.
            flipped.extend_from_slice(&newest[newest.len() - 8..]);
            assert!(read(&flipped, &Trust::Any).is_ok());
            flipped[16 + bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped, &Trust::Any).is_err(), "bit {bit}");
        }
    }
}
