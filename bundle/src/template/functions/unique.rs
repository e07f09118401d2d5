//! Identifiers that are not given twice.

use super::super::error::Fault;
use super::call::push;
use super::{Ambient, Answer};

/// A version 4 UUID. It is unique as long as the seed is, and no secret: do not use it as a credential.
pub(super) fn uuid(ambient: &Ambient, calls: u32, out: &mut String) -> Result<Answer, Fault> {
    let first = mix(ambient.seed.wrapping_add(STEP.wrapping_mul(u64::from(calls) + 1)));
    let second = mix(first ^ ambient.seed.rotate_left(32) ^ u64::from(calls));
    let bits = u128::from(first) << 64 | u128::from(second);
    let bits = bits & !(0xF << 76) | 0x4 << 76;
    let bits = bits & !(0x3 << 62) | 0x2 << 62;
    let uuid = format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        bits >> 96,
        bits >> 80 & 0xFFFF,
        bits >> 64 & 0xFFFF,
        bits >> 48 & 0xFFFF,
        bits & 0xFFFF_FFFF_FFFF
    );
    push(out, &uuid)?;
    Ok(Answer::Text)
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64: spreads any difference over all bits, and maps no two seeds to one.
fn mix(seed: u64) -> u64 {
    let seed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let seed = (seed ^ seed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    seed ^ seed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn uuids_are_well_formed_and_differ() {
        let mut seen = BTreeSet::new();
        for seed in 0..50 {
            for calls in 0..50 {
                let mut out = String::new();
                uuid(&Ambient { now_ms: 0, seed }, calls, &mut out).unwrap();
                assert_eq!(out.len(), 36);
                assert_eq!(out.as_bytes()[14], b'4', "{out}");
                assert!(b"89ab".contains(&out.as_bytes()[19]), "{out}");
                assert!(seen.insert(out));
            }
        }
    }
}
