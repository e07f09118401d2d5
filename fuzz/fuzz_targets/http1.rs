//! Heads and chunked bodies: nothing breaks, a head lies within its bytes, and the pieces in which a body arrives do not matter.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_http1::{Body, Chunked, Malformed, read_request, read_response};

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (bytes, step) = input;
    let request = read_request(&bytes, |head| {
        assert!(head.length <= bytes.len() && head.body != Body::UntilClose);
        head.length
    });
    if let Ok(Some(length)) = request {
        // A head is whole with its last byte, and only then.
        assert_eq!(read_request(&bytes[..length], |head| head.length), Ok(Some(length)));
        assert_eq!(read_request(&bytes[..length - 1], |head| head.length), Ok(None));
    }
    for to_head_request in [false, true] {
        let _ = read_response(&bytes, to_head_request, |head| {
            assert!(head.length <= bytes.len() && (!to_head_request || head.body == Body::None));
        });
    }
    assert_eq!(decode(&bytes, usize::from(step) + 1), decode(&bytes, bytes.len().max(1)));
});

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
