//! Who asks. This is found out between route and body: for a caller who is turned away, nothing of the body is read.

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
    /// The `${principal.sub}` of its calls.
    pub principal: Option<String>,
    /// The verified token, for upstreams that exchange it for one of their own. It is never sent anywhere else.
    pub token: Option<Arc<str>>,
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
}

impl Caller {
    pub fn tenant(&self) -> Option<&str> {
        self.identity()?.tenant.as_deref()
    }

    pub fn principal(&self) -> Option<&str> {
        self.identity()?.principal.as_deref()
    }

    /// What upstreams may get a token of their own for.
    pub fn token(&self) -> Option<&Arc<str>> {
        self.identity()?.token.as_ref()
    }

    fn identity(&self) -> Option<&Identity> {
        match self {
            Caller::Anonymous => None,
            Caller::Known(identity) => Some(identity),
        }
    }
}

/// Without the token.
impl Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Identity { tenant, principal, .. } = self;
        let mut shown = f.debug_struct("Identity");
        shown.field("tenant", tenant).field("principal", principal).finish_non_exhaustive()
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
