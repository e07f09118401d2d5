//! Requests that are good, and such that are refused.

use super::{front, front_with};

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let front = front();
    let mut client = front.client();
    for body in ["one", "", "three"] {
        client.post("/echo", body);
        let answer = client.answer();
        assert_eq!((answer.status, answer.text()), (200, body));
        assert!(!answer.closes(), "{}", answer.head);
        for header in [
            "content-type: text/plain; charset=utf-8\r\n",
            "x-content-type-options: nosniff\r\n",
            "\r\ndate: ",
        ] {
            assert!(answer.head.contains(header), "{}", answer.head);
        }
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let front = front();
    let mut client = front.client();
    let request = |body: &str| {
        format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    client.send([request("first"), request("second"), request("third")].concat());
    for body in ["first", "second", "third"] {
        assert_eq!(client.answer().text(), body);
    }
}

#[test]
fn requests_that_arrive_while_another_is_answered_are_not_lost() {
    let front = front();
    let mut client = front.client();
    client.post("/hold", "1");
    front.hears("started");
    client.post("/echo", "2");
    client.post("/echo", "3");
    front.release();
    for body in ["held 1", "2", "3"] {
        assert_eq!(client.answer().text(), body);
    }
}

#[test]
fn chunked_bodies_are_put_together() {
    let front = front();
    let mut client = front.client();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    client.send("1;ext=1\r\n \r\n5\r\nworld\r\n0\r\n\r\n");
    assert_eq!(client.answer().text(), "hello world");
    client.post("/echo", "next");
    assert_eq!(client.answer().text(), "next");
}

#[test]
fn a_client_that_expects_100_gets_it_once_the_head_is_good() {
    let front = front();
    let mut client = front.client();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.answer().status, 100);
    client.send("body");
    let answer = client.answer();
    assert_eq!((answer.text(), answer.closes()), ("body", false));
    client.post("/echo", "next");
    assert_eq!(client.answer().text(), "next");
}

#[test]
fn a_client_that_expects_100_is_refused_without_it() {
    let front = front_with(|settings| settings.limits.request_body = 10);
    for (path, length, status) in [("/unknown", 4, 404), ("/echo", 11, 413)] {
        let mut client = front.client();
        client.send(format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
        ));
        let answer = client.answer();
        assert_eq!((answer.status, answer.closes()), (status, true));
        client.finish();
        client.assert_closed();
    }
}

#[test]
fn a_request_that_is_refused_by_its_head_leaves_the_connection_of_use() {
    let front = front();
    let mut client = front.client();
    client.post("/unknown", "a body that nobody wants");
    let answer = client.answer();
    assert_eq!((answer.status, answer.closes()), (404, false));
    assert!(answer.head.contains("x-asked: /unknown\r\n"), "{}", answer.head);
    client.post("/echo", "next");
    assert_eq!(client.answer().text(), "next");
}

#[test]
fn head_gets_the_head_only() {
    let front = front();
    let mut client = front.client();
    client.send("HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = client.answer_to("HEAD");
    assert!(answer.head.contains("content-length: 300000\r\n"), "{}", answer.head);
    client.post("/echo", "next");
    assert_eq!(client.answer().text(), "next");
}

#[test]
fn an_answer_without_content_has_no_length() {
    let front = front();
    let mut client = front.client();
    client.get("/none");
    let answer = client.answer();
    assert_eq!(answer.status, 204);
    assert!(!answer.head.contains("content-length"), "{}", answer.head);
    client.post("/echo", "next");
    assert_eq!(client.answer().text(), "next");
}

#[test]
fn a_body_that_is_too_long_is_refused_declared_or_not() {
    let front = front_with(|settings| settings.limits.request_body = 100_000);
    let body = "x".repeat(100_001);
    let declared = format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let chunked = format!(
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    for request in [declared, chunked] {
        let mut client = front.client();
        client.send(request);
        let answer = client.answer();
        assert_eq!((answer.status, answer.closes()), (413, true));
        client.finish();
        client.assert_closed();
    }
}

#[test]
fn long_bodies_pass_both_ways() {
    let front = front();
    let mut client = front.client();
    for length in [16 << 10, (16 << 10) + 1, 70_000, 1 << 20] {
        let body: String = (0..length).map(|index| char::from(b'a' + (index % 23) as u8)).collect();
        client.post("/echo", &body);
        assert!(client.answer().text() == body, "{length}");
    }
    client.get("/big");
    assert_eq!(client.answer().body.len(), 300_000);
}

#[test]
fn a_client_may_ask_to_close() {
    let front = front();
    let mut client = front.client();
    client.send("GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert!(client.answer().closes());
    client.assert_closed();
}

#[test]
fn http_1_0_closes_unless_asked_not_to() {
    let front = front();
    let mut client = front.client();
    client.send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert!(client.answer().head.contains("connection: keep-alive\r\n"));
    client.send("GET /echo HTTP/1.0\r\n\r\n");
    assert!(client.answer().closes());
    client.assert_closed();
}

#[test]
fn a_client_that_leaves_cancels_its_request() {
    let front = front();
    let mut client = front.client();
    client.post("/hold", "");
    front.hears("started");
    drop(client);
    front.hears("cancelled");
}

#[test]
fn a_target_names_one_place() {
    let front = front();
    for (line, host, status) in [
        ("http://a/echo", "a", 200),
        ("http://A:80/echo", "a:80", 200),
        ("http://b/echo", "a", 400),
        ("http://a:81/echo", "a", 400),
        ("/echo#x", "a", 400),
        ("/echo", "a", 200),
    ] {
        let mut client = front.client();
        client.send(format!("GET {line} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(client.answer().status, status, "{line} {host}");
    }
}
