//! Bodies whose length is not known beforehand: chunk by chunk, as the bytes arrive.

use super::answer::BadAnswer;

/// A line of a chunk's length, or of a trailer, is shorter than this.
const MAX_LINE: usize = 1 << 10;
/// Sixteen hexadecimal digits could be more than a `usize`.
const MAX_DIGITS: usize = 15;

/// Where in a chunked body the next byte is.
#[derive(Debug, Default)]
pub struct Chunked {
    state: State,
    /// The line that is not whole yet.
    line: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Length,
    /// This much of the chunk is to come.
    Data(usize),
    /// The line end after a chunk.
    After,
    Trailers,
    Done,
}

impl Chunked {
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes bytes and hands the decoded ones on. Gives how many were taken: all, but for what follows the end.
    pub fn take(&mut self, bytes: &[u8], mut decoded: impl FnMut(&[u8])) -> Result<usize, BadAnswer> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_done() {
            if let State::Data(left) = self.state {
                let (data, after) = rest.split_at(left.min(rest.len()));
                decoded(data);
                self.state = if data.len() == left { State::After } else { State::Data(left - data.len()) };
                rest = after;
            } else {
                rest = self.take_line(rest)?;
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// Takes what belongs to the line that begins or goes on here.
    fn take_line<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], BadAnswer> {
        let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        let (part, rest) = bytes.split_at(end);
        self.line.extend_from_slice(part);
        if self.line.len() > MAX_LINE {
            return Err(BadAnswer::NoChunk);
        }
        if self.line.ends_with(b"\n") {
            let line = self.line.strip_suffix(b"\r\n").ok_or(BadAnswer::NoChunk)?;
            self.state = self.state.after(line)?;
            self.line.clear();
        }
        Ok(rest)
    }
}

impl State {
    /// What follows a whole line.
    fn after(self, line: &[u8]) -> Result<State, BadAnswer> {
        match self {
            State::Length => match length_of(line).ok_or(BadAnswer::NoChunk)? {
                0 => Ok(State::Trailers),
                length => Ok(State::Data(length)),
            },
            State::After if line.is_empty() => Ok(State::Length),
            State::Trailers if line.is_empty() => Ok(State::Done),
            State::Trailers => Ok(State::Trailers),
            State::After | State::Data(_) | State::Done => Err(BadAnswer::NoChunk),
        }
    }
}

/// Hexadecimal digits; extensions may follow.
fn length_of(line: &[u8]) -> Option<usize> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii_end();
    let sound = (1..=MAX_DIGITS).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| sound)?;
    usize::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"5\r\nhello\r\nA;name=x\r\n, chunked \r\n5 \r\n\r\nyou\r\n0\r\nTrailer: 1\r\n\r\n";
    const DECODED: &[u8] = b"hello, chunked \r\nyou";

    /// Feeds pieces of this size; gives what was decoded and what was taken.
    fn decode(body: &[u8], piece: usize) -> Result<(Vec<u8>, usize, bool), BadAnswer> {
        let (mut chunked, mut out, mut taken) = (Chunked::default(), Vec::new(), 0);
        for bytes in body.chunks(piece) {
            taken += chunked.take(bytes, |decoded| out.extend_from_slice(decoded))?;
        }
        Ok((out, taken, chunked.is_done()))
    }

    #[test]
    fn chunks_are_decoded_in_pieces_of_any_size() {
        for piece in 1..=BODY.len() {
            assert_eq!(decode(BODY, piece), Ok((DECODED.to_vec(), BODY.len(), true)), "{piece}");
        }
    }

    #[test]
    fn what_follows_the_end_is_not_taken() {
        let body = [BODY, b"HTTP/1.1"].concat();
        assert_eq!(decode(&body, body.len()), Ok((DECODED.to_vec(), BODY.len(), true)));
    }

    #[test]
    fn a_part_is_not_done() {
        for length in 0..BODY.len() {
            assert!(decode(&BODY[..length], 7).is_ok_and(|(_, _, done)| !done), "{length}");
        }
    }

    #[test]
    fn invalid_chunks_are_refused() {
        for body in ["x\r\n", "\r\n", "5\nhello", "5\r\nhelloo\r\n", "-1\r\n", "ffffffffffffffff\r\n"] {
            assert_eq!(decode(body.as_bytes(), 3), Err(BadAnswer::NoChunk), "{body:?}");
        }
        assert_eq!(decode(&[b'1'; MAX_LINE + 1], 100), Err(BadAnswer::NoChunk));
    }
}
