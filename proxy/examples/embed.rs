//! Serves a bundle in a Pingora server of one's own, beside another service.
//!
//! ```text
//! cargo run -p mcp-edge --example embed -- tools.mcpk
//! ```

use async_trait::async_trait;
use mcp_edge::Edge;
use mcp_edge::settings::Settings;
use mcp_edge::upstream::{Network, Upstream};
use pingora_core::apps::ServerApp;
use pingora_core::protocols::Stream;
use pingora_core::server::{Server, ShutdownWatch};
use pingora_core::services::listening::Service;
use std::error::Error;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// Says hello to everyone who connects.
struct Hello;

#[async_trait]
impl ServerApp for Hello {
    async fn process_new(self: &Arc<Self>, mut stream: Stream, _shutdown: &ShutdownWatch) -> Option<Stream> {
        stream.write_all(b"hello\n").await.ok()?;
        stream.flush().await.ok()?;
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: embed BUNDLE")?;
    let mut settings = Settings::default();
    // Both listeners are local, so pages on the web must not reach them.
    settings.access.loopback = true;
    let network = Network::new(None)?;
    let edge = Arc::new(Edge::new(settings, Upstream::Network(network)));
    let catalog = edge.prepare(mcp_edge::load(path.as_ref(), &[])?, &|name| std::env::var(name).ok())?;
    edge.activate(catalog);

    let mut tools = mcp_edge::service(edge);
    tools.add_tcp("127.0.0.1:8080");
    let mut hello = Service::new("hello".to_owned(), Hello);
    hello.add_tcp("127.0.0.1:8081");

    let mut server = Server::new(None)?;
    server.bootstrap();
    server.add_service(tools);
    server.add_service(hello);
    server.run_forever()
}
