//! A website behind Pingora, with MCP on the same listener: what begins with `/mcp` (and the other paths of the edge) is
//! answered here, everything else goes to the website untouched.
//!
//! ```text
//! cargo run -p mcp-edge --example plugin -- edge.toml 127.0.0.1:8080 127.0.0.1:3000
//! ```

use async_trait::async_trait;
use mcp_edge::Edge;
use mcp_edge::activation::Activation;
use mcp_edge::config::Config;
use pingora_core::Result;
use pingora_core::server::Server;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

struct Site {
    edge: Arc<Edge>,
    website: SocketAddr,
}

#[async_trait]
impl ProxyHttp for Site {
    type CTX = ();

    fn new_ctx(&self) {}

    async fn request_filter(&self, session: &mut Session, (): &mut ()) -> Result<bool> {
        mcp_edge::proxy_http::serve(&self.edge, session).await
    }

    async fn upstream_peer(&self, _session: &mut Session, (): &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(self.website, false, String::new())))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, listen, website] =
        <[String; 3]>::try_from(arguments).map_err(|_| "usage: plugin EDGE_TOML LISTEN WEBSITE")?;
    // Its listeners are not used here; bundle, keys, secrets, limits, access and the rest are.
    let activation = Activation::start(move || Config::load(config.as_ref()))?;

    let mut server = Server::new(None)?;
    server.bootstrap();
    let site = Site { edge: Arc::clone(activation.edge()), website: website.parse()? };
    let mut service = http_proxy_service(&server.configuration, site);
    service.add_tcp(&listen);
    server.add_service(service);
    // Follows bundle and secrets, reloads on SIGHUP, ends event streams when the server stops.
    server.add_service(activation.watcher());
    server.run_forever()
}
