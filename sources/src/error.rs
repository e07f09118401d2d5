//! Why a bundle did not come, or did not go.

use std::time::Duration;

/// Messages are the same for the same fault, so that a log can say it once. None holds a credential or a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    #[error("`{place}` cannot be reached: {reason}")]
    Unreachable { place: String, reason: String },
    #[error("the transfer from `{place}` broke off: {reason}")]
    Broken { place: String, reason: String },
    #[error("`{place}` refuses the credentials (status {status}); {help}")]
    Refused { place: String, status: u16, help: &'static str },
    #[error("`{place}` is not there (status {status})")]
    NotFound { place: String, status: u16 },
    #[error("`{place}` answers with status {status}{detail}")]
    Status { place: String, status: u16, retry_after: Option<Duration>, detail: String },
    #[error("`{place}` has {length} bytes, and a bundle at most {limit}")]
    TooLarge { place: String, length: u64, limit: u64 },
    #[error("`{place}` sent something else than {expected}: its digest is {found}")]
    WrongDigest { place: String, expected: String, found: String },
    #[error("`{place}` is not a bundle: {reason}")]
    NotABundle { place: String, reason: String },
    #[error("{0}")]
    Credentials(String),
    #[error("{0}")]
    Setup(String),
}

impl TransferError {
    /// When the other side wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            TransferError::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
