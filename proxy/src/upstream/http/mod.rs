//! HTTP APIs, over Pingora's connectors: HTTP/1 and HTTP/2, pools, retries, redirects, decompression.

mod answer;
mod connect;
mod decode;
mod early;
mod events;
mod http1;
mod http2;
mod interim;
mod link;
mod network;
mod own_tls;
mod pool;
mod redirect;
mod retry;
#[cfg(test)]
mod tests;
mod wire;

pub use network::{Network, NetworkError, Origin, PoolStats};
pub use own_tls::ClientCertificate;
pub(in crate::upstream) use redirect::target as same_origin;
