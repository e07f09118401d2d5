//! The text inside JSON strings: reading and writing escapes.

use std::str::Chars;

/// What may stand between tokens.
const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

/// How many bytes at the start of `bytes` need no look inside a JSON string: no quote, no backslash,
/// no control character.
///
/// Most strings are short, so eight bytes at a time come first; for long ones whole blocks are tested
/// in a form that compilers turn into vector instructions.
#[inline(always)]
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    if let Some((words, rest)) = bytes.split_first_chunk::<16>() {
        let (one, two) = (u128::from_le_bytes(*words) as u64, (u128::from_le_bytes(*words) >> 64) as u64);
        let special = special_bytes(one);
        if special != 0 {
            return special.trailing_zeros() as usize / 8;
        }
        let special = special_bytes(two);
        if special != 0 {
            return 8 + special.trailing_zeros() as usize / 8;
        }
        return 16 + plain_prefix_of_words(rest);
    }
    plain_prefix_of_words(bytes)
}

#[inline(never)]
fn plain_prefix_of_words(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
        if at == 3 {
            return 32 + long_plain_prefix(bytes.get(32..).unwrap_or_default());
        }
    }
    words.len() * 8 + tail.iter().position(|&byte| is_special(byte)).unwrap_or(tail.len())
}

#[inline(never)]
fn long_plain_prefix(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<32>();
    let is_plain = |block: &&[u8; 32]| !block.iter().fold(false, |special, &byte| special | is_special(byte));
    let plain = blocks.iter().take_while(is_plain).count() * 32;
    let rest = bytes.get(plain..).unwrap_or_default();
    plain + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

/// Appends the characters of a string's validated text, which stands without its quotes.
pub fn unescape(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut characters = Characters::new(escape);
        out.extend(characters.next());
        rest = characters.chars.as_str();
    }
    out.push_str(rest);
}

/// Appends text with JSON's escapes, without quotes.
pub fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at_checked(plain_prefix(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { return };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            _ => out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex_digit(byte >> 4), hex_digit(byte)]),
        }
        rest = after;
    }
}

/// Appends text as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Appends a valid JSON text without the space between its tokens.
pub fn compact(text: &str, out: &mut String) {
    tokens(text).for_each(|tokens| out.push_str(tokens));
}

/// What stands between the space in a valid JSON text: one or more whole tokens at a time.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(SPACE);
        let (tokens, after) = rest.split_at_checked(tokens_prefix(rest.as_bytes())).unwrap_or((rest, ""));
        rest = after;
        (!tokens.is_empty()).then_some(tokens)
    })
}

/// How many bytes there are before space that is not inside a string.
fn tokens_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at) {
            None | Some(b' ' | b'\n' | b'\r' | b'\t') => return at.min(bytes.len()),
            Some(b'"') => at = string_end(bytes, at + 1),
            Some(_) => at += 1,
        }
    }
}

/// The place after the quote that ends a string whose inside is at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += plain_prefix(bytes.get(at..).unwrap_or_default());
        match bytes.get(at) {
            None | Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// The characters of a string's validated text, escapes resolved.
///
/// What cannot occur in a validated text comes out as U+FFFD rather than as a panic.
#[derive(Debug, Clone)]
pub(crate) struct Characters<'a> {
    chars: Chars<'a>,
}

impl<'a> Characters<'a> {
    pub(crate) fn new(raw: &'a str) -> Characters<'a> {
        Characters { chars: raw.chars() }
    }

    fn unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | self.chars.next()?.to_digit(16)?;
        }
        Some(unit)
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        // The other half, if it is there; a lone one leaves what follows alone.
        let mut ahead = self.clone();
        ahead.chars.next().filter(|&c| c == '\\')?;
        ahead.chars.next().filter(|&c| c == 'u')?;
        let second = ahead.unit()?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        *self = ahead;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + second)
    }
}

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let character = self.chars.next()?;
        if character != '\\' {
            return Some(character);
        }
        let resolved = match self.chars.next() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('u') => self.unicode(),
            other => other,
        };
        Some(resolved.unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// The high bit of each byte that is special; above the lowest one there may be false ones.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let quotes = word ^ u64::from_le_bytes([b'"'; 8]);
    let backslashes = word ^ u64::from_le_bytes([b'\\'; 8]);
    let below_space = word.wrapping_sub(u64::from_le_bytes([0x20; 8])) & !word;
    let quotes = quotes.wrapping_sub(ONES) & !quotes;
    let backslashes = backslashes.wrapping_sub(ONES) & !backslashes;
    (below_space | quotes | backslashes) & HIGHS
}

#[inline]
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn hex_digit(nibble: u8) -> u8 {
    match nibble & 15 {
        digit @ 0..=9 => b'0' + digit,
        letter => b'a' - 10 + letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(raw: &str) -> String {
        let mut out = String::new();
        unescape(raw, &mut out);
        out
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unescaped(r#"a\"\\\/\b\f\n\r\té"#), "a\"\\/\u{8}\u{c}\n\r\té");
        assert_eq!(unescaped(r"\u0041\u00e9\ud83d\ude00\u0000"), "Aé😀\0");
        assert_eq!(unescaped("plain"), "plain");
    }

    #[test]
    fn texts_that_were_never_validated_do_not_panic() {
        for raw in ["\\", "\\u", "\\u12", "\\ud800", "\\ud800\\u0041", "\\ud800\\uffff", "\\x"] {
            unescaped(raw);
        }
    }

    #[test]
    fn written_strings_read_back() {
        let text: String = (0..0x180).filter_map(char::from_u32).chain("\u{2028}😀".chars()).collect();
        let mut out = Vec::new();
        write_string(&text, &mut out);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }

    #[test]
    fn special_bytes_are_found_in_any_place_of_a_block() {
        for length in 0..130 {
            assert_eq!(plain_prefix(&vec![b'#'; length]), length);
            for at in 0..length {
                for (special, filler) in [(b'"', b'!'), (b'\\', b']'), (0, 0x80), (0x1f, b' '), (b'"', 0xff)]
                {
                    let mut bytes = vec![filler; length];
                    bytes[at] = special;
                    assert_eq!(plain_prefix(&bytes), at);
                }
            }
        }
    }

    #[test]
    fn compacting_leaves_strings_alone() {
        let mut out = String::new();
        compact("{ \"a b\" :\n[ 1,\t\"\\\" \\\\\" , \" \" ] }", &mut out);
        assert_eq!(out, r#"{"a b":[1,"\" \\"," "]}"#);
        out.clear();
        compact(" \t\r\n", &mut out);
        assert_eq!(out, "");
        for text in ["\"", "\"\\", "\"\\é é", "é \"\n\" "] {
            compact(text, &mut out);
        }
    }
}
