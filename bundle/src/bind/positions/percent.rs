//! Percent-encoding (RFC 3986): everything but unreserved characters.

/// Not an unreserved character: it is encoded.
const RESERVED: u8 = 1;
/// `.` and `%`, control characters and whatever is not ASCII: it needs a closer look in a path.
pub(super) const ODD: u8 = 2;

/// Appends `text`, encoded.
#[inline]
pub(super) fn encode(text: &str, out: &mut Vec<u8>) {
    encode_bytes(text.as_bytes(), out);
}

#[inline]
pub(in crate::bind) fn encode_bytes(text: &[u8], out: &mut Vec<u8>) {
    if classes(text) & RESERVED == 0 { out.extend_from_slice(text) } else { encode_reserved(text, out) }
}

/// Appends a text, encoded, if no byte of it has one of the `refused` classes.
#[inline]
pub(super) fn encode_unless(text: &[u8], refused: u8, out: &mut Vec<u8>) -> Option<()> {
    let classes = classes(text);
    if classes & refused != 0 {
        return None;
    }
    if classes & RESERVED == 0 {
        out.extend_from_slice(text);
    } else {
        encode_reserved(text, out);
    }
    Some(())
}

#[inline(never)]
fn encode_reserved(text: &[u8], out: &mut Vec<u8>) {
    const BLOCK: usize = 32;
    for block in text.chunks(BLOCK) {
        // Four bytes are written for each, of which the next one overwrites what is too much.
        let (mut encoded, mut at) = ([0; 3 * BLOCK + 1], 0);
        for &byte in block {
            let code @ [.., length] = CODES.get(usize::from(byte)).copied().unwrap_or_default();
            if let Some(slot) = encoded.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *slot = code;
            }
            at += usize::from(length);
        }
        out.extend_from_slice(encoded.get(..at).unwrap_or_default());
    }
}

/// The classes that any byte of a text has: [`RESERVED`], [`ODD`].
#[inline]
pub(super) fn classes(text: &[u8]) -> u8 {
    text.iter().fold(0, |classes, &byte| classes | class(byte))
}

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(RESERVED | ODD)
}

/// A table, because this is asked of every byte of every URL.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, bounded by the loop")]
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        if !character.is_ascii_alphanumeric() && !matches!(character, b'-' | b'.' | b'_' | b'~') {
            table[byte] |= RESERVED;
        }
        if !matches!(character, b' '..=b'~') || matches!(character, b'.' | b'%') {
            table[byte] |= ODD;
        }
        byte += 1;
    }
    table
};

/// What stands for each byte, and how many bytes of that count.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, bounded by the loop")]
static CODES: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        table[byte] = match CLASSES[byte] & RESERVED {
            0 => [character, 0, 0, 1],
            _ => [b'%', hex_digit(character >> 4), hex_digit(character), 3],
        };
        byte += 1;
    }
    table
};

/// Decodes in place, once. `true` if anything changed.
pub(super) fn decode(bytes: &mut Vec<u8>) -> bool {
    if memchr::memchr(b'%', bytes).is_none() {
        return false;
    }
    let (mut read, mut write) = (0, 0);
    while let Some(&byte) = bytes.get(read) {
        let decoded = (byte == b'%').then(|| hex_pair(bytes.get(read + 1..read + 3)?)).flatten();
        if let Some(slot) = bytes.get_mut(write) {
            *slot = decoded.unwrap_or(byte);
        }
        read += if decoded.is_some() { 3 } else { 1 };
        write += 1;
    }
    let changed = write < bytes.len();
    bytes.truncate(write);
    changed
}

const fn hex_digit(nibble: u8) -> u8 {
    match nibble & 15 {
        digit @ 0..=9 => b'0' + digit,
        letter => b'A' - 10 + letter,
    }
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let &[high, low] = pair else { return None };
    let value = char::from(high).to_digit(16)? << 4 | char::from(low).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unreserved_characters_stay() {
        let mut out = Vec::new();
        encode("aZ09-._~ /?#[]@!$&'()*+,;=%\\\"<>é\0\n", &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "aZ09-._~%20%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%5C%22%3C%3E%C3%A9%00%0A"
        );
    }

    #[test]
    fn decoding_goes_one_layer_deep() {
        for (text, once) in
            [("%2e%2E", ".."), ("%252e", "%2e"), ("%", "%"), ("%2", "%2"), ("%zz%41", "%zzA"), ("a", "a")]
        {
            let mut bytes = text.as_bytes().to_vec();
            assert_eq!(decode(&mut bytes), text != once, "{text}");
            assert_eq!(bytes, once.as_bytes());
        }
    }

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        let text: String = (0..0x800).filter_map(char::from_u32).collect();
        let mut bytes = Vec::new();
        encode(&text, &mut bytes);
        decode(&mut bytes);
        assert_eq!(bytes, text.as_bytes());
    }
}
