//! Writing text as the inside of a JSON string.
//!
//! Answers are mostly JSON themselves, in which every few bytes there is a quote that needs an escape. A loop from one to the
//! next would wait at each of them for a branch that cannot be predicted, and for a copy of unknown length. So the
//! text is taken in blocks. The special bytes of a block are a number with a bit for each, every copy has the same length,
//! and where it goes depends on how many escapes came before, not on what the last one did. What is copied too much is
//! overwritten by what comes next.

use super::escapes::{LONG_ESCAPE, escape_of, length_of};
use super::special::{Marks, marks, plain_end};

/// Bytes that are escaped at once.
const BLOCK: usize = 64;
/// Bytes that are copied at once.
const COPY: usize = 16;
/// Bytes of the longest escape.
const LONGEST: usize = 6;
/// Bytes that a block may be written to: all of it escaped by two bytes each, and what the last group copies too much.
const ROOM: usize = 2 * BLOCK + 2 * COPY;
/// Escapes of a block that are written without a look at whether there are so many, and how many follow at a time.
const FIRST: usize = 6;
const GROUP: usize = 3;
/// Bytes beyond a block's room that are prepared at most; more would leave the nearest cache before they are used.
const AHEAD: usize = 1024;
/// From here on a text is worth the preparations.
const LONG: usize = 64;

/// A block and the one after it.
type Window = [u8; 2 * BLOCK];
type Room = [u8; ROOM];

/// Appends text with JSON's escapes, without quotes.
pub fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    if bytes.len() < LONG {
        return write_runs(bytes, out);
    }
    // Most answers are JSON, whose quotes all need an escape.
    out.reserve(bytes.len() + bytes.len() / 4 + ROOM);
    let at = out.len();
    let (mut at, rest) = escape_blocks(bytes, out, at);
    if !rest.is_empty() {
        let mut last = [b' '; 3 * BLOCK];
        if let Some(start) = last.get_mut(..rest.len()) {
            start.copy_from_slice(rest);
        }
        let padded = rest.len().next_multiple_of(BLOCK);
        (at, _) = escape_blocks(last.get(..padded + BLOCK).unwrap_or(&last), out, at);
        at -= padded - rest.len();
    }
    out.truncate(at);
}

/// Appends text as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Writes all blocks that have another one behind them to `at`, where prepared bytes may follow. Gives where they
/// end and what is left.
fn escape_blocks<'t>(mut bytes: &'t [u8], out: &mut Vec<u8>, mut at: usize) -> (usize, &'t [u8]) {
    let (2.., Some(first)) = (bytes.len() / BLOCK, bytes.first_chunk()) else { return (at, bytes) };
    let mut current = marks(first);
    while let Some(window) = bytes.first_chunk::<{ 2 * BLOCK }>() {
        let ([block, following], _) = window.as_chunks::<BLOCK>() else { break };
        // Before this block is written: else the processor would wait for them.
        let next = marks(following);
        if out.len() < at + ROOM {
            out.resize(at + ROOM + (bytes.len() + bytes.len() / 4).min(AHEAD), 0);
        }
        let Some(room) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) else { break };
        at = match escape_block(window, current, room) {
            Some(written) => at + written,
            None => escape_bytes(block, out, at),
        };
        bytes = bytes.get(BLOCK..).unwrap_or_default();
        current = next;
    }
    (at, bytes)
}

/// Gives how many bytes the block became; `None` if it has an escape that is longer than two bytes.
#[inline(always)]
fn escape_block(window: &Window, marks: Marks, room: &mut Room) -> Option<usize> {
    if marks.special == 0 {
        *room.first_chunk_mut()? = *window.first_chunk::<BLOCK>()?;
        return Some(BLOCK);
    }
    if marks.has_control { spread_letters(window, marks, room) } else { spread::<false>(window, marks, room) }
}

/// On its own, so that the loop over blocks without control characters stays small.
#[inline(never)]
fn spread_letters(window: &Window, marks: Marks, room: &mut Room) -> Option<usize> {
    spread::<true>(window, marks, room)
}

/// Writes a block with an escape of two bytes for each special byte. Without `LETTERS` the byte itself is the second one.
#[inline(always)]
fn spread<const LETTERS: bool>(window: &Window, marks: Marks, room: &mut Room) -> Option<usize> {
    let counts = counts(marks.special);
    // What is further behind a special byte than a copy reaches.
    for part in 0..BLOCK / COPY {
        let before = (counts << 8 >> (COPY * part)) as usize % BLOCK;
        copy(window, part * COPY, room, part * COPY + before);
    }
    let mut special = marks.special;
    let mut seen = 0;
    for number in 0..FIRST {
        special = escape_next::<LETTERS>(window, special, number, room, &mut seen);
    }
    let mut number = FIRST;
    while special != 0 {
        for offset in 0..GROUP {
            special = escape_next::<LETTERS>(window, special, number % BLOCK + offset, room, &mut seen);
        }
        number += GROUP;
    }
    (seen & LONG_ESCAPE == 0).then_some(BLOCK + (counts >> 56) as usize)
}

/// Writes the first of the special bytes as the escape with this number in its block, and what follows it. Gives the
/// other ones. If there is none, nothing but the bytes behind the written block change.
#[inline(always)]
fn escape_next<const LETTERS: bool>(
    window: &Window,
    special: u64,
    number: usize,
    room: &mut Room,
    seen: &mut u64,
) -> u64 {
    let place = special.trailing_zeros() as usize;
    if LETTERS {
        let escape = window.get(place).map_or(0, |byte| escape_of(*byte));
        *seen |= escape;
        put(room, place + number, &(escape as u16).to_le_bytes());
        copy(window, place + 1, room, place + number + 2);
    } else {
        put(room, place + number, b"\\");
        copy(window, place, room, place + number + 1);
    }
    special & special.wrapping_sub(1)
}

/// How many bits are set: the lowest byte counts the lowest eight, the next one of the lowest sixteen and so on.
#[inline(always)]
const fn counts(bits: u64) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let pairs = bits - (bits >> 1 & each(0x55));
    let nibbles = (pairs & each(0x33)) + (pairs >> 2 & each(0x33));
    let bytes = (nibbles + (nibbles >> 4)) & each(0x0f);
    bytes.wrapping_mul(each(1))
}

#[inline(always)]
fn copy(window: &Window, from: usize, room: &mut Room, to: usize) {
    if let Some(bytes) = window.get(from..).and_then(<[u8]>::first_chunk::<COPY>) {
        put(room, to, bytes);
    }
}

#[inline(always)]
fn put<const N: usize>(room: &mut Room, at: usize, bytes: &[u8; N]) {
    if let Some(slot) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *slot = *bytes;
    }
}

/// Writes a block to `at`, whatever its escapes; gives where it ends.
#[inline(never)]
fn escape_bytes(block: &[u8; BLOCK], out: &mut Vec<u8>, mut at: usize) -> usize {
    let end = at + BLOCK * LONGEST + size_of::<u64>();
    if out.len() < end {
        out.resize(end + AHEAD, 0);
    }
    for &byte in block {
        let escape = escape_of(byte);
        if let Some(slot) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *slot = escape.to_le_bytes();
        }
        at += length_of(escape);
    }
    at
}

/// Appends a short text with escapes, what is between them as it is.
fn write_runs(bytes: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    loop {
        let end = plain_end(bytes, start);
        out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
        let Some(&byte) = bytes.get(end) else { return };
        let escape = escape_of(byte);
        out.extend_from_slice(escape.to_le_bytes().get(..length_of(escape)).unwrap_or_default());
        start = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> Vec<u8> {
        let mut out = b"before".to_vec();
        write_escaped(text, &mut out);
        out.split_off(6)
    }

    /// The same, a byte at a time.
    fn reference(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        for byte in text.bytes() {
            match byte {
                b'"' => out.extend(b"\\\""),
                b'\\' => out.extend(b"\\\\"),
                b'\n' => out.extend(b"\\n"),
                b'\r' => out.extend(b"\\r"),
                b'\t' => out.extend(b"\\t"),
                8 => out.extend(b"\\b"),
                12 => out.extend(b"\\f"),
                0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
                _ => out.push(byte),
            }
        }
        out
    }

    #[test]
    fn written_strings_read_back() {
        let text: String = (0..0x180).filter_map(char::from_u32).chain("\u{2028}😀".chars()).collect();
        for repeated in [1, 20] {
            let text = text.repeat(repeated);
            let mut out = Vec::new();
            write_string(&text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn escapes_are_right_in_texts_of_any_length() {
        for special in ["\"", "\n", "\u{1}", "\"\"a\""] {
            for length in 0..3 * BLOCK {
                for at in 0..length {
                    let text = format!("{}{special}{}", "a".repeat(at), "é".repeat((length - at) / 2));
                    assert_eq!(escaped(&text), reference(&text));
                }
            }
        }
    }

    #[test]
    fn nothing_but_escapes_fits() {
        for special in ["\u{1}", "\"", "\\", "\n", "\n\u{1f}"] {
            for length in [LONG - 1, LONG, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 20 * BLOCK + COPY] {
                let text = special.repeat(length);
                assert_eq!(escaped(&text), reference(&text));
            }
        }
    }

    #[test]
    fn any_number_of_escapes_fits_a_block() {
        for special in ["\"", "\t", "\u{1}"] {
            for count in 0..=BLOCK {
                let plain = "a".repeat(BLOCK - count);
                for block in [special.repeat(count) + &plain, plain + &special.repeat(count)] {
                    let text = block.repeat(5);
                    assert_eq!(escaped(&text), reference(&text));
                }
            }
        }
    }

    #[test]
    fn memory_that_was_used_before_shows_nowhere() {
        let mut out = b"x".repeat(10_000);
        for text in ["\"a\"".repeat(1000), "b\n".repeat(100), "\u{2}".repeat(70)] {
            out.clear();
            write_escaped(&text, &mut out);
            assert_eq!(out, reference(&text));
        }
    }

    proptest! {
        #[test]
        fn blocks_and_single_bytes_agree(text in "([a-z\"]{0,40}|[\\x00-\\x7f]{0,30}|[ -~]{0,300}|[é😀\"]{0,20}|[a-z\"\n\t]{0,200}){0,8}") {
            prop_assert_eq!(escaped(&text), reference(&text));
            let mut out = Vec::new();
            write_string(&text, &mut out);
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }

        #[test]
        fn counts_are_those_of_the_bytes_so_far(bits: u64) {
            for (index, count) in counts(bits).to_le_bytes().into_iter().enumerate() {
                prop_assert_eq!(u32::from(count), (bits << (56 - 8 * index)).count_ones());
            }
        }
    }
}
