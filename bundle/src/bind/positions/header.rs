//! Headers: visible ASCII, space and tab, or nothing at all.
//!
//! HTTP has no escape for anything else, so a value with other characters is refused rather than
//! changed. The same holds for a list element that contains what separates elements.

use super::text::{self, Place, Separator};
use super::{Content, Refusal, Sink, Source, template};
use crate::bind::ProblemKind;
use crate::plan::{Part, Placed};
use crate::wire_enums::PartKind;
use std::io::Write;
use wide::u8x16;

pub(super) struct Header;

pub(crate) fn write(source: &Source<'_>, sink: &mut Sink<'_>, headers: &[Placed]) {
    let limit = source.limits.header_value;
    for placed in headers {
        let Sink { request, problems, text, .. } = &mut *sink;
        let name = source.placed_name(placed);
        match source.content(&placed.value) {
            Content::Argument(None) => {}
            Content::Argument(Some(argument)) => {
                let written: Result<(), Refusal> = request.header(name, |out| {
                    let start = out.len();
                    let pieces =
                        text::write(argument.value, argument.parameter.style, &mut Header, text, out)?;
                    check_length(out.len() - start, limit)?;
                    Ok(pieces > 0)
                });
                if let Err(refusal) = written {
                    refusal.report(source.string(argument.parameter.name), problems);
                }
            }
            Content::Fixed([part @ Part { kind: PartKind::Template, .. }]) => {
                template::header(source, sink, *part, name);
            }
            Content::Fixed(parts) => {
                let written: Result<(), Refusal> = request.header(name, |out| {
                    let start = out.len();
                    let complete =
                        source.write_fixed(parts, problems, out, |text, out| Header.piece(text, None, out));
                    check_length(out.len() - start, limit)?;
                    Ok(complete)
                });
                if let Err(Refusal { kind, message }) = written {
                    problems.push(kind, || (String::new(), format!("header `{name}` {message}")));
                }
            }
        }
    }
}

pub(super) fn check_length(length: usize, limit: usize) -> Result<(), Refusal> {
    if length <= limit {
        return Ok(());
    }
    Err(refused(format!("is a header value of {length} bytes, at most {limit} are allowed")))
}

impl Place for Header {
    fn piece(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if !is_visible(text.as_bytes()) {
            return Err(refused(
                "is sent as a header and must consist of visible ASCII characters, spaces and tabs: no line breaks, \
                 no control characters, no other scripts"
                    .to_owned(),
            ));
        }
        if let Some(separator) = separator.filter(|separator| text.as_bytes().contains(&separator.byte())) {
            let separator = char::from(separator.byte());
            return Err(refused(format!(
                "is sent as a header whose elements `{separator}` separates: no element may contain it"
            )));
        }
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// JSON has an escape for what a header cannot hold.
    fn json(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if text.is_ascii() {
            return self.piece(text, separator, out);
        }
        let mut ascii = Vec::with_capacity(text.len() * 2);
        for character in text.chars() {
            let mut units = [0; 2];
            match character {
                ' '..='~' => ascii.push(character as u8),
                _ => {
                    for unit in character.encode_utf16(&mut units) {
                        // Writing to a `Vec` cannot fail.
                        let _ = write!(ascii, "\\u{unit:04x}");
                    }
                }
            }
        }
        self.piece(&String::from_utf8_lossy(&ascii), separator, out)
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>) {
        out.push(separator.byte());
    }
}

/// Whether a text has only visible characters, spaces and tabs. Of whole blocks, vector instructions look at all bytes at once;
/// the last one may overlap the one before it.
#[inline]
pub(crate) fn is_visible(text: &[u8]) -> bool {
    let (blocks, rest) = text.as_chunks();
    match text.last_chunk() {
        Some(last) => blocks.iter().all(is_visible_block) && is_visible_block(last),
        None => rest.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t')),
    }
}

#[inline(always)]
fn is_visible_block(block: &[u8; 16]) -> bool {
    let block = u8x16::new(*block);
    // There is no comparison of bytes without sign.
    let is_in = block.max(u8x16::splat(b' ')).min(u8x16::splat(b'~')).simd_eq(block);
    (is_in | block.simd_eq(u8x16::splat(b'\t'))).to_bitmask() == 0xffff
}

fn refused(message: String) -> Refusal {
    Refusal { kind: ProblemKind::InvalidHeaderValue, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;
    use crate::wire_enums::Style;

    fn written(text: &str, style: Style) -> Option<String> {
        let mut out = Vec::new();
        text::write(Value::of_valid(text), style, &mut Header, &mut String::new(), &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn only_what_a_header_can_hold_passes() {
        assert_eq!(written(r#""a b\t~!""#, Style::Comma), Some("a b\t~!".into()));
        for text in [r#""a\r\nb: c""#, r#""a\nb""#, r#""\u0000""#, r#""é""#, r#""\u007f""#, r#""\u0085""#] {
            assert_eq!(written(text, Style::Comma), None, "{text}");
        }
    }

    #[test]
    fn what_a_header_cannot_hold_is_found_in_any_place() {
        for length in 0..50 {
            let mut text = vec![b'a'; length];
            assert!(is_visible(&text));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    text[at] = byte;
                    assert_eq!(is_visible(&text), byte == b'\t' || (b' '..=b'~').contains(&byte));
                }
                text[at] = b'a';
            }
        }
    }

    #[test]
    fn no_element_becomes_two() {
        assert_eq!(written(r#"["a b", "c|d"]"#, Style::Comma), Some("a b,c|d".into()));
        assert_eq!(written(r#"["a,b"]"#, Style::Comma), None);
        assert_eq!(written(r#"["a b"]"#, Style::Space), None);
        assert_eq!(written(r#"["a|b"]"#, Style::Pipe), None);
        assert_eq!(written(r#""a,b""#, Style::Comma), Some("a,b".into()), "a string is not a list");
    }

    #[test]
    fn json_is_written_in_ascii() {
        assert_eq!(written("{\"é\":\n\"😀 x\"}", Style::Json), Some(r#"{"\u00e9":"\ud83d\ude00 x"}"#.into()));
    }
}
