//! What goes over connections, and when they are used again.

use super::script::{OK, Step, answer, upstream};
use crate::upstream::{OriginKey, UpstreamError};
use mcp_bundle::wire_enums::Scheme;
use std::sync::{Arc, Barrier};

const AGENT: &str = concat!("user-agent: mcp-edge/", env!("CARGO_PKG_VERSION"), "\r\n\r\n");

#[tokio::test]
async fn a_request_has_these_bytes() {
    let script = upstream(vec![vec![answer(OK), answer(OK)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!((caller.body(), caller.received.attempts), ("ok", 1));
    assert_eq!(
        script.request(),
        format!(
            "GET /things/7?a=b HTTP/1.1\r\nhost: upstream.test\r\naccept: application/json\r\n\
             accept-encoding: gzip, br, zstd\r\n{AGENT}"
        )
    );
    assert_eq!(caller.post("hi").await, Ok(200));
    let request = script.request();
    assert!(request.starts_with("POST /things HTTP/1.1\r\nhost: upstream.test\r\n"), "{request}");
    assert!(request.contains("content-length: 13\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"text\":\"hi\"}"), "{request}");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let script = upstream(vec![vec![answer(OK), answer(OK), answer(OK)]]);
    let mut caller = script.caller();
    for _ in 0..3 {
        assert_eq!(caller.get().await, Ok(200));
    }
    let stats = caller.network.stats();
    assert_eq!((stats.opened, stats.reused, stats.failed), (1, 2, 0));
}

#[tokio::test]
async fn a_connection_is_not_used_again_after_any_doubt() {
    for doubtful in [
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok",
        "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nkeep-alive: timeout=1\r\n\r\nok",
    ] {
        let script = upstream(vec![vec![answer(doubtful), Step::Wait], vec![answer(OK)]]);
        let mut caller = script.caller();
        assert_eq!(caller.get().await, Ok(200));
        assert_eq!(caller.body(), "ok");
        assert_eq!(caller.network.stats().idle, 0, "{doubtful}");
        assert_eq!(caller.get().await, Ok(200));
    }
}

#[tokio::test]
async fn a_dead_kept_connection_is_replaced() {
    let script = upstream(vec![vec![answer(OK), Step::Read], vec![answer(OK)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.get().await, Ok(200), "closed after it read the request");
    assert_eq!(caller.received.attempts, 2);
}

#[tokio::test]
async fn what_may_have_been_done_is_not_done_twice() {
    let script = upstream(vec![vec![answer(OK), Step::Read], vec![answer(OK)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    assert_eq!(caller.post("pay").await, Err(UpstreamError::KeptClosed));
    assert_eq!(caller.received.attempts, 1);
}

/// The runtime hears of a close only when it waits, and it does not wait here.
#[tokio::test]
async fn a_kept_connection_that_was_closed_is_not_used_for_what_may_not_be_done_twice() {
    let barrier = Arc::new(Barrier::new(2));
    let first = vec![answer(OK), Step::Meet(Arc::clone(&barrier))];
    let script = upstream(vec![first, vec![answer(OK)]]);
    let mut caller = script.caller();
    assert_eq!(caller.get().await, Ok(200));
    barrier.wait();
    script.closes();
    assert_eq!(caller.post("pay").await, Ok(200));
    assert_eq!(caller.received.attempts, 1);
    assert_eq!(caller.network.stats().opened, 2);
}

#[tokio::test]
async fn an_origin_is_shared_while_somebody_holds_it() {
    let script = upstream(vec![]);
    let network = script.caller().network;
    let key = |port| OriginKey { scheme: Scheme::Http, host: "a.test".to_owned(), port };
    let first = network.origin(&key(80));
    assert!(Arc::ptr_eq(&first, &network.origin(&key(80))));
    assert!(!Arc::ptr_eq(&first, &network.origin(&key(81))));
}

#[tokio::test]
async fn a_cancelled_call_leaves_no_connection_behind() {
    let script = upstream(vec![vec![Step::Read, Step::Wait], vec![answer(OK)]]);
    let mut caller = script.caller();
    {
        let mut call = std::pin::pin!(caller.get());
        tokio::select! {
            biased;
            _ = &mut call => panic!("nothing answers"),
            request = tokio::task::spawn_blocking(move || { script.request(); script }) => drop(request.unwrap()),
        }
    }
    assert_eq!(caller.network.stats().idle, 0);
    assert_eq!(caller.get().await, Ok(200));
}
