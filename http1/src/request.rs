//! Heads of requests.

use crate::bytes::same;
use crate::framing::Framing;
use crate::lines::{Lines, RequestLine, Stop, whole};
use crate::{Body, Field, Malformed};

/// What was read of a request's head: places in its text.
#[derive(Debug, Clone, Default)]
pub struct RequestHead {
    /// Without an end nothing is known.
    line: RequestLine,
    fields: Vec<Field>,
}

/// A head but for its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    pub minor: u8,
    /// Bytes of the head, with the empty line at its end.
    pub length: usize,
    /// How many of them are as in the head before.
    pub repeated: usize,
    /// Whether it has the method and the target of the head before.
    pub asks_the_same: bool,
    /// Never [`Body::UntilClose`].
    pub body: Body,
    /// The client asks to keep the connection open.
    pub keep_alive: bool,
}

impl RequestHead {
    /// Reads the head at the start of `bytes`; `None` if it is not whole yet. `before` is the text of the head that was read
    /// last, or nothing: clients repeat most of it, and lines that were read are not read again.
    pub fn read(&mut self, bytes: &[u8], before: &[u8]) -> Result<Option<Request>, Malformed> {
        // What is only read in part does not help the next.
        let known = std::mem::take(&mut self.line);
        whole(self.try_read(bytes, before, known))
    }

    fn try_read(&mut self, bytes: &[u8], before: &[u8], known: RequestLine) -> Result<Request, Stop> {
        let repeated = same(bytes, before);
        let asks_the_same = known.end > 0 && repeated >= known.end;
        let (line, mut lines) = if asks_the_same {
            // The last line that begins like one before may go on in another way.
            let last = self.fields.iter().rposition(|field| field.start() <= repeated);
            let start = last.and_then(|last| self.fields.get(last)).map_or(known.end, Field::start);
            self.fields.truncate(last.unwrap_or_default());
            (known, Lines::at(bytes, start)?)
        } else {
            self.fields.clear();
            let mut lines = Lines::new(bytes)?;
            (lines.request_line()?, lines)
        };
        lines.fields(&mut self.fields)?;
        let framing = Framing::of(bytes, &self.fields)?;
        let minor = line.minor;
        let body = match framing {
            // Two framings, or one that HTTP/1.0 does not have: a proxy in front of us may have read it in another way.
            Framing { chunked: true, length: Some(_), .. } => return Err(Stop::Malformed),
            Framing { chunked: true, .. } if minor == 0 => return Err(Stop::Malformed),
            Framing { chunked: true, .. } => Body::Chunked,
            Framing { length: None | Some(0), .. } => Body::None,
            Framing { length: Some(length), .. } => Body::Length(length),
        };
        self.line = line;
        let keep_alive = framing.keeps_alive(minor);
        Ok(Request { minor, length: lines.read(), repeated, asks_the_same, body, keep_alive })
    }

    /// In the text that was read.
    pub fn method<'b>(&self, text: &'b [u8]) -> &'b [u8] {
        text.get(self.line.method.clone()).unwrap_or_default()
    }

    /// Visible ASCII.
    pub fn target<'b>(&self, text: &'b [u8]) -> &'b [u8] {
        text.get(self.line.target.clone()).unwrap_or_default()
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Adds a header that was not read. What follows it in a text is none of the head, so the next one is read from its start.
    pub fn push(&mut self, field: Field) {
        self.line = RequestLine::default();
        self.fields.push(field);
    }

    /// Bytes of memory that it keeps for the next head.
    pub fn held(&self) -> usize {
        self.fields.capacity() * size_of::<Field>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_HEADERS;
    use crate::tests::{has_bare_line_feed, heads, theirs};
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<(Body, bool, usize)>, Malformed> {
        let read = RequestHead::default().read(text.as_bytes(), &[]);
        read.map(|head| head.map(|head| (head.body, head.keep_alive, head.length)))
    }

    #[test]
    fn a_head_is_taken_apart() {
        let text = "POST /mcp?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET";
        let text = text.as_bytes();
        let mut head = RequestHead::default();
        let read = head.read(text, &[]).unwrap().unwrap();
        assert_eq!((head.method(text), head.target(text), read.minor), (&b"POST"[..], &b"/mcp?a=b"[..], 1));
        let pairs = head.fields().iter().map(|field| (field.name(text), field.value(text)));
        let expected = [(&b"Host"[..], &b"x"[..]), (b"Content-Length", b"3")];
        assert_eq!(pairs.collect::<Vec<_>>(), expected);
        assert_eq!((read.body, read.keep_alive, read.length), (Body::Length(3), true, text.len() - 6));
    }

    #[test]
    fn repeated_headers_are_reported() {
        let mut head = RequestHead::default();
        let before = "GET /a HTTP/1.1\r\nhost: b\r\nx: 1\r\n\r\n";
        let mut read = |text: &str, before: &str| {
            let read = head.read(text.as_bytes(), before.as_bytes()).unwrap().unwrap();
            (read.repeated, read.asks_the_same, head.fields().len())
        };
        assert_eq!(read(before, ""), (0, false, 2));
        assert_eq!(read(before, before), (before.len(), true, 2));
        let longer = "GET /a HTTP/1.1\r\nhost: b\r\nx: 12\r\ny: 2\r\n\r\nbody";
        assert_eq!(read(longer, before), (30, true, 3));
        let other = "GET /b HTTP/1.1\r\nhost: b\r\n\r\n";
        assert_eq!(read(other, longer), (5, false, 1));
        assert_eq!(read("GET /b HTTP/1.1\r\n\r\n", other), (17, true, 0));
        assert_eq!(read(other, "GET /b HTTP/1.1\r\n\r\n"), (17, true, 1));
    }

    #[test]
    fn every_part_of_a_head_asks_for_more() {
        let text = "POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read(text.get(..end).unwrap()), Ok(None), "{end}");
        }
        assert_eq!(read(text), Ok(Some((Body::Chunked, true, text.len()))));
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for headers in [
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: 1, 1\r\n",
            "Transfer-Encoding: gzip\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
            "Content-Length : 1\r\n",
            "Content-Length: 1\r\n 2\r\n",
            " Content-Length: 1\r\n",
            "Content\0-Length: 1\r\n",
            "Host: a\nContent-Length: 1\r\n",
            "Host: a\n\r\n",
            "Host: a\r\n\n",
        ] {
            assert_eq!(read(&format!("POST / HTTP/1.1\r\n{headers}\r\n")), Err(Malformed), "{headers:?}");
        }
        assert_eq!(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Malformed));
        for start in
            ["GET / HTTP/1.1\n", "\nGET / HTTP/1.1\r\n", "GET /#a HTTP/1.1\r\n", "GET # HTTP/1.1\r\n"]
        {
            assert_eq!(read(&format!("{start}Host: a\r\n\r\n")), Err(Malformed), "{start:?}");
        }
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(read(&format!("GET / HTTP/1.1\r\n{many}\r\n")), Err(Malformed));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = RequestHead::default().read(&bytes, &[]);
        }

        #[test]
        fn a_head_that_repeats_another_is_read_as_if_it_did_not(
            first in heads("(GET|POST) /mcp HTTP/1[.][01]"),
            other in heads("(GET|POST) /[a-z]? HTTP/1[.][01]"),
            kept in any::<prop::sample::Index>(),
            from in any::<prop::sample::Index>(),
        ) {
            let mut head = RequestHead::default();
            let read = head.read(&first, &[]);
            let before = read.ok().flatten().and_then(|read| first.get(..read.length)).unwrap_or_default();
            let mut next = first[..kept.index(first.len() + 1)].to_vec();
            next.extend_from_slice(&other[from.index(other.len() + 1)..]);
            let mut fresh = RequestHead::default();
            let expected = fresh.read(&next, &[]);
            let seen = head.read(&next, before);
            let decisive = |read: Request| Request { repeated: 0, asks_the_same: false, ..read };
            prop_assert_eq!(seen.map(|read| read.map(decisive)), expected.map(|read| read.map(decisive)));
            if let Ok(Some(read)) = seen {
                prop_assert_eq!(head.fields(), fresh.fields());
                prop_assert_eq!((head.method(&next), head.target(&next)), (fresh.method(&next), fresh.target(&next)));
                prop_assert!(next.starts_with(&before[..read.repeated]));
            }
            // Whatever became of it, the one after it is read as if it were alone, too.
            let before = seen.ok().flatten().and_then(|read| next.get(..read.length)).unwrap_or(before);
            let again = head.read(&first, before);
            let expected = fresh.read(&first, &[]);
            prop_assert_eq!(again.map(|read| read.map(decisive)), expected.map(|read| read.map(decisive)));
            prop_assert!(!matches!(again, Ok(Some(_))) || head.fields() == fresh.fields());
        }

        #[test]
        fn heads_are_read_as_httparse_reads_them(text in heads("(GET|POST|M-X) (/|/mcp|/a[?]b=%20|é) HTTP/1[.][012]")) {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut parsed = httparse::Request::new(&mut headers);
            let theirs = theirs(parsed.parse(&text).map(|status| status.is_complete()), parsed.headers);
            let mut fields = Vec::new();
            let ours = Lines::new(&text).and_then(|mut lines| {
                let line = lines.request_line()?;
                lines.fields(&mut fields)?;
                Ok(line)
            });
            match ours {
                Ok(line) => {
                    let pairs = fields.iter().map(|field| (field.name(&text), field.value(&text)));
                    prop_assert_eq!(theirs, Ok(Some(pairs.map(|(name, value)| (name.to_vec(), value.to_vec())).collect())));
                    prop_assert_eq!(parsed.method.map(str::as_bytes), text.get(line.method));
                    prop_assert_eq!(parsed.path.map(str::as_bytes), text.get(line.target));
                    prop_assert_eq!(parsed.version, Some(line.minor));
                }
                // Targets are visible ASCII here.
                Err(Stop::Malformed) if text.split(|byte| *byte == b' ').nth(1).is_some_and(|target| !target.is_ascii()) => {}
                Err(Stop::Malformed) if has_bare_line_feed(&text) => {}
                Err(stop) => prop_assert_eq!(theirs, if stop == Stop::More { Ok(None) } else { Err(Malformed) }),
            }
        }
    }
}
