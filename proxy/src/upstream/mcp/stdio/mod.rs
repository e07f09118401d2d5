//! MCP servers that are child processes: messages are lines of their standard input and output.
//!
//! ```text
//! StdioConnector ─connect→ Child ─ one task attends to it (`attend`): hears it, logs its errors, ends it
//! any thread ─request→ a place (`calls_at_once`) → Outbox ─stdin→ child ─stdout→ Lines → Waiting ─→ the thread that waits
//! ```
//!
//! Nothing that a child does may hurt others: lines, queues and logs are bounded, and it ends with all its descendants.

mod attend;
mod child;
mod connection;
mod lines;
mod outbox;
mod report;
#[cfg(test)]
mod tests;

pub(crate) use self::child::end_all;

use self::child::Child;
use self::connection::StdioConnection;
use self::outbox::Outbox;
use super::news::News;
use super::{BoxFuture, Connection, Connector, McpFailure, Waiting};
use crate::programs::Program;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// Starts a program for each connection.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StdioConnector {
    /// What the place calls it.
    pub(crate) name: String,
    pub(crate) program: Program,
    /// Bytes of a message from it.
    pub(crate) longest: usize,
    pub(crate) patience: Patience,
}

/// How long a child may take for what is not a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Patience {
    /// To say anything, after a call took too long.
    pub(crate) ping: Duration,
    /// To end when its input is closed, and again when a signal asks it.
    pub(crate) end: Duration,
}

/// What a child's task and the threads that call have in common.
#[derive(Debug)]
struct Link {
    name: String,
    longest: usize,
    patience: Patience,
    outbox: Outbox,
    waiting: Arc<Waiting>,
    /// Messages that the child has sent.
    heard: AtomicU64,
    /// A call took too long.
    suspected: Notify,
    news: News,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { ping: Duration::from_secs(10), end: Duration::from_secs(2) }
    }
}

/// Bytes that may wait for a child to read them.
const MOST_UNREAD: usize = 16 << 20;

impl Connector for StdioConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Connection>, McpFailure>> {
        Box::pin(async { self.start().map(|connection| Arc::new(connection) as Arc<dyn Connection>) })
    }

    fn reconnects(&self) -> bool {
        self.program.restart
    }
}

impl StdioConnector {
    pub(crate) fn new(name: &str, program: Program, longest: usize) -> StdioConnector {
        StdioConnector { name: name.to_owned(), program, longest, patience: Patience::default() }
    }

    fn start(&self) -> Result<StdioConnection, McpFailure> {
        let (child, pipes, stdin) = Child::start(&self.program)?;
        let link = Arc::new(Link {
            name: self.name.clone(),
            longest: self.longest,
            patience: self.patience,
            outbox: Outbox::new(stdin, MOST_UNREAD),
            waiting: Arc::default(),
            heard: AtomicU64::new(0),
            suspected: Notify::new(),
            news: News::default(),
        });
        let (stays, left) = oneshot::channel();
        let attended = Arc::clone(&link);
        tokio::spawn(async move { attend::attend(child, pipes, &attended, left).await });
        Ok(StdioConnection::new(link, stays, self.program.calls_at_once))
    }
}

impl Link {
    fn close(&self, failure: &McpFailure) {
        self.outbox.close();
        self.waiting.close(failure);
        self.news.close(failure);
    }
}

impl fmt::Debug for StdioConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioConnector").field("name", &self.name).field("program", &self.program).finish()
    }
}
