//! The bound request, in buffers that are used again.

use super::positions::encode_bytes;
use crate::plan::{Contents, HttpPlan, Part, ToolPlan};
use crate::strings::StrId;
use crate::wire_enums::{Method, PartKind};

/// An upstream request, without what the connection adds: `Host` and the body's framing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Path and query, encoded.
    pub target: Vec<u8>,
    head: Vec<u8>,
    lines: Vec<Line>,
    pub(super) body: Vec<u8>,
    pub(super) has_body: bool,
}

/// One header's places in the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    name: usize,
    colon: usize,
    end: usize,
}

/// A header whose value is being written.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(super) struct OpenHeader {
    name: usize,
    colon: usize,
}

/// Headers that were written once, to be copied.
#[derive(Clone, Default)]
pub(super) struct HeaderLines {
    text: Box<[u8]>,
    lines: Box<[Line]>,
}

impl OpenHeader {
    /// Where its value begins in the head.
    pub(super) const fn value(self) -> usize {
        self.colon + 2
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

    /// A form that the edge itself sends. Names of headers are in lower case, and no value has a line break: such a header
    /// is left out.
    pub fn form(target: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Request {
        let mut request = Request { method: Method::Post, ..Request::default() };
        request.target.extend_from_slice(target.as_bytes());
        let form = ("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers.iter().chain([&form]) {
            let line = request.begin_header(name.as_bytes());
            request.head.extend_from_slice(value.as_bytes());
            request.end_header(line, !value.contains(['\r', '\n', '\0']));
        }
        Request { body, has_body: true, ..request }
    }

    /// A message to an MCP server, without the message: that has a body which is empty here. `values` are those of the
    /// variables.
    pub fn of_server(contents: &Contents, plan: &HttpPlan, values: &[Box<str>]) -> Request {
        let mut request = Request { method: plan.method, has_body: true, ..Request::default() };
        let literal = |part: &Part| contents.strings.bytes(StrId(part.id));
        let value = |part: &Part| values.get(part.id as usize).map_or(&b""[..], |value| value.as_bytes());
        let encoded = |parts: &[Part], out: &mut Vec<u8>| {
            for part in parts {
                match part.kind {
                    PartKind::Variable => encode_bytes(value(part), out),
                    // The bundle's reader lets nothing else pass.
                    _ => out.extend_from_slice(literal(part)),
                }
            }
        };
        encoded(&plan.path, &mut request.target);
        for (number, placed) in plan.query.iter().enumerate() {
            request.target.push(if number == 0 { b'?' } else { b'&' });
            request.target.extend_from_slice(contents.strings.bytes(placed.name));
            request.target.push(b'=');
            encoded(&placed.value, &mut request.target);
        }
        for placed in &plan.headers {
            let line = request.begin_header(contents.strings.bytes(placed.name));
            for part in &placed.value {
                let text = if part.kind == PartKind::Variable { value(part) } else { literal(part) };
                request.head.extend_from_slice(text);
            }
            request.end_header(line, true);
        }
        request
    }

    /// The same place, asked in another way and without a body.
    pub fn without_body(&self, method: Method) -> Request {
        Request { method, has_body: false, body: Vec::new(), ..self.clone() }
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

    /// A request that no tool made, for tests of what is done with requests.
    #[doc(hidden)]
    pub fn for_tests(
        method: Method,
        target: &[u8],
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> Request {
        let mut request = Request { method, target: target.to_vec(), ..Request::default() };
        for (name, value) in headers {
            let line = request.begin_header(name.as_bytes());
            request.head.extend_from_slice(value.as_bytes());
            request.end_header(line, true);
        }
        request.has_body = body.is_some();
        request.body.extend_from_slice(body.unwrap_or_default().as_bytes());
        request
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
        if let Some(upstream) = tool.request().and_then(|http| contents.upstreams.get(http.upstream as usize))
        {
            url.push_str(&contents.origin_text(upstream));
        }
        url.push_str(&String::from_utf8_lossy(&self.target));
        url
    }

    /// The headers written so far.
    pub(super) fn header_lines(&self) -> HeaderLines {
        HeaderLines { text: self.head.as_slice().into(), lines: self.lines.as_slice().into() }
    }

    /// Writes headers that are known already, before any other.
    #[inline]
    pub(super) fn copy_headers(&mut self, known: &HeaderLines) {
        self.head.extend_from_slice(&known.text);
        self.lines.extend_from_slice(&known.lines);
    }

    /// Begins a header. What is then appended to the head is its value.
    #[inline]
    pub(super) fn begin_header(&mut self, name: &[u8]) -> OpenHeader {
        let start = self.head.len();
        self.head.extend_from_slice(name);
        let colon = self.head.len();
        self.head.extend_from_slice(b": ");
        OpenHeader { name: start, colon }
    }

    #[inline]
    pub(super) fn head_mut(&mut self) -> &mut Vec<u8> {
        &mut self.head
    }

    /// Ends a header, or takes it back.
    #[inline]
    pub(super) fn end_header(&mut self, OpenHeader { name, colon }: OpenHeader, keep: bool) {
        if !keep {
            return self.head.truncate(name);
        }
        self.lines.push(Line { name, colon, end: self.head.len() });
        self.head.extend_from_slice(b"\r\n");
    }

    /// Whether a header of this name, in lower case, is written.
    pub(super) fn has_header(&self, name: &str) -> bool {
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
    fn a_form_of_the_edge_is_a_request_like_any_other() {
        let headers = [("accept", "application/json"), ("authorization", "a\r\nb: c")];
        let request = Request::form("/token?v=2", &headers, b"a=b".to_vec());
        assert_eq!((request.method, request.target.as_slice()), (Method::Post, &b"/token?v=2"[..]));
        let expected = "accept: application/json\r\ncontent-type: application/x-www-form-urlencoded\r\n";
        assert_eq!(request.head(), expected.as_bytes(), "a header with a line break is none");
        assert_eq!(request.body(), Some(&b"a=b"[..]));
    }

    #[test]
    fn headers_are_kept_in_wire_form() {
        let mut request = Request::new();
        for (name, value, keep) in
            [("accept", "text/plain", true), ("x-empty", "", true), ("x-left-out", "a", false)]
        {
            let line = request.begin_header(name.as_bytes());
            request.head_mut().extend_from_slice(value.as_bytes());
            request.end_header(line, keep);
        }
        assert_eq!(request.head(), b"accept: text/plain\r\nx-empty: \r\n");
        assert_eq!(request.headers().collect::<Vec<_>>(), [("accept", "text/plain"), ("x-empty", "")]);
        let mut copy = Request::new();
        copy.copy_headers(&request.header_lines());
        assert_eq!(copy, request);
        request.clear();
        assert_eq!(request, Request::default());
    }
}
