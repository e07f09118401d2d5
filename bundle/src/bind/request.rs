//! The bound request, in buffers that are used again.

use crate::plan::{Contents, ToolPlan};
use crate::wire_enums::Method;
use std::fmt;

/// An upstream request, without what the connection adds: `Host` and the body's framing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Path and query, encoded.
    pub target: Vec<u8>,
    head: Vec<u8>,
    lines: Vec<Line>,
    pub(crate) body: Vec<u8>,
    pub(crate) has_body: bool,
}

/// One header's places in the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    name: usize,
    colon: usize,
    end: usize,
}

/// Headers that are the same for all calls of a tool; they hold secrets.
#[derive(Clone, Default)]
pub(crate) struct Prepared {
    text: Box<[u8]>,
    lines: Box<[Line]>,
    /// The headers of the plan that `lines` are, from its first.
    pub(crate) covers: usize,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("covers", &self.covers).finish_non_exhaustive()
    }
}

impl Default for Request {
    fn default() -> Request {
        Request {
            method: Method::Get,
            target: Vec::new(),
            head: Vec::new(),
            lines: Vec::new(),
            body: Vec::new(),
            has_body: false,
        }
    }
}

impl Request {
    pub fn new() -> Request {
        Request::default()
    }

    /// Empties the request and keeps its memory.
    pub fn clear(&mut self) {
        self.method = Method::Get;
        self.target.clear();
        self.head.clear();
        self.lines.clear();
        self.body.clear();
        self.has_body = false;
    }

    /// Bytes of memory that it keeps for the next request.
    pub fn held(&self) -> usize {
        let Request { target, head, lines, body, .. } = self;
        target.capacity() + head.capacity() + lines.capacity() * size_of::<Line>() + body.capacity()
    }

    /// The headers as they go over an HTTP/1 connection: `name: value\r\n` for each.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Names, in lower case, and values.
    pub fn headers(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.lines
            .iter()
            .map(|line| (self.head_text(line.name, line.colon), self.head_text(line.colon + 2, line.end)))
    }

    /// `None` when the request has no body, which is not the same as an empty one.
    pub fn body(&self) -> Option<&[u8]> {
        self.has_body.then_some(self.body.as_slice())
    }

    /// The request's URL; for a tool without an upstream only the target.
    pub fn url(&self, contents: &Contents, tool: &ToolPlan) -> String {
        let mut url = String::new();
        if let Some(upstream) = tool.http().and_then(|http| contents.upstreams.get(http.upstream as usize)) {
            url.push_str(upstream.scheme.as_str());
            url.push_str("://");
            url.push_str(contents.strings.get(upstream.authority));
        }
        url.push_str(&String::from_utf8_lossy(&self.target));
        url
    }

    /// The headers written so far, for [`Request::begin_with`].
    pub(crate) fn prepared(&self, covers: usize) -> Prepared {
        Prepared { text: self.head.as_slice().into(), lines: self.lines.as_slice().into(), covers }
    }

    /// Writes headers that are known already, before any other.
    #[inline]
    pub(crate) fn begin_with(&mut self, prepared: &Prepared) {
        self.head.extend_from_slice(&prepared.text);
        self.lines.extend_from_slice(&prepared.lines);
    }

    /// Writes a header; what `value` appends is its value. Taken back if that is refused or left out.
    pub(crate) fn header<E>(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let start = self.head.len();
        self.head.extend_from_slice(name.as_bytes());
        let colon = self.head.len();
        self.head.extend_from_slice(b": ");
        let written = value(&mut self.head);
        if !matches!(written, Ok(true)) {
            self.head.truncate(start);
            return written.map(|_| ());
        }
        self.lines.push(Line { name: start, colon, end: self.head.len() });
        self.head.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Writes a header that is fine as it is; what `name` appends ends with `: `.
    #[inline(always)]
    pub(crate) fn plain_header(&mut self, name: impl FnOnce(&mut Vec<u8>), value: &[u8]) {
        let start = self.head.len();
        name(&mut self.head);
        let colon = self.head.len().saturating_sub(2);
        self.head.extend_from_slice(value);
        self.lines.push(Line { name: start, colon, end: self.head.len() });
        self.head.extend_from_slice(b"\r\n");
    }

    /// Whether a header of this name, in lower case, is written.
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.lines.iter().any(|line| self.head.get(line.name..line.colon) == Some(name.as_bytes()))
    }

    fn head_text(&self, start: usize, end: usize) -> &str {
        self.head.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_kept_in_wire_form() {
        let mut request = Request::new();
        let write = |text: &'static str| {
            move |out: &mut Vec<u8>| {
                out.extend_from_slice(text.as_bytes());
                Ok::<bool, ()>(true)
            }
        };
        request.header("accept", write("text/plain")).unwrap();
        request.header("x-empty", write("")).unwrap();
        request.header("x-left-out", |_| Ok::<bool, ()>(false)).unwrap();
        assert_eq!(
            request.header("x-refused", |out| {
                out.push(b'a');
                Err("no")
            }),
            Err("no")
        );
        assert_eq!(request.head(), b"accept: text/plain\r\nx-empty: \r\n");
        assert_eq!(request.headers().collect::<Vec<_>>(), [("accept", "text/plain"), ("x-empty", "")]);
        request.clear();
        assert_eq!(request, Request::default());
    }
}
