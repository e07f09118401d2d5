//! Why there is no response from an upstream.

use super::credentials::CredentialError;
use super::mcp::{McpCode, McpFailure};
use std::fmt;
use std::time::Duration;

/// No variant holds anything of the request: addresses, headers and secrets stay out of results and logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("could not resolve the host name")]
    Resolve,
    #[error("could not connect: {0}")]
    Connect(String),
    #[error("the TLS handshake failed: {0}")]
    Tls(String),
    #[error("could not connect within {}", Limit(*.0))]
    ConnectTimeout(u64),
    /// The limit of the call, or of its last attempt.
    #[error("no response within {}", Limit(*.0))]
    Timeout(u64),
    #[error("the connection was closed before the response was complete")]
    Closed,
    /// The same of a connection that was kept, before anything of a response came: the request and the close may have
    /// crossed. Upstreams do that to all of them when they are reloaded, so it says nothing about the next call.
    #[error("the connection was closed before the response was complete")]
    KeptClosed,
    #[error("the response is not valid HTTP")]
    Protocol,
    #[error("the response has more than {limit} bytes")]
    TooLarge { status: u16, limit: usize },
    /// The bodies of all calls together are too large, for too long.
    #[error("there is no room for the response now")]
    NoRoom,
    /// A `content-encoding` that is unknown or does not decode.
    #[error("could not decompress the response: {0}")]
    Encoding(String),
    /// The request was not sent.
    #[error("there is no credential for the API: {0}. {advice}", advice = .0.advice())]
    Credential(CredentialError),
    /// Of an MCP server.
    #[error("{reason}", reason = .0.reason)]
    Mcp(McpFailure),
}

/// A time limit in milliseconds, as people write it: `2 s`, `1.5 s`, `250 ms`.
struct Limit(u64);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.0 / 1000, self.0 % 1000);
        match (seconds, rest) {
            (0, rest) => write!(f, "{rest} ms"),
            (seconds, 0) => write!(f, "{seconds} s"),
            (seconds, rest) => {
                let rest = format!("{rest:03}");
                write!(f, "{seconds}.{} s", rest.trim_end_matches('0'))
            }
        }
    }
}

impl UpstreamError {
    pub(crate) fn timeout(limit: Duration) -> UpstreamError {
        UpstreamError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
    }

    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            UpstreamError::Resolve => "upstream_resolve",
            UpstreamError::Connect(_) => "upstream_connect",
            UpstreamError::Tls(_) => "upstream_tls",
            UpstreamError::ConnectTimeout(_) => "upstream_connect_timeout",
            UpstreamError::Timeout(_) => "upstream_timeout",
            UpstreamError::Closed | UpstreamError::KeptClosed => "upstream_closed",
            UpstreamError::Protocol => "upstream_protocol",
            UpstreamError::TooLarge { .. } => "response_too_large",
            UpstreamError::NoRoom => "answer_bytes",
            UpstreamError::Encoding(_) => "upstream_encoding",
            UpstreamError::Credential(error) => error.name(),
            UpstreamError::Mcp(failure) => match failure.code {
                McpCode::Unreachable => "mcp_unreachable",
                McpCode::AuthFailed => "mcp_auth_failed",
                McpCode::ProtocolError => "mcp_protocol_error",
                McpCode::Timeout => "mcp_timeout",
                McpCode::ToolNotFound => "mcp_tool_not_found",
                McpCode::InvalidParams => "mcp_invalid_params",
                McpCode::ExecutionError => "mcp_execution_error",
                McpCode::ParseError => "mcp_parse_error",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_are_written_in_the_unit_that_fits() {
        for (limit, text) in [(2000, "2 s"), (1500, "1.5 s"), (1050, "1.05 s"), (250, "250 ms"), (0, "0 ms")]
        {
            assert_eq!(UpstreamError::Timeout(limit).to_string(), format!("no response within {text}"));
        }
        assert_eq!(UpstreamError::ConnectTimeout(2000).to_string(), "could not connect within 2 s");
    }
}
