//! Event streams over HTTP/1.

use super::{front, front_with};
use crate::serving::events::{Guard, Message};
use bytes::Bytes;
use std::time::Duration;

#[test]
fn a_stream_gives_what_its_source_gives_and_ends_with_it() {
    let mut front = front();
    let messages = front.messages.take().unwrap();
    let mut client = front.client();
    client.get("/events");
    let head = client.head();
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-cache\r\n",
        "x-accel-buffering: no\r\n",
        "x-content-type-options: nosniff\r\n",
        "transfer-encoding: chunked\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert_eq!(client.chunk().unwrap(), b"data: opening\n\n");
    messages.blocking_send(message(b"data: 1\n\n")).unwrap();
    assert_eq!(client.chunk().unwrap(), b"data: 1\n\n");
    messages.blocking_send(message(b"data: 2\n\n")).unwrap();
    assert_eq!(client.chunk().unwrap(), b"data: 2\n\n");
    drop(messages);
    assert_eq!(client.chunk(), None);
    client.assert_closed();
}

#[test]
fn a_silent_stream_is_kept_alive_with_comments() {
    let front = front_with(|settings| settings.timeouts.keep_alive = Duration::from_millis(20));
    let mut client = front.client();
    client.get("/silent");
    client.head();
    assert_eq!(client.chunk().unwrap(), b"data: opening\n\n");
    assert_eq!(client.chunk().unwrap(), b":\n\n");
    assert_eq!(client.chunk().unwrap(), b":\n\n");
}

#[test]
fn a_server_that_leaves_closes_its_streams() {
    let front = front();
    let mut client = front.client();
    client.get("/silent");
    client.head();
    assert_eq!(client.chunk().unwrap(), b"data: opening\n\n");
    front.running.stop();
    assert_eq!(client.chunk().unwrap(), b"data: closing\n\n");
    assert_eq!(client.chunk(), None);
    client.assert_closed();
}

#[test]
fn a_client_that_leaves_ends_its_stream() {
    let mut front = front();
    let messages = front.messages.take().unwrap();
    let mut client = front.client();
    client.get("/events");
    client.head();
    client.chunk().unwrap();
    drop(client);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(super::LONG, messages.closed()).await.unwrap() });
}

#[test]
fn an_http_1_0_stream_ends_with_its_connection() {
    let mut front = front();
    let messages = front.messages.take().unwrap();
    let mut client = front.client();
    client.send("GET /events HTTP/1.0\r\n\r\n");
    assert!(!client.head().contains("transfer-encoding"));
    messages.blocking_send(message(b"data: 1\n\n")).unwrap();
    drop(messages);
    assert_eq!(client.rest(), b"data: opening\n\ndata: 1\n\n");
}

#[test]
fn head_of_a_stream_is_no_stream() {
    let front = front();
    let mut client = front.client();
    client.send("HEAD /silent HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(client.head().contains("text/event-stream"));
    client.assert_closed();
}

fn message(text: &'static [u8]) -> Message {
    Message { bytes: Bytes::from_static(text), guard: Guard::default() }
}
