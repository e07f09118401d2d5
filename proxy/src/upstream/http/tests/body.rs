//! Bodies: framing, compression and caps.

use super::script::{OK, Step, answer, upstream};
use crate::upstream::{LONGEST_KEPT_TYPE, Received, UpstreamError};
use std::io::Write;

/// An answer whose body is compressed.
fn coded(coding: &str, body: &[u8]) -> Step {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: {coding}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    answer([head.as_bytes(), body].concat())
}

fn compressed(coding: &str, plain: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut out = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 20);
            encoder.write_all(plain).unwrap();
            drop(encoder);
            out
        }
        _ => zstd::encode_all(plain, 3).unwrap(),
    }
}

#[tokio::test]
async fn chunks_and_large_bodies_arrive_whole() {
    let chunked =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nt: v\r\n\r\n";
    let large = "x".repeat(300_000);
    let sized = format!("HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n{large}");
    let until_close = format!("HTTP/1.1 200 OK\r\n\r\n{large}");
    let script = upstream(vec![vec![answer(chunked), answer(sized), answer(until_close)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.body(), "abcde");
    for _ in 0..2 {
        assert_eq!(caller.get().await, Ok(200));
        assert!(caller.body() == large);
    }
    assert_eq!(caller.network.stats().opened, 1);
}

#[tokio::test]
async fn a_large_request_arrives_whole() {
    let script = upstream(vec![vec![answer(OK), answer(OK)]]);
    let mut caller = script.caller();
    for size in [60_000, 3_000_000] {
        let text = "y".repeat(size);
        assert_eq!(caller.post(&text).await, Ok(200));
        assert!(script.request().ends_with(&format!("\r\n\r\n{{\"text\":\"{text}\"}}")));
    }
    assert_eq!(caller.network.stats().opened, 1);
}

#[tokio::test]
async fn answers_without_a_body_end_at_their_head() {
    let script = upstream(vec![vec![
        answer("HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n"),
        answer("HTTP/1.1 204 No Content\r\n\r\n"),
        answer("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"),
        answer(format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n{OK}")),
    ]]);
    let mut caller = script.caller();
    assert_eq!(caller.head().await, Ok(200));
    assert!(script.request().starts_with("HEAD /things/7 HTTP/1.1\r\n"));
    assert_eq!(caller.get().await, Ok(204));
    assert_eq!(caller.get().await, Ok(304));
    assert_eq!(caller.body(), "");
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.body(), "ok");
    assert_eq!(caller.network.stats().opened, 1);
}

#[tokio::test]
async fn compressed_bodies_are_read_as_they_were() {
    let plain = "all work and no play ".repeat(20_000);
    let codings = ["gzip", "br", "zstd"];
    let steps = codings.map(|coding| coded(coding, &compressed(coding, plain.as_bytes())));
    let script = upstream(vec![steps.to_vec()]);
    let mut caller = script.caller();
    for coding in codings {
        assert_eq!(caller.get().await, Ok(200), "{coding}");
        assert!(caller.body() == plain, "{coding}");
        assert_eq!(caller.received.content_type.as_deref(), Some("text/plain"));
    }
}

#[tokio::test]
async fn a_bomb_does_not_go_off() {
    let zeros = vec![0; 50 << 20];
    for coding in ["gzip", "br", "zstd"] {
        let script = upstream(vec![vec![coded(coding, &compressed(coding, &zeros))]]);
        let mut caller = script.caller();
        assert_eq!(
            caller.get().await,
            Err(UpstreamError::TooLarge { status: 200, limit: 1 << 20 }),
            "{coding}"
        );
        assert!(caller.received.body.capacity() < 4 << 20, "{coding}");
    }
}

#[tokio::test]
async fn damaged_and_unknown_codings_are_errors() {
    let plain = b"text that is long enough to be cut".repeat(50);
    for coding in ["gzip", "br", "zstd"] {
        let whole = compressed(coding, &plain);
        let cut = &whole[..whole.len() - 3];
        for bytes in [cut, b"garbage"] {
            let mut caller = upstream(vec![vec![coded(coding, bytes)]]).caller();
            assert!(matches!(caller.get().await, Err(UpstreamError::Encoding(_))), "{coding} {bytes:?}");
        }
    }
    for coding in ["rot13", "gzip, br", "deflate", "gzip\r\ncontent-encoding: gzip"] {
        let mut caller = upstream(vec![vec![coded(coding, b"x")]]).caller();
        assert!(matches!(caller.get().await, Err(UpstreamError::Encoding(_))), "{coding}");
    }
}

#[tokio::test]
async fn the_cap_holds_however_the_body_is_framed() {
    for answered in [
        "HTTP/1.1 500 No\r\ncontent-length: 11\r\n\r\n12345678901".to_owned(),
        "HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n".to_owned(),
        "HTTP/1.1 500 No\r\n\r\n12345678901".to_owned(),
    ] {
        let mut caller = upstream(vec![vec![answer(&answered), Step::Wait]]).caller();
        caller.max_response = 10;
        assert_eq!(caller.get().await, Err(UpstreamError::TooLarge { status: 500, limit: 10 }), "{answered}");
        assert_eq!(caller.network.stats().idle, 0);
    }
    let mut caller =
        upstream(vec![vec![answer("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n1234567890")]]).caller();
    caller.max_response = 10;
    assert_eq!(caller.get().await, Ok(200));
}

#[test]
fn memory_of_an_overlong_content_type_is_given_back() {
    let mut received = Received { content_type: Some("a".repeat(1 << 20)), ..Received::default() };
    received.give_memory();
    received.clear();
    assert!(received.spare.capacity() <= LONGEST_KEPT_TYPE);
    // Also that of an answer before the last.
    received.content_type = Some("a".repeat(1 << 20));
    received.clear();
    received.give_memory();
    assert!(received.spare.capacity() <= LONGEST_KEPT_TYPE);
    received.content_type = Some("application/json".to_owned());
    received.give_memory();
    received.clear();
    assert_eq!(received.spare, "application/json", "that of most answers is kept");
}
