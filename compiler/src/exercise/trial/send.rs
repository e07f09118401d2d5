//! Sends one request as the edge would, redirects within the origin included; once, without
//! retries.

use mcp_bundle::bind::Request;
use mcp_bundle::origin::Origin;
use mcp_bundle::plan::Contents;
use mcp_edge::settings::PoolSettings;
use mcp_edge::upstream::credentials::{Ask, BadUserName, Credentials};
use mcp_edge::upstream::{Exchange, Network, OriginKey, Received, Upstream, UpstreamError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of an answer, unless the tool has a limit of its own.
pub const MAX_RESPONSE_BYTES: usize = 10 << 20;

#[derive(Debug, Clone, Copy)]
pub struct SendLimits {
    pub connect_timeout: Duration,
    pub timeout: Duration,
    pub max_response: usize,
}

/// What the credential of the upstream is made of.
#[derive(Debug, Clone, Copy)]
pub struct Auth<'a> {
    /// The upstream, and those of its token server, are located.
    pub contents: &'a Contents,
    pub upstream: u32,
    pub variables: &'a [Box<str>],
}

/// Sends a request to an origin and waits for the answer.
pub fn send(
    request: &Request,
    tool: &str,
    to: &Origin,
    limits: &SendLimits,
    auth: Option<&Auth<'_>>,
) -> anyhow::Result<Result<Received, UpstreamError>> {
    let SendLimits { connect_timeout, timeout, max_response } = *limits;
    let network = Network::new(None)?;
    let credentials = auth.map(|auth| {
        let upstream = Upstream::Network(network.clone());
        Credentials::build(auth.contents, auth.variables, &upstream)
    });
    let credentials = credentials.transpose().map_err(|BadUserName { upstream }| {
        anyhow::anyhow!("the user name of `[upstream.{upstream}.auth]` has a `:`, which ends a name in HTTP")
    })?;
    let found = credentials.as_ref().zip(auth).and_then(|(all, auth)| all.get(auth.upstream));
    let credential = found.map(|credential| Ask { credential, values: None, caller: None });
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
        credential,
        authorization: None,
        envelope: None,
        budget: &Arc::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut received = Received::default();
    let called = runtime.block_on(network.call(&exchange, &mut received));
    Ok(called.map(|()| received))
}
