//! Servers whose strings are UTF-16 sometimes cut a text in the middle of a character. Half a character is valid JSON, but many a
//! client refuses a message that has one.

/// The text with the escape of U+FFFD in place of each half of a surrogate pair.
pub(super) fn replaced(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let length = match unit(escape) {
            None => 2,
            Some(high) if is_high(high) => match escape.get(6..).and_then(unit) {
                Some(low) if is_low(low) => 12,
                _ => 0,
            },
            Some(low) if is_low(low) => 0,
            Some(_) => 6,
        };
        if length == 0 {
            out.extend_from_slice(b"\\ufffd");
        }
        let taken = if length == 0 { 6 } else { length };
        let (escape, after) = escape.split_at_checked(taken).unwrap_or((escape, &[]));
        if length > 0 {
            out.extend_from_slice(escape);
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

/// The UTF-16 unit of a `\\u` escape.
fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (json, expected) in [
            (r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#),
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ude00\ud83dx""#, r#""\ufffd\ufffdx""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \n \u00e9""#, r#""\\ud83d \n \u00e9""#),
            (r#""\u12"#, r#""\u12"#),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(replaced(json.as_bytes()), expected.as_bytes(), "{json}");
        }
    }
}
