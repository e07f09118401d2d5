//! What can keep an upstream from answering.

/// No variant holds anything of the request: addresses, headers and secrets stay out of results and logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("its name cannot be resolved")]
    Resolve,
    #[error("it cannot be reached: {0}")]
    Connect(String),
    #[error("the TLS handshake failed: {0}")]
    Tls(String),
    #[error("no connection within {0} ms")]
    ConnectTimeout(u64),
    /// The call's deadline.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    #[error("it closed the connection before its answer was whole")]
    Closed,
    #[error("its answer is not valid HTTP")]
    Protocol,
    /// The answer is larger than the call takes.
    #[error("its answer has more than {limit} bytes")]
    TooLarge { status: u16, limit: usize },
    /// A `content-encoding` that is unknown or does not decode.
    #[error("its answer cannot be decompressed: {0}")]
    Encoding(String),
}

impl UpstreamError {
    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            UpstreamError::Resolve => "upstream_resolve",
            UpstreamError::Connect(_) => "upstream_connect",
            UpstreamError::Tls(_) => "upstream_tls",
            UpstreamError::ConnectTimeout(_) => "upstream_connect_timeout",
            UpstreamError::Timeout(_) => "upstream_timeout",
            UpstreamError::Closed => "upstream_closed",
            UpstreamError::Protocol => "upstream_protocol",
            UpstreamError::TooLarge { .. } => "response_too_large",
            UpstreamError::Encoding(_) => "upstream_encoding",
        }
    }
}
