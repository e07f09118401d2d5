//! Sends one request: no redirects, no retries, a time limit and a size limit.

use crate::files::disk::plain;
use mcp_bundle::bind::Request;
use std::time::Duration;
use ureq::config::AutoHeaderValue;

/// Of an answer, unless the tool has a limit of its own.
pub const MAX_RESPONSE_BYTES: u64 = 10 << 20;

/// What the upstream said.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: Option<String>,
    pub content_location: Option<String>,
    pub body: Vec<u8>,
}

/// Why there is no answer. Never holds a part of the request: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("there was no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("its host is not known")]
    HostNotFound,
    #[error("{0}")]
    Connection(String),
    #[error("its certificate was refused: {0}")]
    Tls(String),
    #[error("its answer has more than {0} bytes")]
    TooLarge(u64),
    #[error("its answer is not HTTP: {0}")]
    Protocol(String),
    #[error("the request cannot be sent")]
    Request,
}

pub fn send(
    request: &Request,
    url: &str,
    timeout: Duration,
    connect_timeout: Duration,
    max_bytes: u64,
) -> Result<Reply, SendError> {
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        // A redirect is an answer: following it would take the secrets of this request elsewhere.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(timeout))
        .timeout_connect(Some(connect_timeout))
        .user_agent(concat!("mcpc/", env!("CARGO_PKG_VERSION")))
        .accept(AutoHeaderValue::None)
        .accept_encoding(AutoHeaderValue::None)
        // Bodies on GET are odd, and some upstreams want them.
        .allow_non_standard_methods(true)
        .build()
        .new_agent();
    let mut head = http::Request::builder().method(request.method.as_str()).uri(url);
    for (name, value) in request.headers() {
        head = head.header(name, value);
    }
    let failed = |error: ureq::Error| SendError::of(error, timeout, max_bytes);
    let mut response = match request.body() {
        Some(body) => agent.run(head.body(body).map_err(|_| SendError::Request)?),
        None => agent.run(head.body(()).map_err(|_| SendError::Request)?),
    }
    .map_err(failed)?;
    let header = |name: http::HeaderName| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let content_type = header(http::header::CONTENT_TYPE);
    let content_location = header(http::header::CONTENT_LOCATION);
    let body = response.body_mut().with_config().limit(max_bytes).read_to_vec().map_err(failed)?;
    Ok(Reply { status: response.status().as_u16(), content_type, content_location, body })
}

impl SendError {
    fn of(error: ureq::Error, timeout: Duration, max_bytes: u64) -> SendError {
        match error {
            ureq::Error::Timeout(_) => SendError::Timeout(timeout),
            ureq::Error::HostNotFound => SendError::HostNotFound,
            ureq::Error::Io(error) => SendError::Connection(plain(&error)),
            ureq::Error::ConnectionFailed => SendError::Connection("no connection".to_owned()),
            ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
                SendError::Connection("the proxy of the environment does not work".to_owned())
            }
            ureq::Error::Rustls(error) => SendError::Tls(error.to_string()),
            ureq::Error::Tls(message) => SendError::Tls(message.to_owned()),
            ureq::Error::BodyExceedsLimit(_) => SendError::TooLarge(max_bytes),
            ureq::Error::Protocol(error) => SendError::Protocol(error.to_string()),
            ureq::Error::LargeResponseHeader(..) => SendError::Protocol("its head is too large".to_owned()),
            _ => SendError::Request,
        }
    }
}
