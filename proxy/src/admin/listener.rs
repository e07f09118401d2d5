//! A socket that is bound before the server starts, so that a port in use is an error and the
//! number of port 0 can be printed.

use super::Admin;
use async_trait::async_trait;
use pingora_core::server::{Fds, ListenFds, ShutdownWatch};
use pingora_core::services::listening::Service;
use pingora_core::services::{ServiceReadyNotifier, ServiceWithDependents};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::IntoRawFd;
use std::sync::Arc;

/// Binds the address of the admin listener; the second value has the port that was taken.
pub fn bind(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// Hands the socket to Pingora's service the way it takes sockets of a former process.
pub struct AdminService {
    service: Service<Admin>,
    key: String,
    listener: Option<TcpListener>,
}

impl AdminService {
    pub fn new(admin: Admin, address: SocketAddr, listener: Option<TcpListener>) -> AdminService {
        let key = address.to_string();
        let mut service = Service::new("admin".to_owned(), admin);
        service.threads = Some(1);
        service.add_tcp(&key);
        AdminService { service, key, listener }
    }
}

#[async_trait]
impl ServiceWithDependents for AdminService {
    async fn start_service(
        &mut self,
        fds: Option<ListenFds>,
        shutdown: ShutdownWatch,
        listeners_per_fd: usize,
        ready: ServiceReadyNotifier,
    ) {
        let fds = fds.unwrap_or_else(|| Arc::new(Fds::new().into()));
        if let Some(listener) = self.listener.take() {
            fds.lock().add(self.key.clone(), listener.into_raw_fd());
        }
        ServiceWithDependents::start_service(&mut self.service, Some(fds), shutdown, listeners_per_fd, ready)
            .await;
    }

    fn name(&self) -> &str {
        "admin"
    }

    fn threads(&self) -> Option<usize> {
        Some(1)
    }

    fn listen_addresses(&self) -> Option<Vec<String>> {
        Some(vec![self.key.clone()])
    }
}
