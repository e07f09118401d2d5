//! What answers the requests of a connection.

use crate::edge::Edge;
use crate::request::head::Head;
use crate::request::identity::Peer;
use crate::request::reply::Reply;
use crate::request::route::{Route, RoutedRequest};
use crate::serving::{Answered, Loaded, Serving};
use std::future::Future;
use std::sync::Arc;

/// Answers requests. The edge does, and so do its admin listener and the studio of `mcpc`; tests of this module have their own.
pub trait Handler: Clone + Send + Sync + 'static {
    /// What [`Handler::route`] found out, for what follows.
    type Request: Send + Sync;

    /// What a request is served with, from its head to its end.
    fn serving(&self) -> Loaded;

    /// Looks at a request's head and finds out who asks; `None` if the reply is already written and the body does not matter.
    fn route(
        &self,
        serving: &Serving,
        head: &Head,
        peer: &Peer,
        reply: &mut Reply,
    ) -> impl Future<Output = Option<Self::Request>> + Send;

    /// Writes the reply to a body that is too long.
    fn too_large(&self, serving: &Serving, request: &Self::Request, head: &Head, reply: &mut Reply);

    /// Answers a request. The future is dropped when the client leaves.
    fn answer(
        &self,
        serving: &Serving,
        request: &Self::Request,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> impl Future<Output = Answered> + Send;
}

impl Handler for Arc<Edge> {
    type Request = RoutedRequest;

    fn serving(&self) -> Loaded {
        Edge::serving(self)
    }

    async fn route(
        &self,
        serving: &Serving,
        head: &Head,
        peer: &Peer,
        reply: &mut Reply,
    ) -> Option<RoutedRequest> {
        match Edge::route(self, serving, head, peer, reply).await {
            Route::Answered => None,
            Route::Serve(request) => Some(request),
        }
    }

    fn too_large(&self, serving: &Serving, request: &RoutedRequest, head: &Head, reply: &mut Reply) {
        Edge::too_large(self, serving, request, head, reply);
    }

    async fn answer(
        &self,
        serving: &Serving,
        request: &RoutedRequest,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        Edge::answer(self, serving, request, head, body, reply).await
    }
}
