//! Wrappers that give Pingora's services our sockets and our word to stop.

use super::shutdown::Shared;
use crate::transport::{Handler, McpService};
use async_trait::async_trait;
use pingora_core::server::{ListenFds, ShutdownWatch};
use pingora_core::services::listening::Service as ListeningService;
use pingora_core::services::{Service, ServiceReadyNotifier, ServiceWithDependents};
use std::os::fd::RawFd;
use std::sync::Arc;

/// Sockets by the names that Pingora knows them by. Whoever takes one from the table closes it.
pub(super) type Sockets = Vec<(String, RawFd)>;

/// The public service.
pub(super) struct Front<H> {
    inner: ListeningService<McpService<H>>,
    sockets: Sockets,
    shared: Arc<Shared>,
}

/// Any other service of the server.
pub(super) struct Stoppable {
    inner: Box<dyn ServiceWithDependents>,
    sockets: Sockets,
    shared: Arc<Shared>,
}

impl<H> Front<H> {
    pub(super) fn new(
        inner: ListeningService<McpService<H>>,
        sockets: Sockets,
        shared: Arc<Shared>,
    ) -> Front<H> {
        Front { inner, sockets, shared }
    }
}

impl Stoppable {
    /// `sockets` are those of a former process.
    pub(super) fn new(
        inner: Box<dyn ServiceWithDependents>,
        sockets: Sockets,
        shared: Arc<Shared>,
    ) -> Stoppable {
        Stoppable { inner, sockets, shared }
    }
}

/// Puts our sockets where Pingora looks for those of a former process.
fn offer(sockets: &mut Sockets, table: &ListenFds) {
    for (name, socket) in sockets.drain(..) {
        table.lock().add(name, socket);
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
            offer(&mut self.sockets, table);
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
        if let Some(table) = &fds {
            offer(&mut self.sockets, table);
        }
        self.inner.start_service(fds, self.shared.stopping(), listeners_per_fd, ready).await;
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn threads(&self) -> Option<usize> {
        // Services other than the public one do not need a thread for each core.
        Some(self.inner.threads().unwrap_or(1))
    }

    fn listen_addresses(&self) -> Option<Vec<String>> {
        self.inner.listen_addresses()
    }
}
