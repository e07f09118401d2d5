//! Services beside the public one.

use super::shutdown::Shared;
use async_trait::async_trait;
use pingora_core::server::{ListenFds, ShutdownWatch};
use pingora_core::services::{ServiceReadyNotifier, ServiceWithDependents};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// A listener beside the public ones, which the next process takes over with them.
pub struct Beside {
    pub address: SocketAddr,
    /// `None` if it comes from another process.
    pub socket: Option<TcpListener>,
    /// Makes the service that listens to it.
    pub service: Box<dyn FnOnce(TcpListener) -> Box<dyn ServiceWithDependents> + Send>,
}

/// A service that is stopped by our word, not by Pingora's.
pub(super) struct Stoppable {
    inner: Box<dyn ServiceWithDependents>,
    shared: Arc<Shared>,
}

impl Stoppable {
    pub(super) fn new(inner: Box<dyn ServiceWithDependents>, shared: Arc<Shared>) -> Stoppable {
        Stoppable { inner, shared }
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
        // Services other than the public one do not need a thread for each core.
        Some(self.inner.threads().unwrap_or(1))
    }
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Beside").field("address", &self.address).finish_non_exhaustive()
    }
}
