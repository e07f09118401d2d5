//! Configuration, bundle, secrets → one swap. Whatever fails on the way changes nothing but the status.
//!
//! [`Activation`] knows what should be served (its [`Inputs`]) and is the only door to an edge: [`reload`] for SIGHUP and
//! `POST /reload`, [`poll`] for the watcher, [`replace`] for those who make their bundles themselves.
//!
//! [`reload`]: Activation::reload
//! [`poll`]: Activation::poll
//! [`replace`]: Activation::replace

#[cfg(test)]
mod certificate_tests;
mod certificates;
mod inputs;
mod load;
pub mod source;
mod status;
mod tenancy;
#[cfg(test)]
mod tests;
mod watcher;

pub use inputs::Inputs;
pub use load::{LoadError, load, load_remote};
pub use status::{Active, FailedAttempt, NO_STORE, Status};
pub use tenancy::{TenantsError, read_and_check as read_tenants};
pub use watcher::Watcher;

use crate::Edge;
use crate::catalog::BuildError;
use crate::config::{Config, ConfigError, SecretsError};
use crate::edge::Hooks;
use crate::observe::Observer;
use crate::telemetry::audit::{Audit, AuditError};
use crate::telemetry::logging::{self, LogLevel};
use crate::telemetry::recent::RecentCalls;
use crate::transport::{CertificateError, Served};
use crate::upstream::{Network, NetworkError, Upstream};
use certificates::Certificates;
use inputs::Given;
use mcp_bundle::format::Revision;
use pingora_core::services::background::{GenBackgroundService, background_service};
use source::RemoteStatus;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Brings bundles and settings into an edge, and remembers how that went.
pub struct Activation {
    edge: Arc<Edge>,
    status: Mutex<Status>,
    audit: Option<Arc<Audit>>,
    recent: Option<Arc<RecentCalls>>,
    /// Reloads that have begun.
    begun: AtomicU64,
    /// Held by a reload from its beginning to its end.
    reloading: Mutex<()>,
    /// Held while a bundle is made ready, so that attempts do not overtake each other; never while a network is asked.
    wanted: Mutex<Wanted>,
}

/// How an attempt ended. Those who waited for the same one share it.
pub type Outcome = Result<Reloaded, Arc<ActivationError>>;

/// An attempt that ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloaded {
    pub revision: Revision,
    /// Something was swapped; else it is what was served already.
    pub is_new: bool,
    /// Keys of the configuration that are not as they were at the start, and stay so until an upgrade or a restart.
    pub needs_upgrade: Vec<&'static str>,
}

#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("there is no bundle to serve")]
    NoBundle,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Tenants(#[from] TenantsError),
    #[error("the keys of an issuer of tokens: {0}")]
    IssuerKeys(String),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

/// Why there is nothing to serve with.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Activation(Arc<ActivationError>),
}

/// What should be served. What is served may be older, if the last attempts failed.
#[derive(Default)]
struct Wanted {
    inputs: Option<Inputs>,
    configured: Option<Configured>,
    certificates: Certificates,
    /// What the edge was given last.
    given: Option<Given>,
    /// The last reload that has ended, by its number.
    last: Option<(u64, Outcome)>,
}

/// A configuration that can be read again.
struct Configured {
    read: ReadConfig,
    /// As the process was started: what cannot change while it runs.
    at_start: Config,
    poll: Duration,
    log_level: LogLevel,
    needs_upgrade: Vec<&'static str>,
}

type ReadConfig = Box<dyn Fn() -> Result<Config, ConfigError> + Send>;

/// What led to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Someone asked for it, so the outcome is logged whatever it is.
    Asked,
    /// Something looked different.
    Poll,
}

/// How often sources are looked at, if no configuration says so.
const POLL: Duration = Duration::from_secs(10);

impl Activation {
    /// For an edge whose settings stay as they are. Without inputs nothing is served until [`Activation::replace`].
    pub fn new(edge: Arc<Edge>, inputs: Option<Inputs>) -> Activation {
        let source = inputs.as_ref().map(|inputs| inputs.source.name()).unwrap_or_default();
        Activation {
            edge,
            audit: None,
            recent: None,
            status: Mutex::new(Status { source, ..Status::default() }),
            begun: AtomicU64::new(0),
            reloading: Mutex::default(),
            wanted: Mutex::new(Wanted { inputs, ..Wanted::default() }),
        }
    }

    /// An edge as `read` configures it, serving its bundle. `read` is called again at every reload.
    pub fn start(
        read: impl Fn() -> Result<Config, ConfigError> + Send + 'static,
    ) -> Result<Arc<Activation>, StartError> {
        let config = read()?;
        let activation = Activation::configured(config, Box::new(read))?;
        activation.poll().map_err(StartError::Activation)?;
        Ok(Arc::new(activation))
    }

    /// The same without a first attempt.
    pub(crate) fn configured(config: Config, read: ReadConfig) -> Result<Activation, StartError> {
        let inputs = Inputs::of(&config)?;
        let network = Network::new(config.ca_file.clone())?;
        let audit = Audit::start(&config.settings.audit)?;
        let mut hooks = Hooks::default();
        hooks.observers.extend(audit.clone().map(|audit| audit as Arc<dyn Observer>));
        let recent = (config.recent_calls > 0).then(|| Arc::new(RecentCalls::new(config.recent_calls)));
        hooks.observers.extend(recent.clone().map(|recent| recent as Arc<dyn Observer>));
        let edge = Arc::new(Edge::with(config.settings.clone(), Upstream::Network(network), hooks));
        if let Some(audit) = &audit {
            edge.metrics.observe_audit(audit.watch());
        }
        let activation = Activation { audit, recent, ..Activation::new(edge, Some(inputs)) };
        let (poll, log_level, needs_upgrade) = (config.poll, config.log.level, Vec::new());
        locked(&activation.wanted).configured =
            Some(Configured { read, at_start: config, poll, log_level, needs_upgrade });
        Ok(activation)
    }

    pub fn edge(&self) -> &Arc<Edge> {
        &self.edge
    }

    /// A service that follows the inputs, for any Pingora `Server`.
    pub fn watcher(self: &Arc<Self>) -> GenBackgroundService<Watcher> {
        background_service("bundle", Watcher::new(Arc::clone(self)))
    }

    /// The audit log, if there is one.
    pub fn audit(&self) -> Option<&Arc<Audit>> {
        self.audit.as_ref()
    }

    /// The last calls, if they are kept.
    pub fn recent_calls(&self) -> Option<&RecentCalls> {
        self.recent.as_deref()
    }

    pub fn status(&self) -> Status {
        locked(&self.status).clone()
    }

    /// Reads everything again: configuration, bundle, secrets. Blocks. One reload runs at a time; those who ask meanwhile
    /// wait, and share the outcome of the next.
    pub fn reload(&self) -> Outcome {
        self.reload_since(self.begun())
    }

    /// How many reloads have begun.
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    /// A reload that is asked for when `asked` of them have begun. Those may have read a file before it was changed; a later
    /// one has not.
    pub(crate) fn reload_since(&self, asked: u64) -> Outcome {
        let _reloading = locked(&self.reloading);
        let mut wanted = locked(&self.wanted);
        if let Some((number, outcome)) = &wanted.last
            && *number > asked
        {
            return outcome.clone();
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        // Whatever else is wrong, a log that was rotated goes on.
        if let Some(audit) = &self.audit {
            audit.reopen();
        }
        let read = self.read_config(&mut wanted);
        drop(wanted);
        let outcome = match read {
            Ok(()) => self.ask_and_attempt(),
            Err(error) => self.failed(error.into(), Cause::Asked),
        };
        locked(&self.wanted).last = Some((number, outcome.clone()));
        outcome
    }

    fn ask_and_attempt(&self) -> Outcome {
        self.ask_source(Cause::Asked);
        let mut wanted = locked(&self.wanted);
        if let Some(inputs) = &mut wanted.inputs {
            inputs.source.claim_answer();
        }
        self.attempt(&mut wanted, Cause::Asked)
    }

    /// Asks a remote source if it is time, and waits for the answer for a while.
    fn ask_source(&self, cause: Cause) {
        let begun = Instant::now();
        // Who asks is not content with the answer to an older question.
        for _ in 0..2 {
            let mut wanted = locked(&self.wanted);
            let source = wanted.inputs.as_mut().map(|inputs| &mut inputs.source);
            let Some(asking) = source.and_then(|source| source.begin(cause == Cause::Asked)) else { return };
            self.show_source(&wanted);
            drop(wanted);
            let left = asking.patience.map(|patience| patience.saturating_sub(begun.elapsed()));
            asking.over.wait(left);
            if asking.is_new || cause == Cause::Poll {
                return;
            }
        }
    }

    /// Attempts what is wanted if the source or the secrets look different; `None` if they do not. Blocks.
    pub fn poll(&self) -> Result<Option<Reloaded>, Arc<ActivationError>> {
        self.ask_source(Cause::Poll);
        let mut wanted = locked(&self.wanted);
        let is_shown = !wanted.certificates.probe();
        match wanted.inputs.as_mut().map(Inputs::probe) {
            None => Ok(None),
            Some(Ok(false)) if is_shown => {
                self.show_source(&wanted);
                Ok(None)
            }
            Some(Ok(false)) => self.attempt(&mut wanted, Cause::Poll).map(Some),
            Some(Ok(true)) => self.attempt(&mut wanted, Cause::Poll).map(Some),
            Some(Err(error)) => {
                self.show_source(&wanted);
                self.failed(LoadError::from(error).into(), Cause::Poll).map(Some)
            }
        }
    }

    /// Keeps what the listeners of the configuration show at what their files hold. `shown` are in the order of the listeners.
    pub fn show_certificates(&self, shown: Vec<Option<Arc<Served>>>) {
        let mut wanted = locked(&self.wanted);
        let listeners = wanted.configured.as_ref().map(|configured| configured.at_start.listeners.clone());
        wanted.certificates = Certificates::new(&listeners.unwrap_or_default(), shown);
    }

    /// Serves something else from now on.
    pub fn replace(&self, inputs: Inputs) -> Outcome {
        let _reloading = locked(&self.reloading);
        let mut wanted = locked(&self.wanted);
        locked(&self.status).source = inputs.source.name();
        wanted.inputs = Some(inputs);
        drop(wanted);
        self.ask_and_attempt()
    }

    /// The files to watch, and how often to poll.
    fn watched(&self) -> (Vec<PathBuf>, Duration) {
        let wanted = locked(&self.wanted);
        let mut files: Vec<PathBuf> = wanted.inputs.iter().flat_map(Inputs::files).collect();
        files.extend(wanted.certificates.files().map(Path::to_owned));
        let poll = wanted.configured.as_ref().map_or(POLL, |configured| configured.poll);
        let wait = wanted.inputs.as_ref().and_then(|inputs| inputs.source.wait());
        (files, wait.map_or(poll, |wait| poll.min(wait)))
    }

    /// Makes what a configuration says the thing that is wanted. A wrong one changes nothing.
    fn read_config(&self, wanted: &mut Wanted) -> Result<(), ConfigError> {
        let Some(configured) = &mut wanted.configured else { return Ok(()) };
        let mut config = (configured.read)()?;
        // It follows from the listeners, and those stay.
        config.settings.access.loopback = configured.at_start.settings.access.loopback;
        let mut inputs = Inputs::of(&config)?;
        wanted.certificates.follow(&config.listeners);
        configured.needs_upgrade = config.differs_beyond_reload(&configured.at_start);
        configured.poll = config.poll;
        configured.log_level = config.log.level;
        if let Some(previous) = wanted.inputs.take() {
            inputs.continue_from(previous);
        }
        locked(&self.status).source = inputs.source.name();
        wanted.inputs = Some(inputs);
        Ok(())
    }

    fn attempt(&self, wanted: &mut Wanted, cause: Cause) -> Outcome {
        let outcome = self.read_and_swap(wanted, cause);
        self.show_source(wanted);
        match outcome {
            Ok(reloaded) => {
                self.succeeded(&reloaded, cause);
                Ok(reloaded)
            }
            Err(error) => self.failed(error, cause),
        }
    }

    fn read_and_swap(&self, wanted: &mut Wanted, cause: Cause) -> Result<Reloaded, ActivationError> {
        let inputs = wanted.inputs.as_mut().ok_or(ActivationError::NoBundle)?;
        let certificates = wanted.certificates.read(cause == Cause::Asked)?;
        let (bundle, given) = inputs.read(&self.edge)?;
        let revision = given.revision;
        let is_new = wanted.given.as_ref() != Some(&given);
        if is_new {
            let Given { settings, directory, secrets, .. } = &given;
            let catalog = self.edge.prepare_with(settings, directory, bundle, &|name| secrets.get(name))?;
            let contents = &catalog.contents;
            let tools = contents.tools.len();
            let signers = given.signers.clone();
            let names = contents.tools.iter().map(|tool| contents.strings.get(tool.name));
            self.edge.metrics.activated(&revision, names, contents.templates.programs.len());
            let tenants = given.directory.file().tenants.iter().map(|tenant| tenant.name.value.as_str());
            self.edge.metrics.knows_tenants(tenants, given.settings.limits.metric_tenants);
            if let Some(audit) = &self.audit {
                audit.configure(&given.settings.audit);
            }
            let shared_limits = catalog.shared_limits();
            self.edge.activate(catalog);
            let has_store = given.settings.shared.is_some();
            let since = SystemTime::now();
            let active = Active { revision, tools, signers, since, shared_limits, has_store };
            locked(&self.status).active = Some(active);
            wanted.given = Some(given);
        }
        inputs.source.is_served();
        wanted.certificates.show(certificates);
        let mut needs_upgrade = Vec::new();
        if let Some(configured) = &wanted.configured {
            logging::set_level(configured.log_level);
            needs_upgrade.clone_from(&configured.needs_upgrade);
        }
        Ok(Reloaded { revision, is_new, needs_upgrade })
    }

    /// Puts how it goes with a remote source where it can be seen.
    fn show_source(&self, wanted: &Wanted) {
        let source = wanted.inputs.as_ref().map(|inputs| &inputs.source);
        let remote = source.and_then(|source| source.remote());
        self.edge.metrics.source_is(remote.map(RemoteStatus::facts));
        locked(&self.status).remote = remote.cloned();
    }

    fn succeeded(&self, reloaded: &Reloaded, cause: Cause) {
        let mut status = locked(&self.status);
        let now = SystemTime::now();
        status.last_attempt = Some(now);
        status.last_success = Some(now);
        status.needs_upgrade.clone_from(&reloaded.needs_upgrade);
        // A poll reads the bundle and not the configuration: what is wrong with that still is.
        let stays = |error: &FailedAttempt| cause == Cause::Poll && error.of_configuration;
        let recovered = status.last_error.take_if(|error| !stays(error)).is_some();
        let active = status.active.clone().filter(|_| reloaded.is_new);
        drop(status);
        let revision = reloaded.revision;
        if recovered {
            tracing::info!(%revision, "recovered from a failed activation");
        }
        if let Some(active) = active {
            active.log();
        } else if cause == Cause::Asked || recovered {
            tracing::info!(%revision, "bundle unchanged");
        } else {
            tracing::debug!(%revision, "bundle unchanged");
        }
        if cause == Cause::Asked && !reloaded.needs_upgrade.is_empty() {
            let keys = reloaded.needs_upgrade.join(", ");
            tracing::warn!(keys, "these keys have changed, but need an upgrade or a restart");
        }
    }

    /// A poll that fails like the attempt before it is neither logged nor counted.
    fn failed(&self, error: ActivationError, cause: Cause) -> Outcome {
        let message = error.to_string();
        let error = Arc::new(error);
        let now = SystemTime::now();
        let mut status = locked(&self.status);
        status.last_attempt = Some(now);
        let known = status.last_error.as_ref().is_some_and(|last| last.message == message);
        if known && cause == Cause::Poll {
            return Err(error);
        }
        let active = status.active.as_ref().map(|active| active.revision.to_string());
        let of_configuration = matches!(*error, ActivationError::Config(_));
        status.last_error = Some(FailedAttempt { message: message.clone(), at: now, of_configuration });
        drop(status);
        self.edge.metrics.activation_failed();
        match active {
            Some(active) => {
                tracing::error!(error = %message, %active, "bundle not activated; the active one stays");
            }
            None => tracing::error!(error = %message, "bundle not activated"),
        }
        Err(error)
    }
}

/// What is served holds secrets, so it is left out.
impl std::fmt::Debug for Activation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activation").field("status", &self.status()).finish_non_exhaustive()
    }
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
