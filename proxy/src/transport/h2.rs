//! HTTP/2: Pingora runs the connection, each of its streams is one request.

use super::handler::Handler;
use super::session;
use async_trait::async_trait;
use pingora_core::apps::{HttpServerApp, HttpServerOptions, ReusedHttpStream, ServerApp};
use pingora_core::protocols::Stream;
use pingora_core::protocols::http::ServerSession;
use pingora_core::server::ShutdownWatch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One connection.
struct Connection<H> {
    handler: H,
    options: HttpServerOptions,
    /// A request has arrived.
    begun: AtomicBool,
}

/// Serves a connection until it ends.
pub(super) async fn serve<H: Handler>(handler: &H, stream: Stream, shutdown: &ShutdownWatch) {
    let idle = handler.serving().settings.timeouts.idle;
    let mut options = HttpServerOptions::default();
    options.h2c = true;
    options.h2_idle_timeout = Some(idle);
    let connection =
        Arc::new(Connection { handler: handler.clone(), options, begun: AtomicBool::new(false) });
    // Pingora's own limit begins after the handshake.
    let never_begins = async {
        pingora_timeout::sleep(idle).await;
        if connection.begun.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = connection.process_new(stream, shutdown) => {}
        () = never_begins => {}
    }
}

#[async_trait]
impl<H: Handler> HttpServerApp for Connection<H> {
    async fn process_new_http(
        self: &Arc<Self>,
        mut session: ServerSession,
        shutdown: &ShutdownWatch,
    ) -> Option<ReusedHttpStream> {
        self.begun.store(true, Ordering::Relaxed);
        // A stream that cannot be written to is the client's loss.
        let _ = session::serve(&self.handler, &mut session, &mut shutdown.clone()).await;
        None
    }

    fn server_options(&self) -> Option<&HttpServerOptions> {
        Some(&self.options)
    }
}
