//! The baseline of load comparisons: Pingora's `ProxyHttp` with one upstream and nothing else in it.
//!
//! `passthrough ADDRESS UPSTREAM THREADS`

use async_trait::async_trait;
use mcpc_benches::AnyError;
use pingora_core::server::Server;
use pingora_core::server::configuration::ServerConf;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};
use std::net::SocketAddr;

// As `mcp-edge` has it, so that the comparison is not one of allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Passthrough(SocketAddr);

#[async_trait]
impl ProxyHttp for Passthrough {
    type CTX = ();

    fn new_ctx(&self) {}

    async fn upstream_peer(
        &self,
        _session: &mut Session,
        (): &mut (),
    ) -> pingora_core::Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(self.0, false, String::new())))
    }
}

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, upstream, threads] = arguments.as_slice() else {
        return Err("usage: passthrough ADDRESS UPSTREAM THREADS".into());
    };
    let configuration = ServerConf {
        threads: threads.parse()?,
        // With more than 128 clients, Pingora's default would open new connections.
        upstream_keepalive_pool_size: 1024,
        ..ServerConf::default()
    };
    let mut server = Server::new_with_opt_and_conf(None, configuration);
    server.bootstrap();
    let mut service = http_proxy_service(&server.configuration, Passthrough(upstream.parse()?));
    service.add_tcp(address);
    server.add_service(service);
    server.run_forever();
}
