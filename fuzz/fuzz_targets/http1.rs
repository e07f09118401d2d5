//! Heads and chunked bodies: nothing breaks, a head lies within its bytes, and the pieces in which a body arrives do not matter.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_http1::{Body, Chunked, Malformed, Request, RequestHead, read_response};

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (bytes, step) = input;
    let mut head = RequestHead::default();
    if let Ok(Some(read)) = head.read(&bytes, &[]) {
        let text = &bytes[..read.length];
        assert!(read.body != Body::UntilClose);
        // A head is whole with its last byte, and only then.
        assert_eq!(RequestHead::default().read(&text[..read.length - 1], &[]), Ok(None));
        // What is read again is the same, and what begins alike is read as if it were alone.
        let repeated = Request { repeated: read.length, asks_the_same: true, ..read };
        assert_eq!(head.read(&bytes, text), Ok(Some(repeated)));
        let cut = usize::from(step) * 3 % read.length;
        let other = [&text[..cut], &bytes[usize::from(step) % bytes.len()..]].concat();
        let mut alone = RequestHead::default();
        let expected = alone.read(&other, &[]);
        let seen = head.read(&other, text);
        assert_eq!(seen.map(|read| read.map(decisive)), expected.map(|read| read.map(decisive)));
        assert!(!matches!(seen, Ok(Some(_))) || head.fields() == alone.fields());
    }
    let mut fields = Vec::new();
    for to_head_request in [false, true] {
        if let Ok(Some(head)) = read_response(&bytes, to_head_request, &mut fields) {
            assert!(head.length <= bytes.len() && (!to_head_request || head.body == Body::None));
        }
    }
    assert_eq!(decode(&bytes, usize::from(step) + 1), decode(&bytes, bytes.len().max(1)));
});

/// All but what depends on the head before.
fn decisive(read: Request) -> (u8, usize, Body, bool) {
    (read.minor, read.length, read.body, read.keep_alive)
}

/// The data and what is left behind the body; `None` if it has no end.
fn decode(body: &[u8], step: usize) -> Result<Option<(Vec<u8>, usize)>, Malformed> {
    let (mut chunked, mut data, mut used) = (Chunked::default(), Vec::new(), 0);
    for piece in body.chunks(step) {
        let mut rest = piece;
        while let Some(bytes) = chunked.next(&mut rest)? {
            data.extend_from_slice(bytes);
        }
        used += piece.len() - rest.len();
        if chunked.is_done() {
            return Ok(Some((data, body.len() - used)));
        }
    }
    Ok(None)
}
