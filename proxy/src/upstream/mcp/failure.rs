//! Why an MCP server gave no result.

use crate::upstream::UpstreamError;
pub use mcp_bundle::shape::McpCode;
use std::borrow::Cow;
use std::fmt;

/// A failure, and what exactly it was. Code and reason hold nothing of a request and no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpFailure {
    pub code: McpCode,
    pub reason: String,
    /// What a program wrote to its log before it ended, on one line. It may hold anything, so only those who run the server
    /// see it, and never a caller.
    pub last_words: Option<String>,
}

impl McpFailure {
    pub fn new(code: McpCode, reason: impl Into<String>) -> McpFailure {
        McpFailure { code, reason: reason.into(), last_words: None }
    }

    /// The reason with the last words of the program, for those who run the server.
    pub fn told(&self) -> Cow<'_, str> {
        match &self.last_words {
            Some(words) => Cow::Owned(format!("{}; it wrote `{words}`", self.reason)),
            None => Cow::Borrowed(&self.reason),
        }
    }
}

impl fmt::Display for McpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.told(), self.code.as_str())
    }
}

impl std::error::Error for McpFailure {}

impl From<&UpstreamError> for McpFailure {
    fn from(error: &UpstreamError) -> McpFailure {
        let code = match error {
            UpstreamError::Timeout(_) | UpstreamError::ConnectTimeout(_) => McpCode::Timeout,
            UpstreamError::Credential(_) => McpCode::AuthFailed,
            UpstreamError::Protocol | UpstreamError::Encoding(_) | UpstreamError::TooLarge { .. } => {
                McpCode::ProtocolError
            }
            UpstreamError::Resolve
            | UpstreamError::Connect(_)
            | UpstreamError::Tls(_)
            | UpstreamError::Closed
            | UpstreamError::KeptClosed
            | UpstreamError::NoRoom => McpCode::Unreachable,
            UpstreamError::Mcp(failure) => return failure.clone(),
        };
        McpFailure::new(code, error.to_string())
    }
}
