//! New connections: names are looked up here, then Pingora connects and speaks TLS.

use super::link::Link;
use super::network::{Network, Origin};
use super::pool::Connection;
use crate::upstream::{Exchange, UpstreamError};
use mcp_bundle::wire_enums::Scheme;
use pingora_core::connectors::http::v2::{H2HandshakeSettings, handshake};
use pingora_core::protocols::{ALPN, Stream};
use pingora_core::upstreams::peer::HttpPeer;
use pingora_core::{Error, ErrorType};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// Addresses of one name that are used.
const MAX_ADDRESSES: usize = 16;
/// Streams at once on an HTTP/2 connection, if the upstream allows as many.
const MAX_STREAMS: usize = 100;

/// Between two questions whether an HTTP/2 connection is alive.
const PING: Duration = Duration::from_secs(20);

/// What a name stood for when it was last looked up.
#[derive(Debug)]
pub(super) struct Addresses {
    list: Vec<SocketAddr>,
    until: Instant,
}

/// Connects to one of the origin's addresses.
pub(super) async fn connect(network: &Network, call: &Exchange<'_>) -> Result<Connection, UpstreamError> {
    let limit = call.connect_timeout;
    let connected = match pingora_timeout::timeout(limit, connect_to_any(network, call)).await {
        Ok(connected) => connected,
        Err(_) => Err(timed_out(limit)),
    };
    let counters = &network.counters;
    let counter = if connected.is_ok() { &counters.opened } else { &counters.failed };
    counter.add(1);
    connected
}

/// Each address gets an even part of the time that is left, so that one that swallows packets leaves some to the rest.
async fn connect_to_any(network: &Network, call: &Exchange<'_>) -> Result<Connection, UpstreamError> {
    let origin = call.origin;
    let deadline = Instant::now() + call.connect_timeout;
    let addresses = addresses(origin, call.pool.dns).await?;
    let count = addresses.list.len();
    let first = origin.next_address.fetch_add(1, Ordering::Relaxed) % count.max(1);
    let in_turn = addresses.list.iter().cycle().skip(first).take(count);
    let mut last = UpstreamError::Resolve;
    for (tried, address) in in_turn.enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let parts = u32::try_from(count.saturating_sub(tried)).unwrap_or(1).max(1);
        match connect_to(network, origin, *address, left / parts).await {
            Ok(connection) => return Ok(connection),
            Err(error) if error.etype == ErrorType::ConnectTimedout => last = timed_out(call.connect_timeout),
            Err(error) => last = connect_error(&error),
        }
    }
    Err(last)
}

async fn connect_to(
    network: &Network,
    origin: &Origin,
    address: SocketAddr,
    limit: Duration,
) -> pingora_core::Result<Connection> {
    if origin.key.scheme == Scheme::Http {
        return connect_plain(address, limit).await;
    }
    if let Some(tls) = &origin.tls {
        let deadline = Instant::now() + limit;
        let stream = connect_tcp(address, limit).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        return negotiated(tls.handshake(stream, &origin.key.host, left).await?).await;
    }
    // An empty server name would switch verification off; a host is never empty.
    let mut peer = HttpPeer::new(address, true, origin.key.host.clone());
    peer.options.total_connection_timeout = Some(limit);
    peer.options.alpn = ALPN::H2H1;
    negotiated(network.connector.new_stream(&peer).await?).await
}

/// HTTP/2 if the handshake agreed on it, else HTTP/1.
async fn negotiated(stream: Stream) -> pingora_core::Result<Connection> {
    if !matches!(stream.selected_alpn_proto(), Some(ALPN::H2)) {
        return Ok(Connection::Single(Link::Secure(stream)));
    }
    let mut settings = H2HandshakeSettings::new();
    settings.max_streams = MAX_STREAMS;
    settings.ping_interval = Some(PING);
    handshake(stream, settings).await.map(Connection::Shared)
}

async fn connect_plain(address: SocketAddr, limit: Duration) -> pingora_core::Result<Connection> {
    connect_tcp(address, limit).await.map(|stream| Connection::Single(Link::Plain(stream)))
}

async fn connect_tcp(address: SocketAddr, limit: Duration) -> pingora_core::Result<TcpStream> {
    let connected = match pingora_timeout::timeout(limit, TcpStream::connect(address)).await {
        Ok(connected) => connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream)),
        Err(_) => return Error::e_explain(ErrorType::ConnectTimedout, "TCP"),
    };
    match connected {
        Ok(stream) => Ok(stream),
        Err(error) => Error::e_because(ErrorType::ConnectError, "TCP", error),
    }
}

/// The addresses of an origin, looked up on a thread for blocking work if they are not known or too old.
async fn addresses(origin: &Origin, lifetime: Duration) -> Result<Arc<Addresses>, UpstreamError> {
    let key = &origin.key;
    if let Some(known) = origin.addresses.load_full().filter(|known| Instant::now() < known.until) {
        return Ok(known);
    }
    let list = match key.host.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, key.port)],
        Err(_) => {
            let found = tokio::net::lookup_host((key.host.as_str(), key.port)).await;
            found.map_err(|_| UpstreamError::Resolve)?.take(MAX_ADDRESSES).collect()
        }
    };
    if list.is_empty() {
        return Err(UpstreamError::Resolve);
    }
    let found = Arc::new(Addresses { list, until: Instant::now() + lifetime });
    origin.addresses.store(Some(Arc::clone(&found)));
    Ok(found)
}

fn timed_out(limit: Duration) -> UpstreamError {
    UpstreamError::ConnectTimeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
}

/// Fixed words, for the error's own text names addresses.
fn connect_error(error: &Error) -> UpstreamError {
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    match error.etype {
        ErrorType::TLSHandshakeFailure | ErrorType::TLSHandshakeTimedout | ErrorType::InvalidCert => {
            UpstreamError::Tls(tls_words(&error.to_string()).to_owned())
        }
        ErrorType::ConnectRefused => UpstreamError::Connect("connection refused".to_owned()),
        ErrorType::ConnectNoRoute => UpstreamError::Connect("no route to the host".to_owned()),
        ErrorType::HandshakeError | ErrorType::H2Error => {
            UpstreamError::Connect("the HTTP/2 handshake failed".to_owned())
        }
        _ => UpstreamError::Connect(match cause.map(std::io::Error::kind) {
            Some(kind) => kind.to_string(),
            None => "the connection failed".to_owned(),
        }),
    }
}

fn tls_words(text: &str) -> &'static str {
    let has = |word: &str| text.contains(word);
    if has("UnknownIssuer") || has("CaUsedAsEndEntity") {
        "its certificate comes from an unknown authority"
    } else if has("NotValidForName") || has("not valid for name") {
        "its certificate is for another name"
    } else if has("xpired") {
        "its certificate has expired"
    } else if has("invalid peer certificate") {
        "its certificate is not valid"
    } else {
        "it does not speak TLS, or none of our versions"
    }
}
