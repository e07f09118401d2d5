//! The one task that owns a child: it hears what the child says, notices when it ends or hangs, and ends it.

use super::Link;
use super::child::{Child, Pipes};
use super::lines::{Line, Lines};
use super::report::{self, Cap, LastWords, Verdict, beginning};
use crate::upstream::mcp::{McpCode, McpFailure, Reaction};
use futures::FutureExt;
use futures::future::FusedFuture;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Lines without a message between two messages: programs print banners, but not novels.
const MOST_OTHER_LINES: usize = 100;
/// Bytes that are read at once: as many as a pipe holds.
const CHUNK: usize = 64 << 10;
/// Within which a child's last words arrive, and its exit status.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The id of the question whether a child is alive. No request has it: it is the largest number that every server can read.
const PING_ID: u64 = (1 << 53) - 1;
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}"#;

/// Why a child is attended to no more.
enum Over {
    /// Nobody needs it.
    Left,
    /// It has ended.
    Ended(Option<ExitStatus>),
    /// It has closed its output.
    Quiet,
    Failed(McpFailure),
}

/// Attends to a child until it has ended, or until nobody needs it: then `left` is closed.
pub(super) async fn attend(mut child: Child, pipes: Pipes, link: &Link, left: oneshot::Receiver<()>) {
    let mut hear = pin!(hear(pipes.stdout, link).fuse());
    let last_words = LastWords::default();
    let mut log = pin!(report::log_errors(&link.name, pipes.stderr, &last_words).fuse());
    let mut write = pin!(link.outbox.run().fuse());
    let mut watch = pin!(watch(link).fuse());
    let mut left = pin!(left.fuse());
    let over = loop {
        tokio::select! {
            heard = &mut hear => break heard.map_or(Over::Quiet, Over::Failed),
            status = child.ended() => break Over::Ended(status),
            failure = &mut watch => break Over::Failed(failure),
            _ = &mut left => break Over::Left,
            () = &mut log => {}
            () = &mut write => {}
        }
    };
    let over = match over {
        Over::Quiet => match timeout(LAST_WORDS, child.ended()).await {
            Ok(status) => Over::Ended(status),
            Err(_) => Over::Quiet,
        },
        over => over,
    };
    let failure = match over {
        Over::Left => McpFailure::new(McpCode::Unreachable, "the connection to the program was closed"),
        Over::Failed(failure) => failure,
        Over::Quiet => McpFailure::new(McpCode::Unreachable, "the program has closed its output"),
        Over::Ended(status) => {
            // Descendants may hold its pipes open.
            child.kill();
            // What it said before it ended still counts.
            let _ = timeout(LAST_WORDS, async { tokio::join!(rest(&mut hear), rest(&mut log)) }).await;
            McpFailure { last_words: last_words.told(), ..ended(status) }
        }
    };
    link.close(&failure);
    // Its pipes are emptied meanwhile, so that nothing keeps it from ending.
    let drained = async {
        tokio::join!(&mut hear, &mut log, &mut write);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = child.end(link.patience.end) => {}
        () = drained => {}
    }
}

/// Waits for a future unless it has ended before: then it would never be ready again.
async fn rest(future: impl FusedFuture) {
    if !future.is_terminated() {
        future.await;
    }
}

fn ended(status: Option<ExitStatus>) -> McpFailure {
    let reason = match status {
        Some(status) => format!("the program has ended ({status})"),
        None => "the program has ended".to_owned(),
    };
    McpFailure::new(McpCode::Unreachable, reason)
}

/// Hands on what a child says, until it says no more; a failure if it does not speak MCP.
async fn hear(mut stdout: impl AsyncRead + Unpin, link: &Link) -> Option<McpFailure> {
    let mut lines = Lines::new(link.longest);
    let mut listener = Listener { link, cap: Cap::new(), others: 0, failure: None };
    let mut bytes = vec![0; CHUNK];
    loop {
        let length = match stdout.read(&mut bytes).await {
            Ok(length) if length > 0 => length,
            _ => break,
        };
        lines.feed(bytes.get(..length).unwrap_or_default(), |line| listener.line(line));
        if listener.failure.is_some() {
            return listener.failure;
        }
    }
    // Half a line is no message, even if it looks like one.
    if let Some(line) = lines.end() {
        let line = beginning(&line);
        tracing::warn!(server = link.name, line, "the server has ended in the middle of a line");
    }
    None
}

struct Listener<'a> {
    link: &'a Link,
    cap: Cap,
    /// Lines without a message since the last message.
    others: usize,
    failure: Option<McpFailure>,
}

impl Listener<'_> {
    fn line(&mut self, line: Line) {
        let bytes = match line {
            // The rest of a chunk, after what ended the connection.
            _ if self.failure.is_some() => return,
            Line::Whole(bytes) => bytes,
            Line::TooLong { length, .. } => return self.too_long(length),
        };
        // A message that is refused is shown; it is lost by then.
        let start = Line::Whole(bytes.get(..bytes.len().min(1024)).unwrap_or_default().to_vec());
        match self.link.waiting.receive(bytes) {
            Ok(reaction) => {
                self.others = 0;
                self.link.heard.fetch_add(1, Ordering::Relaxed);
                self.react(reaction);
            }
            Err(error) => {
                let start = beginning(&start);
                self.others += 1;
                self.report("this line of the server is no message", &format!("{error}: {start}"));
                if self.others > MOST_OTHER_LINES {
                    let start: String = start.chars().take(200).collect();
                    let reason = format!("the program writes other text than messages: `{start}`");
                    self.failure = Some(McpFailure::new(McpCode::ParseError, reason));
                }
            }
        }
    }

    fn react(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::Nothing => {}
            Reaction::ToolsChanged => self.link.news.tools_changed(),
            Reaction::Stray => {
                self.report(
                    "the server has answered what nobody waits for",
                    "it was cancelled, or answered before",
                );
            }
            Reaction::Reply(reply) => {
                if self.link.outbox.send(&reply).is_err() {
                    let reason = "the program asks, but does not read the answers";
                    self.failure = Some(McpFailure::new(McpCode::ProtocolError, reason));
                }
            }
        }
    }

    /// Whose answer it was cannot be known for sure, so nobody may wait for it any longer.
    fn too_long(&mut self, length: usize) {
        let reason =
            format!("the server has sent a line of {length} bytes; {} are allowed", self.link.longest);
        self.report("a line of the server is too long", &reason);
        self.link.heard.fetch_add(1, Ordering::Relaxed);
        self.link.waiting.fail_all(&McpFailure::new(McpCode::ProtocolError, reason));
    }

    fn report(&mut self, what: &'static str, reason: &str) {
        let verdict = self.cap.line(Instant::now());
        if let Verdict::LogAfter(left_out) = verdict {
            tracing::warn!(server = self.link.name, left_out, "there is more of this: lines were left out");
        }
        if verdict != Verdict::Drop {
            tracing::warn!(server = self.link.name, reason, "{what}");
        }
    }
}

/// Waits until a child hangs: a request took too long, and then it said nothing when it was asked whether it is alive.
async fn watch(link: &Link) -> McpFailure {
    loop {
        link.suspected.notified().await;
        let heard = link.heard.load(Ordering::Relaxed);
        let Ok(mut ticket) = link.waiting.register(PING_ID, false) else { continue };
        // If its input is full, it hears nothing, and will not answer.
        let _ = link.outbox.send(PING);
        let answer = timeout(link.patience.ping, ticket.answer(None)).await;
        if answer.is_err() && link.heard.load(Ordering::Relaxed) == heard {
            return McpFailure::new(McpCode::Timeout, "the program hangs: it did not even answer a `ping`");
        }
    }
}
