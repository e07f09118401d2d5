//! How children end: by themselves, because they hang, or because nobody needs them.

use super::*;
use rustix::process::{Pid, Signal, kill_process};

/// The process and all its descendants are gone when everyone has closed the pipe.
fn holding(pipe: &Path, script: &str) -> String {
    format!("exec 9>{}; {script}", pipe.display())
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_a_clear_failure() {
    let mut missing = connector("");
    missing.program.command = "mcp-server-that-nobody-has".into();
    let failure = missing.connect().await.unwrap_err();
    assert_eq!(failure.code, McpCode::Unreachable);
    assert_eq!(failure.reason, "there is no program `mcp-server-that-nobody-has` on `PATH`");
}

#[tokio::test]
async fn a_program_that_exits_at_once_fails_those_who_wait_and_those_who_come() {
    let connection = connect("exit 3").await;
    let failure = call(&*connection, 1).await.unwrap_err();
    assert_eq!(failure.code, McpCode::Unreachable);
    assert!(closed(&*connection).await.reason.contains("exit status: 3"));
    assert_eq!(call(&*connection, 2).await.unwrap_err().code, McpCode::Unreachable);
}

#[tokio::test]
async fn a_failure_has_the_last_words_of_the_program_for_those_who_run_it() {
    let script = r"echo starting >&2; printf 'Error: \033[31mno module foo\n' >&2; exit 1";
    for script in [script.to_owned(), format!("exec >&-; {script}")] {
        let failure = closed(&*connect(&script).await).await;
        assert_eq!(failure.last_words.as_deref(), Some("Error: ␛[31mno module foo"));
        assert!(!failure.reason.contains("foo"), "callers see the reason: {failure}");
        assert_eq!(
            failure.to_string(),
            "the program has ended (exit status: 1); it wrote `Error: ␛[31mno module foo` (MCP_UNREACHABLE)"
        );
    }
    assert_eq!(closed(&*connect("exit 1").await).await.last_words, None);
}

#[tokio::test]
async fn an_answer_that_was_written_before_the_end_counts() {
    let connection = connect(&format!("read -r line; {ID} {ANSWER} exit 1")).await;
    assert_eq!(call(&*connection, 1).await.unwrap(), result(1));
    assert!(closed(&*connection).await.reason.contains("exit status: 1"));
}

#[tokio::test]
async fn half_a_line_is_no_answer() {
    let connection =
        connect(&format!("read -r line; {ID} printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{{}}' $id"))
            .await;
    assert_eq!(call(&*connection, 1).await.unwrap_err().code, McpCode::Unreachable);
}

/// Killed under load, 200 times: each call ends exactly once, with its own answer or an error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_killed_leaves_no_call_behind() {
    let mut connector = connector(&format!(
        "echo '{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":'$$'}}'; {}",
        for_each_line(ANSWER)
    ));
    connector.program.calls_at_once = 4;
    let (mut answered, mut failed) = (0, 0);
    for round in 0..200 {
        let notes = Notes::new();
        let own = notes.path("pid");
        connector.program.args[1] = format!("echo $$ >{}; {}", own.display(), for_each_line(ANSWER));
        let connection = connector.connect().await.unwrap();
        // After its first answer the file is there.
        call(&*connection, 1000).await.unwrap();
        let pid: i32 = std::fs::read_to_string(&own).unwrap().trim().parse().unwrap();
        let calls = (1..=20).map(|id| {
            let connection = Arc::clone(&connection);
            tokio::spawn(async move { (id, call(&*connection, id).await) })
        });
        let calls: Vec<_> = calls.collect();
        let killed_after = round % 20;
        for (index, call) in calls.into_iter().enumerate() {
            if index == killed_after {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
            match call.await.unwrap() {
                (id, Ok(answer)) => {
                    assert_eq!(answer, result(id));
                    answered += 1;
                }
                (_, Err(failure)) => {
                    assert_eq!(failure.code, McpCode::Unreachable, "{failure}");
                    failed += 1;
                }
            }
        }
        assert!(closed(&*connection).await.reason.contains("signal: 9"));
    }
    assert_eq!(answered + failed, 4000);
    assert!(answered > 0 && failed > 0, "{answered} answered, {failed} failed");
}

#[tokio::test]
async fn a_child_that_hangs_is_killed_with_its_descendants() {
    let notes = Notes::new();
    let pipe = notes.pipe("alive");
    // It never reads, and so does its own child. Neither ends by being asked.
    let script = holding(
        &pipe,
        "trap '' TERM; sh -c \"trap '' TERM; while :; do sleep 100; done\" & while :; do sleep 100; done",
    );
    let mut hanging = connector(&script);
    hanging.patience = Patience { ping: Duration::from_millis(20), end: Duration::from_millis(20) };
    let connection = hanging.connect().await.unwrap();
    let alive = open(&pipe).await;
    let failure = call_within(&*connection, 1, Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(failure.code, McpCode::Timeout);
    assert!(closed(&*connection).await.reason.contains("the program hangs"));
    // The pipe ends when nobody holds it any more.
    rest(alive).await;
}

#[tokio::test]
async fn a_child_that_is_slow_but_answers_a_ping_lives() {
    let script = format!(
        "read -r line; {}",
        for_each_line(&format!("case $line in *ping*) {ANSWER} esac; case $line in *call*) {ANSWER} esac;"))
    );
    let connection = connect(&script).await;
    let failure = call_within(&*connection, 1, Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(failure.code, McpCode::Timeout);
    assert_eq!(call(&*connection, 2).await.unwrap(), result(2));
}

#[tokio::test]
async fn a_child_that_nobody_needs_ends_by_the_end_of_its_input() {
    let notes = Notes::new();
    let pipe = notes.pipe("end");
    let script = holding(
        &pipe,
        &format!("trap 'echo asked by a signal >&9' TERM; {}; echo ended >&9", for_each_line(ANSWER)),
    );
    let connection = connect(&script).await;
    let end = tokio::spawn(async move { read_all(&pipe).await });
    call(&*connection, 1).await.unwrap();
    drop(connection);
    assert_eq!(end.await.unwrap(), "ended\n");
}

#[tokio::test]
async fn descendants_end_with_the_child() {
    let notes = Notes::new();
    let pipe = notes.pipe("alive");
    let script = holding(&pipe, &format!("sleep 1000 & echo $! >&9; {}", for_each_line(ANSWER)));
    let connection = connect(&script).await;
    let alive = tokio::spawn(async move { read_all(&pipe).await });
    call(&*connection, 1).await.unwrap();
    drop(connection);
    // The grandchild holds the pipe, too: it would be open for as long as that sleeps.
    let grandchild = alive.await.unwrap();
    assert!(grandchild.trim().parse::<i32>().is_ok(), "{grandchild}");
}

#[tokio::test]
async fn a_child_gets_no_secret_of_the_edge() {
    let notes = Notes::new();
    let pipe = notes.pipe("env");
    let mut env = connector(&format!("env >{}; cat", pipe.display()));
    env.program.env.insert("SAID".into(), "yes".into());
    // Cargo sets this one for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let _connection = env.connect().await.unwrap();
    let env = read_all(&pipe).await;
    assert!(env.contains("SAID=yes\n") && env.contains("PATH=") && !env.contains("CARGO_"), "{env}");
}

#[tokio::test]
async fn a_runtime_that_ends_leaves_no_child_behind() {
    let notes = Notes::new();
    let pipe = notes.pipe("alive");
    let script = holding(&pipe, "trap '' TERM; sleep 1000 & while :; do sleep 100; done");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let connector = connector(&script);
    let connection = runtime.spawn(async move { connector.connect().await.unwrap() }).await.unwrap();
    let alive = open(&pipe).await;
    runtime.shutdown_background();
    rest(alive).await;
    drop(connection);
}
