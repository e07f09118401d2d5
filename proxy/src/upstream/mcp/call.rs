//! A call of a tool at a server: its arguments out, the message that answers it in.

use super::http::{self, CallAside, HttpTarget};
use super::server::{Live, Server, Way};
use super::tool::{McpTool, Said};
use super::{McpCode, McpFailure, Notices, Outgoing, message, next_id};
use crate::protocol::MODERN;
use crate::runtime::deadline::until;
use crate::upstream::{Envelope, Exchange, Received, UpstreamError};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of a message that is logged.
const SHOWN: usize = 2 << 10;
/// Between attempts: the first wait, which doubles, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(10);

/// Performs a call. Dropping the future cancels it, and the server is told.
pub(crate) async fn call(
    tool: &McpTool,
    said: Said<'_>,
    notices: Option<&dyn Notices>,
    exchange: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let server = &tool.supervised.server;
    received.clear();
    let done = match &server.way {
        Way::Http(target) => over_http(tool, server, target, said, notices, exchange, received).await,
        Way::Channel(_) => {
            let call = pin!(over_channel(tool, server, said, notices, exchange, received));
            until(exchange.deadline, call)
                .await
                .unwrap_or_else(|_| Err(UpstreamError::timeout(exchange.timeout)))
        }
    };
    log_answer(tool, &done, received);
    done
}

/// Each message is a request of its own. A session that is gone is opened again, once.
async fn over_http(
    tool: &McpTool,
    server: &Server,
    target: &HttpTarget,
    said: Said<'_>,
    notices: Option<&dyn Notices>,
    exchange: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let mut again = true;
    loop {
        let known = server.live();
        let waited;
        let live = match &*known {
            Some(live) => live,
            None => {
                waited = wait(tool, server, exchange.deadline).await.map_err(UpstreamError::Mcp)?;
                &waited
            }
        };
        let id = next_id();
        let arguments = exchange.request.body().unwrap_or_default();
        let (mut head, mut after) = (Vec::new(), Vec::new());
        tool.head(live, arguments, &mut head);
        tool.after(live, id, said, &mut after);
        log_request(tool, id, arguments);
        let aside = CallAside { connection: &*live.connection, notices };
        let envelope = Envelope {
            id: Some(id),
            head: [&head, &live.head],
            before: &tool.before,
            after: &after,
            aside: &aside,
        };
        let start = if again { exchange.start } else { Instant::now() };
        let sent = Exchange { envelope: Some(&envelope), start, ..*exchange };
        let mut cancellation = Cancellation { live, id: Some(id) };
        let answered = target.network.call(&sent, received).await;
        if !matches!(answered, Err(UpstreamError::Timeout(_))) {
            cancellation.id = None;
        }
        drop(cancellation);
        if answered.as_ref().is_err_and(is_cut_off) {
            server.doubt(live);
        }
        answered?;
        received.message = Some(id);
        if std::mem::take(&mut again) && is_forgotten(live, received) {
            server.forget(live);
            let attempts = received.attempts;
            received.clear();
            received.attempts = attempts;
            continue;
        }
        return http::check(received).map_err(UpstreamError::Mcp);
    }
}

/// Waits for a connection. The tool was compared again while it was opened.
async fn wait(tool: &McpTool, server: &Server, deadline: Instant) -> Result<Arc<Live>, McpFailure> {
    let live = server.wait(deadline).await?;
    tool.check()?;
    Ok(live)
}

/// Whether the server may have ended, and be another one when it is back.
const fn is_cut_off(error: &UpstreamError) -> bool {
    matches!(
        error,
        UpstreamError::Resolve
            | UpstreamError::Connect(_)
            | UpstreamError::ConnectTimeout(_)
            | UpstreamError::Tls(_)
            | UpstreamError::Closed
            | UpstreamError::KeptClosed
    )
}

/// Tells a server that nobody waits for an answer any more. Of the stateless revision, closing the connection says so.
struct Cancellation<'a> {
    live: &'a Live,
    /// `None` if there is nothing to cancel.
    id: Option<u64>,
}

impl Drop for Cancellation<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.filter(|_| self.live.opened.version != MODERN) {
            self.live.connection.tell(message::cancelled(id));
        }
    }
}

/// Whether the server has forgotten what was agreed on: its session is gone, or it speaks another revision now.
fn is_forgotten(live: &Live, received: &Received) -> bool {
    const UNSUPPORTED_VERSION: &[u8] = b"-32022";
    const SESSION: &[u8] = b"mcp-session-id";
    match received.status {
        404 => live.head.windows(SESSION.len()).any(|part| part == SESSION),
        400 => received.body.windows(UNSUPPORTED_VERSION.len()).any(|part| part == UNSUPPORTED_VERSION),
        _ => false,
    }
}

/// All messages share a connection.
async fn over_channel(
    tool: &McpTool,
    server: &Server,
    said: Said<'_>,
    notices: Option<&dyn Notices>,
    exchange: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let mut wait = FIRST;
    let mut retries = if exchange.idempotent { exchange.retries } else { 0 };
    loop {
        let failure = match over_connection(tool, server, said, notices, exchange, received).await {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        let left = exchange.deadline.saturating_duration_since(Instant::now());
        if failure.code != McpCode::Unreachable || retries == 0 || left <= wait {
            return Err(UpstreamError::Mcp(failure));
        }
        retries -= 1;
        pingora_timeout::sleep(wait).await;
        wait = (wait * 2).min(LONGEST);
    }
}

async fn over_connection(
    tool: &McpTool,
    server: &Server,
    said: Said<'_>,
    notices: Option<&dyn Notices>,
    exchange: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), McpFailure> {
    let known = server.live().as_ref().map(Arc::clone);
    let live = match known {
        Some(live) => live,
        None => wait(tool, server, exchange.deadline).await?,
    };
    let id = next_id();
    let arguments = exchange.request.body().unwrap_or_default();
    log_request(tool, id, arguments);
    let mut message = tool.before.to_vec();
    // A line break between two values would end the message.
    message.extend(arguments.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    tool.after(&live, id, said, &mut message);
    received.attempts = received.attempts.saturating_add(1);
    let request = Outgoing {
        id,
        method: "tools/call",
        name: Some(&tool.pin.name),
        message: &message,
        deadline: exchange.deadline,
        most: exchange.max_response,
        notices,
    };
    let body = live.connection.request(request).await?;
    received.held.hold(exchange.budget, body.len());
    received.body = body;
    received.status = 200;
    received.message = Some(id);
    Ok(())
}

fn log_request(tool: &McpTool, id: u64, arguments: &[u8]) {
    if tracing::enabled!(tracing::Level::DEBUG) {
        let (server, tool, arguments) =
            (&*tool.supervised.server.name, &*tool.pin.tool, shown(tool.is_sensitive, arguments));
        tracing::debug!(server, tool, id, arguments, "request to an MCP server");
    }
}

fn log_answer(tool: &McpTool, done: &Result<(), UpstreamError>, received: &Received) {
    if tracing::enabled!(tracing::Level::DEBUG) {
        let (server, name, status) = (&*tool.supervised.server.name, &*tool.pin.tool, received.status);
        match done {
            Ok(()) => {
                let answer = shown(tool.is_sensitive, &received.body);
                tracing::debug!(server, tool = name, status, answer, "response of an MCP server");
            }
            Err(error) => {
                tracing::debug!(server, tool = name, status, %error, "no response of an MCP server");
            }
        }
    }
}

/// The beginning of a message. Nothing is shown of a tool with secrets among its arguments, which its answer may repeat.
fn shown(is_sensitive: bool, text: &[u8]) -> String {
    if is_sensitive {
        return format!("({} bytes)", text.len());
    }
    let mut out = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(text)).into_owned();
    if text.len() > SHOWN {
        out.push_str(&format!("… ({} more bytes)", text.len() - SHOWN));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn property_9_messages_are_logged_cut_and_secrets_never(text in prop::collection::vec(any::<u8>(), 0..6000)) {
            prop_assert_eq!(shown(true, &text), format!("({} bytes)", text.len()));
            let logged = shown(false, &text);
            let begin = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(&text)).into_owned();
            prop_assert!(logged.starts_with(&begin));
            prop_assert_eq!(logged.len() > begin.len(), text.len() > SHOWN);
            prop_assert!(logged.len() <= begin.len() + 40);
        }
    }
}
