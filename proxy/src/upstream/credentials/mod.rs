//! Who the edge is to its upstreams, where that is more than a fixed header: a name and a password, or a token that a token
//! server hands out.
//!
//! Tokens are fetched beside the calls, by the same client that calls upstreams. A call waits only for the first one; then it
//! reads the token that is there, without a lock. A secret or a token is in no message, no log and no `Debug`.

mod error;
mod fetch;
mod fetches;
mod slot;
#[cfg(test)]
mod tests;
mod token;

pub use error::CredentialError;
pub use fetches::TokenFetches;
pub use token::Token;

use super::{Exchange, Network, Origin, OriginKey, Received, Upstream, UpstreamError};
use crate::runtime::deadline::until;
use fetch::{Client, Server};
use futures::FutureExt;
use futures::future::BoxFuture;
use mcp_bundle::plan::{self, Contents, Part};
use mcp_bundle::strings::StrId;
use mcp_bundle::wire_enums::{CredentialKind, PartKind};
use slot::{Fetched, Look, Pause, Slot};
use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Tokens of one credential that are kept for callers or tenants of their own.
const MAX_SLOTS: usize = 4096;

/// Those of a catalog's upstreams.
#[derive(Debug, Default)]
pub struct Credentials(Box<[Option<Arc<Credential>>]>);

/// That of one upstream. The same one of two bundles keeps its tokens.
pub struct Credential {
    config: Config,
    /// Of the token server.
    origin: Option<Arc<Origin>>,
    network: Network,
    /// For all calls without values or a token of their own.
    own: Own,
    others: Mutex<BTreeMap<SlotKey, Arc<Slot>>>,
    /// After failures of the token server, for all tokens.
    pause: Mutex<Pause>,
}

/// For whom a credential is.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub credential: &'a Arc<Credential>,
    /// The caller's own values of the bundle's variables; `None` for those of the edge.
    pub values: Option<&'a [Box<str>]>,
    /// The token that the caller proved itself with. It can only be exchanged: it goes to no API.
    pub caller: Option<&'a Arc<str>>,
}

/// The user name of a spec cannot be sent with the values that its variables have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadUserName {
    pub upstream: String,
}

/// What makes two credentials the same. It holds secrets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Config {
    upstream: String,
    kind: CredentialKind,
    name: Vec<Piece>,
    secret: Vec<Piece>,
    audience: Vec<Piece>,
    /// With the edge's own values.
    client: Client,
    server: Option<(OriginKey, Server)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Literal(Box<str>),
    Variable(usize),
}

enum Own {
    Fixed(Arc<Token>),
    Fetched(Arc<Slot>),
}

/// Whose token a slot has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SlotKey {
    caller: Option<Arc<str>>,
    client: Option<Client>,
}

/// The credentials that are in use, so that a bundle that has one as well goes on with its tokens.
#[derive(Clone, Default)]
pub(super) struct Registry {
    known: Arc<Mutex<BTreeMap<Config, Weak<Credential>>>>,
    pub(super) fetches: TokenFetches,
}

impl Credentials {
    /// `variables` and `origins` are those of the contents. Nothing is fetched until a call needs it, and nothing at all
    /// without a network.
    pub fn build(
        contents: &Contents,
        variables: &[Box<str>],
        upstream: &Upstream,
    ) -> Result<Credentials, BadUserName> {
        let Upstream::Network(network) = upstream else { return Ok(Credentials::default()) };
        if contents.credentials.is_empty() {
            return Ok(Credentials::default());
        }
        let mut made = vec![None; contents.upstreams.len()];
        for plan in &contents.credentials {
            let config = Config::of(contents, plan, variables);
            if config.kind == CredentialKind::Basic && config.client.id.contains(':') {
                return Err(BadUserName { upstream: config.upstream });
            }
            if let Some(place) = made.get_mut(plan.upstream as usize) {
                *place = Some(network.credentials.get(config, network));
            }
        }
        Ok(Credentials(made.into()))
    }

    /// That of an upstream.
    #[inline]
    pub fn get(&self, upstream: u32) -> Option<&Arc<Credential>> {
        self.0.get(upstream as usize)?.as_ref()
    }
}

/// Performs a call that needs a credential. An upstream that refuses a fetched token with 401 has not done anything: it is asked
/// once more, with a new one.
pub(super) async fn call(
    network: &Network,
    call: &Exchange<'_>,
    ask: &Ask<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let credential = ask.credential;
    let token = credential.token(ask, call.start, call.deadline).await.map_err(UpstreamError::Credential)?;
    let sent = network.send(&Exchange { authorization: Some(token.header()), ..*call }, received).await;
    if sent.is_err() || received.status != 401 {
        return sent;
    }
    let now = Instant::now();
    let Some(next) = credential.another(ask, &token, now, call.deadline).await else { return sent };
    let attempts = received.attempts;
    received.clear();
    let authorization = Some(next.header());
    let sent = network.send(&Exchange { authorization, start: Instant::now(), ..*call }, received).await;
    received.attempts = received.attempts.saturating_add(attempts);
    sent
}

impl Credential {
    /// The token for a call that begins `now`.
    async fn token(
        self: &Arc<Self>,
        ask: &Ask<'_>,
        now: Instant,
        deadline: Instant,
    ) -> Result<Arc<Token>, CredentialError> {
        if self.config.kind == CredentialKind::Exchange && ask.caller.is_none() {
            return Err(CredentialError::NoCaller);
        }
        let client = self.client(ask);
        match (&self.own, self.slot(ask, client.as_ref())) {
            (Own::Fixed(token), _) => Ok(match &client {
                Some(client) => Arc::new(Token::fixed(fetch::basic(&client.id, &client.secret))),
                None => Arc::clone(token),
            }),
            (Own::Fetched(own), other) => {
                let slot = other.as_ref().unwrap_or(own);
                wait(slot.look(now, || self.fetch(client, ask.caller, now))?, deadline).await
            }
        }
    }

    /// Another token than one that was refused; `None` if there is none.
    async fn another(
        self: &Arc<Self>,
        ask: &Ask<'_>,
        refused: &Token,
        now: Instant,
        deadline: Instant,
    ) -> Option<Arc<Token>> {
        let Own::Fetched(own) = &self.own else { return None };
        let client = self.client(ask);
        let other = self.slot(ask, client.as_ref());
        let slot = other.as_ref().unwrap_or(own);
        let look = slot.replace(refused, now, || self.fetch(client, ask.caller, now))?;
        wait(look, deadline).await.ok()
    }

    /// What the token server is told where it is not what all callers share.
    fn client(&self, ask: &Ask<'_>) -> Option<Client> {
        let values = ask.values?;
        let client = self.config.resolve(values);
        (client != self.config.client).then_some(client)
    }

    /// The slot of a caller or a tenant of its own.
    fn slot(&self, ask: &Ask<'_>, client: Option<&Client>) -> Option<Arc<Slot>> {
        let caller = ask.caller.filter(|_| self.config.kind == CredentialKind::Exchange);
        if caller.is_none() && client.is_none() {
            return None;
        }
        let key = SlotKey { caller: caller.cloned(), client: client.cloned() };
        let mut others = lock(&self.others);
        if let Some(known) = others.get(&key) {
            return Some(Arc::clone(known));
        }
        if others.len() >= MAX_SLOTS {
            make_room(&mut others, Instant::now());
        }
        Some(Arc::clone(others.entry(key).or_default()))
    }

    fn fetch(
        self: &Arc<Self>,
        client: Option<Client>,
        caller: Option<&Arc<str>>,
        now: Instant,
    ) -> BoxFuture<'static, Fetched> {
        let (credential, caller) = (Arc::clone(self), caller.cloned());
        async move {
            let client = client.as_ref().unwrap_or(&credential.config.client);
            credential.ask_server(client, caller.as_ref(), now).await.map(Arc::new)
        }
        .boxed()
    }

    async fn ask_server(
        &self,
        client: &Client,
        caller: Option<&Arc<str>>,
        now: Instant,
    ) -> Result<Token, CredentialError> {
        let (Some((_, server)), Some(origin)) = (&self.config.server, &self.origin) else {
            return Err(CredentialError::GivenUp);
        };
        lock(&self.pause).check(now)?;
        let caller = caller.filter(|_| self.config.kind == CredentialKind::Exchange);
        let fetched = fetch::fetch(&self.network, origin, server, client, caller).await;
        let upstream = self.config.upstream.as_str();
        match &fetched {
            Ok(_) => *lock(&self.pause) = Pause::default(),
            Err(error) => {
                if error.is_of_server() {
                    lock(&self.pause).begin(Instant::now(), error);
                }
                tracing::warn!(upstream, "no token for an upstream: {error}");
            }
        }
        let outcome = fetched.as_ref().err().map_or("ok", CredentialError::outcome);
        self.network.credentials.fetches.add(upstream, outcome);
        fetched
    }
}

async fn wait(look: Look, deadline: Instant) -> Result<Arc<Token>, CredentialError> {
    match look {
        Look::Ready(token) => Ok(token),
        Look::Wait(flight) => until(deadline, pin!(flight)).await.unwrap_or(Err(CredentialError::Slow)),
    }
}

/// Drops tokens that have ended, and if there are none, the one that ends first.
fn make_room(slots: &mut BTreeMap<SlotKey, Arc<Slot>>, now: Instant) {
    // One that somebody is using is needed.
    slots.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.end().is_some_and(|end| now < end));
    if slots.len() >= MAX_SLOTS {
        let first = slots.iter().min_by_key(|(_, slot)| slot.end()).map(|(key, _)| key.clone());
        if let Some(key) = first {
            slots.remove(&key);
        }
    }
}

impl Config {
    fn of(contents: &Contents, plan: &plan::Credential, variables: &[Box<str>]) -> Config {
        let text = |id: StrId| contents.strings.get(id).to_owned();
        let server = plan.server.as_ref().and_then(|server| {
            let place = contents.upstreams.get(server.upstream as usize)?;
            let key = OriginKey { scheme: place.scheme, host: text(place.host), port: place.port };
            let scopes: Vec<&str> = server.scopes.iter().map(|id| contents.strings.get(*id)).collect();
            let server = Server {
                kind: plan.kind,
                authority: text(place.authority),
                target: text(server.target),
                client_auth: server.client_auth,
                scope: scopes.join(" "),
                connect_timeout: Duration::from_millis(place.connect_timeout_ms.into()),
            };
            Some((key, server))
        });
        let audience = plan.server.as_ref().map(|server| server.audience.as_slice()).unwrap_or_default();
        let mut config = Config {
            upstream: contents.upstream_name(plan.upstream as usize).unwrap_or_default().to_owned(),
            kind: plan.kind,
            name: pieces(contents, &plan.name),
            secret: pieces(contents, &plan.secret),
            audience: pieces(contents, audience),
            client: Client { id: String::new(), secret: String::new(), audience: String::new() },
            server,
        };
        config.client = config.resolve(variables);
        config
    }

    /// With the values of a bundle's variables.
    fn resolve(&self, values: &[Box<str>]) -> Client {
        let text = |pieces: &[Piece]| {
            let text = |piece| match piece {
                &Piece::Variable(index) => values.get(index).map(|value| &**value).unwrap_or_default(),
                Piece::Literal(text) => text,
            };
            pieces.iter().map(text).collect::<String>()
        };
        Client { id: text(&self.name), secret: text(&self.secret), audience: text(&self.audience) }
    }
}

fn pieces(contents: &Contents, parts: &[Part]) -> Vec<Piece> {
    let piece = |part: &Part| match part.kind {
        PartKind::Literal => Some(Piece::Literal(contents.strings.get(StrId(part.id)).into())),
        PartKind::Variable => Some(Piece::Variable(part.id as usize)),
        // The bundle's reader lets nothing else pass.
        _ => None,
    };
    parts.iter().filter_map(piece).collect()
}

impl Registry {
    /// The credential of this kind that is in use, or a new one.
    fn get(&self, config: Config, network: &Network) -> Arc<Credential> {
        let mut known = lock(&self.known);
        if let Some(known) = known.get(&config).and_then(Weak::upgrade) {
            return known;
        }
        known.retain(|_, credential| credential.strong_count() > 0);
        let own = match &config.server {
            Some(_) => Own::Fetched(Arc::default()),
            None => {
                let header = fetch::basic(&config.client.id, &config.client.secret);
                Own::Fixed(Arc::new(Token::fixed(header)))
            }
        };
        let credential = Arc::new(Credential {
            origin: config.server.as_ref().map(|(key, _)| network.origin(key)),
            network: network.clone(),
            own,
            others: Mutex::default(),
            pause: Mutex::default(),
            config: config.clone(),
        });
        known.insert(config, Arc::downgrade(&credential));
        credential
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Credential {
    /// Without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { upstream, kind, .. } = &self.config;
        f.debug_struct("Credential").field("upstream", upstream).field("kind", kind).finish_non_exhaustive()
    }
}

impl fmt::Debug for Ask<'_> {
    /// Without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ask").field(self.credential).finish()
    }
}
