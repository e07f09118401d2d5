//! Streamable HTTP: each message is a request of its own, over the pools of all HTTP upstreams.

use super::events::EventKind;
use super::handshake::Opened;
use super::incoming::{self, Incoming, Notification};
use super::{
    BoxFuture, Connection, Connector, Event, McpCode, McpFailure, Notices, Outgoing, message, supervisor,
};
use crate::limits::budget::Budget;
use crate::protocol::MODERN;
use crate::settings::PoolSettings;
use crate::upstream::credentials::{Ask, Credential};
use crate::upstream::{Aside, Envelope, Exchange, Network, Origin, Received};
use arc_swap::ArcSwap;
use mcp_bundle::bind::Request;
use mcp_bundle::wire_enums::{Method, ProtocolVersion};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;

/// What a message is and what may answer it.
pub(crate) const TYPES: &str =
    "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
/// A stream of notices that lasted as long is a good one: the next one is asked for soon after its end.
const GOOD: Duration = Duration::from_secs(10);
/// As good as no limit, for a stream of notices.
const LONG: Duration = Duration::from_secs(24 * 3600);
/// Of what is said to a server without an answer.
const NOTIFY: Duration = Duration::from_secs(10);
/// Of an event on a stream of notices.
const MOST_EVENT: usize = 1 << 20;
/// Longer ids of sessions are no honest ones.
const MOST_SESSION: usize = 1024;

/// Where a server is, and what every message to it has.
pub(crate) struct HttpTarget {
    pub network: Network,
    pub origin: Arc<Origin>,
    pub authority: String,
    /// Without a message.
    pub request: Request,
    pub credential: Option<Arc<Credential>>,
    pub connect_timeout: Duration,
    pub pool: PoolSettings,
    pub budget: Arc<Budget>,
}

/// Nothing is held open: it is what the messages have in common since the handshake.
pub(crate) struct HttpConnection {
    target: Arc<HttpTarget>,
    /// Itself, for tasks.
    this: Weak<HttpConnection>,
    spoken: ArcSwap<Spoken>,
    session: Mutex<Option<String>>,
    events: mpsc::Sender<Event>,
    receiver: tokio::sync::Mutex<mpsc::Receiver<Event>>,
    listener: Mutex<Option<AbortHandle>>,
    over: Notify,
}

/// What messages are written as.
#[derive(Debug, Default)]
struct Spoken {
    version: Option<ProtocolVersion>,
    /// Headers, in wire form.
    head: Box<[u8]>,
}

impl Connector for Arc<HttpTarget> {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Connection>, McpFailure>> {
        let connection = HttpConnection::new(Arc::clone(self));
        Box::pin(async move { Ok(connection as Arc<dyn Connection>) })
    }
}

impl HttpTarget {
    /// Sends one message.
    pub(super) async fn send(
        &self,
        request: &Request,
        envelope: &Envelope<'_>,
        deadline: Instant,
        most: usize,
        received: &mut Received,
    ) -> Result<(), McpFailure> {
        let start = Instant::now();
        let exchange = Exchange {
            tool: "",
            origin: &self.origin,
            authority: &self.authority,
            request,
            connect_timeout: self.connect_timeout,
            timeout: deadline.saturating_duration_since(start),
            attempt_timeout: None,
            start,
            deadline,
            retries: 0,
            idempotent: false,
            max_response: most,
            pool: &self.pool,
            credential: self.credential.as_ref().map(|credential| Ask {
                credential,
                values: None,
                caller: None,
            }),
            authorization: None,
            envelope: Some(envelope),
            budget: &self.budget,
        };
        received.clear();
        let sent = self.network.call(&exchange, received).await;
        sent.map_err(|error| McpFailure::from(&error))
    }
}

/// Whether an answer brings a message; what it means if it does not.
pub(crate) fn check(received: &Received) -> Result<(), McpFailure> {
    let status = received.status;
    let is_message = received.body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let fail = |code, reason: String| Err(McpFailure::new(code, reason));
    match status {
        401 | 403 => {
            fail(McpCode::AuthFailed, format!("the server refused the credentials with status {status}"))
        }
        200..=299 if received.body.is_empty() => {
            fail(McpCode::ProtocolError, format!("the server answered with status {status} and no message"))
        }
        // What it says instead of a message is shown by who reads it.
        200..=299 => Ok(()),
        429 | 500..=599 if !is_message => {
            fail(McpCode::Unreachable, format!("the server answered with status {status}"))
        }
        _ if is_message => Ok(()),
        _ => fail(McpCode::ProtocolError, format!("the server answered with status {status} and no message")),
    }
}

impl HttpConnection {
    fn new(target: Arc<HttpTarget>) -> Arc<HttpConnection> {
        let (events, receiver) = mpsc::channel(4);
        Arc::new_cyclic(|this| HttpConnection {
            target,
            this: this.clone(),
            spoken: ArcSwap::default(),
            session: Mutex::default(),
            events,
            receiver: tokio::sync::Mutex::new(receiver),
            listener: Mutex::default(),
            over: Notify::new(),
        })
    }

    /// The headers of a message, beside those of its type.
    fn head(&self, method: &str, name: Option<&str>) -> Vec<u8> {
        let spoken = self.spoken.load();
        let mut head = spoken.head.to_vec();
        if spoken.version == Some(MODERN) {
            routing(method, name, &mut head);
        }
        head
    }

    async fn send(
        &self,
        message: &[u8],
        envelope: Envelope<'_>,
        deadline: Instant,
        most: usize,
    ) -> Result<Received, McpFailure> {
        let mut received = Received::default();
        let envelope = Envelope { before: message, ..envelope };
        self.target.send(&self.target.request, &envelope, deadline, most, &mut received).await?;
        Ok(received)
    }

    /// Asks for a stream of notices again and again, until the server says that it has none. Tools may have changed while there
    /// was none, so they are compared when there is one again, and when the server cannot even be asked for one.
    async fn listen(&self, version: ProtocolVersion) {
        let mut failures = 0;
        let mut is_first = true;
        loop {
            let begun = Instant::now();
            let aside = Listener { events: self.events.clone(), is_first, is_open: AtomicBool::new(false) };
            let id = message::next_id();
            let (request, text, method) = match version {
                MODERN => {
                    let params = r#""notifications":{"toolsListChanged":true}"#;
                    let method = "subscriptions/listen";
                    (self.target.request.clone(), message::request(id, method, params, Some(MODERN)), method)
                }
                _ => (self.target.request.without_body(Method::Get), Vec::new(), ""),
            };
            let head = self.head(method, None);
            let envelope = Envelope {
                id: None,
                head: [TYPES.as_bytes(), &head],
                before: &text,
                after: b"",
                aside: &aside,
            };
            let mut received = Received::default();
            let deadline = Instant::now() + LONG;
            let ended = self.target.send(&request, &envelope, deadline, MOST_EVENT, &mut received).await;
            match (ended, received.status) {
                // It has no stream.
                (Ok(()), 200..=299 | 404 | 405) => return,
                (Err(_), _) if !is_first && !aside.is_open.load(Relaxed) => aside.tools_changed(),
                _ => {}
            }
            is_first = false;
            failures = if begun.elapsed() >= GOOD { 1 } else { failures + 1 };
            tokio::time::sleep(supervisor::wait(failures)).await;
        }
    }
}

/// The headers that a message of the stateless revision repeats.
pub(super) fn routing(method: &str, name: Option<&str>, head: &mut Vec<u8>) {
    head.extend_from_slice(b"mcp-method: ");
    head.extend_from_slice(method.as_bytes());
    head.extend_from_slice(b"\r\n");
    if let Some(name) = name {
        header("mcp-name", name, head);
    }
}

/// A header whose value may be any text: what no header can hold is encoded.
pub(super) fn header(name: &str, value: &str, head: &mut Vec<u8>) {
    use base64::Engine;
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim_ascii() == value
        && !value.starts_with("=?base64?");
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    if is_plain {
        head.extend_from_slice(value.as_bytes());
    } else {
        let encoded = base64::engine::general_purpose::STANDARD.encode(value);
        head.extend_from_slice(format!("=?base64?{encoded}?=").as_bytes());
    }
    head.extend_from_slice(b"\r\n");
}

impl Connection for HttpConnection {
    fn request<'a>(&'a self, request: Outgoing<'a>) -> BoxFuture<'a, Result<Vec<u8>, McpFailure>> {
        Box::pin(async move {
            let aside = CallAside { connection: self, notices: request.notices };
            let head = self.head(request.method, request.name);
            let head = [TYPES.as_bytes(), head.as_slice()];
            let envelope = Envelope { id: Some(request.id), head, before: b"", after: b"", aside: &aside };
            let received = self.send(request.message, envelope, request.deadline, request.most).await?;
            check(&received)?;
            if request.method == "initialize" {
                let session = received.session.filter(|session| session.len() <= MOST_SESSION);
                *self.session.lock().unwrap_or_else(PoisonError::into_inner) = session;
            }
            Ok(received.body)
        })
    }

    fn notify<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<(), McpFailure>> {
        Box::pin(async move {
            let head = self.head("", None);
            let head = [TYPES.as_bytes(), head.as_slice()];
            let envelope = Envelope { id: None, head, before: b"", after: b"", aside: &Deaf };
            let received = self.send(message, envelope, Instant::now() + NOTIFY, MOST_EVENT).await?;
            match received.status {
                200..=299 => Ok(()),
                _ => check(&received),
            }
        })
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(async {
            let mut receiver = self.receiver.lock().await;
            match receiver.recv().await {
                Some(event) => event,
                // The sender is ours.
                None => std::future::pending().await,
            }
        })
    }

    fn speak(&self, version: Option<ProtocolVersion>) {
        let mut head = Vec::new();
        if let Some(version) = version {
            header("mcp-protocol-version", version.as_str(), &mut head);
        }
        if version.is_none() {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        if let Some(session) = &*self.session.lock().unwrap_or_else(PoisonError::into_inner) {
            header("mcp-session-id", session, &mut head);
        }
        self.spoken.store(Arc::new(Spoken { version, head: head.into() }));
    }

    fn call_head(&self) -> Box<[u8]> {
        self.spoken.load().head.clone()
    }

    fn follow(&self, opened: &Opened) {
        let Some(this) = self.this.upgrade().filter(|_| opened.tells_changes) else { return };
        let version = opened.version;
        let weak = Arc::downgrade(&this);
        let task = tokio::spawn(async move {
            let Some(this) = weak.upgrade() else { return };
            tokio::select! {
                () = this.listen(version) => {}
                () = this.over.notified() => {}
            }
        });
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
    }

    fn tell(&self, message: Vec<u8>) {
        let Some(this) = self.this.upgrade() else { return };
        // A process that shuts down drops calls when there is no runtime any more.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(failure) = this.notify(&message).await {
                tracing::debug!("an MCP server did not take what it was told: {failure}");
            }
        });
    }

    fn close(&self) {
        if let Some(task) = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
        let has_session = self.session.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        let Some(this) = self.this.upgrade().filter(|_| has_session) else { return };
        // The server may forget the session. It need not.
        tokio::spawn(async move {
            let request = this.target.request.without_body(Method::Delete);
            let head = this.head("", None);
            let envelope = Envelope { id: None, head: [&head, b""], before: b"", after: b"", aside: &Deaf };
            let mut received = Received::default();
            let _ = this
                .target
                .send(&request, &envelope, Instant::now() + NOTIFY, MOST_EVENT, &mut received)
                .await;
        });
    }
}

/// Takes what a server says on the stream of an answer.
#[derive(Debug)]
pub(crate) struct CallAside<'a> {
    pub connection: &'a dyn Connection,
    pub notices: Option<&'a dyn Notices>,
}

impl Aside for CallAside<'_> {
    fn event(&self, _: EventKind, data: &[u8]) {
        match Incoming::read(data) {
            Ok(Incoming::Request { id, method }) => {
                self.connection.tell(incoming::reply(id, method));
            }
            Ok(Incoming::Notification(Notification::Progress { .. } | Notification::Log)) => {
                self.notices.into_iter().for_each(|notices| notices.notice(data));
            }
            _ => {}
        }
    }
}

/// Hears when tools change.
#[derive(Debug)]
struct Listener {
    events: mpsc::Sender<Event>,
    /// The tools were listed just before.
    is_first: bool,
    is_open: AtomicBool,
}

impl Listener {
    fn tools_changed(&self) {
        // One that waits already says the same.
        let _ = self.events.try_send(Event::ToolsChanged);
    }
}

impl Aside for Listener {
    fn event(&self, _: EventKind, data: &[u8]) {
        if let Ok(Incoming::Notification(Notification::ToolsChanged)) = Incoming::read(data) {
            self.tools_changed();
        }
    }

    fn opened(&self) {
        self.is_open.store(true, Relaxed);
        if !self.is_first {
            self.tools_changed();
        }
    }
}

/// Hears nothing.
#[derive(Debug)]
pub(super) struct Deaf;

impl Aside for Deaf {
    fn event(&self, _: EventKind, _: &[u8]) {}
}

impl fmt::Debug for HttpTarget {
    /// Without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTarget").field("origin", &self.origin.key).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConnection").field("target", &self.target).finish_non_exhaustive()
    }
}
