//! How a stream begins and how its events are written.

use super::server::{Call, LONGEST, Server};
use mcp_bundle::shape::McpCode;

#[tokio::test]
async fn the_stream_is_asked_for_and_messages_go_where_it_says() {
    for (endpoint, target) in [
        ("/messages?s=1", "/messages?s=1"),
        ("messages?s=1", "/v1/messages?s=1"),
        ("?s=1", "/v1/sse?s=1"),
        ("http://127.0.0.1:PORT/elsewhere", "/elsewhere"),
    ] {
        let mut server = Server::start().await;
        let connector = server.connector(Default::default());
        let endpoint = endpoint.replace("PORT", &server.port.to_string());
        let (connection, _stream) =
            tokio::join!(crate::upstream::mcp::Connector::connect(&connector), async {
                let asked = server.asked().await;
                assert!(asked.head.starts_with("GET /v1/sse?a=b HTTP/1.1\r\n"), "{}", asked.head);
                assert!(asked.head.contains("accept: text/event-stream\r\n"), "{}", asked.head);
                assert!(asked.head.contains("x-fixed: yes\r\n"), "{}", asked.head);
                let mut stream = asked.stream("").await;
                stream.say(format!("event: endpoint\ndata: {endpoint}\n\n")).await;
                stream
            });
        let connection = connection.unwrap();
        let (sent, ()) = tokio::join!(connection.notify(b"{}"), async {
            let asked = server.asked().await;
            assert!(asked.head.starts_with(&format!("POST {target} HTTP/1.1\r\n")), "{}", asked.head);
            assert!(asked.head.contains("content-type: application/json\r\n"), "{}", asked.head);
            assert!(asked.head.contains("x-fixed: yes\r\n"), "{}", asked.head);
            assert_eq!(asked.body, "{}");
            asked.answer(202).await;
        });
        assert_eq!(sent, Ok(()));
    }
}

#[tokio::test]
async fn a_place_on_another_origin_is_refused() {
    for endpoint in ["http://127.0.0.1:1/messages", "//elsewhere.test/messages", "javascript:x", "/a b"] {
        let mut server = Server::start().await;
        let (connection, stream) = server.begin(&format!("event: endpoint\ndata: {endpoint}\n\n")).await;
        let failure = connection.unwrap_err();
        assert_eq!(failure.code, McpCode::ProtocolError);
        assert!(failure.reason.contains(endpoint), "{failure}");
        stream.closed().await;
    }
}

#[tokio::test]
async fn a_stream_begins_with_the_place() {
    let mut server = Server::start().await;
    let (connection, _stream) = server.begin("data: {}\n\nevent: endpoint\ndata: /messages\n\n").await;
    let failure = connection.unwrap_err();
    assert_eq!(failure.code, McpCode::ProtocolError);
    assert!(failure.reason.contains("does not begin"), "{failure}");
}

#[tokio::test]
async fn lines_end_in_three_ways_and_comments_say_nothing() {
    for end in ["\n", "\r\n", "\r"] {
        let mut server = Server::start().await;
        let start = ": hello\n\nevent: endpoint\n: again\nid: 1\nretry: 5\ndata: /messages\n\n";
        // A carriage return alone ends a line only when something follows.
        let start = format!("{}: more\n", start).replace('\n', end);
        let (connection, mut stream) = server.begin(&start).await;
        let (connection, call) = (connection.unwrap(), Call::new());
        let events = format!(
            ": quiet\n\nevent: other\ndata: x\n\nevent: message\nid: 2\n\ndata: {{\"jsonrpc\":\"2.0\",\ndata: \"id\":{},\"result\":{{}}}}\n\n: end\n",
            call.id
        );
        let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
            server.asked().await.answer(202).await;
            stream.say(events.replace('\n', end)).await;
        });
        let expected = format!("{{\"jsonrpc\":\"2.0\",\n\"id\":{},\"result\":{{}}}}", call.id);
        assert_eq!(String::from_utf8(answer.unwrap()).unwrap(), expected, "{end:?}");
    }
}

/// Each part is a chunk of its own, and something else happens in between.
#[tokio::test]
async fn an_event_may_arrive_in_parts() {
    let mut server = Server::start().await;
    let connector = server.connector(Default::default());
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let (connection, mut stream) =
        tokio::join!(crate::upstream::mcp::Connector::connect(&connector), async {
            let mut stream = server.asked().await.stream("transfer-encoding: chunked\r\n").await;
            stream.say(chunk("event: end")).await;
            stream.say(chunk("point\ndata: /messages\n\n")).await;
            stream
        });
    let (connection, call) = (connection.unwrap(), Call::new());
    let event = format!("data: {}\n\n", call.answer());
    let (first, second) = event.split_at(20);
    let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
        server.asked().await.answer(202).await;
        stream.say(chunk(first)).await;
        let (sent, ()) =
            tokio::join!(connection.notify(b"{}"), async { server.asked().await.answer(202).await });
        assert_eq!(sent, Ok(()));
        stream.say(chunk(second)).await;
    });
    assert_eq!(answer.unwrap(), call.answer().into_bytes());
}

/// An event is seen when it arrives, not when the next one does.
#[tokio::test]
async fn a_stream_may_be_compressed() {
    use std::io::Write;
    let mut server = Server::start().await;
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    coder.write_all(b"event: endpoint\ndata: /messages\n\n").unwrap();
    coder.flush().unwrap();
    let connector = server.connector(Default::default());
    let (connection, mut stream) =
        tokio::join!(crate::upstream::mcp::Connector::connect(&connector), async {
            let mut stream = server.asked().await.stream("content-encoding: gzip\r\n").await;
            stream.say(std::mem::take(coder.get_mut())).await;
            stream
        });
    let (connection, call) = (connection.unwrap(), Call::new());
    coder.write_all(format!("data: {}\n\n", call.answer()).as_bytes()).unwrap();
    coder.flush().unwrap();
    let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
        server.asked().await.answer(202).await;
        stream.say(std::mem::take(coder.get_mut())).await;
    });
    assert_eq!(answer.unwrap(), call.answer().into_bytes());
}

#[tokio::test]
async fn an_event_that_was_taken_holds_no_memory() {
    let mut server = Server::start().await;
    let connector = server.connector(Default::default());
    let (connection, mut stream) =
        tokio::join!(crate::upstream::mcp::Connector::connect(&connector), async {
            let mut stream = server.asked().await.stream("").await;
            stream.say("event: endpoint\ndata: /messages\n\n").await;
            stream
        });
    let (connection, call) = (connection.unwrap(), Call::new());
    let budget = &connector.target.budget;
    let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
        server.asked().await.answer(202).await;
        stream.say(format!(": {}", "x".repeat(LONGEST / 2))).await;
        while budget.held() == 0 {
            tokio::task::yield_now().await;
        }
        stream.say(format!("\n\ndata: {}\n\n", call.answer())).await;
    });
    assert_eq!(answer.unwrap(), call.answer().into_bytes());
    while budget.held() > 0 {
        tokio::task::yield_now().await;
    }
    drop(stream);
}
