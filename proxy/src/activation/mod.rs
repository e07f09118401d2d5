//! Read → verify → build → swap. Whatever fails on the way changes nothing but the status.
//!
//! [`Activation::refresh`] is the only way to a new bundle; the watcher, SIGHUP and `POST /reload` all call it, one at a
//! time. [`Activation::activate`] is for those who make their bundles themselves.

mod load;
mod stamp;
mod status;
#[cfg(test)]
mod tests;
mod watcher;

pub use load::{LoadError, load};
pub use status::{Active, Failure, Status};
pub use watcher::Watcher;

use crate::Edge;
use crate::catalog::BuildError;
use crate::config::{SecretSource, Secrets, SecretsError};
use mcp_bundle::format::{Bundle, Revision, VerifyingKey};
use stamp::Stamp;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Where bundles come from.
#[derive(Debug, Clone)]
pub struct Source {
    pub bundle: PathBuf,
    /// With any, the bundle must be signed by one of them.
    pub keys: Vec<VerifyingKey>,
    pub secrets: SecretSource,
}

/// Brings bundles into an edge, and remembers how that went.
pub struct Activation {
    edge: Arc<Edge>,
    status: Mutex<Status>,
    /// Held while a bundle is made ready, so that attempts do not overtake each other.
    attempt: Mutex<Attempt>,
}

/// What led to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Someone asked for it, so it is done and told whatever the files look like.
    Asked,
    /// A look at the files; nothing happens if they are as they were.
    Poll,
}

/// How an attempt ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshed {
    Activated(Revision),
    /// It is what is served already.
    Unchanged(Revision),
}

#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// What the last attempt saw.
#[derive(Debug, Default)]
struct Attempt {
    bundle: Stamp,
    secrets: Stamp,
    /// What the active bundle was made with.
    active: Option<(Revision, Secrets)>,
}

impl Activation {
    /// `source` says in the status where bundles come from.
    pub fn new(edge: Arc<Edge>, source: impl Into<String>) -> Activation {
        let status = Status { source: source.into(), ..Status::default() };
        Activation { edge, status: Mutex::new(status), attempt: Mutex::default() }
    }

    pub fn edge(&self) -> &Arc<Edge> {
        &self.edge
    }

    pub fn status(&self) -> Status {
        locked(&self.status).clone()
    }

    /// Looks at the files and activates what they hold. Blocks: it reads files and builds a catalog.
    pub fn refresh(&self, source: &Source, cause: Cause) -> Result<Option<Refreshed>, ActivationError> {
        let mut attempt = locked(&self.attempt);
        // Taken before reading: what is written in between is seen as a change the next time.
        let bundle_stamp = Stamp::of(&source.bundle);
        let secrets_stamp = source.secrets.file.as_deref().map(Stamp::of).unwrap_or_default();
        let same = bundle_stamp.is_same(&attempt.bundle) && secrets_stamp.is_same(&attempt.secrets);
        if cause == Cause::Poll && same {
            return Ok(None);
        }
        attempt.bundle = bundle_stamp;
        attempt.secrets = secrets_stamp;
        let result = self.read_and_activate(source, &mut attempt);
        match &result {
            Ok(refreshed) => self.succeeded(*refreshed, cause),
            Err(error) => self.failed(error, cause),
        }
        result.map(Some)
    }

    /// Serves a bundle that the caller has made; `variable` gives the value of a `${NAME}`.
    pub fn activate(
        &self,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Revision, BuildError> {
        let mut attempt = locked(&self.attempt);
        match self.swap(bundle, variable) {
            Ok(revision) => {
                attempt.active = None;
                self.succeeded(Refreshed::Activated(revision), Cause::Asked);
                Ok(revision)
            }
            Err(error) => {
                self.failed(&error, Cause::Asked);
                Err(error)
            }
        }
    }

    /// Remembers that there was no bundle to activate, and why.
    pub fn report_failure(&self, error: &dyn std::fmt::Display) {
        self.failed(error, Cause::Asked);
    }

    fn read_and_activate(
        &self,
        source: &Source,
        attempt: &mut Attempt,
    ) -> Result<Refreshed, ActivationError> {
        let bundle = load(&source.bundle, &source.keys)?;
        let secrets = source.secrets.read()?;
        let revision = bundle.revision;
        if attempt.active.as_ref().is_some_and(|active| active.0 == revision && active.1 == secrets) {
            return Ok(Refreshed::Unchanged(revision));
        }
        self.swap(bundle, &|name| secrets.get(name))?;
        attempt.active = Some((revision, secrets));
        Ok(Refreshed::Activated(revision))
    }

    fn swap(
        &self,
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Revision, BuildError> {
        let catalog = self.edge.prepare(bundle, variable)?;
        let revision = catalog.revision;
        self.edge.activate(catalog);
        if let Some(catalog) = self.edge.catalog() {
            let contents = &catalog.contents;
            let names = contents.tools.iter().map(|tool| contents.strings.get(tool.name));
            self.edge.metrics.activated(&revision, names);
            let tools = contents.tools.len();
            let mut status = locked(&self.status);
            status.active = Some(Active { revision, tools, since: SystemTime::now() });
        }
        Ok(revision)
    }

    fn succeeded(&self, refreshed: Refreshed, cause: Cause) {
        let mut status = locked(&self.status);
        let now = SystemTime::now();
        status.last_attempt = Some(now);
        status.last_success = Some(now);
        let recovered = status.last_error.take().is_some();
        let tools = status.active.as_ref().map_or(0, |active| active.tools);
        drop(status);
        match refreshed {
            Refreshed::Activated(revision) => tracing::info!(%revision, tools, "bundle activated"),
            Refreshed::Unchanged(revision) if recovered => {
                tracing::info!(%revision, "the bundle is good again; it is the one that is served");
            }
            Refreshed::Unchanged(revision) if cause == Cause::Asked => {
                tracing::info!(%revision, "bundle unchanged");
            }
            Refreshed::Unchanged(revision) => tracing::debug!(%revision, "bundle unchanged"),
        }
    }

    /// A poll that fails like the attempt before is no news: it is neither logged nor counted.
    fn failed(&self, error: &dyn std::fmt::Display, cause: Cause) {
        let message = error.to_string();
        let now = SystemTime::now();
        let mut status = locked(&self.status);
        status.last_attempt = Some(now);
        let known = status.last_error.as_ref().is_some_and(|last| last.message == message);
        if known && cause == Cause::Poll {
            return;
        }
        let active = status.active.as_ref().map(|active| active.revision.to_string());
        status.last_error = Some(Failure { message: message.clone(), at: now });
        drop(status);
        self.edge.metrics.activation_failed();
        match active {
            Some(active) => {
                tracing::error!(error = %message, %active, "bundle not activated; the active one stays");
            }
            None => tracing::error!(error = %message, "bundle not activated"),
        }
    }
}

/// What is served holds secrets, so it is left out.
impl std::fmt::Debug for Activation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activation").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl Refreshed {
    pub fn revision(self) -> Revision {
        match self {
            Refreshed::Activated(revision) | Refreshed::Unchanged(revision) => revision,
        }
    }
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
