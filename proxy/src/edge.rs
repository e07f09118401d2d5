//! The edge without sockets: a request's head and body in, an answer out.

use crate::call::observe::{Observer, Observers};
use crate::call::record::{Refusal, RequestFacts};
use crate::catalog::{BuildError, Catalog};
use crate::mcp::{self, sse};
use crate::request::access;
use crate::request::context::Context;
use crate::request::events::EventStream;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::id::RequestId;
use crate::request::identity::{self, Anonymous, Authenticator, Caller, Peer};
use crate::request::reply::Reply;
use crate::request::route::{self, Path, Route, RoutedRequest};
use crate::rest;
use crate::settings::Settings;
use crate::telemetry::logging::Log;
use crate::telemetry::metrics::Metrics;
use crate::upstream::Upstream;
use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
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
    authenticator: Arc<dyn Authenticator>,
    pub(crate) observers: Observers,
}

/// What can be put in place of the usual.
#[derive(Debug)]
pub struct Hooks {
    /// Says who asks.
    pub authenticator: Arc<dyn Authenticator>,
    /// See how messages end, beside the metrics.
    pub observers: Vec<Arc<dyn Observer>>,
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

/// Notices about the list of tools, for one caller at one endpoint: only of changes that the caller can see.
#[derive(Debug)]
pub struct Changes {
    edge: Arc<Edge>,
    swaps: watch::Receiver<u64>,
    caller: Caller,
    toolset: Option<String>,
    /// The list that the caller knows of.
    known: Option<u64>,
    /// What is sent.
    event: Bytes,
}

/// What a swap did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activated {
    pub list_changed: bool,
}

impl Edge {
    /// An edge for everyone, which logs.
    pub fn new(settings: Settings, upstream: Upstream) -> Edge {
        Edge::with(settings, upstream, Hooks::default())
    }

    pub fn with(settings: Settings, upstream: Upstream, hooks: Hooks) -> Edge {
        let Hooks { authenticator, mut observers } = hooks;
        let metrics = Metrics::default();
        if let Upstream::Network(network) = &upstream {
            metrics.observe_pool(network.watch());
        }
        if !settings.without_metrics {
            observers.insert(0, Arc::new(metrics.clone()));
        }
        Edge {
            metrics,
            upstream,
            serving: ArcSwap::from_pointee(Serving { settings: Arc::new(settings), catalog: None }),
            changes: watch::channel(0).0,
            streams: Arc::default(),
            stopping: watch::channel(false).0,
            sessions: sse::Sessions::default(),
            authenticator,
            observers: Observers(observers),
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

    /// Looks at a request's head: what serves it, and who asks. `reply` is overwritten.
    pub async fn route(&self, serving: &Serving, head: &Head, peer: &Peer, reply: &mut Reply) -> Route {
        reply.clear();
        let (found, origin) = route::route(head, &serving.settings, reply);
        let accepted = match found {
            Ok(Some(path)) => identity::authenticate(&*self.authenticator, head, peer).await.map(|caller| {
                Route::Serve(RoutedRequest {
                    path,
                    request_id: RequestId::of(head),
                    origin: origin.map(str::to_owned),
                    caller,
                    peer: peer.clone(),
                })
            }),
            Ok(None) => Ok(Route::Answered),
            Err(failure) => Err(failure),
        };
        let route = accepted.unwrap_or_else(|failure| {
            let (request_id, caller) = (&RequestId::of(head), &Caller::Anonymous);
            let facts =
                RequestFacts { request_id, caller, peer, toolset: None, revision: None, protocol: None };
            self.refuse(head, facts, &failure, reply);
            // Nothing is read for someone unknown, not even to keep the connection.
            reply.close |= matches!(failure, Failure::Unauthenticated { .. });
            Route::Answered
        });
        if let (Route::Answered, Some(origin)) = (&route, origin) {
            access::allow(origin, reply);
        }
        route
    }

    /// The answer to a body that is longer than `limits.request_body`; the rest of it is not read.
    pub fn too_large(&self, serving: &Serving, request: &RoutedRequest, head: &Head, reply: &mut Reply) {
        let failure = Failure::BodyTooLarge(serving.settings.limits.request_body);
        self.refuse(head, request.facts(), &failure, reply);
        reply.close = true;
    }

    /// Writes why a request is refused, and lets it be observed.
    fn refuse(&self, head: &Head, facts: RequestFacts<'_>, failure: &Failure, reply: &mut Reply) {
        route::refuse(head, failure, reply);
        self.observe_refusal(head, facts, failure, reply.status);
    }

    pub(crate) fn observe_refusal(
        &self,
        head: &Head,
        request: RequestFacts<'_>,
        failure: &Failure,
        status: u16,
    ) {
        self.observers.refused(&Refusal { request, head, failure, status });
    }

    /// Answers a request. `reply` is overwritten. Dropping the future cancels what the request started.
    pub async fn answer(
        self: &Arc<Self>,
        serving: &Serving,
        request: &RoutedRequest,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        reply.clear();
        let served = self.serve(serving, request, head, body, reply).await;
        let answered = served.unwrap_or_else(|failure| {
            let revision = serving.catalog.as_deref().map(|catalog| &catalog.revision);
            self.refuse(head, RequestFacts { revision, ..request.facts() }, &failure, reply);
            Answered::Reply
        });
        if let Some(origin) = &request.origin {
            access::allow(origin, reply);
        }
        answered
    }

    async fn serve(
        self: &Arc<Self>,
        serving: &Serving,
        request: &RoutedRequest,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Result<Answered, Failure> {
        let catalog = serving.catalog.as_deref().ok_or(Failure::NotReady)?;
        let toolset = match &request.path {
            Path::Mcp { toolset } | Path::McpStream { toolset } | Path::Sse { toolset } => toolset.as_deref(),
            _ => None,
        };
        let view = catalog
            .view(&request.caller, toolset)
            .ok_or_else(|| Failure::UnknownToolset(toolset.unwrap_or_default().to_owned()))?;
        let context = Context { edge: self, settings: &serving.settings, view, head, request };
        match &request.path {
            Path::Mcp { .. } => return Ok(mcp::answer(&context, body, reply).await),
            Path::McpStream { .. } => {
                return mcp::legacy_stream(&context).map(Box::new).map(Answered::Stream);
            }
            Path::Sse { .. } => return sse::open(&context).map(Box::new).map(Answered::Stream),
            Path::SseMessages => {
                sse::post(self, head, request, body)?;
                reply.status = 202;
            }
            Path::ApiList => rest::api_v1::list(&context, reply)?,
            Path::ApiCall => rest::api_v1::call(&context, body, reply).await?,
            Path::GatewayList => rest::gateway::list(&context, reply),
            Path::GatewayInvoke => rest::gateway::invoke(&context, body, reply).await?,
        }
        Ok(Answered::Reply)
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

impl Default for Hooks {
    fn default() -> Hooks {
        Hooks { authenticator: Arc::new(Anonymous), observers: vec![Arc::new(Log)] }
    }
}

impl Changes {
    /// From now on.
    pub(crate) fn of(context: &Context<'_>, event: Vec<u8>) -> Changes {
        Changes {
            edge: Arc::clone(context.edge),
            swaps: context.edge.changes.subscribe(),
            caller: context.request.caller.clone(),
            toolset: context.view.toolset().map(str::to_owned),
            known: Some(context.view.fingerprint()),
            event: event.into(),
        }
    }

    /// Waits for the next notice; `None` if there will be none. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Looked at first: a swap may have come before this began to wait.
            let catalog = self.edge.catalog();
            let toolset = self.toolset.as_deref();
            let view = catalog.as_ref().and_then(|catalog| catalog.view(&self.caller, toolset));
            let seen = view.map(|view| view.fingerprint());
            if seen != self.known {
                self.known = seen;
                return Some(self.event.clone());
            }
            self.swaps.changed().await.ok()?;
        }
    }
}
