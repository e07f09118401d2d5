//! Wrappers that give Pingora's services our sockets and our word to stop.

use super::bound;
use super::leaving::Shared;
use crate::http::{Handler, McpService};
use async_trait::async_trait;
use pingora_core::server::{ListenFds, ShutdownWatch};
use pingora_core::services::listening::Service as ListeningService;
use pingora_core::services::{Service, ServiceReadyNotifier, ServiceWithDependents};
use std::net::TcpListener;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

/// The public service.
pub(super) struct Front<H> {
    inner: ListeningService<McpService<H>>,
    sockets: Vec<(String, Option<TcpListener>)>,
    shared: Arc<Shared>,
}

/// Any other service of the server.
pub(super) struct Stoppable {
    inner: Box<dyn ServiceWithDependents>,
    shared: Arc<Shared>,
}

impl<H> Front<H> {
    pub(super) fn new(
        inner: ListeningService<McpService<H>>,
        sockets: Vec<(String, Option<TcpListener>)>,
        shared: Arc<Shared>,
    ) -> Front<H> {
        Front { inner, sockets, shared }
    }

    /// Puts our sockets where Pingora looks for those of a former process.
    fn offer_sockets(&mut self, table: &ListenFds) -> std::io::Result<()> {
        for (name, socket) in self.sockets.drain(..) {
            let socket = match socket {
                Some(socket) => socket,
                None if table.lock().get(&name).is_some() => continue,
                // The former process did not have this listener.
                None => bound::open(&name).map_err(|error| {
                    std::io::Error::new(error.kind(), format!("cannot listen on `{name}`: {error}"))
                })?,
            };
            // From here on it is the table's, and closed by the listener that takes it.
            table.lock().add(name, socket.into_raw_fd());
        }
        Ok(())
    }
}

impl Stoppable {
    pub(super) fn new(inner: Box<dyn ServiceWithDependents>, shared: Arc<Shared>) -> Stoppable {
        Stoppable { inner, shared }
    }
}

#[async_trait]
impl<H: Handler> ServiceWithDependents for Front<H> {
    async fn start_service(
        &mut self,
        fds: Option<ListenFds>,
        _shutdown: ShutdownWatch,
        listeners_per_fd: usize,
        ready: ServiceReadyNotifier,
    ) {
        if let Some(table) = &fds {
            if let Err(error) = self.offer_sockets(table) {
                tracing::error!("{error}");
                return self.shared.stop();
            }
            self.shared.keep_sockets(table);
        }
        ready.notify_ready();
        Service::start_service(&mut self.inner, fds, self.shared.stopping(), listeners_per_fd).await;
    }

    fn name(&self) -> &str {
        Service::name(&self.inner)
    }

    fn listen_addresses(&self) -> Option<Vec<String>> {
        Service::listen_addresses(&self.inner)
    }
}

#[async_trait]
impl ServiceWithDependents for Stoppable {
    async fn start_service(
        &mut self,
        fds: Option<ListenFds>,
        _shutdown: ShutdownWatch,
        listeners_per_fd: usize,
        ready: ServiceReadyNotifier,
    ) {
        self.inner.start_service(fds, self.shared.stopping(), listeners_per_fd, ready).await;
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn threads(&self) -> Option<usize> {
        // What stands beside the public service needs no thread for each core.
        Some(self.inner.threads().unwrap_or(1))
    }

    fn listen_addresses(&self) -> Option<Vec<String>> {
        self.inner.listen_addresses()
    }
}
