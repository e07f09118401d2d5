//! Where the body of a message ends (RFC 9112, section 6.3), and whether its connection goes on.

use crate::Field;
use crate::lines::Stop;

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
    /// Refuses what is ambiguous: lengths that differ or are not numbers, any other coding than `chunked`, and that twice.
    pub(crate) fn of(head: &[u8], fields: &[Field]) -> Result<Framing, Stop> {
        let mut framing = Framing::default();
        for field in fields {
            let is = |name: &str| field.is_named(head, name);
            // Lengths tell most headers apart from these three.
            match field.name_length() {
                14 if is("content-length") => {
                    let length = content_length(field.value(head)).ok_or(Stop::Malformed)?;
                    if framing.length.replace(length).is_some_and(|before| before != length) {
                        return Err(Stop::Malformed);
                    }
                }
                17 if is("transfer-encoding") => {
                    if framing.chunked || !field.value(head).trim_ascii().eq_ignore_ascii_case(b"chunked") {
                        return Err(Stop::Malformed);
                    }
                    framing.chunked = true;
                }
                // What most servers write.
                10 if is("connection") && field.value(head) == b"keep-alive" => framing.keep = true,
                10 if is("connection") => {
                    for option in field.value(head).split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
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
    if !digits.iter().all(u8::is_ascii_digit) || digits.is_empty() {
        return None;
    }
    let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
    // Nearly all are too short to become too large.
    if digits.len() <= 18 {
        return Some(digits.fold(0, |length, digit| length * 10 + digit));
    }
    digits.into_iter().try_fold(0u64, |length, digit| length.checked_mul(10)?.checked_add(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(headers: &[(&str, &str)]) -> Result<Framing, Stop> {
        let (mut head, mut fields) = (String::new(), Vec::new());
        for (name, value) in headers {
            let start = head.len();
            head += name;
            let end = head.len();
            head += value;
            fields.push(Field::new(start..end, end..head.len()));
        }
        Framing::of(head.as_bytes(), &fields)
    }

    #[test]
    fn a_length_is_a_plain_number() {
        for (text, length) in [("0", 0), ("42", 42), (" 7 ", 7), ("18446744073709551615", u64::MAX)] {
            assert_eq!(framing(&[("Content-Length", text)]).map(|it| it.length), Ok(Some(length)), "{text}");
        }
        for text in ["", "+1", "-1", "1, 1", "0x10", "1.0", "1 1", "18446744073709551616", "٣"] {
            assert_eq!(framing(&[("content-length", text)]), Err(Stop::Malformed), "{text}");
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
            assert_eq!(framing(headers), Err(Stop::Malformed), "{headers:?}");
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
