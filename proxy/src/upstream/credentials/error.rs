//! Why there is no credential for a call.

use crate::upstream::UpstreamError;

/// Holds nothing of a secret, a token or an answer: results and logs show it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// The token server did not answer.
    #[error("the token server did not answer: {0}")]
    Unanswered(Box<UpstreamError>),
    #[error("the token server answered with status {status}{}", with_code(.code))]
    Refused { status: u16, code: Option<&'static str> },
    #[error("the answer of the token server cannot be used: {0}")]
    Unusable(&'static str),
    #[error("the token server took longer than the call may take")]
    Slow,
    /// The task that asked has ended early, as at a shutdown.
    #[error("the token request was given up")]
    GivenUp,
    /// For a token that is made of the caller's.
    #[error("this tool acts for the person who calls it, and the call came without a token of that person")]
    NoCaller,
}

fn with_code(code: &Option<&'static str>) -> String {
    code.map_or_else(String::new, |code| format!(" and the error `{code}`"))
}

impl CredentialError {
    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            CredentialError::NoCaller => "caller_token_required",
            _ => "credential_unavailable",
        }
    }

    /// The label of a token request that ended with it.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            CredentialError::Refused { .. } => "refused",
            CredentialError::Unusable(_) => "unusable",
            _ => "unanswered",
        }
    }

    /// What whoever reads a result can do.
    pub const fn advice(&self) -> &'static str {
        match self {
            CredentialError::NoCaller => {
                "Sign in with the authorization server of this tool server and call again"
            }
            CredentialError::Unanswered(_) | CredentialError::Slow | CredentialError::GivenUp => {
                "Try again in a moment"
            }
            CredentialError::Refused { .. } | CredentialError::Unusable(_) => {
                "Calling again will not help; the operator of this tool server has to look at it"
            }
        }
    }

    /// Whether it says something about the token server rather than about what was asked of it.
    pub(super) const fn is_of_server(&self) -> bool {
        match self {
            CredentialError::Refused { status, .. } => *status >= 500 || *status == 429,
            CredentialError::NoCaller => false,
            _ => true,
        }
    }
}
