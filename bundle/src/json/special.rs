//! Which bytes need a look inside a JSON string: quotes, backslashes and control characters.
//!
//! Where the next one matters, eight bytes are looked at at once, as one number: most strings are short. Where all of them
//! matter, 64 by vector instructions.

use wide::u8x16;

/// Bytes that are looked at at once for the next special one.
const BLOCK: usize = 8;

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
    for (index, part) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let part = u8x16::new(*part);
        // There is no comparison of bytes without sign.
        let control = part.min(u8x16::splat(0x1f)).simd_eq(part);
        let either = part.simd_eq(u8x16::splat(b'"')) | part.simd_eq(u8x16::splat(b'\\')) | control;
        special |= u64::from(either.to_bitmask()) << (16 * index);
        controls |= control;
    }
    Marks { special, has_control: controls.to_bitmask() != 0 }
}

/// Where the plain bytes that begin at `at` end: at the first special one, or at the end of the text.
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    // Most strings are short: this is all there is to do for them.
    let Some(block) = block_at(bytes, at) else { return last_plain_end(bytes, at) };
    if let Some(plain) = first_special(block) {
        return at + plain;
    }
    let at = at + BLOCK;
    let Some(block) = block_at(bytes, at) else { return last_plain_end(bytes, at) };
    match first_special(block) {
        Some(plain) => at + plain,
        None => later_plain_end(bytes, at + BLOCK),
    }
}

#[inline(never)]
fn later_plain_end(bytes: &[u8], mut at: usize) -> usize {
    let long = at + 4 * BLOCK;
    while let Some(block) = block_at(bytes, at) {
        if let Some(plain) = first_special(block) {
            return at + plain;
        }
        at += BLOCK;
        if at == long {
            at += plain_blocks(bytes.get(at..).unwrap_or_default());
        }
    }
    last_plain_end(bytes, at)
}

/// Bytes at the start of a long text that are plain for sure; in a form that compilers turn into vector instructions.
fn plain_blocks(bytes: &[u8]) -> usize {
    let is_plain = |block: &&[u8; 32]| !block.iter().fold(false, |special, &byte| special | is_special(byte));
    bytes.as_chunks::<32>().0.iter().take_while(is_plain).count() * 32
}

/// The same where less than a block is left: the last block of the text has all of it.
#[inline(never)]
fn last_plain_end(bytes: &[u8], at: usize) -> usize {
    let left = bytes.len().saturating_sub(at);
    let plain = match bytes.last_chunk::<BLOCK>() {
        Some(block) if left > 0 => {
            (special_bits(block) >> (8 * BLOCK.saturating_sub(left))).trailing_zeros() as usize / 8
        }
        _ => bytes.iter().skip(at).take_while(|&&byte| !is_special(byte)).count(),
    };
    at + plain.min(left)
}

#[inline(always)]
fn block_at(bytes: &[u8], at: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(at..)?.first_chunk()
}

#[inline(always)]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let bits = special_bits(block);
    (bits != 0).then(|| bits.trailing_zeros() as usize / 8)
}

/// The highest bit of each special byte, the first byte lowest; nothing else is set.
#[inline(always)]
const fn special_bits(block: &[u8; BLOCK]) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; BLOCK])
    }
    let word = u64::from_le_bytes(*block);
    let low = word & each(0x7f);
    // The highest bit of each byte of these sums says that it is another one. No byte is carried into the next.
    let not_quote = (low ^ each(b'"')) + each(0x7f);
    let not_backslash = (low ^ each(b'\\')) + each(0x7f);
    let not_control = low + each(0x60);
    !(not_quote & not_backslash & not_control | word) & each(0x80)
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
                let block = [one, other, b'a', one, one, 0xff, other, one];
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

    fn reference(block: &[u8; BLOCK]) -> u64 {
        u64::from_le_bytes(block.map(|byte| if is_special(byte) { 0x80 } else { 0 }))
    }
}
