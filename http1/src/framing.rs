//! Where the body of a message ends (RFC 9112, section 6.3), and whether its connection goes on.

use crate::{Header, Malformed, is_named};

/// How a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// There is none.
    None,
    /// This many bytes.
    Length(u64),
    Chunked,
    /// All until the connection ends; only of responses.
    UntilClose,
}

/// What the headers say about framing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Framing {
    pub(crate) length: Option<u64>,
    pub(crate) chunked: bool,
    /// The connection is to be closed.
    pub(crate) close: bool,
    /// The connection is to be kept.
    pub(crate) keep: bool,
}

impl Framing {
    /// Refuses what is ambiguous: lengths that differ or are no numbers, any other coding than `chunked`, and that twice.
    pub(crate) fn of(headers: &[Header<'_>]) -> Result<Framing, Malformed> {
        let mut framing = Framing::default();
        for Header { name, value } in headers {
            // Lengths tell most headers apart from these three.
            match name.len() {
                14 if is_named(name.as_bytes(), "content-length") => {
                    let length = content_length(value).ok_or(Malformed)?;
                    if framing.length.replace(length).is_some_and(|before| before != length) {
                        return Err(Malformed);
                    }
                }
                17 if is_named(name.as_bytes(), "transfer-encoding") => {
                    if framing.chunked || !value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                        return Err(Malformed);
                    }
                    framing.chunked = true;
                }
                10 if is_named(name.as_bytes(), "connection") => {
                    for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                        framing.close |= option.eq_ignore_ascii_case(b"close");
                        framing.keep |= option.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                _ => {}
            }
        }
        Ok(framing)
    }

    /// Whether the connection goes on after the message.
    pub(crate) fn keeps_alive(self, minor: u8) -> bool {
        !self.close && (minor >= 1 || self.keep)
    }
}

/// The value of a `content-length`: digits only, no sign, no list, no fraction.
pub fn content_length(value: &[u8]) -> Option<u64> {
    let digits = value.trim_ascii();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |length, byte| {
        let digit = char::from(*byte).to_digit(10)?;
        length.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(headers: &[(&str, &str)]) -> Result<Framing, Malformed> {
        let headers: Vec<Header<'_>> =
            headers.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
        Framing::of(&headers)
    }

    #[test]
    fn a_length_is_a_plain_number() {
        for (text, length) in [("0", 0), ("42", 42), (" 7 ", 7), ("18446744073709551615", u64::MAX)] {
            assert_eq!(framing(&[("Content-Length", text)]).map(|it| it.length), Ok(Some(length)), "{text}");
        }
        for text in ["", "+1", "-1", "1, 1", "0x10", "1.0", "1 1", "18446744073709551616", "٣"] {
            assert_eq!(framing(&[("content-length", text)]), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn headers_that_contradict_each_other_are_refused() {
        for headers in [
            &[("content-length", "1"), ("content-length", "2")][..],
            &[("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")],
            &[("transfer-encoding", "gzip, chunked")],
            &[("transfer-encoding", "chunked, chunked")],
            &[("transfer-encoding", "identity")],
            &[("transfer-encoding", "xchunked")],
            &[("transfer-encoding", "")],
        ] {
            assert_eq!(framing(headers), Err(Malformed), "{headers:?}");
        }
        assert_eq!(
            framing(&[("content-length", "1"), ("CONTENT-LENGTH", "1")]).map(|it| it.length),
            Ok(Some(1))
        );
    }

    #[test]
    fn a_connection_goes_on_unless_somebody_says_otherwise() {
        for (minor, value, goes_on) in [
            (1, "", true),
            (1, "close", false),
            (1, "keep-alive, Close", false),
            (0, "", false),
            (0, "Keep-Alive", true),
            (0, "keep-alive,close", false),
            (1, "closed", true),
        ] {
            let framing = framing(&[("Connection", value)]).unwrap();
            assert_eq!(framing.keeps_alive(minor), goes_on, "{minor} {value}");
        }
    }
}
