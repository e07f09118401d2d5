//! The edge without sockets: a request's head and body in, an answer out.

use crate::catalog::{BuildError, Catalog};
use crate::mcp::{self, Context, sse};
use crate::request::access;
use crate::request::events::EventStream;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::reply::Reply;
use crate::request::route::{self, Endpoint, Path, Route};
use crate::rest;
use crate::settings::Settings;
use crate::telemetry::logging;
use crate::telemetry::metrics::Metrics;
use crate::upstream::Upstream;
use arc_swap::{ArcSwap, Guard};
use mcp_bundle::format::Bundle;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::sync::watch;

/// Everything that all connections share.
#[derive(Debug)]
pub struct Edge {
    pub metrics: Metrics,
    pub(crate) upstream: Upstream,
    serving: ArcSwap<Serving>,
    /// Counts the swaps that changed the list of tools.
    changes: watch::Sender<u64>,
    /// Event streams that are open.
    streams: Arc<AtomicUsize>,
    /// Event streams are to end.
    stopping: watch::Sender<bool>,
    pub(crate) sessions: sse::Sessions,
}

/// What requests are served with: settings and tools change in one swap. A request loads it once and keeps it.
#[derive(Debug)]
pub struct Serving {
    pub settings: Arc<Settings>,
    /// `None` until the first bundle is activated.
    pub catalog: Option<Arc<Catalog>>,
}

/// Settings and tools as they were when a request began.
pub type Loaded = Guard<Arc<Serving>>;

/// What follows [`Edge::answer`].
#[derive(Debug)]
pub enum Answered {
    /// The reply is to be sent.
    Reply,
    /// A stream is to be opened with status 200 and the headers of the reply, which has no body.
    Stream(Box<EventStream>),
}

/// One of the event streams that may be open at once; given back when dropped.
#[derive(Debug)]
pub(crate) struct StreamSlot {
    open: Arc<AtomicUsize>,
    metrics: Metrics,
}

/// What a swap did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activated {
    pub list_changed: bool,
}

impl Edge {
    pub fn new(settings: Settings, upstream: Upstream) -> Edge {
        let metrics = Metrics::default();
        if let Upstream::Network(network) = &upstream {
            metrics.observe_pool(network.watch());
        }
        Edge {
            metrics,
            upstream,
            serving: ArcSwap::from_pointee(Serving { settings: Arc::new(settings), catalog: None }),
            changes: watch::channel(0).0,
            streams: Arc::default(),
            stopping: watch::channel(false).0,
            sessions: sse::Sessions::default(),
        }
    }

    /// What requests that begin now are served with.
    pub fn serving(&self) -> Loaded {
        self.serving.load()
    }

    /// Whether a path is one that is served here, well or not.
    pub fn serves(&self, path: &str) -> bool {
        route::is_known(path)
    }

    /// Makes a bundle ready without serving it, for the settings that hold now.
    pub fn prepare(
        &self,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Catalog, BuildError> {
        self.prepare_with(&self.serving().settings, bundle, variable)
    }

    /// The same for other settings, which come with the catalog when it is activated.
    pub fn prepare_with(
        &self,
        settings: &Arc<Settings>,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Catalog, BuildError> {
        Catalog::build(bundle, variable, &self.upstream, &self.metrics, Arc::clone(settings))
    }

    /// From now on requests are served from `catalog` and with its settings; those that began before keep theirs.
    pub fn activate(&self, catalog: Catalog) -> Activated {
        let catalog = Arc::new(catalog);
        let serving =
            Serving { settings: Arc::clone(&catalog.settings), catalog: Some(Arc::clone(&catalog)) };
        let before = self.serving.swap(Arc::new(serving));
        let list_changed = before.catalog.as_ref().is_none_or(|before| catalog.lists_differ(before));
        if list_changed {
            self.changes.send_modify(|count| *count += 1);
        }
        Activated { list_changed }
    }

    /// What is served now.
    pub fn catalog(&self) -> Option<Arc<Catalog>> {
        self.serving.load().catalog.clone()
    }

    /// Looks at a request's head only. `reply` is overwritten.
    pub fn route(&self, serving: &Serving, head: &Head, reply: &mut Reply) -> Route {
        route::route(head, &serving.settings, reply).unwrap_or_else(|(failure, origin)| {
            self.refuse(head, &failure, reply);
            origin.into_iter().for_each(|origin| access::allow(origin, reply));
            Route::Answered
        })
    }

    /// The answer to a body that is longer than `limits.request_body`; the rest of it is not read.
    pub fn too_large(&self, serving: &Serving, head: &Head, reply: &mut Reply) {
        self.refuse(head, &Failure::BodyTooLarge(serving.settings.limits.request_body), reply);
        reply.close = true;
    }

    /// Turns a request away, counts it and says so.
    fn refuse(&self, head: &Head, failure: &Failure, reply: &mut Reply) {
        route::refuse(head, failure, reply);
        self.metrics.protocol_error(failure.code());
        logging::log_refusal(head, failure.name(), reply.status);
    }

    /// Answers a request. `reply` is overwritten. Dropping the future cancels what the request started.
    pub async fn answer(
        self: &Arc<Self>,
        serving: &Serving,
        endpoint: &Endpoint,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        reply.clear();
        let answered = self.serve(serving, endpoint, head, body, reply).await.unwrap_or_else(|failure| {
            self.refuse(head, &failure, reply);
            Answered::Reply
        });
        if let Some(origin) = &endpoint.origin {
            access::allow(origin, reply);
        }
        answered
    }

    async fn serve(
        self: &Arc<Self>,
        serving: &Serving,
        endpoint: &Endpoint,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Result<Answered, Failure> {
        let Endpoint { path, caller, request_id, .. } = endpoint;
        let query = head.uri.query().unwrap_or_default();
        let catalog = serving.catalog.as_deref().ok_or(Failure::NotReady)?;
        let view = |toolset: &Option<Box<str>>| {
            let named = toolset.as_deref();
            catalog.view(named).ok_or_else(|| Failure::UnknownToolset(named.unwrap_or_default().to_owned()))
        };
        match path {
            Path::Mcp { toolset } => {
                let headers = &head.headers;
                let view = view(toolset)?;
                let context = Context { edge: self, catalog, view, headers, caller, request_id };
                return Ok(mcp::answer(&context, body, reply).await);
            }
            Path::McpStream { toolset } => {
                view(toolset)?;
                return mcp::legacy_stream(self).map(Box::new).map(Answered::Stream);
            }
            Path::Sse { toolset } => {
                view(toolset)?;
                return sse::open(self, toolset.as_deref()).map(Box::new).map(Answered::Stream);
            }
            Path::SseMessages => {
                reply.status = match sse::post(self, query, &head.headers, caller, request_id, body) {
                    sse::Posted::Taken => 202,
                    sse::Posted::NoSession => 404,
                    sse::Posted::Full => 503,
                };
            }
            Path::ApiList => rest::api_v1::list(self, catalog, query, reply)?,
            Path::ApiCall => rest::api_v1::call(self, catalog, caller, request_id, body, reply).await?,
            Path::GatewayList => rest::gateway::list(self, catalog, reply),
            Path::GatewayInvoke => {
                rest::gateway::invoke(self, catalog, caller, request_id, body, reply).await?;
            }
        }
        Ok(Answered::Reply)
    }

    /// Sees each change of the list from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        let mut changes = self.changes.subscribe();
        changes.mark_unchanged();
        changes
    }

    /// Room for one more event stream.
    pub(crate) fn stream_slot(&self) -> Option<StreamSlot> {
        let most = self.serving().settings.limits.streams;
        self.streams.fetch_update(Relaxed, Relaxed, |open| (open < most).then_some(open + 1)).ok()?;
        self.metrics.streams().add(1);
        Some(StreamSlot { open: Arc::clone(&self.streams), metrics: self.metrics.clone() })
    }

    /// Ends the event streams of those whose server does not do it (`proxy_http`).
    pub fn end_streams(&self) {
        self.stopping.send_replace(true);
    }

    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Relaxed);
        self.metrics.streams().add(-1);
    }
}
