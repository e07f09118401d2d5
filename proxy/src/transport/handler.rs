//! What answers the requests of a connection.

use crate::edge::{Answered, Edge, Loaded, Serving};
use crate::request::head::Head;
use crate::request::reply::Reply;
use crate::request::route::{Endpoint, Route};
use std::future::Future;
use std::sync::Arc;

/// Answers requests. The edge does; tests of this module have their own.
pub trait Handler: Clone + Send + Sync + 'static {
    /// What [`Handler::route`] found out, for what follows.
    type Endpoint: Send + Sync;

    /// What a request is served with, from its head to its end.
    fn serving(&self) -> Loaded;

    /// Looks at a request's head; `None` if the reply is already written and the body does not matter.
    fn route(&self, serving: &Serving, head: &Head, reply: &mut Reply) -> Option<Self::Endpoint>;

    /// Writes the reply to a body that is too long.
    fn too_large(&self, serving: &Serving, head: &Head, reply: &mut Reply);

    /// Answers a request. The future is dropped when the client leaves.
    fn answer(
        &self,
        serving: &Serving,
        endpoint: &Self::Endpoint,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> impl Future<Output = Answered> + Send;
}

impl Handler for Arc<Edge> {
    type Endpoint = Endpoint;

    fn serving(&self) -> Loaded {
        Edge::serving(self)
    }

    fn route(&self, serving: &Serving, head: &Head, reply: &mut Reply) -> Option<Endpoint> {
        match Edge::route(self, serving, head, reply) {
            Route::Answered => None,
            Route::Serve(endpoint) => Some(endpoint),
        }
    }

    fn too_large(&self, serving: &Serving, head: &Head, reply: &mut Reply) {
        Edge::too_large(self, serving, head, reply);
    }

    async fn answer(
        &self,
        serving: &Serving,
        endpoint: &Endpoint,
        head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        Edge::answer(self, serving, endpoint, head, body, reply).await
    }
}
