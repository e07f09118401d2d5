//! HTTP/1 without sockets: what is in a head, how long a body is, and what is in its chunks.
//!
//! The proxy reads clients and upstreams with it. It is our own because it is on the path of every call: nothing here
//! allocates but the caller's list of headers when it grows, and a header is a place in the head, not an entry of a map.
//! What decides where a message ends is strict: a request that could be read in two ways is none.

mod bytes;
mod chunked;
mod framing;
mod lines;
mod request;
mod response;

pub use chunked::Chunked;
pub use framing::{Body, content_length};
pub use request::{Request, RequestHead};
pub use response::{Response, read_response};

use std::ops::Range;

/// Most headers of a message.
pub const MAX_HEADERS: usize = 128;

/// Not HTTP/1, or not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// A header: where it is in a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    name: FieldPart,
    value: FieldPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FieldPart {
    start: u32,
    length: u32,
}

impl Field {
    /// Of a head that is not longer than 32 bits can say.
    #[inline]
    pub fn new(name: Range<usize>, value: Range<usize>) -> Field {
        Field { name: FieldPart::new(name.start, name.end), value: FieldPart::new(value.start, value.end) }
    }

    #[inline(always)]
    pub(crate) fn name_length(&self) -> u32 {
        self.name.length
    }

    /// In the head that it was read from.
    #[inline]
    pub fn name<'b>(&self, head: &'b [u8]) -> &'b [u8] {
        self.name.of(head)
    }

    /// Where its line begins.
    #[inline]
    fn start(&self) -> usize {
        self.name.start as usize
    }

    /// Without blanks around it.
    #[inline]
    pub fn value<'b>(&self, head: &'b [u8]) -> &'b [u8] {
        self.value.of(head)
    }

    /// Whether it has this name, which is given in lower case.
    #[inline(always)]
    pub fn is_named(&self, head: &[u8], name: &str) -> bool {
        self.name.length as usize == name.len() && is_named(self.name(head), name)
    }
}

impl FieldPart {
    #[inline]
    fn new(start: usize, end: usize) -> FieldPart {
        FieldPart { start: start as u32, length: end.saturating_sub(start) as u32 }
    }

    #[inline]
    fn of(self, head: &[u8]) -> &[u8] {
        let start = self.start as usize;
        head.get(start..start + self.length as usize).unwrap_or_default()
    }
}

/// Whether a header that was read has this name, which is given in lower case.
#[inline(always)]
pub fn is_named(read: &[u8], name: &str) -> bool {
    let name = name.as_bytes();
    if read.len() != name.len() {
        return false;
    }
    let (Some(last), Some(name_last)) = (read.last_chunk(), name.last_chunk()) else {
        return read.iter().zip(name).all(|(byte, known)| byte.to_ascii_lowercase() == *known);
    };
    let ((words, _), (name_words, _)) = (read.as_chunks(), name.as_chunks());
    // The last word covers what is left behind the others, and some of them again.
    words.iter().zip(name_words).all(|(word, known)| is_same_word(*word, *known))
        && is_same_word(*last, *name_last)
}

/// Eight bytes at once: where `known` has a letter, `word` may lack the bit that makes it a small one.
#[inline(always)]
fn is_same_word(word: [u8; 8], known: [u8; 8]) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (word, known) = (u64::from_le_bytes(word), u64::from_le_bytes(known));
    let low = known & (0x7f * EACH);
    // The top bit of each byte says: at least `a`, and beyond `z`.
    let from_a = low + (0x80 - u64::from(b'a')) * EACH;
    let beyond_z = low + (0x7f - u64::from(b'z')) * EACH;
    let letters = from_a & !beyond_z & !known & (0x80 * EACH);
    (word ^ known) & !(letters >> 2) == 0
}

#[cfg(test)]
mod tests {
    use super::{Malformed, is_named};
    use proptest::prelude::*;

    /// Heads that begin with a line like this: whole or cut, with headers and line ends that are right, odd and wrong.
    pub(crate) fn heads(start: &'static str) -> impl Strategy<Value = Vec<u8>> {
        let line_end = || prop_oneof![20 => Just("\r\n"), 2 => Just("\n"), 1 => Just("\r"), 1 => Just("")];
        let name = prop_oneof![8 => "[A-Za-z-]{1,30}", 1 => "[!#$%&'*+.^_`|~a-z]{0,5}", 1 => "[ -~]{1,3}|é"];
        let colon =
            prop_oneof![20 => Just(": "), 1 => Just(":"), 1 => Just(":\t"), 1 => Just(" :"), 1 => Just("")];
        let value = prop_oneof![4 => "[ -~]{0,50}", 1 => "[ \t]{0,3}[ -~\t]{1,20}[ \t]{0,3}", 1 => ".{0,4}"];
        let header = (name, colon, value, line_end())
            .prop_map(|(name, colon, value, end)| format!("{name}{colon}{value}{end}"));
        let framing =
            "(Content-Length: (1?[0-9]|1,1)|transfer-encoding: (chunked|gzip)|Connection: (close|x))\r\n";
        let header = prop_oneof![6 => header, 1 => framing];
        let headers = prop::collection::vec(header, 0..6);
        let before = prop_oneof![9 => Just(""), 1 => Just("\r\n"), 1 => Just("\n"), 1 => Just("\r")];
        (before, start, line_end(), headers, line_end(), 0..600usize).prop_map(
            |(before, start, end, headers, last, cut)| {
                let mut head = format!("{before}{start}{end}{}{last}", headers.concat()).into_bytes();
                head.truncate(cut);
                head
            },
        )
    }

    /// What `httparse` takes for the end of a line, and we do not.
    pub(crate) fn has_bare_line_feed(head: &[u8]) -> bool {
        let before = std::iter::once(&0).chain(head);
        before.zip(head).any(|(before, byte)| *byte == b'\n' && *before != b'\r')
    }

    type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

    /// What `httparse` says, in our words.
    pub(crate) fn theirs(
        read: Result<bool, httparse::Error>,
        headers: &[httparse::Header<'_>],
    ) -> Result<Option<Pairs>, Malformed> {
        let pairs = || headers.iter().map(|header| (header.name.as_bytes().to_vec(), header.value.to_vec()));
        read.map(|whole| whole.then(|| pairs().collect())).map_err(|_| Malformed)
    }

    #[test]
    fn names_are_the_same_in_any_case() {
        assert!(is_named(b"Content-TYPE", "content-type") && is_named(b"x_1", "x_1") && is_named(b"", ""));
        assert!(!is_named(b"content-typ", "content-type") && !is_named(b"content_type", "content-type"));
        assert!(!is_named(b"Content-Typo", "content-type") && !is_named(b"Kontent-Type", "content-type"));
        for read in 0..=u8::MAX {
            for known in ('!'..='~').filter(|known| !known.is_ascii_uppercase()).map(String::from) {
                let expected = [read].eq_ignore_ascii_case(known.as_bytes());
                // Alone, and as one of eight bytes that are looked at together.
                assert_eq!(is_named(&[read], &known), expected, "{read} {known}");
                assert_eq!(is_named(&[read; 9], &known.repeat(9)), expected, "{read} {known}");
            }
        }
    }
}
