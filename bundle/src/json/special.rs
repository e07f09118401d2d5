//! Which bytes need a look inside a JSON string: quotes, backslashes and control characters.
//!
//! Vector instructions look at 16 bytes at once: most strings are no longer.

use wide::u8x16;

/// Bytes that are looked at at once.
const BLOCK: usize = 16;

/// What is special among 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    /// A bit for each special byte, the first byte lowest.
    pub(crate) special: u64,
    /// Whether one of them is a control character.
    pub(crate) has_control: bool,
}

#[inline(always)]
pub(crate) fn marks(bytes: &[u8; 64]) -> Marks {
    let mut special = 0;
    let mut controls = u8x16::splat(0);
    for (index, block) in bytes.as_chunks::<BLOCK>().0.iter().enumerate() {
        let (either, control) = special_lanes(block);
        special |= u64::from(either.to_bitmask()) << (BLOCK * index);
        controls |= control;
    }
    Marks { special, has_control: controls.to_bitmask() != 0 }
}

/// Where the plain bytes that begin at `at` end: at the first special one, or at the end of the text.
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    let Some(block) = block_at(bytes, at) else { return last_plain_end(bytes, at) };
    match special_bits(block) {
        0 => later_plain_end(bytes, at + BLOCK),
        bits => at + bits.trailing_zeros() as usize,
    }
}

#[inline(never)]
fn later_plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = block_at(bytes, at) {
        match special_bits(block) {
            0 => at += BLOCK,
            bits => return at + bits.trailing_zeros() as usize,
        }
    }
    last_plain_end(bytes, at)
}

/// The same where less than a block is left: the last block of the text has all of it.
#[inline(never)]
fn last_plain_end(bytes: &[u8], at: usize) -> usize {
    let left = bytes.len().saturating_sub(at);
    let plain = match bytes.last_chunk() {
        Some(block) if left > 0 => {
            (special_bits(block) >> BLOCK.saturating_sub(left)).trailing_zeros() as usize
        }
        _ => bytes.iter().skip(at).take_while(|&&byte| !is_special(byte)).count(),
    };
    at + plain.min(left)
}

#[inline(always)]
fn block_at(bytes: &[u8], at: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(at..at.wrapping_add(BLOCK))?.first_chunk()
}

/// A bit for each special byte, the first byte lowest.
#[inline(always)]
fn special_bits(block: &[u8; BLOCK]) -> u32 {
    special_lanes(block).0.to_bitmask()
}

/// Special bytes, and control characters.
#[inline(always)]
fn special_lanes(block: &[u8; BLOCK]) -> (u8x16, u8x16) {
    let block = u8x16::new(*block);
    // There is no comparison of bytes without sign.
    let control = block.min(u8x16::splat(0x1f)).simd_eq(block);
    (block.simd_eq(u8x16::splat(b'"')) | block.simd_eq(u8x16::splat(b'\\')) | control, control)
}

#[inline]
pub(crate) const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn special_bytes_are_found_in_any_place() {
        for length in 0..130 {
            assert_eq!(plain_end(&vec![b'#'; length], 0), length);
            for at in 0..length {
                for (special, filler) in [(b'"', b'!'), (b'\\', b']'), (0, 0x80), (0x1f, b' '), (b'"', 0xff)]
                {
                    let mut bytes = vec![filler; length];
                    bytes[at] = special;
                    for start in [0, at / 2, at] {
                        assert_eq!(plain_end(&bytes, start), at);
                    }
                    assert_eq!(plain_end(&bytes, at + 1), length.max(at + 1));
                }
            }
        }
        assert_eq!((plain_end(b"", 0), plain_end(b"ab", 2), plain_end(&[b'a'; 40], 41)), (0, 2, 41));
    }

    #[test]
    fn every_byte_is_judged_beside_every_other() {
        for one in 0..=u8::MAX {
            for other in 0..=u8::MAX {
                let mut block = [one; BLOCK];
                block[1] = other;
                block[9] = other;
                block[15] = other;
                assert_eq!(special_bits(&block), reference(&block), "{block:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn marks_are_exact(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0x1e..0x24_u8, Just(b'\\')], 64)) {
            let bytes = <[u8; 64]>::try_from(bytes).unwrap();
            let special = bytes.iter().rev().fold(0, |marks, &byte| marks << 1 | u64::from(is_special(byte)));
            let has_control = bytes.iter().any(|&byte| byte < 0x20);
            prop_assert_eq!(marks(&bytes), Marks { special, has_control });
        }

        #[test]
        fn bits_are_exact(block: [u8; BLOCK]) {
            prop_assert_eq!(special_bits(&block), reference(&block));
        }
    }

    fn reference(block: &[u8; BLOCK]) -> u32 {
        block.iter().rev().fold(0, |bits, &byte| bits << 1 | u32::from(is_special(byte)))
    }
}
