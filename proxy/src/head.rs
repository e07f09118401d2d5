//! The head of a request, as everything that answers it sees it.

use http::request::Parts;
use http::{Method, Uri};

/// What a request asks for.
#[derive(Debug, Clone, Default)]
pub struct Head {
    pub method: Method,
    pub uri: Uri,
    /// The length of the body, if it is told.
    pub length: Option<u64>,
    pub headers: Headers,
}

/// Headers in the order in which they came. Only a few of them are ever looked at, so none is copied or hashed on its own: they
/// are places in one text.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    text: Vec<u8>,
    fields: Vec<Field>,
}

/// Places in the text.
#[derive(Debug, Clone, Copy)]
struct Field {
    name: Place,
    value: Place,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    start: u32,
    length: u32,
}

/// A header stands there more than once. Two readers of a repeated one may pick different values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated;

impl Headers {
    /// The values of a header. Names are given in lower case; in the request they are in any.
    pub fn all<'h>(&'h self, name: &str) -> impl Iterator<Item = &'h [u8]> {
        let is_named = move |field: &&Field| {
            field.name.length as usize == name.len() && mcp_http1::is_named(self.at(field.name), name)
        };
        self.fields.iter().filter(is_named).map(|field| self.at(field.value))
    }

    /// The first value of a header.
    pub fn first(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// The only value of a header.
    pub fn one(&self, name: &str) -> Result<Option<&[u8]>, Repeated> {
        let mut values = self.all(name);
        let value = values.next();
        if value.is_some() && values.next().is_some() { Err(Repeated) } else { Ok(value) }
    }

    pub fn append(&mut self, name: &str, value: &[u8]) {
        let name = self.extend(name.as_bytes());
        let value = self.extend(value);
        self.fields.push(Field { name, value });
    }

    /// Becomes the headers of a head that stands in `bytes`.
    pub(crate) fn fill(&mut self, bytes: &[u8], headers: &[mcp_http1::Header<'_>]) {
        self.text.clear();
        self.fields.clear();
        self.text.extend_from_slice(bytes);
        let start = bytes.as_ptr().addr();
        let place = |part: &[u8]| Place {
            start: part.as_ptr().addr().wrapping_sub(start) as u32,
            length: part.len() as u32,
        };
        let fields = headers
            .iter()
            .map(|header| Field { name: place(header.name.as_bytes()), value: place(header.value) });
        self.fields.extend(fields);
    }

    /// Gives memory back that a long head needed.
    pub(crate) fn shrink(&mut self, most: usize) {
        if self.text.capacity() > most || self.fields.capacity() * size_of::<Field>() > most {
            *self = Headers::default();
        }
    }

    fn at(&self, place: Place) -> &[u8] {
        let (start, length) = (place.start as usize, place.length as usize);
        self.text.get(start..start + length).unwrap_or_default()
    }

    fn extend(&mut self, part: &[u8]) -> Place {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(part);
        Place { start, length: part.len() as u32 }
    }
}

impl From<&Parts> for Head {
    fn from(parts: &Parts) -> Head {
        let mut headers = Headers::default();
        parts.headers.iter().for_each(|(name, value)| headers.append(name.as_str(), value.as_bytes()));
        let length = headers.first("content-length").and_then(mcp_http1::content_length);
        Head { method: parts.method.clone(), uri: parts.uri.clone(), length, headers }
    }
}

impl Head {
    /// The request says by itself that its body is longer than `limit`.
    pub fn declares_more(&self, limit: usize) -> bool {
        self.length.is_some_and(|length| length > limit as u64)
    }
}

/// A header's value, if it is visible ASCII.
pub fn visible(value: &[u8]) -> Option<&str> {
    let is_visible = value.iter().all(|byte| *byte == b'\t' || (b' '..=b'~').contains(byte));
    if is_visible { std::str::from_utf8(value).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_by_name_in_any_case() {
        let text = b"GET / HTTP/1.1\r\nHost: a\r\nACCEPT: b\r\nX-Empty:\r\naccept: c\r\n\r\n";
        let mut headers = Headers::default();
        headers.append("old", b"gone");
        let read = mcp_http1::read_request(text, |head| headers.fill(text, head.headers));
        assert_eq!(read, Ok(Some(())));
        assert_eq!(headers.all("accept").collect::<Vec<_>>(), [b"b", b"c"]);
        assert_eq!(headers.first("accept"), Some(&b"b"[..]));
        assert_eq!(headers.one("accept"), Err(Repeated));
        assert_eq!(headers.one("host"), Ok(Some(&b"a"[..])));
        assert_eq!(headers.one("x-empty"), Ok(Some(&b""[..])));
        assert_eq!(headers.one("old"), Ok(None));
        headers.append("more", b"d");
        assert_eq!(headers.first("more"), Some(&b"d"[..]));
        assert_eq!(headers.first("host"), Some(&b"a"[..]));
    }

    #[test]
    fn only_visible_values_are_text() {
        assert_eq!(visible(b"a \t~"), Some("a \t~"));
        for odd in [&b"a\x7f"[..], b"\x1f", b"\xc3\xa9"] {
            assert_eq!(visible(odd), None, "{odd:?}");
        }
    }
}
