//! The edge without sockets: a request's head and body in, an answer out.

use crate::call::{admit_message, admit_request, admit_stranger};
use crate::catalog::{BuildError, Catalog, Place};
use crate::limits::budget::{NoRoom, Share};
use crate::limits::{Limit, Limiter, SharedLimits};
use crate::mcp::{self, sse};
use crate::observe::{Observer, Observers};
use crate::request::access;
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::id::RequestId;
use crate::request::identity::{self, Authenticator, Caller, Peer};
use crate::request::refuse::refuse;
use crate::request::reply::Reply;
use crate::request::route::{self, Path, Route, RoutedRequest};
use crate::rest;
use crate::serving::context::Context;
use crate::serving::shared::Shared;
use crate::serving::{Activated, Answered, Loaded, Serving};
use crate::settings::Settings;
use crate::telemetry::logging::Log;
use crate::telemetry::metrics::{Gauges, Metrics};
use crate::tenants::Directory;
use crate::upstream::{Network, Upstream};
use mcp_bundle::format::Bundle;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::watch;

/// Everything that all connections share.
#[derive(Debug)]
pub struct Edge {
    pub metrics: Metrics,
    shared: Arc<Shared>,
    /// Event streams are to end.
    stopping: watch::Sender<bool>,
    sessions: Arc<sse::Sessions>,
    authenticator: Option<Arc<dyn Authenticator>>,
}

/// What can be put in place of the usual.
#[derive(Debug)]
pub struct Hooks {
    /// Says who asks, instead of the directory that the configuration describes.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// See how messages end, beside the metrics.
    pub observers: Vec<Arc<dyn Observer>>,
}

impl Edge {
    /// An edge for everyone, which logs.
    pub fn new(settings: Settings, upstream: Upstream) -> Edge {
        Edge::with(settings, upstream, Hooks::default())
    }

    pub fn with(settings: Settings, upstream: Upstream, hooks: Hooks) -> Edge {
        let Hooks { authenticator, mut observers } = hooks;
        let metrics = Metrics::default();
        if !settings.without_metrics {
            observers.insert(0, Arc::new(metrics.clone()));
        }
        if let Upstream::Network(network) = &upstream {
            metrics.observe_tokens(network.token_fetches());
            metrics.observe_servers(network.servers.clone());
        }
        let pool = match &upstream {
            Upstream::Network(network) => Some(network.watch()),
            Upstream::Fixed(_) => None,
        };
        let shared = Arc::new(Shared::new(settings, upstream, Observers::new(observers)));
        let (in_flight, streams) = (Arc::clone(&shared.in_flight), Arc::clone(&shared.streams));
        metrics.observe_gauges(move || Gauges {
            calls_in_flight: in_flight.count(),
            streams: streams.load(Relaxed),
            pool: pool.as_ref().map(|read| read()),
        });
        metrics.observe_limits(&shared.limits, &shared.cache);
        // The metrics are among what is shared, so they must not keep it.
        let weak = Arc::downgrade(&shared);
        metrics.observe_issuers(move || {
            weak.upgrade().map(|shared| shared.serving().directory.issuers().stats()).unwrap_or_default()
        });
        Edge { metrics, shared, stopping: watch::channel(false).0, sessions: Arc::default(), authenticator }
    }

    /// What requests that begin now are served with.
    pub fn serving(&self) -> Loaded {
        self.shared.serving()
    }

    /// Whether a path is one that is served here, well or not.
    pub fn serves(&self, path: &str) -> bool {
        route::is_known(path, &self.serving().settings)
    }

    /// Makes a bundle ready without serving it, for the settings and tenants that there are now.
    pub fn prepare(
        &self,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Catalog, BuildError> {
        let serving = self.serving();
        self.prepare_with(&serving.settings, &serving.directory, bundle, variable)
    }

    /// The same for other settings and tenants, which come with the catalog when it is activated.
    pub fn prepare_with(
        &self,
        settings: &Arc<Settings>,
        directory: &Arc<Directory>,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Catalog, BuildError> {
        let place = Place { settings: Arc::clone(settings), directory: Arc::clone(directory) };
        let Shared { upstream, limits, .. } = &*self.shared;
        let counts = (self.metrics.calls(), self.metrics.tenant_calls());
        Catalog::build(bundle, variable, upstream, counts, limits, place)
    }

    /// The client that calls upstreams, for others who need one.
    pub(crate) fn network(&self) -> Option<&Network> {
        match &self.shared.upstream {
            Upstream::Network(network) => Some(network),
            Upstream::Fixed(_) => None,
        }
    }

    /// Who has asked how much.
    pub(crate) fn limiter(&self) -> &Limiter {
        &self.shared.limits
    }

    /// Calls that wait for an upstream now.
    pub(crate) fn calls_in_flight(&self) -> usize {
        self.shared.in_flight.count()
    }

    /// From now on requests are served from `catalog` and with its settings; those that began before keep theirs.
    pub fn activate(&self, catalog: Catalog) -> Activated {
        self.shared.activate(catalog)
    }

    /// Limits that edges share.
    pub fn shared_limits(&self) -> &SharedLimits {
        &self.shared.limits.shared
    }

    /// What is served now.
    pub fn catalog(&self) -> Option<Arc<Catalog>> {
        self.shared.catalog()
    }

    /// Looks at a request's head: what serves it, and who asks. `reply` is overwritten.
    pub async fn route(&self, serving: &Serving, head: &Head, peer: &Peer, reply: &mut Reply) -> Route {
        reply.clear();
        let (mut found, origin) = route::route(head, &serving.settings, serving.directory.resource(), reply);
        let authenticator = self.authenticator.as_deref().unwrap_or(&*serving.directory);
        // Nothing of the request is read or done while an observer cannot take what it may leave. Nobody's thread waits.
        if !matches!(found, Ok(None))
            && let Some(room) = self.shared.observers.full()
            && !room.await
        {
            found = Err(Failure::AuditFull);
        }
        let accepted = match found {
            Ok(Some(path)) => match identity::authenticate(authenticator, head, peer).await {
                Ok(caller) => Ok(Route::Serve(RoutedRequest {
                    path,
                    request_id: RequestId::of(head),
                    origin: origin.map(str::to_owned),
                    caller,
                    peer: peer.clone(),
                })),
                // Guessing credentials has the limit of the address.
                Err(failure) => {
                    Err(admit_stranger(&self.shared, &serving.settings, peer).err().unwrap_or(failure))
                }
            },
            Ok(None) => Ok(Route::Answered),
            Err(failure) => Err(failure),
        };
        let route = accepted.unwrap_or_else(|failure| {
            let (request_id, caller) = (&RequestId::of(head), &Caller::Anonymous);
            let facts =
                RequestFacts { request_id, caller, peer, toolset: None, revision: None, protocol: None };
            self.refuse(head, facts, &failure, reply);
            // Nothing is read for someone unknown, not even to keep the connection.
            reply.close |= matches!(
                failure,
                Failure::Unauthenticated { .. }
                    | Failure::IssuerUnavailable
                    | Failure::TooManyRequests { .. }
            );
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
        let failure = self.counted(serving, request, failure);
        self.refuse(head, request.facts(), &failure, reply);
        reply.close = true;
    }

    /// Writes why a request is refused, and lets it be observed.
    fn refuse(&self, head: &Head, facts: RequestFacts<'_>, failure: &Failure, reply: &mut Reply) {
        refuse(head, failure, reply);
        self.shared.refused(head, facts, failure, reply.status);
    }

    /// Why a request is refused of which no message was admitted: it counts all the same.
    fn counted(&self, serving: &Serving, request: &RoutedRequest, failure: Failure) -> Failure {
        admit_request(&self.shared, &serving.settings, request).err().unwrap_or(failure)
    }

    /// Answers a request. `reply` is overwritten. Dropping the future cancels what the request started.
    pub async fn answer(
        &self,
        serving: &Serving,
        request: &RoutedRequest,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        reply.clear();
        let budget = &self.shared.limits.budget;
        let mut held = Share::default();
        // Boxed, as all that is rare.
        let room = if held.is_enough(body.len()) {
            Ok(())
        } else {
            Box::pin(held.grow(budget, body.len())).await.map_err(|NoRoom| {
                self.shared.limits.hit(Limit::AnswerBytes);
                self.counted(serving, request, Failure::Overloaded)
            })
        };
        let served = match room {
            Ok(()) => self.serve(serving, request, head, body, reply).await,
            Err(failure) => Err(failure),
        };
        let answered = served.unwrap_or_else(|failure| {
            let revision = serving.catalog.as_deref().map(|catalog| &catalog.revision);
            self.refuse(head, RequestFacts { revision, ..request.facts() }, &failure, reply);
            Answered::Reply
        });
        if let Some(origin) = &request.origin {
            access::allow(origin, reply);
        }
        // Until the client has read it.
        reply.held.hold(budget, reply.body.len());
        answered
    }

    async fn serve(
        &self,
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
        let view = catalog.view(&request.caller, toolset).ok_or_else(|| {
            let unknown = Failure::UnknownToolset(toolset.unwrap_or_default().to_owned());
            self.counted(serving, request, unknown)
        })?;
        let context = Context {
            shared: &self.shared,
            settings: &serving.settings,
            view,
            head,
            request,
            notices: None,
            may_stream: true,
        };
        match &request.path {
            Path::Mcp { .. } => return Ok(mcp::answer(&context, body, reply).await),
            Path::McpStream { .. } => {
                admit_message(&context)?;
                return mcp::legacy_stream(&context).map(Box::new).map(Answered::Stream);
            }
            Path::Sse { .. } => {
                admit_message(&context)?;
                return sse::open(&context, &self.sessions).map(Box::new).map(Answered::Stream);
            }
            Path::SseMessages => {
                let posted = sse::post(&self.shared, &self.sessions, head, request, body);
                posted.map_err(|failure| self.counted(serving, request, failure))?;
                reply.status = 202;
            }
            Path::ApiList => {
                admit_message(&context)?;
                rest::api_v1::list(&context, reply)?;
            }
            Path::ApiCall => rest::api_v1::call(&context, body, reply).await?,
            Path::GatewayList => {
                admit_message(&context)?;
                rest::gateway::list(&context, reply);
            }
            Path::GatewayInvoke => rest::gateway::invoke(&context, body, reply).await?,
        }
        Ok(Answered::Reply)
    }

    /// Why the process should get no requests, if there is a reason.
    pub fn problem(&self) -> Option<String> {
        match self.shared.serving().catalog {
            Some(_) => self.shared.observers.problem(),
            None => Some("no bundle is active yet".to_owned()),
        }
    }

    /// Ends the event streams of those whose server does not do it (`proxy_http`).
    pub fn end_streams(&self) {
        self.stopping.send_replace(true);
    }

    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

impl Default for Hooks {
    fn default() -> Hooks {
        Hooks { authenticator: None, observers: vec![Arc::new(Log)] }
    }
}
