//! Upstreams that do not answer, or not with HTTP.

use super::script::{Caller, OK, Step, answer, upstream};
use crate::upstream::UpstreamError;
use mcp_bundle::wire_enums::Scheme;
use std::time::Duration;

#[tokio::test]
async fn an_answer_that_is_cut_off_is_not_an_answer() {
    for cut in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nok",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
    ] {
        let mut caller = upstream(vec![vec![answer(cut)]]).caller();
        assert_eq!(caller.get().await, Err(UpstreamError::Closed), "{cut:?}");
    }
}

#[tokio::test]
async fn garbage_is_not_an_answer() {
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(100);
    for garbage in [
        "SSH-2.0-OpenSSH_9.9\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        &endless,
    ] {
        let mut caller = upstream(vec![vec![answer(garbage), Step::Wait]]).caller();
        assert_eq!(caller.get().await, Err(UpstreamError::Protocol), "{garbage:?}");
    }
}

#[tokio::test]
async fn a_refused_body_is_answered_before_it_is_sent() {
    let refusal = Step::Say(b"HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig".to_vec());
    for after in [vec![], vec![Step::Wait]] {
        let steps = [vec![refusal.clone()], after].concat();
        let is_open = steps.len() > 1;
        let mut caller = upstream(vec![steps]).caller();
        let done = caller.post(&"z".repeat(30_000_000)).await;
        if is_open || done.is_ok() {
            assert_eq!(done, Ok(413));
            assert_eq!(caller.body(), "big");
        } else {
            assert_eq!(done, Err(UpstreamError::Closed), "the reset overtook the answer");
        }
        assert_eq!(caller.network.stats().idle, 0);
    }
}

#[tokio::test]
async fn a_port_without_a_listener_is_refused() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut caller = Caller::new("127.0.0.1", port, Scheme::Http, None);
    let refused = UpstreamError::Connect("connection refused".to_owned());
    assert_eq!(caller.get().await, Err(refused.clone()));
    assert_eq!((caller.received.attempts, caller.network.stats().failed), (0, 1));
    caller.retries = 2;
    assert_eq!(caller.get().await, Err(refused));
    assert_eq!(caller.network.stats().failed, 4);
}

#[tokio::test]
async fn an_unknown_host_name_has_its_own_error() {
    let mut caller = Caller::new("nonexistent.invalid", 80, Scheme::Http, None);
    assert_eq!(caller.get().await, Err(UpstreamError::Resolve));
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    let script = upstream(vec![vec![Step::Read, Step::Wait]]);
    let mut caller = script.caller();
    caller.timeout = Duration::from_millis(150);
    assert_eq!(caller.get().await, Err(UpstreamError::Timeout(150)));
    assert_eq!(caller.received.attempts, 1);
    caller.timeout = Duration::ZERO;
    assert_eq!(caller.get().await, Err(UpstreamError::Timeout(0)));
}

#[tokio::test]
async fn a_name_is_looked_up() {
    let script = upstream(vec![vec![answer(OK), answer(OK)]]);
    let mut caller = Caller::new("localhost", script.port, Scheme::Http, None);
    assert_eq!(caller.get().await, Ok(200), "whatever other addresses it has");
}
