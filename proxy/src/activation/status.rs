//! What is served, and how the last attempts to change it ended.

use super::source::RemoteStatus;
use mcp_bundle::format::Revision;
use std::time::SystemTime;

/// What happens to shared limits where `[shared]` is missing.
pub const NO_STORE: &str =
    "limits are marked `shared`, but `edge.toml` has no `[shared]`: this edge counts them on its own";

#[derive(Debug, Clone, Default)]
pub struct Status {
    /// Where bundles come from.
    pub source: String,
    /// How it goes with that, if it is behind a network.
    pub remote: Option<RemoteStatus>,
    pub active: Option<Active>,
    pub last_attempt: Option<SystemTime>,
    pub last_success: Option<SystemTime>,
    /// Of the last attempt; a success clears it.
    pub last_error: Option<FailedAttempt>,
    /// Keys of the configuration that have changed, but need an upgrade or a restart.
    pub needs_upgrade: Vec<&'static str>,
}

#[derive(Debug, Clone)]
pub struct Active {
    pub revision: Revision,
    pub tools: usize,
    /// The public keys that signed it, as text; none if it is not signed.
    pub signers: Vec<String>,
    pub since: SystemTime,
    /// Limits that are marked as shared, in the bundle and the file of tenants.
    pub shared_limits: usize,
    /// There is a store for them.
    pub has_store: bool,
}

impl Active {
    /// The event of its activation.
    pub(crate) fn log(&self) {
        let signed = !self.signers.is_empty();
        tracing::info!(revision = %self.revision, tools = self.tools, signed, "bundle activated");
        if self.shared_limits > 0 && !self.has_store {
            tracing::warn!(limits = self.shared_limits, "{NO_STORE}");
        }
    }
}

#[derive(Debug, Clone)]
pub struct FailedAttempt {
    pub message: String,
    pub at: SystemTime,
    /// The configuration could not be read, so only reading it again can show that it is right.
    pub of_configuration: bool,
}
