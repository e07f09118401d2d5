//! The head of a request, as everything that answers it sees it.

use http::request::Parts;
use http::{Method, Uri};
use mcp_http1::{Field, Malformed, Request, RequestHead};

/// What a request asks for.
#[derive(Debug, Clone, Default)]
pub struct Head {
    pub method: Method,
    pub uri: Uri,
    /// The length of the body, if the head states it.
    pub length: Option<u64>,
    pub headers: Headers,
}

/// Headers in the order in which they came. Only a few of them are ever looked at, so none is copied or hashed on its own: they
/// are places in one text.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    text: Vec<u8>,
    head: RequestHead,
}

/// The values of one header.
#[derive(Debug, Clone)]
pub struct Values<'h, 'n> {
    text: &'h [u8],
    fields: std::slice::Iter<'h, Field>,
    name: &'n str,
}

/// A header appears more than once. Two readers of a repeated one may pick different values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated;

impl Headers {
    /// The values of a header. Names are given in lower case; in the request they are in any.
    #[inline(always)]
    pub fn all<'h, 'n>(&'h self, name: &'n str) -> Values<'h, 'n> {
        Values { text: &self.text, fields: self.head.fields().iter(), name }
    }

    /// The first value of a header.
    #[inline(always)]
    pub fn first(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// The only value of a header.
    #[inline(always)]
    pub fn one(&self, name: &str) -> Result<Option<&[u8]>, Repeated> {
        let mut values = self.all(name);
        let value = values.next();
        if value.is_some() && values.next().is_some() { Err(Repeated) } else { Ok(value) }
    }

    pub fn append(&mut self, name: &str, value: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(name.as_bytes());
        let end = self.text.len();
        self.text.extend_from_slice(value);
        self.head.push(Field::new(start..end, end..self.text.len()));
    }

    /// Becomes the headers of the head that `bytes` begin with; `None` if it is not whole yet.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Option<Request>, Malformed> {
        let Some(request) = self.head.read(bytes, &self.text)? else { return Ok(None) };
        self.text.truncate(request.repeated);
        self.text.extend_from_slice(bytes.get(request.repeated..request.length).unwrap_or_default());
        Ok(Some(request))
    }

    /// What came before the headers that were read.
    pub(crate) fn method_and_target(&self) -> (&[u8], &[u8]) {
        (self.head.method(&self.text), self.head.target(&self.text))
    }

    /// Gives memory back that a long head needed.
    pub(crate) fn shrink(&mut self, most: usize) {
        if self.text.capacity() > most || self.head.held() > most {
            *self = Headers::default();
        }
    }
}

impl<'h> Iterator for Values<'h, '_> {
    type Item = &'h [u8];

    /// Inlined, since the name is nearly always known then, and comparing it a matter of a few instructions.
    #[inline(always)]
    fn next(&mut self) -> Option<&'h [u8]> {
        for field in self.fields.by_ref() {
            if field.is_named(self.text, self.name) {
                return Some(field.value(self.text));
            }
        }
        None
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
    if is_visible(value) { std::str::from_utf8(value).ok() } else { None }
}

/// Whether a header's value is visible ASCII.
pub fn is_visible(value: &[u8]) -> bool {
    // All of them are looked at, even after a bad one: then it is done in blocks.
    value.iter().fold(true, |good, byte| good & ((*byte == b'\t') | (b' '..=b'~').contains(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_by_name_in_any_case() {
        let text = b"GET / HTTP/1.1\r\nHost: a\r\nACCEPT: b\r\nX-Empty:\r\naccept: c\r\n\r\n";
        let mut headers = Headers::default();
        headers.append("old", b"gone");
        let read = headers.read(text).unwrap().unwrap();
        assert_eq!((read.length, headers.method_and_target()), (text.len(), (&b"GET"[..], &b"/"[..])));
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
    fn a_head_replaces_the_one_before() {
        let mut headers = Headers::default();
        let mut seen = |text: &str| {
            let read = headers.read(text.as_bytes()).unwrap().unwrap();
            let shown = |value: Option<&[u8]>| String::from_utf8_lossy(value.unwrap_or(b"-")).into_owned();
            let (a, b) = (shown(headers.first("a")), shown(headers.first("b")));
            (read.asks_the_same, shown(Some(headers.method_and_target().1)), a, b)
        };
        let expected =
            |same, target: &str, a: &str, b: &str| (same, target.to_owned(), a.to_owned(), b.to_owned());
        assert_eq!(seen("GET /x HTTP/1.1\r\na: 1\r\nb: 22\r\n\r\n"), expected(false, "/x", "1", "22"));
        assert_eq!(seen("GET /x HTTP/1.1\r\na: 1\r\nb: 22\r\n\r\n"), expected(true, "/x", "1", "22"));
        assert_eq!(seen("GET /x HTTP/1.1\r\na: 1\r\nb: 2\r\n\r\n"), expected(true, "/x", "1", "2"));
        assert_eq!(seen("GET /x HTTP/1.1\r\na: 1\r\nb: 234\r\n\r\n"), expected(true, "/x", "1", "234"));
        assert_eq!(seen("GET /x HTTP/1.1\r\na: 3\r\n\r\n"), expected(true, "/x", "3", "-"));
        assert_eq!(seen("GET /xy HTTP/1.1\r\nb: 3\r\n\r\n"), expected(false, "/xy", "-", "3"));
        assert_eq!(seen("\r\nGET /x HTTP/1.1\r\n\r\n"), expected(false, "/x", "-", "-"));
    }

    #[test]
    fn only_visible_values_are_text() {
        assert_eq!(visible(b"a \t~"), Some("a \t~"));
        for odd in [&b"a\x7f"[..], b"\x1f", b"\xc3\xa9"] {
            assert_eq!(visible(odd), None, "{odd:?}");
        }
    }
}
