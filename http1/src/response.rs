//! Heads of responses.

use crate::framing::Framing;
use crate::{Body, Header, MAX_HEADERS, Malformed};
use std::mem::MaybeUninit;

/// The head of a response.
#[derive(Debug, Clone, Copy)]
pub struct Response<'b> {
    pub status: u16,
    pub headers: &'b [Header<'b>],
    /// Bytes of the head, with the empty line at its end.
    pub length: usize,
    pub body: Body,
    /// The connection may be used again when the body was read.
    pub keep_alive: bool,
}

/// Reads the head at the start of `bytes` and hands it to `use_it`; `None` if it is not whole yet. The answer to a HEAD
/// request has no body, whatever its head says.
pub fn read_response<T>(
    bytes: &[u8],
    to_head_request: bool,
    use_it: impl FnOnce(&Response<'_>) -> T,
) -> Result<Option<T>, Malformed> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let length = match config.parse_response_with_uninit_headers(&mut parsed, bytes, &mut headers) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Malformed),
    };
    let (Some(status), Some(minor)) = (parsed.code, parsed.version) else { return Err(Malformed) };
    if status < 100 {
        return Err(Malformed);
    }
    let framing = Framing::of(parsed.headers)?;
    let body = match framing {
        _ if to_head_request || matches!(status, 100..=199 | 204 | 304) => Body::None,
        Framing { chunked: true, .. } if minor == 0 => return Err(Malformed),
        Framing { chunked: true, .. } => Body::Chunked,
        Framing { length: Some(0), .. } => Body::None,
        Framing { length: Some(length), .. } => Body::Length(length),
        Framing { length: None, .. } => Body::UntilClose,
    };
    // A server that frames a body twice is not trusted with another request.
    let doubtful = framing.chunked && framing.length.is_some();
    let keep_alive = framing.keeps_alive(minor) && body != Body::UntilClose && !doubtful;
    Ok(Some(use_it(&Response { status, headers: parsed.headers, length, body, keep_alive })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<(u16, Body, bool)>, Malformed> {
        read_response(text.as_bytes(), false, |head| (head.status, head.body, head.keep_alive))
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
    fn what_is_no_response_is_refused() {
        for head in [
            "HTTP/1.1 99 Low\r\n",
            "HTTP/1.1 1000 High\r\n",
            "HTTP/2 200 OK\r\n",
            "ICY 200 OK\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n",
            "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n",
        ] {
            assert_eq!(read(&format!("{head}\r\n")), Err(Malformed), "{head}");
        }
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
        assert_eq!(
            read_response(text, true, |head| (head.body, head.length)),
            Ok(Some((Body::None, text.len())))
        );
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300), head: bool) {
            let _ = read_response(&bytes, head, |head| head.length <= bytes.len());
        }
    }
}
