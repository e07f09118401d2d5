//! Tokens of authorization servers: signed JWTs whose keys the issuer publishes.
//!
//! The signature is checked with `ring`, which TLS brings anyway. No JWT library is used: those at hand leave exactly the
//! checks to their callers that matter here (`crit`, `typ`, what a key may be used for, that `aud` and `iss` are there at
//! all), and what would remain for one is splitting a text at two dots.

mod claims;
mod fetch;
mod issuer;
mod key_set;
mod signature;

pub use claims::{ClaimSource, Claims};
pub use fetch::is_safe;
pub use issuer::{Issuer, IssuerConfig, IssuerStats, Issuers, KeySource, Verified};
pub use key_set::{KeySet, KeySetError};
pub use signature::Algorithm;

/// Why a token is refused. Nothing of the token is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    Malformed,
    UnknownIssuer,
    Algorithm,
    UnknownKey,
    Signature,
    /// The issuer's keys could not be read yet.
    NoKeys,
    Expired,
    NotYetValid,
    Audience,
    /// A header that must be understood, or a type of token that is not for calling.
    Unsupported,
    /// The token does not name its tenant.
    NoTenant,
}

impl TokenError {
    /// In words without quotes, for the challenge.
    pub const fn reason(self) -> &'static str {
        match self {
            TokenError::Malformed => "the token is not a JWT, or lacks a claim",
            TokenError::UnknownIssuer => "the issuer of the token is not accepted here",
            TokenError::Algorithm => "the algorithm of the token is not accepted here",
            TokenError::UnknownKey => "the key that signed the token is not known",
            TokenError::Signature => "the signature of the token is wrong",
            TokenError::NoKeys => "the keys of the issuer cannot be read at the moment; try again later",
            TokenError::Expired => "the token has expired",
            TokenError::NotYetValid => "the token is not valid yet",
            TokenError::Audience => "the token is for another audience",
            TokenError::Unsupported => "the token is of a kind that is not accepted here",
            TokenError::NoTenant => "the token does not name its tenant",
        }
    }
}
