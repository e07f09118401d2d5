//! The one task that a stream belongs to: it hears the server, notices when it ends or is silent, and posts what nobody waits
//! for.

use super::{Link, NOTIFY, refused, wrong};
use crate::upstream::mcp::{McpCode, McpFailure, message};
use crate::upstream::{Envelope, Received};
use mcp_bundle::wire_enums::Method;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// As good as no limit, for a stream.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

/// Nobody waits longer than the task lives, however it ends.
struct End(Arc<Link>);

/// Attends to a stream until it ends, or until nobody needs it.
pub(super) async fn attend(link: Arc<Link>, unsent: mpsc::Receiver<Vec<u8>>) {
    let End(link) = &End(link);
    let failure = tokio::select! {
        failure = hear(link) => failure,
        failure = watch(link) => failure,
        failure = post_all(link, unsent) => failure,
        () = link.over.notified() => return,
    };
    link.close(&failure);
}

/// Takes the server's events until there are no more.
async fn hear(link: &Link) -> McpFailure {
    let request = link.target.request.without_body(Method::Get);
    let head: [&[u8]; 2] = [b"accept: text/event-stream\r\n", b""];
    let envelope = Envelope { id: None, head, before: b"", after: b"", aside: link };
    let mut received = Received::default();
    let ended =
        link.target.send(&request, &envelope, Instant::now() + LONG, link.longest, &mut received).await;
    match (ended, received.status) {
        (Err(McpFailure { code, reason, .. }), 200..=299) => {
            McpFailure::new(code, format!("the server's stream of events has ended: {reason}"))
        }
        (Err(failure), _) => failure,
        (Ok(()), 200..=299) => wrong("the server did not answer with a stream of events"),
        (Ok(()), status) => refused("request for a stream of events", status),
    }
}

/// Waits until the server is silent: it said nothing for a while, and then not even that it is alive.
async fn watch(link: &Link) -> McpFailure {
    loop {
        if timeout(link.patience.quiet, link.heard.notified()).await.is_ok() {
            continue;
        }
        let ping = message::request(message::next_id(), "ping", "", None);
        let refused = async {
            match link.post(&ping, Instant::now() + link.patience.ping).await {
                Ok(()) => pending().await,
                Err(failure) => failure,
            }
        };
        // Whatever it says, it is alive.
        let answer = async {
            tokio::select! {
                biased;
                () = link.heard.notified() => None,
                failure = refused => Some(failure),
            }
        };
        match timeout(link.patience.ping, answer).await {
            Ok(None) => {}
            Ok(Some(failure)) => return failure,
            Err(_) => {
                return McpFailure::new(
                    McpCode::Timeout,
                    "the server is silent: it did not even answer a `ping`",
                );
            }
        }
    }
}

/// Posts one after the other, in order.
async fn post_all(link: &Link, mut unsent: mpsc::Receiver<Vec<u8>>) -> McpFailure {
    while let Some(message) = unsent.recv().await {
        if let Err(failure) = link.post(&message, Instant::now() + NOTIFY).await {
            tracing::debug!("an MCP server did not take a message that has no answer: {failure}");
        }
    }
    stopped()
}

fn stopped() -> McpFailure {
    McpFailure::new(McpCode::Unreachable, "the stream of events was given up")
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.close(&stopped());
    }
}
