//! Copies of short texts, in few steps.

/// Appends the start of a text. Most are short, and a copy of fixed length takes fewer steps than one of any: what is too much
/// is cut off again.
#[inline(always)]
pub(crate) fn append_start(text: &[u8], length: usize, out: &mut Vec<u8>) {
    const SHORT: usize = 16;
    match text.first_chunk::<SHORT>() {
        Some(block) if length <= SHORT => {
            let before = out.len();
            out.extend_from_slice(block);
            out.truncate(before + length);
        }
        _ => append_any(text, length, out),
    }
}

#[inline(never)]
fn append_any(text: &[u8], length: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(text.get(..length).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_of_any_length_are_appended() {
        let all: Vec<u8> = (0..60).collect();
        for length in 0..=all.len() {
            let text = &all[length..];
            for length in 0..=text.len() {
                let mut out = b"before".to_vec();
                append_start(text, length, &mut out);
                assert_eq!(out, [b"before", &text[..length]].concat());
            }
            for length in [text.len() + 1, usize::MAX] {
                let mut out = Vec::new();
                append_start(text, length, &mut out);
                // What is not there is not appended.
                assert!(out.is_empty(), "{length}");
            }
        }
    }
}
