//! Chunked bodies (RFC 9112, section 7.1), decoded piece by piece.

use crate::Malformed;

/// Everything besides the data of one body: sizes, extensions and trailers. Sane chunks need far
/// less.
const MAX_OVERHEAD: u64 = 16 << 20;
/// An extension or a trailer.
const MAX_LINE: usize = 8 << 10;

/// Decodes one body. Line ends are CR LF, sizes plain hexadecimal digits: anything else could be read in two ways.
#[derive(Debug)]
pub struct Chunked {
    state: State,
    /// Of the size while it is read, then of the data.
    left: u64,
    /// Bytes of the current line.
    line: usize,
    overhead: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The size; its first digit is still to come.
    Start,
    Size,
    /// Blanks behind the size: an extension or the end of the line follows.
    Padding,
    Extension,
    /// After the CR of a size.
    SizeEnd,
    Data,
    /// The CR after data.
    DataCr,
    DataLf,
    /// The start of a trailer, or the CR of the end.
    Trailers,
    Trailer,
    TrailerEnd,
    /// After the CR of the end.
    Last,
    Done,
}

impl Default for Chunked {
    fn default() -> Chunked {
        Chunked { state: State::Start, left: 0, line: 0, overhead: 0 }
    }
}

impl Chunked {
    /// The next piece of the data, cut off the start of `input`; `None` when the input is used up or the body is done.
    pub fn next<'b>(&mut self, input: &mut &'b [u8]) -> Result<Option<&'b [u8]>, Malformed> {
        while !self.is_done() {
            if self.state == State::Data {
                let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(input.len());
                let (data, rest) = input.split_at(most);
                *input = rest;
                self.left -= most as u64;
                if self.left == 0 {
                    self.state = State::DataCr;
                }
                return Ok((!data.is_empty()).then_some(data));
            }
            let Some((byte, rest)) = input.split_first() else { return Ok(None) };
            *input = rest;
            self.overhead += 1;
            self.line += 1;
            if self.overhead > MAX_OVERHEAD || self.line > MAX_LINE {
                return Err(Malformed);
            }
            self.state = self.after(*byte)?;
        }
        Ok(None)
    }

    /// The whole body was read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn after(&mut self, byte: u8) -> Result<State, Malformed> {
        Ok(match (self.state, byte) {
            (State::Start | State::Size, _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                let before = if self.state == State::Start { 0 } else { self.left };
                self.left = before.checked_mul(16).ok_or(Malformed)? | u64::from(digit);
                State::Size
            }
            (State::Size | State::Padding, b' ' | b'\t') => State::Padding,
            (State::Size | State::Padding, b';') => State::Extension,
            (State::Size | State::Padding | State::Extension, b'\r') => State::SizeEnd,
            (State::Extension, _) if is_text(byte) => State::Extension,
            (State::SizeEnd, b'\n') => {
                self.line = 0;
                if self.left == 0 { State::Trailers } else { State::Data }
            }
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                self.line = 0;
                State::Start
            }
            (State::Trailers, b'\r') => State::Last,
            (State::Trailers | State::Trailer, _) if is_text(byte) => State::Trailer,
            (State::Trailer, b'\r') => State::TrailerEnd,
            (State::TrailerEnd, b'\n') => {
                self.line = 0;
                State::Trailers
            }
            (State::Last, b'\n') => State::Done,
            _ => return Err(Malformed),
        })
    }
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The data, and what follows the body; `None` if the body has no end.
    type Decoded = Option<(Vec<u8>, Vec<u8>)>;

    fn decode(input: &[u8], step: usize) -> Result<Decoded, Malformed> {
        let (mut chunked, mut data) = (Chunked::default(), Vec::new());
        let mut pieces = input.chunks(step.max(1));
        for piece in pieces.by_ref() {
            let mut rest = piece;
            while let Some(bytes) = chunked.next(&mut rest)? {
                assert!(!bytes.is_empty());
                data.extend_from_slice(bytes);
            }
            if chunked.is_done() {
                let after: Vec<u8> = rest.iter().chain(pieces.flatten()).copied().collect();
                return Ok(Some((data, after)));
            }
            assert!(rest.is_empty());
        }
        Ok(None)
    }

    #[test]
    fn data_is_put_together_however_it_arrives() {
        let body = b"3\r\nabc\r\n00A \t;name=\"v\"\r\n0123456789\r\n0\r\nExpires: never\r\n\r\nGET /";
        for step in 1..=body.len() {
            let expected = (b"abc0123456789".to_vec(), b"GET /".to_vec());
            assert_eq!(decode(body, step), Ok(Some(expected)), "{step}");
        }
        for end in 0..body.len() - 5 {
            assert_eq!(decode(&body[..end], 7), Ok(None), "{end}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for body in [
            "3\nabc\r\n0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            "+3\r\nabc\r\n",
            "-1\r\n",
            "0x3\r\nabc\r\n",
            " 3\r\nabc\r\n",
            "\r\nabc",
            ";x\r\n",
            "g\r\n",
            "3;a\nb\r\nabc\r\n",
            "3 zz\r\nabc\r\n",
            "3\t3\r\nabc\r\n",
            "3 =\r\nabc\r\n",
            "3;\0\r\nabc\r\n",
            "0\r\na: b\n\r\n",
            "0\r\n\n",
            "10000000000000000\r\n",
        ] {
            assert_eq!(decode(body.as_bytes(), 64), Err(Malformed), "{body:?}");
        }
    }

    #[test]
    fn lines_have_an_end() {
        let extension = format!("1;{}\r\n", "x".repeat(MAX_LINE));
        assert_eq!(decode(extension.as_bytes(), 4096), Err(Malformed));
        let trailer = format!("0\r\n{}", "x".repeat(MAX_LINE + 1));
        assert_eq!(decode(trailer.as_bytes(), 4096), Err(Malformed));
    }

    proptest! {
        #[test]
        fn any_data_survives(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..8), step in 1usize..60) {
            let mut body = Vec::new();
            for chunk in &chunks {
                body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                body.extend_from_slice(chunk);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(b"0\r\n\r\nrest");
            prop_assert_eq!(decode(&body, step), Ok(Some((chunks.concat(), b"rest".to_vec()))));
        }

        #[test]
        fn pieces_do_not_matter(body in "[0-9a-f;\r\n x:]{0,60}", step in 1usize..20) {
            prop_assert_eq!(decode(body.as_bytes(), step), decode(body.as_bytes(), body.len().max(1)));
        }
    }
}
