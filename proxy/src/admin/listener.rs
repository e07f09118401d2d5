//! The admin listener's socket. It has a thread and places of its own, so that it answers however many clients there are.

use super::Admin;
use crate::transport::{Endpoint, Listening, McpService, Open};
use pingora_core::services::ServiceWithDependents;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// Connections at once.
const MOST: usize = 64;

/// Binds the address of the admin listener; the second value has the port that was taken.
pub fn bind(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// The admin listener as a service of a Pingora server.
pub fn service(admin: Admin, listener: TcpListener) -> Box<dyn ServiceWithDependents> {
    Box::new(Listening {
        name: "admin",
        endpoints: vec![Endpoint { socket: listener, certificate: None }],
        app: Arc::new(McpService::new(Arc::new(admin), Open::default())),
        most: MOST,
        listening: Open::default(),
        when_accepting: None,
        threads: Some(1),
    })
}
