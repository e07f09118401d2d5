//! Retries and redirects.

use super::script::{OK, Step, answer, upstream};
use crate::upstream::UpstreamError;
use std::time::Duration;

const BUSY: &str = "HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy";

fn busy(retry_after: &str) -> String {
    format!("HTTP/1.1 503 Busy\r\nretry-after: {retry_after}\r\ncontent-length: 4\r\n\r\nbusy")
}

fn moved(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
}

#[tokio::test]
async fn a_temporary_failure_is_tried_again() {
    let script = upstream(vec![vec![answer(BUSY), answer(busy("0")), answer(OK)]]);
    let mut caller = script.caller();
    caller.retries = 2;
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!((caller.body(), caller.received.attempts), ("ok", 3));
}

#[tokio::test]
async fn too_many_requests_are_tried_again_after_the_time_that_the_upstream_asks_for() {
    let limited = |head: &str| answer(format!("HTTP/1.1 429 Slow Down\r\n{head}content-length: 0\r\n\r\n"));
    let script = upstream(vec![vec![limited("retry-after: 0\r\n"), limited(""), answer(OK)]]);
    let mut caller = script.caller();
    caller.retries = 2;
    assert_eq!(caller.get().await, Ok(200), "with `Retry-After`, and with backoff");
    assert_eq!(caller.received.attempts, 3);

    let script = upstream(vec![vec![limited("retry-after: 3600\r\n"), limited("retry-after: 0\r\n")]]);
    let mut caller = script.caller();
    caller.retries = 3;
    assert_eq!(caller.get().await, Ok(429), "the deadline is sooner");
    assert_eq!(caller.received.attempts, 1);
    assert_eq!(caller.post("x").await, Ok(429), "not idempotent");
    assert_eq!(caller.received.attempts, 1);
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_tried_again() {
    let hangs = || vec![Step::Read, Step::Wait];
    let script = upstream(vec![hangs(), hangs(), vec![answer(OK)]]);
    let mut caller = script.caller();
    caller.retries = 2;
    caller.attempt_timeout = Some(Duration::from_millis(50));
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.received.attempts, 3);

    let script = upstream(vec![hangs(), vec![answer(OK)]]);
    let mut caller = script.caller();
    (caller.retries, caller.timeout) = (1, Duration::from_secs(2));
    assert_eq!(caller.get().await, Ok(200), "without a limit of its own, an attempt has its share");
    assert_eq!(caller.received.attempts, 2);

    let script = upstream(vec![hangs(), vec![answer(OK)]]);
    let mut caller = script.caller();
    caller.retries = 1;
    caller.attempt_timeout = Some(Duration::from_millis(50));
    assert_eq!(caller.post("x").await, Err(UpstreamError::Timeout(50)), "not idempotent");
    assert_eq!(caller.received.attempts, 1);
}

#[tokio::test]
async fn the_last_failure_is_the_answer() {
    let script = upstream(vec![vec![answer(BUSY), answer(BUSY)]]);
    let mut caller = script.caller();
    caller.retries = 1;
    assert_eq!(caller.get().await, Ok(503));
    assert_eq!((caller.body(), caller.received.attempts), ("busy", 2));
}

#[tokio::test]
async fn a_retry_that_is_asked_for_too_late_is_left_out() {
    for when in ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"] {
        let mut caller = upstream(vec![vec![answer(busy(when))]]).caller();
        caller.retries = 3;
        assert_eq!(caller.get().await, Ok(503));
        assert_eq!((caller.body(), caller.received.attempts), ("busy", 1));
    }
}

#[tokio::test]
async fn only_what_may_be_repeated_is_tried_again() {
    let script = upstream(vec![vec![answer(BUSY), answer("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n")]]);
    let mut caller = script.caller();
    caller.retries = 3;
    assert_eq!(caller.post("x").await, Ok(503));
    caller.idempotent = true;
    assert_eq!(caller.get().await, Ok(500), "not a temporary status");
    assert_eq!(caller.received.attempts, 1);
}

#[tokio::test]
async fn a_close_before_the_answer_is_tried_again_but_not_one_within_it() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok";
    let script = upstream(vec![vec![answer("")], vec![answer(OK)], vec![answer(cut)]]);
    let mut caller = script.caller();
    caller.retries = 1;
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.received.attempts, 2);
    assert_eq!(caller.get().await, Err(UpstreamError::Closed));
}

#[tokio::test]
async fn redirects_within_the_origin_are_followed() {
    let script =
        upstream(vec![vec![answer(moved(302, "/other?x=y")), answer(moved(308, "there")), answer(OK)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.received.attempts, 3);
    let lines: Vec<String> = (0..3).map(|_| script.request().lines().next().unwrap().to_owned()).collect();
    assert_eq!(lines, ["GET /things/7?a=b HTTP/1.1", "GET /other?x=y HTTP/1.1", "GET /there HTTP/1.1"]);
}

#[tokio::test]
async fn a_body_goes_along_where_the_status_says_so() {
    let script = upstream(vec![vec![answer(moved(307, "/b")), answer(OK), answer(moved(302, "/c"))]]);
    let mut caller = script.caller();
    assert_eq!(caller.post("x").await, Ok(200));
    script.request();
    assert!(script.request().ends_with("{\"text\":\"x\"}"));
    assert_eq!(caller.post("x").await, Ok(302));
}

#[tokio::test]
async fn other_redirects_are_answers() {
    for location in ["http://other.test/x", "https://127.0.0.1/x", "http://127.0.0.1:1/x", "/a b"] {
        let mut caller = upstream(vec![vec![answer(moved(302, location))]]).caller();
        assert_eq!(caller.get().await, Ok(302), "{location}");
    }
    let mut caller = upstream(vec![vec![answer(moved(302, "/again")); 6]]).caller();
    assert_eq!(caller.get().await, Ok(302), "a circle");
    assert_eq!(caller.received.attempts, 6);
}
