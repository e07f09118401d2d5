//! Real children: each is a small script for `sh`, so a fault is one line of it.

mod calls;
mod ends;
mod words;

use super::{Patience, StdioConnector};
use crate::programs::Program;
use crate::upstream::mcp::{Connection, Connector, Event, McpCode, McpFailure, Outgoing};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Makes `id` of a request's line.
const ID: &str = r#"id=${line#*\"id\":}; id=${id%%[!0-9]*};"#;
/// Answers every request with its own line's id.
const ANSWER: &str = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"n":%s}}\n' "$id" "$id";"#;
/// Longer than any test should take.
const LONG: Duration = Duration::from_secs(60);

/// A script that does this for each line.
fn for_each_line(commands: &str) -> String {
    format!("while read -r line; do {ID} {commands} done")
}

fn connector(script: &str) -> StdioConnector {
    let program = Program {
        command: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: BTreeMap::new(),
        directory: None,
        calls_at_once: 1,
        restart: true,
    };
    let patience = Patience { ping: LONG, end: LONG };
    StdioConnector { name: "test".into(), program, longest: 1 << 20, patience }
}

async fn connect(script: &str) -> Arc<dyn Connection> {
    connector(script).connect().await.unwrap()
}

async fn echo() -> Arc<dyn Connection> {
    connect(&for_each_line(ANSWER)).await
}

fn message(id: u64) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{}}}}"#).into_bytes()
}

fn request(id: u64, message: &[u8]) -> Outgoing<'_> {
    let deadline = Instant::now() + LONG;
    Outgoing { id, message, method: "tools/call", name: None, deadline, most: 1 << 20, notices: None }
}

async fn call_within(connection: &dyn Connection, id: u64, time: Duration) -> Result<String, McpFailure> {
    let message = message(id);
    let deadline = Instant::now() + time;
    connection
        .request(Outgoing { deadline, ..request(id, &message) })
        .await
        .map(|answer| String::from_utf8(answer).unwrap())
}

async fn call(connection: &dyn Connection, id: u64) -> Result<String, McpFailure> {
    call_within(connection, id, LONG).await
}

fn result(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"n":{id}}}}}"#)
}

async fn closed(connection: &dyn Connection) -> McpFailure {
    loop {
        if let Event::Closed(failure) = connection.event().await {
            return failure;
        }
    }
}

/// A folder with files in which a child records what it did.
struct Notes(tempfile::TempDir);

impl Notes {
    fn new() -> Notes {
        Notes(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A named pipe: opening it for reading waits for a writer.
    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        path
    }
}

/// A named pipe, as soon as somebody has it open for writing.
async fn open(pipe: &Path) -> File {
    let pipe = pipe.to_owned();
    tokio::task::spawn_blocking(move || File::open(pipe).unwrap()).await.unwrap()
}

/// What is written to a pipe until all writers are gone.
async fn rest(pipe: File) -> String {
    tokio::task::spawn_blocking(move || std::io::read_to_string(pipe).unwrap()).await.unwrap()
}

async fn read_all(pipe: &Path) -> String {
    rest(open(pipe).await).await
}
