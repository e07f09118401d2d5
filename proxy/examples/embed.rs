//! Serves a bundle in a Pingora server of one's own, beside another service.
//!
//! ```text
//! cargo run -p mcp-edge --example embed -- tools.mcpk
//! ```

use async_trait::async_trait;
use mcp_edge::activation::Activation;
use mcp_edge::config::{BundlePlace, Config};
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
    let bundle = std::env::args().nth(1).ok_or("usage: embed BUNDLE")?;
    // All listeners are local, so pages on the web must not reach them: that is the default. `Config::load` reads a file.
    let place = BundlePlace::File(bundle.into());
    let config = move || Ok(Config { bundle: Some(place.clone()), ..Config::default() });
    let activation = Activation::start(config)?;

    let mut tools = mcp_edge::service(Arc::clone(activation.edge()));
    tools.add_tcp("127.0.0.1:8080");
    let mut hello = Service::new("hello".to_owned(), Hello);
    hello.add_tcp("127.0.0.1:8081");

    let mut server = Server::new(None)?;
    server.bootstrap();
    server.add_service(tools);
    // Follows the bundle.
    server.add_service(activation.watcher());
    server.add_service(hello);
    server.run_forever()
}
