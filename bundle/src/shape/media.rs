//! What a content type says about a body.

/// Bytes of `type/subtype`; RFC 6838 allows 127 for each side.
const MAX_ESSENCE: usize = 255;
/// What is known of bytes of which nothing is known.
const UNKNOWN: &str = "application/octet-stream";
/// What nearly all answers are.
const JSON: &str = "application/json";
/// Never text, even if the bytes happen to be.
const PACKED: [&str; 4] = [UNKNOWN, "application/zip", "application/gzip", "application/pdf"];

/// A `content-type` header. It comes from outside: any text is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct MediaType<'a> {
    essence: &'a str,
    parameters: &'a str,
}

/// The forms that a body can take in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, if its bytes are.
    Text,
    Image,
    Audio,
    /// Bytes that a result can only carry.
    Opaque,
    /// Several bodies in one.
    Mixed,
}

impl<'a> MediaType<'a> {
    pub(super) fn of(content_type: Option<&'a str>) -> MediaType<'a> {
        let text = content_type.unwrap_or_default();
        if text == JSON {
            return MediaType { essence: text, parameters: "" };
        }
        let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
        MediaType { essence: essence.trim(), parameters }
    }

    pub(super) fn kind(&self) -> Kind {
        if self.essence == JSON {
            return Kind::Text;
        }
        let is = |name: &str| self.essence.eq_ignore_ascii_case(name);
        if self.is_family("image") && !is("image/svg+xml") {
            return if self.is_valid() { Kind::Image } else { Kind::Opaque };
        }
        if self.is_family("audio") {
            return if self.is_valid() { Kind::Audio } else { Kind::Opaque };
        }
        if self.is_family("video") || self.is_family("font") || PACKED.into_iter().any(is) {
            return Kind::Opaque;
        }
        if is("multipart/mixed") { Kind::Mixed } else { Kind::Text }
    }

    pub(super) fn is_family(&self, name: &str) -> bool {
        self.essence.split('/').next().is_some_and(|family| family.eq_ignore_ascii_case(name))
    }

    pub(super) fn charset(&self) -> Option<&'a str> {
        self.parameter("charset")
    }

    /// The boundary of a multipart message, if it is one that RFC 2046 allows.
    pub(super) fn boundary(&self) -> Option<&'a str> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
        let boundary = self.parameter("boundary")?;
        let is_boundary = (1..=70).contains(&boundary.len())
            && boundary.bytes().all(is_allowed)
            && !boundary.ends_with(' ');
        is_boundary.then_some(boundary)
    }

    /// Appends `type/subtype` in lower case: what the header says, or that nothing is known. Needs no escapes in JSON.
    pub(super) fn write_essence(&self, out: &mut Vec<u8>) {
        let essence = if self.is_valid() { self.essence } else { UNKNOWN };
        out.extend(essence.bytes().map(|byte| byte.to_ascii_lowercase()));
    }

    fn is_valid(&self) -> bool {
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        self.essence.len() <= MAX_ESSENCE
            && self.essence.split_once('/').is_some_and(|(family, name)| is_token(family) && is_token(name))
    }

    /// The first parameter with this name, without quotes; `None` also for one whose quotes hold escapes.
    fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.parameters;
        while let Some((key, after)) = rest.split_once('=') {
            // There may be a word without a value before the name.
            let key = key.rsplit(';').next().unwrap_or_default().trim();
            let (value, after) = match after.trim_start().strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(';').unwrap_or((after, "")),
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(value.trim()).filter(|value| !value.contains('\\'));
            }
            rest = after;
        }
        None
    }
}

/// What RFC 9110 calls `tchar`: neither quotes nor backslashes nor controls.
const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn essence(content_type: &str) -> String {
        let mut out = Vec::new();
        MediaType::of(Some(content_type)).write_essence(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn kinds_follow_the_type() {
        for (content_type, kind) in [
            ("text/plain", Kind::Text),
            ("application/json; charset=utf-8", Kind::Text),
            ("", Kind::Text),
            ("image/svg+xml", Kind::Text),
            ("IMAGE/SVG+XML; a=b", Kind::Text),
            ("image/png", Kind::Image),
            (" Image/PNG ;q=1", Kind::Image),
            ("image/<png>", Kind::Opaque),
            ("image", Kind::Opaque),
            ("audio/wav", Kind::Audio),
            ("video/mp4", Kind::Opaque),
            ("font/woff2", Kind::Opaque),
            ("Application/PDF", Kind::Opaque),
            ("multipart/mixed; boundary=x", Kind::Mixed),
            ("multipart/related; boundary=x", Kind::Text),
        ] {
            assert_eq!(MediaType::of(Some(content_type)).kind(), kind, "{content_type}");
        }
        assert_eq!(MediaType::of(None).kind(), Kind::Text);
    }

    #[test]
    fn only_tokens_are_named() {
        assert_eq!(essence("Image/PNG; a=b"), "image/png");
        assert_eq!(essence("application/vnd.api+json"), "application/vnd.api+json");
        let long = format!("a/{}", "b".repeat(254));
        for odd in ["", "a", "a/", "/b", "a/b/c", "a b/c", "a/\"b", "a/b\\", "a/b\nc", "a/é", &long] {
            assert_eq!(essence(odd), "application/octet-stream", "{odd:?}");
        }
    }

    #[test]
    fn parameters_are_read() {
        for (content_type, charset) in [
            ("text/plain; charset=utf-8", Some("utf-8")),
            ("text/plain;CHARSET=\"x y\" ; a=b", Some("x y")),
            ("text/plain; a=\"; charset=no\"; charset=yes", Some("yes")),
            ("text/plain; flag; charset = a ", Some("a")),
            ("text/plain; charset=a; charset=b", Some("a")),
            ("text/plain; xcharset=a", None),
            ("text/plain; charset", None),
            ("text/plain; charset=\"a", None),
            ("text/plain; charset=\"a\\b\"", None),
            ("text/plain", None),
        ] {
            assert_eq!(MediaType::of(Some(content_type)).charset(), charset, "{content_type}");
        }
    }

    #[test]
    fn boundaries_are_those_of_the_standard() {
        let boundary = |text: &str| MediaType::of(Some(text)).boundary().map(str::to_owned);
        assert_eq!(boundary("multipart/mixed; boundary=\"a b:=?\""), Some("a b:=?".to_owned()));
        assert_eq!(boundary(&format!("a/b; boundary={}", "x".repeat(70))), Some("x".repeat(70)));
        for odd in [String::new(), "\"\"".into(), "a<b".into(), "é".into(), "x".repeat(71)] {
            assert_eq!(boundary(&format!("multipart/mixed; boundary={odd}")), None, "{odd}");
        }
    }
}
