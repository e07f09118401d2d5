//! How connections end: nobody who waits is left waiting.

use super::super::Patience;
use super::server::{Call, LONGEST, Server, Stream};
use crate::upstream::mcp::{Connector, Event, McpFailure};
use mcp_bundle::shape::McpCode;
use std::time::Duration;

/// Two requests wait while `act` happens: both fail, the supervisor hears of it, and no further request is sent.
async fn all_fail(act: impl AsyncFnOnce(Stream) -> Option<Stream>) -> McpFailure {
    let mut server = Server::start().await;
    let (connection, stream) = server.open().await;
    let (one, two, late) = (Call::new(), Call::new(), Call::new());
    let (first, second, (stream, _unanswered)) =
        tokio::join!(connection.request(one.outgoing()), connection.request(two.outgoing()), async {
            server.asked().await.answer(202).await;
            // This one has no receipt yet.
            let unanswered = server.asked().await;
            (act(stream).await, unanswered)
        });
    let failure = first.unwrap_err();
    assert_eq!(second.unwrap_err(), failure);
    assert_eq!(connection.request(late.outgoing()).await.unwrap_err(), failure);
    assert_eq!(connection.notify(b"{}").await.unwrap_err(), failure);
    assert_eq!(connection.event().await, Event::Closed(failure.clone()));
    if let Some(stream) = stream {
        stream.closed().await;
    }
    failure
}

#[tokio::test]
async fn a_stream_that_ends_ends_what_waits() {
    let failure = all_fail(async |stream| {
        drop(stream);
        None
    })
    .await;
    assert_eq!(failure.code, McpCode::Unreachable);
    assert!(failure.reason.contains("stream of events has ended"), "{failure}");
}

#[tokio::test]
async fn a_stream_that_ends_in_an_event_ends_what_waits() {
    let failure = all_fail(async |mut stream| {
        stream.say("event: message\ndata: {\"jsonrpc\":").await;
        None
    })
    .await;
    assert_eq!(failure.code, McpCode::Unreachable);
}

#[tokio::test]
async fn an_event_that_is_too_large_ends_the_stream() {
    let failure = all_fail(async |mut stream| {
        stream.say("data: ").await;
        stream.say(vec![b'x'; LONGEST]).await;
        Some(stream)
    })
    .await;
    assert_eq!(failure.code, McpCode::ProtocolError);
    assert!(failure.reason.contains(&LONGEST.to_string()), "{failure}");
}

#[tokio::test]
async fn an_event_that_is_no_message_ends_the_stream() {
    for text in ["nonsense", "[]", "{}", r#"{"jsonrpc":"2.0""#] {
        let failure = all_fail(async |mut stream| {
            stream.message(text).await;
            Some(stream)
        })
        .await;
        assert_eq!(failure.code, McpCode::ParseError);
        assert!(failure.reason.contains(text), "{failure}");
    }
}

#[tokio::test]
async fn a_server_that_asks_and_takes_no_answers_is_left() {
    let failure = all_fail(async |mut stream| {
        for id in 0..100 {
            stream.message(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        }
        Some(stream)
    })
    .await;
    assert!(failure.reason.contains("asks more"), "{failure}");
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_no_connection() {
    for (status, code) in [
        (401, McpCode::AuthFailed),
        (403, McpCode::AuthFailed),
        (404, McpCode::ProtocolError),
        (500, McpCode::Unreachable),
        (200, McpCode::ProtocolError),
    ] {
        let mut server = Server::start().await;
        let connector = server.connector(Patience::default());
        let (connection, ()) =
            tokio::join!(connector.connect(), async { server.asked().await.answer(status).await });
        assert_eq!(connection.unwrap_err().code, code, "{status}");
    }
}

#[tokio::test]
async fn a_stream_without_a_place_is_no_connection() {
    let mut server = Server::start().await;
    let connector = server.connector(Patience::default());
    let (connection, ()) =
        tokio::join!(connector.connect(), async { drop(server.asked().await.stream("").await) });
    assert_eq!(connection.unwrap_err().code, McpCode::Unreachable);
}

#[tokio::test]
async fn nothing_stays_when_the_connection_is_left() {
    let mut server = Server::start().await;
    let (connection, stream) = server.open().await;
    drop(connection);
    stream.closed().await;

    let (connection, stream) = server.open().await;
    connection.close();
    stream.closed().await;

    let connector = server.connector(Patience::default());
    let asked = tokio::select! {
        connection = connector.connect() => panic!("{connection:?}"),
        asked = server.asked() => asked,
    };
    asked.given_up().await;
}

const IMPATIENT: Patience = Patience { quiet: Duration::from_millis(20), ping: Duration::from_secs(60) };
const START: &str = "event: endpoint\ndata: /messages\n\n";

#[tokio::test]
async fn a_silent_server_is_asked_and_any_word_is_an_answer() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.begin_with(IMPATIENT, START).await;
    let _connection = connection.unwrap();
    for _ in 0..3 {
        let asked = server.asked().await;
        let ping: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(ping["method"], "ping");
        asked.answer(202).await;
        stream
            .message(&format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601}}}}"#, ping["id"]))
            .await;
    }
}

#[tokio::test]
async fn a_server_that_stays_silent_is_left() {
    let patience = Patience { ping: Duration::from_millis(20), ..IMPATIENT };
    let mut server = Server::start().await;
    let (connection, stream) = server.begin_with(patience, START).await;
    let (connection, call) = (connection.unwrap(), Call::new());
    let failure = connection.request(call.outgoing()).await.unwrap_err();
    assert_eq!(failure.code, McpCode::Timeout);
    assert_eq!(connection.event().await, Event::Closed(failure));
    stream.closed().await;
}

#[tokio::test]
async fn a_server_that_refuses_to_be_asked_is_left() {
    let mut server = Server::start().await;
    let (connection, _stream) = server.begin_with(IMPATIENT, START).await;
    let connection = connection.unwrap();
    server.asked().await.answer(404).await;
    let Event::Closed(failure) = connection.event().await else { panic!("nothing else happens") };
    assert!(failure.reason.contains("404"), "{failure}");
}
