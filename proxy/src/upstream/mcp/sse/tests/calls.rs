//! Requests, their answers, and what a server says beside them.

use super::server::{Call, LONGEST, Server};
use crate::upstream::mcp::{Event, Notices, Outgoing};
use mcp_bundle::shape::McpCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[tokio::test]
async fn answers_come_over_the_stream_in_any_order() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let (one, two) = (Call::new(), Call::new());
    let (first, second, ()) =
        tokio::join!(connection.request(one.outgoing()), connection.request(two.outgoing()), async {
            for status in [200, 202] {
                server.asked().await.answer(status).await;
            }
            stream.message(&two.answer()).await;
            stream.message(&one.answer()).await;
        });
    assert_eq!(first.unwrap(), one.answer().into_bytes());
    assert_eq!(second.unwrap(), two.answer().into_bytes());
}

#[tokio::test]
async fn an_answer_may_overtake_its_receipt_and_another_answer_is_nobodys() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let (call, other) = (Call::new(), Call::new());
    let (answer, asked) = tokio::join!(connection.request(call.outgoing()), async {
        let asked = server.asked().await;
        stream.message(&other.answer()).await;
        stream.message(&call.answer()).await;
        asked
    });
    assert_eq!(answer.unwrap(), call.answer().into_bytes());
    asked.answer(202).await;
}

#[tokio::test]
async fn a_status_fails_its_message_only() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    for (status, code) in [
        (500, McpCode::Unreachable),
        (503, McpCode::Unreachable),
        (401, McpCode::AuthFailed),
        (403, McpCode::AuthFailed),
        (404, McpCode::ProtocolError),
    ] {
        let call = Call::new();
        let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
            server.asked().await.answer(status).await;
        });
        let failure = answer.unwrap_err();
        assert_eq!(failure.code, code);
        assert!(failure.reason.contains(&status.to_string()), "{failure}");
    }
    let call = Call::new();
    let (answer, ()) = tokio::join!(connection.request(call.outgoing()), async {
        // What was refused was not cancelled as well.
        let asked = server.asked().await;
        assert!(asked.body.contains(&call.id.to_string()), "{}", asked.body);
        asked.answer(202).await;
        stream.message(&call.answer()).await;
    });
    assert!(answer.is_ok());
}

#[tokio::test]
async fn a_request_that_is_given_up_is_cancelled() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let dropped = Call::new();
    let asked = tokio::select! {
        answer = connection.request(dropped.outgoing()) => panic!("{answer:?}"),
        asked = server.asked() => asked,
    };
    asked.given_up().await;
    let cancelled = server.asked().await;
    assert!(cancelled.body.contains("notifications/cancelled"), "{}", cancelled.body);
    assert!(cancelled.body.contains(&format!(r#""requestId":{}"#, dropped.id)), "{}", cancelled.body);
    cancelled.answer(202).await;
    // A late answer hurts nobody.
    stream.message(&dropped.answer()).await;

    let slow = Call::new();
    let request = Outgoing { deadline: Instant::now() + Duration::from_millis(1), ..slow.outgoing() };
    assert_eq!(connection.request(request).await.unwrap_err().code, McpCode::Timeout);
    // Its message may have been on its way or not.
    let mut asked = server.asked().await;
    if !asked.body.contains("notifications/cancelled") {
        asked = server.asked().await;
    }
    assert!(asked.body.contains(&format!(r#""requestId":{}"#, slow.id)), "{}", asked.body);
}

#[tokio::test]
async fn a_handshake_is_not_cancelled() {
    let mut server = Server::start().await;
    let (connection, _stream) = server.open().await;
    let call = Call::new();
    let asked = tokio::select! {
        answer = connection.request(Outgoing { method: "initialize", ..call.outgoing() }) => panic!("{answer:?}"),
        asked = server.asked() => asked,
    };
    asked.given_up().await;
    let (sent, asked) = tokio::join!(connection.notify(b"[]"), async {
        let asked = server.asked().await;
        let body = asked.body.clone();
        asked.answer(202).await;
        body
    });
    assert_eq!((sent, asked.as_str()), (Ok(()), "[]"));
}

#[tokio::test]
async fn an_answer_is_no_larger_than_its_caller_takes() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let call = Call::new();
    let request = Outgoing { most: 8, ..call.outgoing() };
    let (answer, ()) = tokio::join!(connection.request(request), async {
        server.asked().await.answer(202).await;
        stream.message(&call.answer()).await;
    });
    assert_eq!(answer.unwrap_err().code, McpCode::ProtocolError);
    assert!(call.answer().len() < LONGEST);
}

#[tokio::test]
async fn questions_of_the_server_are_answered() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    for (question, answer) in [
        (r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, r#"{"jsonrpc":"2.0","id":"a","result":{}}"#),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601"#,
        ),
    ] {
        stream.message(question).await;
        let asked = server.asked().await;
        assert!(asked.body.starts_with(answer), "{}", asked.body);
        asked.answer(202).await;
    }
    connection.tell(b"{\"mine\":1}".to_vec());
    assert_eq!(server.asked().await.body, "{\"mine\":1}");
}

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<String>>);

impl Notices for Heard {
    fn notice(&self, message: &[u8]) {
        self.0.lock().unwrap().push(String::from_utf8(message.to_vec()).unwrap());
    }
}

#[tokio::test]
async fn notices_reach_their_caller_and_changes_the_supervisor() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let (call, heard) = (Call::new(), Heard::default());
    let progress = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{}}}}}"#,
        call.id
    );
    let request = Outgoing { notices: Some(&heard), ..call.outgoing() };
    let (answer, ()) = tokio::join!(connection.request(request), async {
        server.asked().await.answer(202).await;
        stream.message(&progress).await;
        stream.message(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#).await;
        stream.message(&call.answer()).await;
    });
    assert!(answer.is_ok());
    assert_eq!(heard.0.into_inner().unwrap(), [progress]);
    assert_eq!(connection.event().await, Event::ToolsChanged);
}

/// As in the edge, where each core has a runtime of its own.
#[tokio::test]
async fn any_thread_may_call() {
    let mut server = Server::start().await;
    let (connection, mut stream) = server.open().await;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let connection = std::sync::Arc::clone(&connection);
            tokio::task::spawn_blocking(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let call = Call::new();
                let answer = runtime.block_on(connection.request(call.outgoing()));
                assert_eq!(answer.unwrap(), call.answer().into_bytes());
            })
        })
        .collect();
    for _ in 0..4 {
        let asked = server.asked().await;
        let message: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        asked.answer(202).await;
        let id = &message["id"];
        stream.message(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await;
    }
    for thread in threads {
        thread.await.unwrap();
    }
}
