//! Calls: who gets which answer, in which order, and what happens to those that nobody waits for.

use super::*;
use crate::upstream::mcp::Notices;
use std::sync::Mutex;

#[tokio::test]
async fn each_call_gets_its_own_answer() {
    let connection = echo().await;
    for id in 1..50 {
        assert_eq!(call(&*connection, id).await.unwrap(), result(id));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_of_many_threads_get_their_own_answers() {
    for calls_at_once in [1, 8] {
        let mut connector = connector(&for_each_line(ANSWER));
        connector.program.calls_at_once = calls_at_once;
        let connection = connector.connect().await.unwrap();
        let calls = (1..300).map(|id| {
            let connection = Arc::clone(&connection);
            tokio::spawn(async move { assert_eq!(call(&*connection, id).await.unwrap(), result(id)) })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
    }
}

/// The child reads a second request only after it has answered the first; with two, it answers in the other order.
#[tokio::test]
async fn as_many_calls_as_the_place_says_are_worked_on_at_once() {
    let two =
        format!("read -r line; {ID} first=$id; read -r line; {ID} {ANSWER} id=$first; {ANSWER} cat >&2");
    let mut connector = connector(&two);
    connector.program.calls_at_once = 2;
    let connection = connector.connect().await.unwrap();
    let (first, second) = tokio::join!(call(&*connection, 1), call(&*connection, 2));
    assert_eq!((first.unwrap(), second.unwrap()), (result(1), result(2)));
}

#[tokio::test]
async fn one_call_at_a_time_is_sent_and_in_order() {
    let notes = Notes::new();
    let seen = notes.path("seen");
    let script = for_each_line(&format!("echo $id >>{}; {ANSWER}", seen.display()));
    let connection = connect(&script).await;
    let calls = (1..=20).map(|id| call(&*connection, id));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    let expected: String = (1..=20).map(|id| format!("{id}\n")).collect();
    assert_eq!(std::fs::read_to_string(seen).unwrap(), expected);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_and_frees_its_place() {
    let notes = Notes::new();
    let pipe = notes.pipe("cancelled");
    // It does not answer 1, says what it was sent next, and answers all after that.
    let script =
        format!("read -r line; read -r line; echo \"$line\" >{}; {}", pipe.display(), for_each_line(ANSWER));
    let connection = connect(&script).await;
    let failure = call_within(&*connection, 1, Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(failure.code, McpCode::Timeout);
    let cancelled = read_all(&pipe).await;
    assert!(
        cancelled.contains("notifications/cancelled") && cancelled.contains(r#""requestId":1,"#),
        "{cancelled}"
    );
    assert_eq!(call(&*connection, 2).await.unwrap(), result(2));
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_its_late_answer_is_dropped() {
    let script = format!("read -r line; read -r cancelled; id=1; {ANSWER} {}", for_each_line(ANSWER));
    let connection = connect(&script).await;
    {
        let mut dropped = std::pin::pin!(call(&*connection, 1));
        // Once is enough to send it.
        assert!(futures::poll!(&mut dropped).is_pending());
    }
    assert_eq!(call(&*connection, 2).await.unwrap(), result(2));
}

#[tokio::test]
async fn a_call_that_waits_for_its_place_too_long_is_not_sent() {
    let notes = Notes::new();
    let go = notes.pipe("go");
    let script =
        format!("read -r line; {ID} read -r x <{}; {ANSWER} {}", go.display(), for_each_line(ANSWER));
    let connection = connect(&script).await;
    let mut first = std::pin::pin!(call(&*connection, 1));
    assert!(futures::poll!(&mut first).is_pending());
    let failure = call_within(&*connection, 2, Duration::from_millis(20)).await.unwrap_err();
    assert!(failure.reason.contains("worked on other calls"), "{failure}");
    tokio::task::spawn_blocking(move || std::fs::write(go, "x\n").unwrap()).await.unwrap();
    assert_eq!(first.await.unwrap(), result(1));
    assert_eq!(call(&*connection, 3).await.unwrap(), result(3));
}

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<String>>);

impl Notices for Heard {
    fn notice(&self, message: &[u8]) {
        self.0.lock().unwrap().push(String::from_utf8(message.to_vec()).unwrap());
    }
}

#[tokio::test]
async fn progress_reaches_the_caller_whose_token_it_has() {
    let progress = |token: &str| {
        format!(
            r#"printf '{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":%s,"progress":1}}}}\n' {token};"#
        )
    };
    let script = for_each_line(&format!("{} {} {ANSWER}", progress("$id"), progress("99")));
    let connection = connect(&script).await;
    let (message, heard) = (message(7), Heard::default());
    let request = request(7, &message);
    connection.request(Outgoing { notices: Some(&heard), ..request }).await.unwrap();
    let heard = heard.0.into_inner().unwrap();
    assert!(matches!(&heard[..], [one] if one.contains(r#""progressToken":7,"#)), "{heard:?}");
}

#[tokio::test]
async fn an_answer_that_is_longer_than_the_call_allows_is_refused() {
    let connection = echo().await;
    let message = message(1);
    let failure = connection.request(Outgoing { most: 10, ..request(1, &message) }).await.unwrap_err();
    assert_eq!(failure.code, McpCode::ProtocolError);
    assert_eq!(call(&*connection, 2).await.unwrap(), result(2));
}

#[tokio::test]
async fn a_large_message_goes_both_ways() {
    // `cat` sends back what it gets: a request that looks like an answer.
    let connection = connect("cat").await;
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#, "x".repeat(900_000)).into_bytes();
    assert!(connection.request(request(1, &message)).await.unwrap() == message);
}
