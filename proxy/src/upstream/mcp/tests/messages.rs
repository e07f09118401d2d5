//! Messages of servers, and who gets them.

use crate::upstream::mcp::incoming::Notification;
use crate::upstream::mcp::{Incoming, McpCode, McpFailure, Reaction, Waiting};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn messages_are_told_apart() {
    let read = |text: &'static str| Incoming::read(text.as_bytes()).ok();
    for text in [
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"result":{},"id":7,"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#,
    ] {
        assert_eq!(read(text), Some(Incoming::Response { id: Some(7) }), "{text}");
    }
    let text = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
    assert_eq!(read(text), Some(Incoming::Request { id: "\"a\"", method: "\"ping\"" }));
    let text = r#"{"method":"notifications/progress","params":{"progressToken":3,"progress":1}}"#;
    assert_eq!(read(text), Some(Incoming::Notification(Notification::Progress { token: Some(3) })));
    for text in ["", "[]", "{}", "x", r#"{"id":1,"method":"a","result":1}"#, r#"{"id":1,"id":2,"result":1}"#]
    {
        assert_eq!(read(text), None, "{text}");
    }
}

#[tokio::test]
async fn each_request_gets_its_own_answer_once() {
    let waiting = Arc::new(Waiting::default());
    let mut first = waiting.register(1, false).unwrap();
    let second = waiting.register(2, false).unwrap();
    let answer = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into_bytes();
    assert_eq!(waiting.receive(answer(3)), Ok(Reaction::Stray), "another id");
    assert_eq!(waiting.receive(answer(1)), Ok(Reaction::Nothing));
    assert_eq!(waiting.receive(answer(1)), Ok(Reaction::Stray), "twice");
    assert_eq!(first.answer(None).await, Ok(answer(1)));
    drop(second);
    assert_eq!(waiting.receive(answer(2)), Ok(Reaction::Stray), "nobody waits any more");
    let mut third = waiting.register(4, false).unwrap();
    let failure = McpFailure::new(McpCode::Unreachable, "gone");
    waiting.close(&failure);
    assert_eq!(third.answer(None).await, Err(failure.clone()));
    assert_eq!(waiting.register(5, false).map(|_| ()), Err(failure));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "[\\[\\]{}\":,a-c0-9]{0,60}") {
        let _ = Incoming::read(text.as_bytes());
    }
}
