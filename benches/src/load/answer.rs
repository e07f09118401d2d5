//! The head of an HTTP/1.1 answer, as far as a load generator must know it.

/// Longest head that is read.
pub const MAX_HEAD: usize = 16 << 10;

/// What is known of an answer after its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Bytes of the head, with the empty line at its end.
    pub head_length: usize,
    pub body: Body,
    /// The server wants no further request on this connection.
    pub closes: bool,
}

/// How the end of a body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    Length(usize),
    Chunked,
}

/// Why an answer cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadAnswer {
    TooLong,
    NoStatus,
    /// No length, two lengths, or one that is not a number.
    NoLength,
    /// Something else than `chunked`.
    Encoded,
    /// What should be a chunk is none.
    NoChunk,
    /// Bytes follow that nobody asked for.
    TooMuch,
    /// A connection that should be kept is not.
    Closes,
}

/// Reads a head; `None` if it is not whole yet.
pub fn parse_head(bytes: &[u8]) -> Result<Option<Head>, BadAnswer> {
    let Some(end) = bytes.windows(4).take(MAX_HEAD).position(|window| window == b"\r\n\r\n") else {
        return if bytes.len() < MAX_HEAD { Ok(None) } else { Err(BadAnswer::TooLong) };
    };
    let mut lines = bytes.get(..end).unwrap_or_default().split(|byte| *byte == b'\n');
    let status = lines.next().and_then(status_of).ok_or(BadAnswer::NoStatus)?;
    let (mut body, mut closes) = (None, false);
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            if number.is_none() || body.is_some() {
                return Err(BadAnswer::NoLength);
            }
            body = number.map(Body::Length);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if !value.eq_ignore_ascii_case(b"chunked") {
                return Err(BadAnswer::Encoded);
            } else if body.is_some() {
                return Err(BadAnswer::NoLength);
            }
            body = Some(Body::Chunked);
        } else if name.eq_ignore_ascii_case(b"connection") && value.eq_ignore_ascii_case(b"close") {
            closes = true;
        }
    }
    let body = body.ok_or(BadAnswer::NoLength)?;
    Ok(Some(Head { status, head_length: end + 4, body, closes }))
}

fn status_of(line: &[u8]) -> Option<u16> {
    let digits = line.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl std::fmt::Display for BadAnswer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            BadAnswer::TooLong => "the head of an answer is too long",
            BadAnswer::NoStatus => "an answer has no HTTP/1.1 status line",
            BadAnswer::NoLength => "an answer has not one valid `content-length` and is not chunked",
            BadAnswer::Encoded => "an answer has a `transfer-encoding` that is not `chunked`",
            BadAnswer::NoChunk => "a chunk of an answer is malformed",
            BadAnswer::TooMuch => "there is more than the answer",
            BadAnswer::Closes => "an answer closes its connection",
        })
    }
}

impl std::error::Error for BadAnswer {}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-LENGTH:  12 \r\n\r\n{\"some\":\"te";

    #[test]
    fn a_whole_head_gives_status_and_lengths() {
        let head = Head { status: 200, head_length: WHOLE.len() - 11, body: Body::Length(12), closes: false };
        assert_eq!(parse_head(WHOLE), Ok(Some(head)));
    }

    #[test]
    fn every_part_of_a_head_asks_for_more() {
        for length in 0..WHOLE.len() - 11 {
            assert_eq!(parse_head(&WHOLE[..length]), Ok(None), "{length}");
        }
    }

    #[test]
    fn other_statuses_are_read_too() {
        let head = parse_head(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(
            head.map(|head| head.map(|head| (head.status, head.body))),
            Ok(Some((502, Body::Length(0))))
        );
    }

    #[test]
    fn chunked_answers_have_no_length_yet() {
        let head = parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\n");
        assert_eq!(head.map(|head| head.map(|head| head.body)), Ok(Some(Body::Chunked)));
    }

    #[test]
    fn a_connection_that_is_closed_is_seen() {
        let closes = |head: &str| parse_head(head.as_bytes()).map(|head| head.map(|head| head.closes));
        assert_eq!(
            closes("HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 1\r\n\r\n"),
            Ok(Some(true))
        );
        assert_eq!(
            closes("HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\n"),
            Ok(Some(false))
        );
    }

    #[test]
    fn answers_of_unknown_length_are_refused() {
        for (head, expected) in [
            ("HTTP/1.1 200 OK\r\n\r\n", BadAnswer::NoLength),
            ("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", BadAnswer::NoLength),
            ("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", BadAnswer::NoLength),
            ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n", BadAnswer::NoLength),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", BadAnswer::Encoded),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
                BadAnswer::NoLength,
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n",
                BadAnswer::NoLength,
            ),
            ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n", BadAnswer::NoStatus),
            ("HTTP/1.1 2", BadAnswer::NoStatus),
            ("\r\n\r\n", BadAnswer::NoStatus),
        ] {
            let head = if head.ends_with('\n') { head.to_owned() } else { format!("{head}\r\n\r\n") };
            assert_eq!(parse_head(head.as_bytes()), Err(expected), "{head}");
        }
    }

    #[test]
    fn a_head_without_end_is_refused() {
        assert_eq!(parse_head(&[b'x'; MAX_HEAD]), Err(BadAnswer::TooLong));
    }
}
