//! Answers that come from no network.

use super::{Exchange, Received, UpstreamError};

/// Answers calls without a network.
pub trait FixedAnswers: Send + Sync + std::fmt::Debug {
    /// Fills `received`, as an upstream's answer would.
    fn answer(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError>;
}
