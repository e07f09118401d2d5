//! Heads of responses.

use crate::framing::Framing;
use crate::lines::{Lines, Stop, whole};
use crate::{Body, Field, Malformed};

/// The head of a response, but for its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// Bytes of the head, with the empty line at its end.
    pub length: usize,
    pub body: Body,
    /// The connection may be used again when the body was read.
    pub keep_alive: bool,
}

/// Reads the head at the start of `bytes`; `None` if it is not whole yet. Its headers are in `fields` then. The answer to a
/// HEAD request has no body, whatever its head says.
pub fn read_response(
    bytes: &[u8],
    to_head_request: bool,
    fields: &mut Vec<Field>,
) -> Result<Option<Response>, Malformed> {
    whole(read(bytes, to_head_request, fields))
}

fn read(bytes: &[u8], to_head_request: bool, fields: &mut Vec<Field>) -> Result<Response, Stop> {
    let mut lines = Lines::new(bytes)?;
    let minor = lines.version()?;
    let status = lines.status()?;
    fields.clear();
    lines.fields(fields)?;
    if status < 100 {
        return Err(Stop::Malformed);
    }
    let framing = Framing::of(bytes, fields)?;
    let body = match framing {
        _ if to_head_request || matches!(status, 100..=199 | 204 | 304) => Body::None,
        Framing { chunked: true, .. } if minor == 0 => return Err(Stop::Malformed),
        Framing { chunked: true, .. } => Body::Chunked,
        Framing { length: Some(0), .. } => Body::None,
        Framing { length: Some(length), .. } => Body::Length(length),
        Framing { length: None, .. } => Body::UntilClose,
    };
    // A server that frames a body twice is not trusted with another request.
    let doubtful = framing.chunked && framing.length.is_some();
    let keep_alive = framing.keeps_alive(minor) && body != Body::UntilClose && !doubtful;
    Ok(Response { status, length: lines.read(), body, keep_alive })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_HEADERS;
    use crate::tests::{has_bare_line_feed, heads, theirs};
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<(u16, Body, bool)>, Malformed> {
        let read = read_response(text.as_bytes(), false, &mut Vec::new());
        read.map(|head| head.map(|head| (head.status, head.body, head.keep_alive)))
    }

    #[test]
    fn the_framing_of_a_body_is_known_from_its_head() {
        for (head, expected) in [
            ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", (200, Body::Length(5), true)),
            ("HTTP/1.1 200\r\ncontent-length: 0\r\n", (200, Body::None, true)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n", (200, Body::Chunked, true)),
            ("HTTP/1.1 200 OK\r\n", (200, Body::UntilClose, false)),
            ("HTTP/1.0 200 OK\r\ncontent-length: 5\r\n", (200, Body::Length(5), false)),
            (
                "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 5\r\n",
                (200, Body::Length(5), true),
            ),
            ("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n", (200, Body::Length(5), false)),
            ("HTTP/1.1 204 No\r\ncontent-length: 5\r\n", (204, Body::None, true)),
            ("HTTP/1.1 304 No\r\ncontent-length: 5\r\n", (304, Body::None, true)),
            ("HTTP/1.1 100 Go\r\n", (100, Body::None, true)),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n",
                (200, Body::Chunked, false),
            ),
        ] {
            assert_eq!(read(&format!("{head}\r\n")), Ok(Some(expected)), "{head}");
        }
    }

    #[test]
    fn invalid_responses_are_refused() {
        for head in [
            "HTTP/1.1 99 Low\r\n",
            "HTTP/1.1 1000 High\r\n",
            "HTTP/2 200 OK\r\n",
            "ICY 200 OK\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n",
            "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n",
            "HTTP/1.1 200 OK\ncontent-length: 1\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\n",
        ] {
            assert_eq!(read(&format!("{head}\r\n")), Err(Malformed), "{head}");
        }
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
        let head = read_response(text, true, &mut Vec::new()).unwrap().unwrap();
        assert_eq!((head.body, head.length), (Body::None, text.len()));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300), head: bool) {
            let _ = read_response(&bytes, head, &mut Vec::new());
        }

        #[test]
        fn heads_are_read_as_httparse_reads_them(text in heads("HTTP/1[.][012] [0-9]{2,4}( | OK| \\tso é)?")) {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut parsed = httparse::Response::new(&mut headers);
            let theirs = theirs(parsed.parse(&text).map(|status| status.is_complete()), parsed.headers);
            let mut fields = Vec::new();
            let ours = Lines::new(&text).and_then(|mut lines| {
                let head = (lines.version()?, lines.status()?);
                lines.fields(&mut fields)?;
                Ok(head)
            });
            match ours {
                Ok((minor, status)) => {
                    let pairs = fields.iter().map(|field| (field.name(&text), field.value(&text)));
                    prop_assert_eq!(theirs, Ok(Some(pairs.map(|(name, value)| (name.to_vec(), value.to_vec())).collect())));
                    prop_assert_eq!((parsed.code, parsed.version), (Some(status), Some(minor)));
                }
                Err(Stop::Malformed) if has_bare_line_feed(&text) => {}
                Err(stop) => prop_assert_eq!(theirs, if stop == Stop::More { Ok(None) } else { Err(Malformed) }),
            }
        }
    }
}
