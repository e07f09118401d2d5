//! Bytes that are not requests.

use super::{Client, Front, front};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;

#[test]
fn what_is_no_request_is_answered_with_400() {
    let front = front();
    for bytes in [
        "garbage\r\n\r\n",
        "\0\x01\x02\x03\x04\x05\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost\r\n\r\n",
        "GET /echo HTTP/7.1\r\nHost: a\r\n\r\n",
        "GET /éco HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    ] {
        let mut client = front.client();
        client.send(bytes);
        let answer = client.answer();
        assert_eq!((answer.status, answer.closes()), (400, true), "{bytes:?}");
        client.finish();
        client.assert_closed();
    }
}

#[test]
fn a_head_without_end_is_refused_and_one_in_pieces_is_read() {
    let front = front();
    let mut client = front.client();
    client.send(format!("GET /echo HTTP/1.1\r\nHost: a\r\nX-Long: {}", "x".repeat(70 << 10)));
    let answer = client.answer();
    assert_eq!((answer.status, answer.closes()), (431, true));
    let mut client = front.client();
    for piece in ["POST /ec", "ho HTTP/1.1\r", "\nHost: a\r\nContent-", "Length: 4\r\n\r", "\nbo", "dy"] {
        client.send(piece);
    }
    assert_eq!(client.answer().text(), "body");
}

#[test]
fn two_framings_of_one_body_never_make_two_requests() {
    let front = front();
    let mut client = front.client();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\
         0\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    let answer = client.answer();
    assert_eq!((answer.status, answer.closes()), (400, true));
    client.finish();
    client.assert_closed();
}

#[test]
fn a_request_that_is_cut_off_is_not_served() {
    let front = front();
    let mut client = front.client();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    client.finish();
    let rest = String::from_utf8(client.rest()).unwrap();
    assert!(!rest.contains("200"), "{rest}");
}

/// Pieces of requests, in any order, with anything in between.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"GET /echo HTTP/1.1\r\n"[..],
        b"POST /echo HTTP/1.1\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"Host: a\r\n",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"Expect: 100-continue\r\n",
        b"Upgrade: h2c\r\n",
        b"\r\n",
        b"\n",
        b"3\r\nabc\r\n",
        b"0\r\n\r\n",
        b"\0\0\0\x04\0\0\0\0\0",
    ]);
    let piece = prop_oneof![3 => known.prop_map(<[u8]>::to_vec), 1 => vec(any::<u8>(), 0..40)];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn survives(front: &Front, bytes: &[u8]) {
    let mut client = front.client();
    // A server that has seen enough may close before we are through.
    let _ = client.reader.get_mut().write_all(bytes);
    client.finish();
    client.rest();
    let mut next = Client::connect(front.address);
    next.post("/echo", "still here");
    assert_eq!(next.answer().text(), "still here");
}

#[test]
fn no_bytes_hang_or_break_the_server() {
    let front = front();
    let config = ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(bytes in pieces())| survives(&front, &bytes));
}
