//! What a child says: other text than messages, answers that nobody asked for, too much.

use super::*;
use crate::upstream::mcp::handshake;

#[tokio::test]
async fn text_before_the_first_message_is_skipped() {
    let script = format!("echo 'Server v1.0 is ready'; echo; echo '[1]'; {}", for_each_line(ANSWER));
    let connection = connect(&script).await;
    assert_eq!(call(&*connection, 1).await.unwrap(), result(1));
}

#[tokio::test]
async fn a_program_that_only_writes_text_is_ended() {
    let connection = connect("while :; do echo hello; done").await;
    let failure = call(&*connection, 1).await.unwrap_err();
    assert_eq!(failure.code, McpCode::ParseError);
    assert!(failure.reason.contains("`hello`") || failure.reason.contains("hello"), "{failure}");
    assert_eq!(closed(&*connection).await, failure);
}

#[tokio::test]
async fn a_server_that_starts_too_slowly_for_the_first_question_is_asked_again() {
    let discovered = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
    let script = for_each_line(&format!(
        r#"case $line in
          *'"server/discover"'*)
            [ -z "$asked" ] || printf '{{"jsonrpc":"2.0","id":%s,"result":{discovered}}}\n' $id
            asked=yes;;
          *'"initialize"'*)
            printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32600,"message":"no handshake"}}}}\n' $id;;
        esac;"#
    ));
    let connection = connect(&script).await;
    let deadline = Instant::now() + Duration::from_secs(10);
    let opened = handshake::open(&*connection, true, deadline).await.unwrap();
    assert_eq!(opened.version, crate::protocol::MODERN);
}

#[tokio::test]
async fn answers_that_nobody_waits_for_are_never_delivered() {
    let answer =
        |id: &str, n: &str| format!(r#"printf '{{"jsonrpc":"2.0","id":%s,"result":{{"n":{n}}}}}\n' {id};"#);
    let stray = [answer("999", "0"), answer("'\"1\"'", "0"), answer("null", "0")].concat();
    // Each right answer comes twice, the second time with another result.
    let script = for_each_line(&format!("{stray} {ANSWER} {}", answer("$id", "0")));
    let connection = connect(&script).await;
    for id in 1..20 {
        assert_eq!(call(&*connection, id).await.unwrap(), result(id));
    }
}

#[tokio::test]
async fn questions_of_a_server_are_answered() {
    let notes = Notes::new();
    let pipe = notes.pipe("replies");
    let ask = |id: &str, method: &str| {
        format!(
            r#"echo '{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}'; read -r reply; echo "$reply" >>$replies;"#
        )
    };
    let script = format!(
        "replies={}; exec 3>$replies; {} {} {} exec 3>&-; {}",
        pipe.display(),
        ask("\"a\"", "ping"),
        ask("2", "sampling/createMessage"),
        ask("3", "roots/list"),
        for_each_line(ANSWER),
    );
    let connection = connect(&script).await;
    let replies = read_all(&pipe).await;
    let lines: Vec<&str> = replies.lines().collect();
    assert_eq!(lines[0], r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    assert!(lines[1].starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601"#), "{replies}");
    assert!(lines[2].contains("roots/list"), "{replies}");
    assert_eq!(call(&*connection, 4).await.unwrap(), result(4));
}

#[tokio::test]
async fn a_change_of_the_tools_is_told() {
    let script = format!(
        "echo '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}}'; {}",
        for_each_line(ANSWER)
    );
    let connection = connect(&script).await;
    assert_eq!(connection.event().await, Event::ToolsChanged);
    assert_eq!(call(&*connection, 1).await.unwrap(), result(1));
}

#[tokio::test]
async fn an_answer_of_a_hundred_megabytes_fails_its_call_and_no_other() {
    let huge = r#"printf '{"jsonrpc":"2.0","id":%s,"result":"' $id; head -c 100000000 /dev/zero | tr '\0' x; echo '"}';"#;
    let script = format!("read -r line; {ID} {huge} {}", for_each_line(ANSWER));
    let connection = connect(&script).await;
    let failure = call(&*connection, 1).await.unwrap_err();
    assert_eq!(failure.code, McpCode::ProtocolError);
    assert!(failure.reason.contains("a line of 1000000"), "{failure}");
    assert_eq!(call(&*connection, 2).await.unwrap(), result(2));
}

#[tokio::test]
async fn a_flood_of_standard_error_does_not_hold_calls_up() {
    let script = format!("(while :; do echo noise; done) >&2 & {}", for_each_line(ANSWER));
    let connection = connect(&script).await;
    for id in 1..20 {
        assert_eq!(call(&*connection, id).await.unwrap(), result(id));
    }
}

#[tokio::test]
async fn a_flood_of_notifications_does_not_hold_calls_up() {
    let flood = r#"(while :; do echo '{"jsonrpc":"2.0","method":"notifications/x"}'; done) &"#;
    // Writers of one pipe do not mix lines as short as these.
    let connection = connect(&format!("{flood} {}", for_each_line(ANSWER))).await;
    for id in 1..20 {
        assert_eq!(call(&*connection, id).await.unwrap(), result(id));
    }
}
