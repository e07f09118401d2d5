//! Sends one request as the edge would, redirects within the origin included; once, without
//! retries.

use mcp_bundle::bind::Request;
use mcp_bundle::origin::Origin;
use mcp_edge::settings::PoolSettings;
use mcp_edge::upstream::{Exchange, Network, OriginKey, Received, UpstreamError};
use std::time::{Duration, Instant};

/// Of an answer, unless the tool has a limit of its own.
pub const MAX_RESPONSE_BYTES: usize = 10 << 20;

#[derive(Debug, Clone, Copy)]
pub struct SendLimits {
    pub connect_timeout: Duration,
    pub timeout: Duration,
    pub max_response: usize,
}

/// Sends a request to an origin and waits for the answer.
pub fn send(
    request: &Request,
    tool: &str,
    to: &Origin,
    limits: &SendLimits,
) -> anyhow::Result<Result<Received, UpstreamError>> {
    let SendLimits { connect_timeout, timeout, max_response } = *limits;
    let network = Network::new(None)?;
    let pool = PoolSettings::default();
    let key = OriginKey { scheme: to.scheme, host: to.host.clone(), port: to.port };
    let origin = network.origin(&key);
    let start = Instant::now();
    let exchange = Exchange {
        tool,
        origin: &origin,
        authority: &to.authority,
        request,
        connect_timeout,
        timeout,
        attempt_timeout: None,
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
