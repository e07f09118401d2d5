//! Sends one request as the edge would, redirects within the origin included; once, without retries.

use mcp_bundle::bind::Request;
use mcp_bundle::plan::Upstream;
use mcp_bundle::strings::Strings;
use mcp_edge::settings::PoolSettings;
use mcp_edge::upstream::{Exchange, Network, OriginKey, Received, UpstreamError};
use std::time::{Duration, Instant};

/// Of an answer, unless the tool has a limit of its own.
pub const MAX_RESPONSE_BYTES: usize = 10 << 20;

/// Waits for the answer of `upstream`, whose texts are in `strings`.
pub fn send(
    request: &Request,
    tool: &str,
    upstream: &Upstream,
    strings: &Strings,
    timeout: Duration,
    max_response: usize,
) -> anyhow::Result<Result<Received, UpstreamError>> {
    let network = Network::new(None)?;
    let pool = PoolSettings::default();
    let host = strings.get(upstream.host).to_owned();
    let origin = network.origin(&OriginKey { scheme: upstream.scheme, host, port: upstream.port });
    let start = Instant::now();
    let exchange = Exchange {
        tool,
        origin: &origin,
        authority: strings.get(upstream.authority),
        request,
        connect_timeout: Duration::from_millis(upstream.connect_timeout_ms.into()),
        timeout,
        start,
        deadline: start + timeout,
        retries: 0,
        idempotent: false,
        max_response,
        pool: &pool,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut received = Received::default();
    let called = runtime.block_on(network.call(&exchange, &mut received));
    Ok(called.map(|()| received))
}
