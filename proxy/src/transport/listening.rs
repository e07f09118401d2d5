//! Sockets that accept connections, as a service of a Pingora server.
//!
//! Pingora's own does not know how many connections there are until they have finished their TLS handshakes, gives each
//! handshake a minute, and forgets what waits in a socket's queue when it stops. This one counts a connection from the moment
//! at which it is accepted.

use super::certificate::Served;
use super::handler::Handler;
use super::open::{Entered, Open};
use super::{McpService, h1};
use async_trait::async_trait;
use pingora_core::listeners::tls::Acceptor;
use pingora_core::protocols::l4::stream::Stream as TcpLink;
use pingora_core::protocols::{GetSocketDigest, SocketDigest, Stream};
use pingora_core::server::{ListenFds, ShutdownWatch};
use pingora_core::services::{ServiceReadyNotifier, ServiceWithDependents};
use pingora_runtime::current_handle;
use pingora_timeout::timeout;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

/// After an error that will come again at once, such as a lack of file descriptors.
const CALM: Duration = Duration::from_millis(50);
/// What a handshake that has begun may still take when the process shuts down.
const LAST_HANDSHAKE: Duration = Duration::from_secs(1);

/// A socket that listens.
pub(crate) struct Endpoint {
    pub(crate) socket: TcpListener,
    pub(crate) certificate: Option<Arc<Served>>,
}

/// What is called once all sockets are listened to.
pub(crate) type WhenAccepting = Box<dyn FnOnce() + Send + Sync>;

/// The service.
pub(crate) struct Listening<H> {
    pub(crate) name: &'static str,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) app: Arc<McpService<H>>,
    /// Connections at once, beside what the settings say.
    pub(crate) most: usize,
    /// Has one entry for each socket that is listened to.
    pub(crate) listening: Open,
    pub(crate) when_accepting: Option<WhenAccepting>,
    pub(crate) threads: Option<usize>,
}

/// One socket in work.
struct Accepting<H> {
    name: &'static str,
    socket: tokio::net::TcpListener,
    place: Place<H>,
}

/// Where its connections go.
struct Place<H> {
    certificate: Option<Arc<Served>>,
    app: Arc<McpService<H>>,
    most: usize,
    shutdown: ShutdownWatch,
}

#[async_trait]
impl<H: Handler> ServiceWithDependents for Listening<H> {
    async fn start_service(
        &mut self,
        _: Option<ListenFds>,
        shutdown: ShutdownWatch,
        _: usize,
        ready: ServiceReadyNotifier,
    ) {
        let mut all = Vec::new();
        for endpoint in self.endpoints.drain(..) {
            let accepting = Accepting::new(self.name, endpoint, &self.app, self.most, &shutdown);
            match accepting {
                Ok(accepting) => {
                    let entered = self.listening.enter(usize::MAX);
                    all.push(async move {
                        accepting.run().await;
                        drop(entered);
                    });
                }
                Err(error) => tracing::error!("a socket cannot be listened to: {error}"),
            }
        }
        ready.notify_ready();
        if let Some(when_accepting) = self.when_accepting.take() {
            when_accepting();
        }
        futures::future::join_all(all).await;
    }

    fn name(&self) -> &str {
        self.name
    }

    fn threads(&self) -> Option<usize> {
        self.threads
    }
}

impl<H: Handler> Accepting<H> {
    fn new(
        name: &'static str,
        endpoint: Endpoint,
        app: &Arc<McpService<H>>,
        most: usize,
        shutdown: &ShutdownWatch,
    ) -> std::io::Result<Accepting<H>> {
        let Endpoint { socket, certificate } = endpoint;
        let socket = tokio::net::TcpListener::from_std(socket)?;
        let place = Place { certificate, app: Arc::clone(app), most, shutdown: shutdown.clone() };
        Ok(Accepting { name, socket, place })
    }

    /// Accepts until the process shuts down, and then what waits in the queue: those clients count as connected already.
    async fn run(self) {
        let mut shutdown = self.place.shutdown.clone();
        let mut is_failing = false;
        loop {
            let accepted = tokio::select! {
                biased;
                () = h1::shut_down(&mut shutdown) => break,
                accepted = self.socket.accept() => accepted,
            };
            // Another thread may serve it, whose own runtime is to hear of what arrives.
            match accepted.and_then(|(stream, peer)| Ok((stream.into_std()?, peer))) {
                Ok((stream, peer)) => {
                    is_failing = false;
                    self.place.serve(stream, peer);
                }
                // The client left while it waited.
                Err(error) if is_of_one_connection(error.kind()) => {}
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::error!(listener = self.name, %error, "connections cannot be accepted");
                    }
                    pingora_timeout::sleep(CALM).await;
                }
            }
        }
        let Ok(socket) = self.socket.into_std() else { return };
        while let Ok((stream, peer)) = socket.accept() {
            self.place.serve(stream, peer);
        }
    }
}

impl<H: Handler> Place<H> {
    /// Beyond the limit there is nothing to say that would not itself need a connection.
    fn serve(&self, stream: TcpStream, peer: SocketAddr) {
        let most = self.app.handler.serving().settings.limits.connections.min(self.most);
        let Some(entered) = self.app.open.enter(most) else { return };
        let tls = self.certificate.as_ref().map(|served| served.acceptor());
        let (app, shutdown) = (Arc::clone(&self.app), self.shutdown.clone());
        current_handle().spawn(async move {
            if let Some(link) = link(stream, peer) {
                connection(&app, link, tls, entered, &shutdown).await;
            }
        });
    }
}

/// A connection as Pingora's streams have it.
fn link(stream: TcpStream, peer: SocketAddr) -> Option<TcpLink> {
    stream.set_nonblocking(true).ok()?;
    stream.set_nodelay(true).ok()?;
    let digest = SocketDigest::from_raw_fd(stream.as_raw_fd());
    // It is new, so nothing is in it yet.
    let _ = digest.peer_addr.set(Some(peer.into()));
    let mut link = TcpLink::from(tokio::net::TcpStream::from_std(stream).ok()?);
    link.set_socket_digest(digest);
    Some(link)
}

async fn connection<H: Handler>(
    app: &McpService<H>,
    link: TcpLink,
    tls: Option<Arc<Acceptor>>,
    entered: Entered,
    shutdown: &ShutdownWatch,
) {
    let stream: Stream = match tls {
        None => Box::new(link),
        // Boxed, so that it is no part of the future that the connection then is.
        Some(acceptor) => match Box::pin(secured(app, link, &acceptor, shutdown)).await {
            Some(stream) => stream,
            None => return,
        },
    };
    app.serve(stream, shutdown).await;
    drop(entered);
}

async fn secured<H: Handler>(
    app: &McpService<H>,
    link: TcpLink,
    acceptor: &Acceptor,
    shutdown: &ShutdownWatch,
) -> Option<Stream> {
    let limit = app.handler.serving().settings.timeouts.handshake;
    let mut stopping = shutdown.clone();
    let too_late = async {
        h1::shut_down(&mut stopping).await;
        pingora_timeout::sleep(LAST_HANDSHAKE).await;
    };
    tokio::select! {
        biased;
        done = timeout(limit, acceptor.tls_handshake(link)) => Some(Box::new(done.ok()?.ok()?)),
        () = too_late => None,
    }
}

fn is_of_one_connection(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
    )
}
