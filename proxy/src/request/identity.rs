//! Who asks. This is found out between route and body: for a caller who is turned away, nothing of the body is read.

use crate::limits::{CallerLimits, bucket};
use crate::request::certificate::CallerCertificate;
use crate::request::failure::Failure;
use crate::request::head::Head;
use futures::future::BoxFuture;
use pingora_core::protocols::Stream;
use pingora_core::protocols::tls::SslDigest;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::Arc;

/// The other end of a connection.
#[derive(Debug, Clone, Default)]
pub struct Peer {
    /// `None` for a connection without one, as of a Unix socket.
    pub address: Option<SocketAddr>,
    /// What the TLS handshake said, the client's certificate included.
    pub tls: Option<Arc<SslDigest>>,
}

/// Whose request it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Caller {
    /// Nobody said.
    #[default]
    Anonymous,
    Known(Arc<Identity>),
}

/// What an authenticator found out about a caller.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The `${tenant.id}` of its calls.
    pub tenant: Option<String>,
    /// The `${principal.sub}` of its calls: the subject of a token, the id of a key, or the name in a certificate.
    pub principal: Option<String>,
    /// The id of its API key.
    pub key: Option<String>,
    /// What it holds, sorted.
    pub scopes: Vec<String>,
    /// It may get a credential with more scopes: a missing one is worth a challenge.
    pub can_ask_for_more: bool,
    /// The verified token, for upstreams that exchange it for one of their own. It is never sent anywhere else.
    pub token: Option<Arc<str>>,
    /// What it sees, as a number of its directory.
    pub(crate) visibility: u32,
    /// The number of its tenant in its directory.
    pub(crate) tenant_index: Option<u32>,
    /// The [`bucket`] of its tenant; 0 if nobody has worked it out.
    pub(crate) tenant_bucket: u64,
    /// The directory that knows it; 0 for an authenticator of someone's own.
    pub(crate) generation: u64,
    /// How much it may ask for.
    pub limits: CallerLimits,
}

/// Says who asks, or why a request is refused.
pub trait Authenticator: Debug + Send + Sync {
    fn authenticate<'a>(&'a self, head: &'a Head, peer: &'a Peer) -> Verdict<'a>;
}

/// What an authenticator says. A caller who is known already costs no future.
pub enum Verdict<'a> {
    Ready(Result<Caller, Failure>),
    /// Something has to be waited for, such as the keys of an issuer.
    Pending(BoxFuture<'a, Result<Caller, Failure>>),
}

/// Everyone is anonymous and sees every tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anonymous;

impl Authenticator for Anonymous {
    fn authenticate<'a>(&'a self, _head: &'a Head, _peer: &'a Peer) -> Verdict<'a> {
        Verdict::Ready(Ok(Caller::Anonymous))
    }
}

/// The caller of a request.
pub async fn authenticate(
    authenticator: &dyn Authenticator,
    head: &Head,
    peer: &Peer,
) -> Result<Caller, Failure> {
    match authenticator.authenticate(head, peer) {
        Verdict::Ready(caller) => caller,
        Verdict::Pending(caller) => caller.await,
    }
}

impl Peer {
    pub fn of(stream: &Stream) -> Peer {
        let address = stream.get_socket_digest().and_then(|digest| digest.peer_addr()?.as_inet().copied());
        Peer { address, tls: stream.get_ssl_digest() }
    }

    /// The verified certificate of the client.
    pub fn certificate(&self) -> Option<&CallerCertificate> {
        CallerCertificate::of(self.tls.as_ref()?)
    }
}

impl Caller {
    pub fn tenant(&self) -> Option<&str> {
        self.identity()?.tenant.as_deref()
    }

    /// The [`bucket`] of its tenant.
    #[inline]
    pub(crate) fn tenant_bucket(&self) -> Option<u64> {
        let identity = self.identity()?;
        let worked_out = identity.tenant_bucket;
        if worked_out != 0 { Some(worked_out) } else { identity.tenant.as_deref().map(bucket) }
    }

    pub fn principal(&self) -> Option<&str> {
        self.identity()?.principal.as_deref()
    }

    /// The id of its API key.
    pub fn key(&self) -> Option<&str> {
        self.identity()?.key.as_deref()
    }

    /// How much the caller may ask for.
    #[inline]
    pub fn limits(&self) -> &CallerLimits {
        static NONE: CallerLimits = CallerLimits::NONE;
        self.identity().map_or(&NONE, |identity| &identity.limits)
    }

    /// Whether it is someone who calls again, with the same credential or a newer one.
    pub fn is_same(&self, other: &Caller) -> bool {
        match (self.identity(), other.identity()) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                (&one.tenant, &one.principal, &one.key) == (&other.tenant, &other.principal, &other.key)
            }
            _ => false,
        }
    }

    /// What upstreams may get a token of their own for.
    pub fn token(&self) -> Option<&Arc<str>> {
        self.identity()?.token.as_ref()
    }

    pub fn identity(&self) -> Option<&Identity> {
        match self {
            Caller::Anonymous => None,
            Caller::Known(identity) => Some(identity),
        }
    }
}

impl Identity {
    /// What an authenticator of one's own knows.
    pub fn new(tenant: Option<String>, principal: Option<String>) -> Identity {
        Identity { tenant, principal, ..Identity::default() }
    }

    /// It brought no credential, where that is allowed.
    pub(crate) fn is_public(&self) -> bool {
        self.principal.is_none() && self.token.is_none() && self.generation != 0
    }
}

/// Without the token.
impl Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Identity { tenant, principal, key, scopes, .. } = self;
        let mut shown = f.debug_struct("Identity");
        shown.field("tenant", tenant).field("principal", principal).field("key", key).field("scopes", scopes);
        shown.finish_non_exhaustive()
    }
}

impl Debug for Verdict<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Ready(caller) => f.debug_tuple("Ready").field(caller).finish(),
            Verdict::Pending(_) => f.write_str("Pending"),
        }
    }
}
