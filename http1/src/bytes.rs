//! Which bytes are allowed where in a head (RFC 9110, section 5.5 and 5.6.2), sixteen at a time.

use wide::u8x16;

/// Bytes that are looked at at once.
const BLOCK: usize = 16;

/// Where the token that begins at `at` ends: at the first byte that cannot be part of one, or at the end of all bytes.
pub(crate) fn token_end(bytes: &[u8], at: usize) -> usize {
    let words = word_end(bytes, at).unwrap_or(at);
    end_of(bytes, words, is_token)
}

/// The same for a header's value.
pub(crate) fn value_end(bytes: &[u8], at: usize) -> usize {
    let text = text_end(bytes, at).unwrap_or(at);
    end_of(bytes, text, is_value)
}

/// How many bytes both begin with.
pub(crate) fn same(one: &[u8], other: &[u8]) -> usize {
    let ((blocks, _), (other_blocks, _)) = (one.as_chunks::<BLOCK>(), other.as_chunks::<BLOCK>());
    let whole = blocks.iter().zip(other_blocks).take_while(|(block, other)| block == other).count() * BLOCK;
    let rest = one.iter().skip(whole).zip(other.iter().skip(whole));
    whole + rest.take_while(|(byte, other)| byte == other).count()
}

/// Where letters, digits and hyphens end, which is all of nearly every token; `None` if that is too near to the end of all
/// bytes.
#[inline(always)]
pub(crate) fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    first(bytes, at, other_than_words)
}

/// The same for what comes before a control character.
#[inline(always)]
pub(crate) fn text_end(bytes: &[u8], at: usize) -> Option<usize> {
    first(bytes, at, controls)
}

#[inline(always)]
fn first(bytes: &[u8], mut at: usize, find: impl Fn(&[u8; BLOCK]) -> u32) -> Option<usize> {
    loop {
        match find(bytes.get(at..)?.first_chunk()?) {
            0 => at += BLOCK,
            found => return Some(at + found.trailing_zeros() as usize),
        }
    }
}

/// Where a request's target ends.
pub(crate) fn target_end(bytes: &[u8], at: usize) -> usize {
    end_of(bytes, at, is_target)
}

fn end_of(bytes: &[u8], at: usize, is_part: impl Fn(u8) -> bool) -> usize {
    at + bytes.iter().skip(at).take_while(|byte| is_part(**byte)).count()
}

/// A bit for each byte that is not a letter, digit or hyphen, the first byte lowest.
#[inline(always)]
fn other_than_words(block: &[u8; BLOCK]) -> u32 {
    let block = u8x16::new(*block);
    let small = block | u8x16::splat(0x20);
    let words = within(small, b'a', b'z') | within(block, b'0', b'9') | block.simd_eq(u8x16::splat(b'-'));
    !words.to_bitmask() & 0xffff
}

/// A bit for each control character, tabs too.
#[inline(always)]
fn controls(block: &[u8; BLOCK]) -> u32 {
    let block = u8x16::new(*block);
    (within(block, 0, 0x1f) | block.simd_eq(u8x16::splat(0x7f))).to_bitmask()
}

/// There is no comparison of bytes without sign.
#[inline(always)]
fn within(block: u8x16, first: u8, last: u8) -> u8x16 {
    block.max(u8x16::splat(first)).min(u8x16::splat(last)).simd_eq(block)
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// A fragment is for the client. It is never part of a request.
const fn is_target(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'#'
}

const fn is_value(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_ends_what_it_cannot_be_part_of() {
        for byte in 0..=u8::MAX {
            // Among sixteen, at the end where fewer are left, and with more behind it.
            for (length, place) in [(16, 0), (16, 15), (40, 17), (7, 3), (33, 32)] {
                let mut bytes = vec![b'a'; length];
                bytes[place] = byte;
                for start in [0, place] {
                    let expected = |is_part: bool| if is_part { length } else { place };
                    assert_eq!(token_end(&bytes, start), expected(is_token(byte)), "{byte}");
                    assert_eq!(value_end(&bytes, start), expected(is_value(byte)), "{byte}");
                    assert_eq!(target_end(&bytes, start), expected(is_target(byte)), "{byte}");
                }
            }
        }
    }

    #[test]
    fn what_is_the_same_ends_at_the_first_difference() {
        for length in 0..70 {
            let bytes = vec![b'a'; length];
            assert_eq!((same(&bytes, &bytes), same(&bytes, &[])), (length, 0));
            for place in 0..length {
                let mut other = bytes.clone();
                other[place] = b'b';
                assert_eq!((same(&bytes, &other), same(&other, &bytes[..place])), (place, place));
            }
        }
    }

    #[test]
    fn nothing_ends_before_it_begins() {
        for at in [0, 3, 20] {
            assert_eq!((token_end(&[], at), value_end(b"abc", at)), (at, at.max(3)));
            assert_eq!((word_end(&[], at), text_end(b"abc", at)), (None, None));
        }
    }
}
