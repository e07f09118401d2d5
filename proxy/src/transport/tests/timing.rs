//! Clients that take their time.

use super::{front, front_with};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(200);

#[test]
fn a_head_may_not_take_for_ever() {
    let front = front_with(|settings| settings.timeouts.idle = SHORT);
    let head = b"GET /echo HTTP/1.1\r\nHost: ".iter().copied().chain(std::iter::repeat_n(b'a', 500));
    let (sent, said) = front.client().drip(head);
    assert!(sent > 0);
    assert_eq!(said, b"");
}

#[test]
fn a_connection_without_requests_is_closed() {
    let front = front_with(|settings| settings.timeouts.idle = SHORT);
    front.client().assert_closed();
    let mut used = front.client();
    used.post("/echo", "hello");
    assert_eq!(used.answer().text(), "hello");
    used.assert_closed();
}

#[test]
fn a_body_may_not_take_for_ever() {
    let front = front_with(|settings| settings.timeouts.body = SHORT);
    let mut client = front.client();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    let (_, said) = client.drip(std::iter::repeat_n(b'a', 500));
    let said = String::from_utf8(said).unwrap();
    assert!(said.starts_with("HTTP/1.1 408 ") && said.contains("connection: close\r\n"), "{said}");
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let front = front_with(|settings| settings.timeouts.write = SHORT);
    let mut client = front.client();
    // More than the sockets hold.
    for _ in 0..100 {
        client.get("/big");
    }
    // The server gives up in the middle, so the end is missing.
    front.running.stop();
    assert!(client.rest().len() < 100 * 300_000);
}

#[test]
fn a_server_that_leaves_finishes_what_is_in_flight() {
    let front = front();
    let mut busy = front.client();
    let mut idle = front.client();
    idle.post("/echo", "hello");
    assert_eq!(idle.answer().text(), "hello");
    busy.post("/hold", "on");
    front.hears("started");
    let super::Front { running, handler, address, .. } = front;
    let stop = std::thread::spawn(move || running.stop());
    idle.assert_closed();
    handler.0.release.add_permits(1);
    let answer = busy.answer();
    assert_eq!((answer.text(), answer.closes()), ("held on", true));
    busy.assert_closed();
    stop.join().unwrap();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn a_server_that_leaves_waits_no_longer_than_it_may() {
    let front = front_with(|settings| settings.timeouts.grace = SHORT);
    let mut client = front.client();
    client.post("/hold", "on");
    front.hears("started");
    front.running.stop();
    client.assert_closed();
}
