//! Writing text as the inside of a JSON string.
//!
//! Answers are mostly JSON themselves, in which every few bytes a quote stands that needs an escape. So whole blocks
//! are copied without a look at where their special bytes are, and what follows a special byte is copied again after
//! its escape: a copy of fixed size costs less than finding out how many bytes to copy.

use super::special::{BLOCK, is_special, plain_end};

/// Bytes that are escaped at once. What becomes of them must fit the stack, and stays in the nearest cache.
const CHUNK: usize = 256;
/// Bytes of the longest escape.
const LONGEST: usize = 6;
/// Bytes that a chunk never exceeds; a power of two, so that keeping a place below it is one instruction.
const ROOM: usize = (CHUNK * LONGEST).next_power_of_two();
/// From here on a text is worth the preparations.
const LONG: usize = 64;

/// A chunk of the text and what may be copied with its last byte.
type Chunk = [u8; CHUNK + BLOCK];
type Room = [u8; ROOM + BLOCK];

/// Appends text with JSON's escapes, without quotes.
pub fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    if rest.len() < LONG {
        return write_runs(rest, out);
    }
    let mut room = [0; ROOM + BLOCK];
    while let Some(chunk) = rest.first_chunk() {
        let written = escape_chunk(chunk, CHUNK, &mut room);
        out.extend_from_slice(room.get(..written).unwrap_or_default());
        rest = rest.get(CHUNK..).unwrap_or_default();
    }
    // What is left of the text may have a few bytes more than a chunk.
    while !rest.is_empty() {
        let (part, after) = rest.split_at_checked(CHUNK).unwrap_or((rest, &[]));
        let mut chunk = [b' '; CHUNK + BLOCK];
        if let Some(start) = chunk.get_mut(..part.len()) {
            start.copy_from_slice(part);
        }
        let padding = part.len().next_multiple_of(BLOCK) - part.len();
        let written = escape_chunk(&chunk, part.len(), &mut room) - padding;
        out.extend_from_slice(room.get(..written).unwrap_or_default());
        rest = after;
    }
}

/// Appends text as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Escapes the blocks that hold the first `length` bytes of a chunk; gives how many bytes that makes.
fn escape_chunk(chunk: &Chunk, length: usize, room: &mut Room) -> usize {
    // A loop of its own without a way out: compilers turn it into vector instructions.
    let mut special = [0; CHUNK];
    for (mark, &byte) in special.iter_mut().zip(chunk) {
        *mark = if is_special(byte) { 0x80 } else { 0 };
    }
    let mut at = 0;
    for (index, marks) in special.as_chunks::<BLOCK>().0.iter().enumerate().take(length.div_ceil(BLOCK)) {
        let Some(window) = chunk.get(index * BLOCK..).and_then(<[u8]>::first_chunk::<{ 2 * BLOCK }>) else {
            break;
        };
        put_block(room, at, window, 0);
        let mut marks = u64::from_le_bytes(*marks);
        let mut copied = 0;
        while marks != 0 {
            let place = marks.trailing_zeros() as usize / 8 % BLOCK;
            marks &= marks - 1;
            at += place - copied;
            copied = place + 1;
            let byte = window.get(place).copied().unwrap_or_default();
            let short = SHORT.get(usize::from(byte)).copied().unwrap_or_default();
            if short == [0; 2] {
                put(room, at, &unicode(byte));
                at += LONGEST;
            } else {
                put(room, at, &short);
                at += short.len();
            }
            put_block(room, at, window, copied);
        }
        at += BLOCK - copied;
    }
    at
}

#[inline(always)]
fn put_block(room: &mut Room, at: usize, window: &[u8; 2 * BLOCK], from: usize) {
    if let Some(block) = window.get(from..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        put(room, at, block);
    }
}

#[inline(always)]
fn put<const N: usize>(room: &mut Room, at: usize, bytes: &[u8; N]) {
    if let Some(slot) = room.get_mut(at % ROOM..).and_then(<[u8]>::first_chunk_mut::<N>) {
        *slot = *bytes;
    }
}

/// Appends a short text with escapes, what stands between them as it is.
fn write_runs(bytes: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    loop {
        let end = plain_end(bytes, start);
        out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
        let Some(&byte) = bytes.get(end) else { return };
        match SHORT.get(usize::from(byte)) {
            Some(short) if *short != [0; 2] => out.extend_from_slice(short),
            _ => out.extend_from_slice(&unicode(byte)),
        }
        start = end + 1;
    }
}

/// The escapes of two characters; zeros for bytes that have none.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, bounded by the loop")]
static SHORT: [[u8; 2]; 256] = {
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'"' => *b"\\\"",
            b'\\' => *b"\\\\",
            b'\n' => *b"\\n",
            b'\r' => *b"\\r",
            b'\t' => *b"\\t",
            0x08 => *b"\\b",
            0x0C => *b"\\f",
            other => {
                assert!(other < 0x20 || !is_special(other));
                [0; 2]
            }
        };
        byte += 1;
    }
    table
};

fn unicode(byte: u8) -> [u8; LONGEST] {
    let digit = |nibble: u8| match nibble & 15 {
        digit @ 0..=9 => b'0' + digit,
        letter => b'a' - 10 + letter,
    };
    [b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]
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
    fn escapes_stand_right_in_texts_of_any_length() {
        for special in ["\"", "\n", "\u{1}"] {
            for length in 0..3 * LONG {
                for at in 0..length {
                    let text = format!("{}{special}{}", "a".repeat(at), "é".repeat((length - at) / 2));
                    assert_eq!(escaped(&text), reference(&text));
                }
            }
        }
    }

    #[test]
    fn nothing_but_escapes_fits() {
        for special in ["\u{1}", "\"", "\\"] {
            for length in [LONG - 1, LONG, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + BLOCK] {
                let text = special.repeat(length);
                assert_eq!(escaped(&text), reference(&text));
            }
        }
    }

    proptest! {
        #[test]
        fn blocks_and_single_bytes_agree(text in "([a-z\"]{0,40}|[\\x00-\\x7f]{0,30}|[ -~]{0,300}|[é😀\"]{0,20}){0,8}") {
            prop_assert_eq!(escaped(&text), reference(&text));
        }
    }
}
