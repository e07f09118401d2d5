//! The process around an edge: listeners, threads, signals.
//!
//! Pingora runs the services; when to shut down is decided here (`shutdown`), because Pingora would sleep through the whole
//! grace period even when nothing is left to wait for.

mod bound;
mod open_files;
mod services;
mod shutdown;
mod takeover;

#[cfg(test)]
mod tests;

pub use crate::transport::{ClientAuthority, TlsFiles};
pub use bound::{BindError, Bound, Listener, bind, inherit, is_taken};
pub use open_files::OpenFiles;
pub use services::Beside;
pub use takeover::check_upgrade_socket;

use crate::edge::Edge;
use crate::transport::{Endpoint, Handler, Listening, McpService, WhenAccepting};
use pingora_core::server::configuration::{Opt, ServerConf};
use pingora_core::server::{RunArgs, Server};
use pingora_core::services::ServiceWithDependents;
use services::Stoppable;
use shutdown::{Order, Orders, Shared, Shutdown};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use takeover::Sockets;
use tokio::sync::{Mutex, watch};

/// How the process runs.
pub struct Options {
    /// Threads that serve; each has its own connections.
    pub threads: usize,
    /// Takes the listeners over from the process that waits at `upgrade_socket`; use [`inherit`] then, not [`bind`].
    pub upgrade: bool,
    /// Where SIGQUIT hands the listeners over to the next process. Without it, SIGQUIT is SIGTERM.
    pub upgrade_socket: Option<PathBuf>,
    /// Connections at once, beside what the settings say.
    pub most_connections: usize,
    /// What else runs in the server, such as the watcher of the bundle.
    pub services: Vec<Box<dyn ServiceWithDependents>>,
    /// What else listens, such as the admin listener.
    pub beside: Vec<Beside>,
}

/// A server in threads of this process, for `mcpc dev` and tests. It stops when it is dropped.
#[derive(Debug)]
pub struct Running {
    orders: watch::Sender<Option<Order>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves until SIGTERM or SIGINT; calls in flight get `settings.timeouts.grace` to finish. `ready` is called when all
/// listeners are ours.
pub fn run(edge: Arc<Edge>, bound: Bound, options: Options, ready: impl FnOnce()) -> Result<(), BindError> {
    serve(edge, bound, options, Orders::Signals, ready)
}

/// Serves in the background.
pub fn start(edge: Arc<Edge>, bound: Bound, options: Options) -> Running {
    start_with(edge, bound, options)
}

/// Serves something else than an edge in the background, such as the studio of `mcpc`.
pub fn start_with<H: Handler>(handler: H, bound: Bound, options: Options) -> Running {
    let (orders, receiver) = watch::channel(None);
    let thread = std::thread::spawn(move || {
        if let Err(error) = serve(handler, bound, options, Orders::Channel(receiver), || {}) {
            tracing::error!("{error}");
        }
    });
    Running { orders, thread: Some(thread) }
}

impl Running {
    /// Stops listening, lets calls in flight finish and returns when all threads are gone.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An order that was given before holds.
        self.orders.send_if_modified(|order| order.is_none() && order.replace(Order::ShutDown).is_none());
        if let Some(thread) = self.thread.take() {
            // A panic of the server has been reported where it happened.
            let _ = thread.join();
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            upgrade: false,
            upgrade_socket: None,
            most_connections: usize::MAX,
            services: Vec::new(),
            beside: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.services.iter().map(|service| service.name()).collect();
        formatter
            .debug_struct("Options")
            .field("threads", &self.threads)
            .field("upgrade", &self.upgrade)
            .field("upgrade_socket", &self.upgrade_socket)
            .field("most_connections", &self.most_connections)
            .field("services", &names)
            .field("beside", &self.beside)
            .finish()
    }
}

fn serve<H: Handler>(
    handler: H,
    bound: Bound,
    options: Options,
    orders: Orders,
    ready: impl FnOnce(),
) -> Result<(), BindError> {
    let (mut inherited, confirmation) = match &options.upgrade_socket {
        Some(path) if options.upgrade => {
            takeover::take_over(path, &bound).map(|(sockets, confirmation)| (sockets, Some(confirmation)))?
        }
        _ => (Sockets::new(), None),
    };
    let work_stealing = matches!(orders, Orders::Channel(_));
    let inbox = Mutex::new(orders.open());
    ready();
    let shared = Arc::new(Shared::default());
    let settings = handler.clone();
    let grace = Box::new(move || settings.serving().settings.timeouts.grace);
    let mut sockets = Sockets::new();
    let mut endpoints = Vec::new();
    for listener in bound.listeners {
        let socket = listener.socket.or_else(|| take(&mut inherited, &listener.name));
        let Some(socket) = socket else { return Err(BindError::OfNobody { address: listener.name }) };
        keep(&mut sockets, &listener.name, &socket)?;
        endpoints.push(Endpoint { socket, certificate: listener.certificate });
    }
    let threads = options.threads.max(1);
    let mut server = Server::new_with_opt_and_conf(
        Opt::default(),
        ServerConf {
            threads,
            // Threads that keep their connections are faster. But Pingora remembers the runtime of such a thread by a number
            // that a later thread gets again, so they are only good for the one server of a process.
            work_stealing,
            grace_period_seconds: Some(0),
            graceful_shutdown_timeout_seconds: Some(0),
            // Neither is written: Pingora is not asked to hand over or to take over.
            pid_file: String::new(),
            upgrade_sock: String::new(),
            ..ServerConf::default()
        },
    );
    let stopping = Arc::clone(&shared);
    let when_accepting = confirmation.map(|confirmation| -> WhenAccepting {
        Box::new(move || {
            if let Err(error) = confirmation.accepting() {
                tracing::error!(%error, "the process that handed its listeners over goes on; this one leaves");
                stopping.stop();
            }
        })
    });
    let public = Listening {
        name: "mcp",
        endpoints,
        app: Arc::new(McpService::new(handler, shared.open.clone())),
        most: options.most_connections,
        listening: shared.listening.clone(),
        when_accepting,
        threads: Some(threads),
    };
    server.add_service(Stoppable::new(Box::new(public), Arc::clone(&shared)));
    for service in options.services {
        server.add_service(Stoppable::new(service, Arc::clone(&shared)));
    }
    for beside in options.beside {
        let name = beside.address.to_string();
        let socket = beside.socket.or_else(|| take(&mut inherited, &name));
        let Some(socket) = socket else { return Err(BindError::OfNobody { address: name }) };
        keep(&mut sockets, &name, &socket)?;
        server.add_service(Stoppable::new((beside.service)(socket), Arc::clone(&shared)));
    }
    shared.keep_sockets(sockets);
    server.bootstrap();
    let shutdown = Shutdown { shared, inbox, grace, upgrade_socket: options.upgrade_socket };
    server.run(RunArgs { shutdown_signal: Box::new(shutdown) });
    Ok(())
}

/// A socket of the former process.
fn take(inherited: &mut Sockets, name: &str) -> Option<TcpListener> {
    let at = inherited.iter().position(|(known, _)| known == name)?;
    Some(inherited.swap_remove(at).1)
}

/// For the next process.
fn keep(sockets: &mut Sockets, name: &str, socket: &TcpListener) -> Result<(), BindError> {
    let failed = |source| BindError::Address { address: name.to_owned(), source };
    sockets.push((name.to_owned(), socket.try_clone().map_err(failed)?));
    Ok(())
}
