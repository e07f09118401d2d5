//! The URIs of embedded resources.

use crate::json::write_escaped;

/// Bytes of a `content-location` that is believed.
const MAX_LOCATION: usize = 2048;

/// Where a body comes from. Nothing of the request is known here, so that what has no URI of its own is named after the tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Uri<'a> {
    pub tool: &'a str,
    /// As [`location`] has let it through.
    pub location: Option<&'a str>,
    /// Of a multipart message, from 1.
    pub part: Option<usize>,
}

/// A `content-location`, if it is a URI reference that can be passed on: visible ASCII without quotes and backslashes.
pub(super) fn location(text: Option<&str>) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    text.map(str::trim).filter(|text| (1..=MAX_LOCATION).contains(&text.len()) && text.bytes().all(is_plain))
}

impl Uri<'_> {
    /// Appends it as the inside of a JSON string. A relative reference, which clients would refuse, is put below the
    /// tool's own URI.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        if let Some(location) = self.location.filter(|location| is_absolute(location)) {
            out.extend_from_slice(location.as_bytes());
            return;
        }
        out.extend_from_slice(b"answer:");
        write_escaped(self.tool, out);
        if let Some(location) = self.location {
            out.push(b'/');
            out.extend_from_slice(location.trim_start_matches('/').as_bytes());
        } else if let Some(part) = self.part {
            out.extend_from_slice(format!("#{part}").as_bytes());
        }
    }
}

/// Begins with a scheme.
fn is_absolute(location: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    location.split_once(':').is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, part: Option<usize>) -> String {
        let mut out = Vec::new();
        Uri { tool: "get_file", location: location(Some(text)), part }.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_location_is_the_uri() {
        for text in ["https://a.example/x?y=z#f", "urn:uuid:1", "test://embedded-resource"] {
            assert_eq!(written(text, Some(2)), text);
        }
        assert_eq!(written(" https://a.example/ ", None), "https://a.example/");
    }

    #[test]
    fn a_relative_location_stays_below_the_tool() {
        for (text, expected) in [
            ("/files/1.pdf", "answer:get_file/files/1.pdf"),
            ("1.pdf", "answer:get_file/1.pdf"),
            ("//host/x", "answer:get_file/host/x"),
            ("1:2", "answer:get_file/1:2"),
            ("a:", "answer:get_file/a:"),
        ] {
            assert_eq!(written(text, Some(2)), expected);
        }
    }

    #[test]
    fn an_odd_location_counts_for_nothing() {
        let long = format!("https://a.example/{}", "x".repeat(2048));
        for odd in ["", "https://a b", "a:\"", "a:\\", "a:é", "a:\nb", "a:\u{7f}", &long] {
            assert_eq!(written(odd, None), "answer:get_file", "{odd:?}");
            assert_eq!(written(odd, Some(3)), "answer:get_file#3", "{odd:?}");
        }
    }
}
