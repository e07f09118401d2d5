//! Heads of requests.

use crate::framing::Framing;
use crate::{Body, Header, MAX_HEADERS, Malformed};
use std::mem::MaybeUninit;

/// The head of a request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'b> {
    pub method: &'b str,
    pub target: &'b str,
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    pub minor: u8,
    pub headers: &'b [Header<'b>],
    /// Bytes of the head, with the empty line at its end.
    pub length: usize,
    /// Never [`Body::UntilClose`].
    pub body: Body,
    /// The client wants the connection to go on.
    pub keep_alive: bool,
}

/// Reads the head at the start of `bytes` and hands it to `use_it`; `None` if it is not whole yet.
pub fn read_request<T>(bytes: &[u8], use_it: impl FnOnce(&Request<'_>) -> T) -> Result<Option<T>, Malformed> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut []);
    let length = match parsed.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Malformed),
    };
    let (Some(method), Some(target), Some(minor)) = (parsed.method, parsed.path, parsed.version) else {
        return Err(Malformed);
    };
    let framing = Framing::of(parsed.headers)?;
    let body = match framing {
        // Two framings, or one that HTTP/1.0 does not have: whoever stands before us may have read it in another way.
        Framing { chunked: true, length: Some(_), .. } => return Err(Malformed),
        Framing { chunked: true, .. } if minor == 0 => return Err(Malformed),
        Framing { chunked: true, .. } => Body::Chunked,
        Framing { length: None | Some(0), .. } => Body::None,
        Framing { length: Some(length), .. } => Body::Length(length),
    };
    let keep_alive = framing.keeps_alive(minor);
    Ok(Some(use_it(&Request { method, target, minor, headers: parsed.headers, length, body, keep_alive })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<(Body, bool, usize)>, Malformed> {
        read_request(text.as_bytes(), |head| (head.body, head.keep_alive, head.length))
    }

    #[test]
    fn a_head_is_taken_apart() {
        let text = "POST /mcp?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET";
        let seen = read_request(text.as_bytes(), |head| {
            let names: Vec<&str> = head.headers.iter().map(|header| header.name).collect();
            (head.method.to_owned(), head.target.to_owned(), head.minor, names.join(" "))
        });
        let expected = ("POST".to_owned(), "/mcp?a=b".to_owned(), 1, "Host Content-Length".to_owned());
        assert_eq!(seen, Ok(Some(expected)));
        assert_eq!(read(text), Ok(Some((Body::Length(3), true, text.len() - 6))));
    }

    #[test]
    fn every_part_of_a_head_asks_for_more() {
        let text = "POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read_request(&text.as_bytes()[..end], |_| ()), Ok(None), "{end}");
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
        ] {
            assert_eq!(read(&format!("POST / HTTP/1.1\r\n{headers}\r\n")), Err(Malformed), "{headers:?}");
        }
        assert_eq!(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Malformed));
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(read(&format!("GET / HTTP/1.1\r\n{many}\r\n")), Err(Malformed));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_request(&bytes, |head| head.length <= bytes.len());
        }
    }
}
