//! When and how a server shuts down.

use super::takeover::{self, Sockets};
use crate::transport::Open;
use async_trait::async_trait;
use pingora_core::server::{ShutdownSignal, ShutdownSignalWatch, ShutdownWatch};
use pingora_timeout::timeout;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Mutex, watch};

/// What the services of a server and the one who ends it know of each other.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) open: Open,
    /// Sockets of the public service that are listened to.
    pub(super) listening: Open,
    stop: watch::Sender<bool>,
    /// All listeners, for the next process. They are closed when this one stops listening.
    sockets: std::sync::Mutex<Sockets>,
}

/// The orders that a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Finish what is in flight, then shut down.
    ShutDown,
    /// Shut down without waiting.
    ShutDownNow,
    /// Give the listeners to the next process, then shut down.
    HandOver,
}

/// Who gives the orders.
pub(super) enum Orders {
    Signals,
    Channel(watch::Receiver<Option<Order>>),
}

/// Ends a server.
pub(super) struct Shutdown {
    pub(super) shared: Arc<Shared>,
    pub(super) inbox: Mutex<Inbox>,
    /// How long calls in flight may take; asked when it matters, since a reload may change it.
    pub(super) grace: Box<dyn Fn() -> Duration + Send + Sync>,
    pub(super) upgrade_socket: Option<PathBuf>,
}

/// Orders that wait to be carried out.
pub(super) enum Inbox {
    Signals { terminate: Option<Signal>, interrupt: Option<Signal>, quit: Option<Signal> },
    Channel(watch::Receiver<Option<Order>>),
}

impl Shared {
    /// Tells all services to stop.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn stopping(&self) -> ShutdownWatch {
        self.stop.subscribe()
    }

    pub(super) fn keep_sockets(&self, sockets: Sockets) {
        *self.sockets.lock().unwrap_or_else(PoisonError::into_inner) = sockets;
    }

    fn sockets(&self) -> std::io::Result<Sockets> {
        let sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        sockets.iter().map(|(name, socket)| Ok((name.clone(), socket.try_clone()?))).collect()
    }

    async fn stopped(&self) {
        // The sender lives as long as we do.
        let _ = self.stop.subscribe().wait_for(|stopped| *stopped).await;
    }
}

#[async_trait]
impl ShutdownSignalWatch for Shutdown {
    async fn recv(&self) -> ShutdownSignal {
        let mut inbox = self.inbox.lock().await;
        loop {
            let order = tokio::select! {
                order = inbox.next() => order,
                () = self.shared.stopped() => Order::ShutDown,
            };
            match order {
                Order::ShutDownNow => {
                    tracing::info!("leaving at once");
                    return ShutdownSignal::FastShutdown;
                }
                Order::ShutDown => break,
                Order::HandOver if self.hand_over().await => break,
                // Nobody took the listeners: go on.
                Order::HandOver => {}
            }
        }
        self.shared.stop();
        let grace = (self.grace)();
        tracing::info!(grace_seconds = grace.as_secs(), "no longer listening; calls in flight may finish");
        let finished = timeout(grace, async {
            // What waits in the queues of the sockets is accepted first.
            self.shared.listening.none().await;
            self.shared.open.none().await;
        });
        tokio::select! {
            finished = finished => if finished.is_err() {
                tracing::warn!("left with calls in flight after {grace:?}");
            },
            () = inbox.hurry() => {}
        }
        tracing::info!("leaving");
        // What had to be waited for is over, so nothing is left to be graceful about.
        ShutdownSignal::FastShutdown
    }
}

impl Shutdown {
    /// Whether it is time to shut down: the next process accepts. Until then this one goes on accepting.
    async fn hand_over(&self) -> bool {
        let Some(path) = &self.upgrade_socket else { return true };
        let handed_over = match self.shared.sockets() {
            Ok(sockets) => takeover::hand_over(path, &sockets).await,
            Err(error) => Err(error.to_string()),
        };
        match handed_over {
            Ok(()) => tracing::info!("the listeners were handed over"),
            Err(ref reason) => {
                tracing::error!(reason, "the listeners were not handed over; this process goes on");
            }
        }
        handed_over.is_ok()
    }
}

impl Orders {
    /// Listens from now on. A signal that comes before the server runs would end the process at once, or be lost.
    pub(super) fn open(self) -> Inbox {
        match self {
            Orders::Signals => {
                // Listening to signals needs a runtime to begin with, any runtime; that of the server goes on with it.
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
                let _entered = runtime.as_ref().map(|runtime| runtime.enter());
                Inbox::Signals {
                    terminate: listen(SignalKind::terminate()),
                    interrupt: listen(SignalKind::interrupt()),
                    quit: listen(SignalKind::quit()),
                }
            }
            Orders::Channel(receiver) => Inbox::Channel(receiver),
        }
    }
}

impl Inbox {
    async fn next(&mut self) -> Order {
        match self {
            Inbox::Signals { terminate, interrupt, quit } => {
                let (order, signal) = tokio::select! {
                    () = received(terminate) => (Order::ShutDown, "SIGTERM"),
                    () = received(interrupt) => (Order::ShutDownNow, "SIGINT"),
                    () = received(quit) => (Order::HandOver, "SIGQUIT"),
                };
                tracing::info!(signal, "signal received");
                order
            }
            Inbox::Channel(receiver) => loop {
                // Without anybody to give orders the server shuts down.
                if receiver.changed().await.is_err() {
                    return Order::ShutDown;
                }
                if let Some(order) = *receiver.borrow_and_update() {
                    return order;
                }
            },
        }
    }

    /// Waits for the order to shut down at once.
    async fn hurry(&mut self) {
        match self {
            Inbox::Signals { interrupt, .. } => received(interrupt).await,
            Inbox::Channel(receiver) => {
                if receiver.wait_for(|order| *order == Some(Order::ShutDownNow)).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| tracing::error!("a signal cannot be received: {error}")).ok()
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        // A signal's stream has no end.
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
