//! HTTP/1 without sockets: what stands in a head, how long a body is, and what is in its chunks.
//!
//! The proxy reads clients and upstreams with it. It is our own because it is on the path of every call: nothing here
//! allocates, and a head is borrowed, not turned into a map. `httparse` knows the grammar of heads. What decides where a
//! message ends is strict: a request that could be read in two ways is none.

mod chunked;
mod framing;
mod request;
mod response;

pub use chunked::Chunked;
pub use framing::{Body, content_length};
pub use request::{Request, read_request};
pub use response::{Response, read_response};

/// Most headers of a message.
pub const MAX_HEADERS: usize = 128;

/// Not HTTP/1, or not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// A header as it stands in a head.
pub type Header<'b> = httparse::Header<'b>;

/// Whether a header that was read has this name, which is given in lower case.
pub fn is_named(read: &[u8], name: &str) -> bool {
    let (words, rest) = read.as_chunks();
    let (name_words, name_rest) = name.as_bytes().as_chunks();
    let is_same = |(byte, known): (&u8, &u8)| byte == known || byte.to_ascii_lowercase() == *known;
    read.len() == name.len()
        && words.iter().zip(name_words).all(|(word, known)| is_same_word(*word, *known))
        && rest.iter().zip(name_rest).all(is_same)
}

/// Eight bytes at once: where `known` has a letter, `word` may lack the bit that makes it a small one.
fn is_same_word(word: [u8; 8], known: [u8; 8]) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (word, known) = (u64::from_le_bytes(word), u64::from_le_bytes(known));
    let low = known & (0x7f * EACH);
    // The top bit of each byte tells: at least `a`, and beyond `z`.
    let from_a = low + (0x80 - u64::from(b'a')) * EACH;
    let beyond_z = low + (0x7f - u64::from(b'z')) * EACH;
    let letters = from_a & !beyond_z & !known & (0x80 * EACH);
    (word ^ known) & !(letters >> 2) == 0
}

#[cfg(test)]
mod tests {
    use super::is_named;

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
