//! Who signed a bundle, and whether that is enough.
#![cfg(test)]

use crate::support::{key, sample, tiny};
use ed25519_dalek::{Signer, Verifier};
use mcp_bundle::format::{
    Header, Invalid, KeyId, ReadError, SectionId, SignError, Subject, Trust, key_id, read, sign, write,
};

fn signed_by(seeds: &[u8]) -> Vec<u8> {
    seeds.iter().fold(write(&tiny()).unwrap(), |bytes, seed| sign(bytes, &key(*seed)).unwrap())
}

fn error_of(bytes: &[u8], seeds: &[u8]) -> ReadError {
    let trusted: Vec<_> = seeds.iter().map(|seed| key(*seed).verifying_key()).collect();
    read(bytes, &Trust::AnyOf(&trusted)).unwrap_err()
}

#[test]
fn one_trusted_signature_is_enough() {
    let bytes = signed_by(&[1, 2]);
    for seed in [1, 2] {
        let trusted = [key(9).verifying_key(), key(seed).verifying_key()];
        let bundle = read(&bytes, &Trust::AnyOf(&trusted)).unwrap();
        assert_eq!(bundle.contents, tiny());
        assert_eq!(bundle.signers.len(), 2);
    }
}

#[test]
fn an_unsigned_bundle_is_refused_where_a_signature_is_required() {
    assert_eq!(error_of(&write(&tiny()).unwrap(), &[1]), ReadError::Unsigned);
}

#[test]
fn unknown_signers_are_listed() {
    let bytes = signed_by(&[1, 2]);
    let mut keys = [key(1).verifying_key(), key(2).verifying_key()];
    keys.sort_by_key(|key| key.to_bytes());
    assert_eq!(error_of(&bytes, &[3]), ReadError::UnknownSigners { keys: keys.iter().map(key_id).collect() });
    assert!(error_of(&bytes, &[3]).to_string().contains(&key_id(&keys[0]).to_string()));
    assert!(matches!(error_of(&bytes, &[]), ReadError::UnknownSigners { .. }), "no keys trust nothing");
}

#[test]
fn signing_leaves_the_revision_and_everything_signed_alone() {
    let (plain, signed) = (write(&tiny()).unwrap(), signed_by(&[1]));
    let header = Header::parse(&plain).unwrap();
    assert_eq!(Header::parse(&signed).unwrap(), header);
    let start = header.signed_length as usize;
    assert_eq!(plain[..start], signed[..start]);
    assert_eq!(signed.len(), plain.len() + 96);
}

#[test]
fn the_order_of_signing_does_not_matter_and_a_key_signs_once() {
    assert_eq!(signed_by(&[1, 2, 3]), signed_by(&[3, 1, 2, 1, 3]));
}

#[test]
fn the_message_is_the_revision_in_its_own_domain() {
    let bytes = signed_by(&[1]);
    let revision = Header::parse(&bytes).unwrap().revision;
    let message = [b"mcpc bundle revision v1\0".as_slice(), &revision.0].concat();
    let signature: [u8; 64] = bytes[bytes.len() - 64..].try_into().unwrap();
    let signature = ed25519_dalek::Signature::from_bytes(&signature);
    assert!(key(1).verifying_key().verify(&message, &signature).is_ok());

    // A signature over the bare revision is none.
    let mut bare = bytes;
    let at = bare.len() - 64;
    bare[at..].copy_from_slice(&key(1).sign(&revision.0).to_bytes());
    assert_eq!(error_of(&bare, &[1]), ReadError::BadSignature { key: key_id(&key(1).verifying_key()) });
}

#[test]
fn a_signature_does_not_carry_over_to_another_bundle() {
    let (other, signed) = (write(&sample().finish()).unwrap(), signed_by(&[1]));
    let signatures = &signed[signed.len() - 104..];
    let forged = [&other[..other.len() - 8], signatures].concat();
    assert_eq!(error_of(&forged, &[1]), ReadError::BadSignature { key: key_id(&key(1).verifying_key()) });
}

#[test]
fn an_invalid_signature_is_refused_even_if_none_is_needed() {
    let mut bytes = signed_by(&[1, 2]);
    *bytes.last_mut().unwrap() ^= 1;
    assert!(matches!(read(&bytes, &Trust::Any).unwrap_err(), ReadError::BadSignature { .. }));
    assert!(matches!(error_of(&bytes, &[1, 2]), ReadError::BadSignature { .. }));
}

#[test]
fn a_key_that_is_not_a_point_or_weak_is_refused() {
    let plain = write(&tiny()).unwrap();
    // The neutral element would accept the signature (R = neutral, s = 0) of any message.
    let mut neutral = [0u8; 32];
    neutral[0] = 1;
    for (public, signature) in
        [([0xff; 32], [0; 64]), (neutral, [neutral, [0; 32]].concat().try_into().unwrap())]
    {
        let signature: [u8; 64] = signature;
        let bytes = [&plain[..plain.len() - 8], b"MCPS\x01\0\0\0", &public, &signature].concat();
        assert!(matches!(read(&bytes, &Trust::Any).unwrap_err(), ReadError::BadSignature { .. }));
    }
}

#[test]
fn a_malformed_block_is_refused() {
    let bytes = signed_by(&[1, 2]);
    let block = bytes.len() - 8 - 2 * 96;
    let edit = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        edit(&mut bytes);
        read(&bytes, &Trust::Any).unwrap_err().to_string()
    };
    let unsorted = |b: &mut Vec<u8>| b[block + 8..].rotate_left(96);
    let double = |b: &mut Vec<u8>| b.copy_within(block + 8..block + 8 + 96, block + 8 + 96);
    let cases: [(String, &str); 5] = [
        (edit(&|b| b[block] = b'X'), "it does not begin with `MCPS`"),
        (edit(&|b| b[block + 4] = 17), "it has 17 signatures, the most is 16"),
        (edit(&|b| b[block + 6] = 1), "its reserved bytes are not zero"),
        (edit(&unsorted), "its keys are not in ascending order"),
        (edit(&double), "its keys are not in ascending order"),
    ];
    for (message, expected) in cases {
        assert!(message.starts_with(&format!("malformed signature block: {expected}")), "{message}");
    }
}

#[test]
fn there_are_at_most_sixteen_signatures() {
    let seeds: Vec<u8> = (1..=16).collect();
    let full = signed_by(&seeds);
    assert_eq!(read(&full, &Trust::Any).unwrap().signers.len(), 16);
    assert_eq!(sign(full.clone(), &key(17)), Err(SignError::TooManySignatures));
    assert_eq!(sign(full.clone(), &key(5)), Ok(full), "replacing needs no room");
}

#[test]
fn a_damaged_bundle_is_not_signed() {
    let mut bytes = write(&tiny()).unwrap();
    bytes[370] ^= 1;
    let damaged = ReadError::DigestMismatch { section: SectionId::Manifest };
    assert_eq!(sign(bytes, &key(1)), Err(SignError::Unreadable(damaged)));
}

#[test]
fn messages_are_one_line_and_say_what_to_do() {
    let key = KeyId([0xab; 8]);
    let invalid = Invalid { subject: Subject::Tool("a\nb".to_owned()), problem: "wrong".to_owned() };
    let section = SectionId::Tools;
    let errors = [
        ReadError::NotABundle,
        ReadError::TextFile,
        ReadError::TextModeDamage,
        ReadError::Truncated { expected: 32, actual: 4 },
        ReadError::TrailingBytes { count: 1 },
        ReadError::TooLarge { length: 1 << 40 },
        ReadError::TooOld { found: 0 },
        ReadError::TooNew { found: 3 },
        ReadError::UnknownFeatures { features: vec!["bit 3".to_owned()] },
        ReadError::UnknownSection { id: 9 },
        ReadError::NewerSection { section, found: 3 },
        ReadError::MalformedHeader { what: "wrong".to_owned() },
        ReadError::MalformedSignatures { what: "wrong".to_owned() },
        ReadError::DigestMismatch { section },
        ReadError::Undecodable { section, reason: "wrong".to_owned() },
        ReadError::MissingFeature { name: "json-schema" },
        ReadError::NeedlessFeature { name: "json-schema" },
        ReadError::Invalid(Box::new(invalid)),
        ReadError::Unsigned,
        ReadError::UnknownSigners { keys: vec![key, key] },
        ReadError::BadSignature { key },
    ];
    let advice = ["mcpc build", "copy it again", "upgrade `mcp-edge`", "split the tools", "sign it again"];
    for error in errors {
        let message = error.to_string();
        assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
        assert!(!message.starts_with(char::is_uppercase), "{message}");
        assert!(advice.iter().any(|advice| message.contains(advice)), "{message}");
    }
}
