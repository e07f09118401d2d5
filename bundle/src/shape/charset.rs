//! Bytes as text, in the charset that they are in.

use super::media::MediaType;
use crate::json::utf8;
use encoding_rs::{DecoderResult, Encoding, UTF_8};

/// The text of a body; `None` if the bytes are none in their charset. What is not UTF-8 is decoded into `decoded`.
///
/// A byte order mark wins over the label, and a label that is not known counts as UTF-8. The mark of UTF-8 stays part of
/// the text, so that such an answer goes through byte for byte.
pub(super) fn read<'a>(bytes: &'a [u8], media: &MediaType<'_>, decoded: &'a mut String) -> Option<&'a str> {
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (media.charset().and_then(labelled).unwrap_or(UTF_8), 0),
    };
    if encoding == UTF_8 {
        return utf8::read(bytes).ok();
    }
    let bytes = bytes.get(mark..)?;
    if encoding.is_ascii_compatible() && bytes.is_ascii() {
        return utf8::read(bytes).ok();
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    decoded.clear();
    decoded.reserve(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, decoded, true);
    (result == DecoderResult::InputEmpty).then_some(decoded.as_str())
}

/// Labels of charsets that should not be decoded (`iso-2022-kr`…) count as unknown.
fn labelled(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(charset: &str, bytes: &[u8]) -> Option<String> {
        let content_type = format!("text/plain; charset={charset}");
        let mut decoded = "left over".to_owned();
        read(bytes, &MediaType::of(Some(&content_type)), &mut decoded).map(str::to_owned)
    }

    #[test]
    fn labels_are_honoured() {
        for (charset, bytes, expected) in [
            ("utf-8", "é".as_bytes(), Some("é")),
            ("UTF8", b"\xe9", None),
            ("iso-8859-1", b"caf\xe9 \x80", Some("café €")),
            ("\"Windows-1252\"", b"\x93a\x94", Some("“a”")),
            ("us-ascii", b"a", Some("a")),
            ("iso-8859-15", b"\xa4", Some("€")),
            ("shift_jis", b"\x93\xfa\x96\x7b", Some("日本")),
            ("shift_jis", b"\x93", None),
            ("gb18030", b"\xc4\xe3", Some("你")),
            ("koi8-r", b"\xc4\xc1", Some("да")),
            ("utf-16", b"a\0\xe9\0", Some("aé")),
            ("utf-16le", b"a\0\xe9", None),
            ("utf-16be", b"\0a\0\xe9", Some("aé")),
            ("utf-16be", b"\xd8\x00\0a", None),
            ("no-such-charset", "é".as_bytes(), Some("é")),
            ("no-such-charset", b"\xe9", None),
            ("iso-2022-kr", b"a", Some("a")),
        ] {
            assert_eq!(text(charset, bytes).as_deref(), expected, "{charset}");
        }
    }

    #[test]
    fn a_byte_order_mark_wins() {
        assert_eq!(text("iso-8859-1", b"\xef\xbb\xbf\xc3\xa9").as_deref(), Some("\u{feff}é"));
        assert_eq!(text("utf-8", b"\xff\xfea\0").as_deref(), Some("a"));
        assert_eq!(text("utf-16le", b"\xfe\xff\0a").as_deref(), Some("a"));
        assert_eq!(text("windows-1252", b"\xff\xfea"), None);
    }
}
