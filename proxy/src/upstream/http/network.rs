//! Calls over the network: attempts, retries and redirects, within the call's deadline.

use super::answer::{ExchangeFailure, Hints};
use super::connect::{self, Addresses};
use super::http1::Rest;
use super::link::Link;
use super::own_tls::{ClientCertificate, OwnTls};
use super::pool::{self, Connection};
use super::retry::Schedule;
use super::{http1, http2, redirect, retry};
use crate::runtime::deadline::{Elapsed, until};
use crate::runtime::shards::ShardedCounter;
use crate::upstream::credentials::{self, Registry, TokenFetches};
use crate::upstream::mcp::servers::Servers;
use crate::upstream::{Exchange, OriginKey, Received, UpstreamError};
use arc_swap::ArcSwapOption;
use pingora_core::connectors::{ConnectorOptions, TransportConnector};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

const MAX_REDIRECTS: u8 = 5;
/// How long a server may take to end a stream after its answer, for the connection to be used again.
const REST: Duration = Duration::from_secs(5);
/// A file without certificates: nothing is trusted.
const NOTHING: &str = "/dev/null";

/// The real network. A clone is the same one.
#[derive(Clone)]
pub struct Network {
    pub(super) connector: Arc<TransportConnector>,
    pub(super) counters: Arc<Counters>,
    /// Asked only when a bundle is activated.
    origins: Arc<Mutex<Origins>>,
    ca_file: Option<Arc<Path>>,
    pub(in crate::upstream) credentials: Registry,
    pub(crate) servers: Servers,
}

/// Connections with another certificate are others.
type Origins = BTreeMap<(OriginKey, Option<ClientCertificate>), Weak<Origin>>;

/// An upstream: its addresses, and the name of its connections in the pools.
#[derive(Debug)]
pub struct Origin {
    pub key: OriginKey,
    /// Unique in the process.
    pub(super) id: u64,
    pub(super) addresses: ArcSwapOption<Addresses>,
    pub(super) next_address: AtomicUsize,
    /// For an upstream that wants a certificate of ours.
    pub(super) tls: Option<OwnTls>,
}

/// Connections of all threads, since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    pub opened: u64,
    /// Calls that found a connection.
    pub reused: u64,
    /// Connections that could not be opened.
    pub failed: u64,
    /// Kept for the next call at this moment; a shared HTTP/2 connection is always kept.
    pub idle: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub opened: ShardedCounter,
    pub reused: ShardedCounter,
    pub failed: ShardedCounter,
    pub idle: ShardedCounter,
}

impl Counters {
    fn read(&self) -> PoolStats {
        let Counters { opened, reused, failed, idle } = self;
        PoolStats { opened: opened.sum(), reused: reused.sum(), failed: failed.sum(), idle: idle.sum() }
    }
}

/// Why TLS is not possible.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("cannot use the certificate authorities in `{path}`: {reason}")]
    Authorities { path: PathBuf, reason: String },
}

impl Network {
    /// Whom to trust instead of the platform's authorities.
    pub fn ca_file(&self) -> Option<Arc<Path>> {
        self.ca_file.clone()
    }

    /// Upstreams are verified by the authorities in `ca_file`, else by the platform's.
    pub fn new(ca_file: Option<PathBuf>) -> Result<Network, NetworkError> {
        let mut options = ConnectorOptions::new(1);
        options.ca_file = authorities(ca_file.clone())?;
        Ok(Network {
            connector: Arc::new(TransportConnector::new(Some(options))),
            counters: Arc::default(),
            origins: Arc::default(),
            ca_file: ca_file.map(Arc::from),
            credentials: Registry::default(),
            servers: Servers::default(),
        })
    }

    /// The prepared origin; a known one is shared as long as somebody holds it.
    pub fn origin(&self, key: &OriginKey) -> Arc<Origin> {
        self.shared_origin(key, None, |key| Ok::<_, std::convert::Infallible>(Origin::new(key)))
            .unwrap_or_else(|never| match never {})
    }

    /// The same for an upstream that wants a certificate of the edge.
    pub fn origin_with(
        &self,
        key: &OriginKey,
        certificate: ClientCertificate,
    ) -> Result<Arc<Origin>, String> {
        let tls = OwnTls::new(&certificate, self.ca_file.as_deref());
        self.shared_origin(key, Some(certificate), |key| Ok(Origin { tls: Some(tls?), ..Origin::new(key) }))
    }

    fn shared_origin<E>(
        &self,
        key: &OriginKey,
        certificate: Option<ClientCertificate>,
        make: impl FnOnce(OriginKey) -> Result<Origin, E>,
    ) -> Result<Arc<Origin>, E> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let full_key = (key.clone(), certificate);
        if let Some(known) = origins.get(&full_key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        origins.retain(|_, origin| origin.strong_count() > 0);
        let origin = Arc::new(make(key.clone())?);
        origins.insert(full_key, Arc::downgrade(&origin));
        Ok(origin)
    }

    pub fn stats(&self) -> PoolStats {
        self.counters.read()
    }

    /// Tokens that were asked for over it.
    pub fn token_fetches(&self) -> TokenFetches {
        self.credentials.fetches.clone()
    }

    /// Gives the same as [`Network::stats`], also to those who outlive the network.
    pub fn watch(&self) -> impl Fn() -> PoolStats + Send + Sync + 'static {
        let counters = Arc::clone(&self.counters);
        move || counters.read()
    }

    /// Performs the call. Dropping the future cancels it: its connection is closed.
    pub async fn call(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        match &call.credential {
            None => self.send(call, received).await,
            // Boxed, as all that is rare.
            Some(ask) => Box::pin(credentials::call(self, call, ask, received)).await,
        }
    }

    /// Performs the call with the authorization that it has.
    pub(in crate::upstream) async fn send(
        &self,
        call: &Exchange<'_>,
        received: &mut Received,
    ) -> Result<(), UpstreamError> {
        let done = if call.start < call.deadline {
            until(call.deadline, pin!(self.run(call, received))).await
        } else {
            Err(Elapsed)
        };
        done.unwrap_or_else(|Elapsed| Err(UpstreamError::timeout(call.timeout)))
    }

    /// Attempts until one of them counts.
    async fn run(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        let mut moved: Option<Vec<u8>> = None;
        let (mut hops, mut retries) = (0, 0);
        let mut now = call.start;
        let allowed = if call.idempotent { call.retries } else { 0 };
        loop {
            let target = moved.as_deref().unwrap_or(&call.request.target);
            let done = match attempt_end(call, now, allowed - retries) {
                None => self.attempt(call, target, now, received).await,
                // Boxed, as all that is rare.
                Some(end) => {
                    let mut attempt = Box::pin(self.attempt(call, target, now, received));
                    until(end, attempt.as_mut()).await.unwrap_or_else(|Elapsed| {
                        let limit = end.saturating_duration_since(now);
                        Err(ExchangeFailure::unanswered(UpstreamError::timeout(limit)))
                    })
                }
            };
            let hints = match &done {
                Ok(hints) => hints,
                Err(_) => &Hints::default(),
            };
            let again = match &done {
                Ok(_) => retry::is_temporary(received.status),
                Err(failure) => retry::is_worth_it(failure),
            };
            let may_wait = again && retries < allowed;
            let wait =
                may_wait.then(|| retry::wait(Schedule::of(call), retries, hints, call.deadline)).flatten();
            if let Some(wait) = wait {
                retries += 1;
                pingora_timeout::sleep(wait).await;
            } else if let Some(target) = next_place(call, target, received.status, hints, hops) {
                hops += 1;
                moved = Some(target);
            } else {
                return done.map(|hints| received.location = hints.location).map_err(|failure| failure.error);
            }
            let attempts = received.attempts;
            received.clear();
            received.attempts = attempts;
            now = Instant::now();
        }
    }

    /// One request and its answer. A kept connection that turns out to be dead is replaced at once.
    async fn attempt(
        &self,
        call: &Exchange<'_>,
        target: &[u8],
        now: Instant,
        received: &mut Received,
    ) -> Result<Hints, ExchangeFailure> {
        if let Some(kept) = pool::take(call.origin, now, !call.idempotent) {
            self.counters.reused.add(1);
            match self.exchange(kept, call, target, received).await {
                Err(failure) if failure.may_repeat(call.idempotent) => {}
                done => return done.map_err(ExchangeFailure::of_kept),
            }
        }
        // Boxed, as all that is rare: what may wait here is part of every call's future, and that is moved.
        let fresh = Box::pin(connect::connect(self, call)).await.map_err(ExchangeFailure::unsent)?;
        if let Connection::Shared(connection) = &fresh {
            pool::share(call.origin, &self.counters, connection, call.pool.idle);
        }
        self.exchange(fresh, call, target, received).await
    }

    async fn exchange(
        &self,
        connection: Connection,
        call: &Exchange<'_>,
        target: &[u8],
        received: &mut Received,
    ) -> Result<Hints, ExchangeFailure> {
        let stream = match connection {
            Connection::Shared(connection) => {
                return Box::pin(http2::exchange(&connection, call, target, received)).await;
            }
            Connection::Single(stream) => stream,
        };
        let (hints, kept) = http1::exchange(stream, call, target, received).await?;
        if let Some(mut kept) = kept {
            let idle = kept.lifetime.unwrap_or(Duration::MAX).min(call.pool.idle);
            let limit = call.pool.idle_connections;
            let now = Instant::now();
            received.answered = Some(now);
            match kept.rest.take() {
                None => pool::put(call.origin, &self.counters, kept.stream, now, idle, limit),
                Some(rest) => self.put_later(call.origin, kept.stream, *rest, idle, limit),
            }
        }
        Ok(hints)
    }

    /// Keeps a connection once the rest of its last answer is read. Nobody waits for that.
    fn put_later(&self, origin: &Arc<Origin>, mut stream: Link, rest: Rest, idle: Duration, limit: usize) {
        let (origin, counters) = (Arc::clone(origin), Arc::clone(&self.counters));
        tokio::spawn(async move {
            let drained = pingora_timeout::timeout(REST, rest.drain(&mut stream)).await;
            if drained.unwrap_or_default() {
                pool::put(&origin, &counters, stream, Instant::now(), idle, limit);
            }
        });
    }
}

impl Origin {
    pub fn new(key: OriginKey) -> Origin {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Origin { key, id, addresses: ArcSwapOption::empty(), next_address: AtomicUsize::new(0), tls: None }
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Network").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// When an attempt that begins now must give way; `None` if only the call's own deadline counts.
///
/// Without a limit of its own, an attempt may take an equal share of the time that is left, so that an
/// upstream that hangs once is asked again in time.
fn attempt_end(call: &Exchange<'_>, now: Instant, attempts_after: u8) -> Option<Instant> {
    let end = match (call.attempt_timeout, attempts_after) {
        (Some(limit), _) => now + limit,
        (None, 0) => return None,
        (None, after) => now + call.deadline.saturating_duration_since(now) / (u32::from(after) + 1),
    };
    (end < call.deadline).then_some(end)
}

/// Where a redirect leads, if it is followed.
fn next_place(call: &Exchange<'_>, target: &[u8], status: u16, hints: &Hints, hops: u8) -> Option<Vec<u8>> {
    let location = hints.location.as_deref()?;
    if hops >= MAX_REDIRECTS || !redirect::keeps_request(status, call.request.method) {
        return None;
    }
    redirect::target(location, &call.origin.key, target)
}

/// What the connector is to read authorities from. It panics on what it cannot read, so that is tried here first.
fn authorities(ca_file: Option<PathBuf>) -> Result<Option<String>, NetworkError> {
    use pingora_core::tls::{
        RootCertStore, load_ca_file_into_store, load_platform_certs_incl_env_into_store,
    };
    let mut store = RootCertStore::empty();
    if let Some(path) = ca_file {
        let refused = |reason: String| NetworkError::Authorities { path: path.clone(), reason };
        load_ca_file_into_store(&path, &mut store).map_err(|error| refused(error.to_string()))?;
        if store.is_empty() {
            return Err(refused("the file has no certificates".to_owned()));
        }
        let text = path.to_str().ok_or_else(|| refused("the path is not UTF-8".to_owned()))?;
        return Ok(Some(text.to_owned()));
    }
    let loaded = load_platform_certs_incl_env_into_store(&mut store);
    if loaded.is_err() || store.is_empty() {
        tracing::warn!("the platform has no certificate authorities: no HTTPS upstream can be verified");
    }
    Ok(loaded.is_err().then(|| NOTHING.to_owned()))
}
