//! What editors allow in JSON beyond JSON: comments, and a comma after the last item.

/// The text as JSON has it: comments and last commas become spaces, byte for byte, so that places stay. What is wrong
/// otherwise stays wrong; a comment without an end too.
pub fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    // The last byte that is neither space nor in a comment, and its place if it is a comma after an item.
    let (mut last, mut comma) = (b'[', None);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some(length) = comment_length(rest) {
            clear(&mut out, at, at + length);
            at += length;
            continue;
        }
        match (byte, comma) {
            (b']' | b'}', Some(comma)) => clear(&mut out, comma, comma + 1),
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {}
        }
        comma = (byte == b',' && !matches!(last, b'[' | b'{' | b',')).then_some(at);
        last = byte;
        at += if byte == b'"' { string_length(rest) } else { 1 };
    }
    // Only whole characters were replaced.
    String::from_utf8(out).unwrap_or_default()
}

/// `None` if no comment begins here, or it never ends.
fn comment_length(text: &[u8]) -> Option<usize> {
    match text {
        [b'/', b'/', ..] => Some(text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len())),
        [b'/', b'*', inside @ ..] => {
            inside.windows(2).position(|pair| pair == b"*/").map(|length| length + 4)
        }
        _ => None,
    }
}

/// Line ends stay.
fn clear(out: &mut [u8], start: usize, end: usize) {
    let range = out.get_mut(start..end).unwrap_or_default();
    range.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// With both quotes; to the end if there is no second one.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            None => return text.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_and_last_commas_become_space() {
        let cases = [
            ("{\"a\": 1} // end", "{\"a\": 1}       "),
            ("// é\n{\"a\": 1}", "     \n{\"a\": 1}"),
            ("[1, /* , ] */ 2, ]", "[1,           2  ]"),
            ("{\"a\": [], /* x\ny */ }", "{\"a\": []      \n     }"),
            ("[\"//\", \"/*\", \"\\\"//\"]", "[\"//\", \"/*\", \"\\\"//\"]"),
        ];
        for (text, expected) in cases {
            assert_eq!(blank(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_stays_wrong() {
        for text in ["[1] /* x", "[1 / 2]", "/", "\"a", "[,", "/*/", "[1,, ]", "{,}"] {
            assert_eq!(blank(text), text);
        }
    }

    proptest! {
        #[test]
        fn places_and_lines_stay(text in "([\\[\\]{},:\"/*\n é1\\\\]){0,60}") {
            let blanked = blank(&text);
            prop_assert_eq!(blanked.len(), text.len());
            prop_assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn json_without_comments_is_left_alone(words in proptest::collection::vec("[a-z/*,\"\\\\]{0,6}", 0..6)) {
            let quoted: Vec<String> = words.iter().map(|word| {
                let mut out = Vec::new();
                mcp_bundle::json::write_string(word, &mut out);
                String::from_utf8(out).unwrap()
            }).collect();
            let text = format!("[{}]", quoted.join(", "));
            prop_assert_eq!(blank(&text), text);
        }
    }
}
