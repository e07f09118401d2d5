//! A bundle behind a network.
//!
//! What came last is held, so a change of secrets or settings needs no network. What is served is kept as a copy on disk, for
//! a start while the source is away; its signature is checked like that of any other bundle.

use super::flight::{Flight, Landed, Opener};
use super::schedule::Schedule;
use super::{Asking, BundleSource, SourceError};
use crate::telemetry::metrics::SourceFacts;
use mcp_bundle::format::MAX_FILE_LENGTH;
use mcp_sources::{Copy, Fetched, Location, Options, Remote, TransferError, Version};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// How a remote source is asked. If two are equal, one source can go on as the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteSettings {
    pub location: Location,
    pub every: Duration,
    pub copy: Option<PathBuf>,
}

pub struct RemoteSource {
    settings: RemoteSettings,
    open: Opener,
    clock: Box<dyn Fn() -> Instant + Send>,
    /// Made at the first question, and part of one that is on its way.
    client: Option<Box<dyn Remote>>,
    flight: Option<Flight>,
    pub(super) patience: Patience,
    schedule: Schedule,
    held: Option<Held>,
    /// What is served, while what is held is not.
    served: Option<Held>,
    /// What the source has, if it is not to be served.
    refused: Option<Refused>,
    /// Somebody asked, and comes for the answer. Until then, polls leave it alone.
    is_awaited: bool,
    /// Somebody wants to know what is there now.
    is_wanted: bool,
    status: RemoteStatus,
}

/// How long a question is waited for. Those who wait for less go on with what is held.
pub(super) struct Patience {
    /// By a poll.
    pub(super) polled: Duration,
    /// By somebody who asked, and by a start that could serve the copy.
    pub(super) wanted: Duration,
}

/// Between two looks whether a question that takes long is over.
const LOOK: Duration = Duration::from_millis(200);

/// What came last.
struct Held {
    bytes: Vec<u8>,
    /// `None` if it is the copy.
    version: Option<Version>,
    is_served: bool,
    is_copied: bool,
}

/// Bytes that are no bundle, or not one of somebody we trust. They are not downloaded again.
struct Refused {
    version: Option<Version>,
    /// Of the bytes.
    digest: [u8; 32],
    reason: String,
}

/// How it goes.
#[derive(Debug, Clone, Default)]
pub struct RemoteStatus {
    pub location: String,
    /// Of what came last; `None` if that is the copy.
    pub version: Option<Version>,
    pub unchanged: u64,
    pub changed: u64,
    pub failed: u64,
    /// In a row.
    pub failures: u32,
    /// When the last question was asked. It may be on its way.
    pub last_attempt: Option<SystemTime>,
    pub last_success: Option<SystemTime>,
    /// Of the last attempt; a success clears it.
    pub last_error: Option<(String, SystemTime)>,
    /// The source was away at the start, so the copy is served.
    pub from_copy: bool,
    /// Why there is no copy of what is served.
    pub copy_error: Option<String>,
}

impl RemoteStatus {
    /// For metrics.
    pub(crate) fn facts(&self) -> SourceFacts {
        SourceFacts {
            source: self.location.clone(),
            version: self.version.as_ref().map(Version::to_string),
            unchanged: self.unchanged,
            changed: self.changed,
            failed: self.failed,
            last_attempt: self.last_attempt,
            last_success: self.last_success,
            is_failing: self.last_error.is_some(),
            from_copy: self.from_copy,
            copy_is_failing: self.copy_error.is_some(),
        }
    }
}

impl RemoteSource {
    pub fn new(settings: RemoteSettings, options: Options) -> RemoteSource {
        let location = settings.location.clone();
        let open = Arc::new(move || mcp_sources::open(&location, &options));
        RemoteSource::with(settings, open, Box::new(Instant::now))
    }

    pub(super) fn with(
        settings: RemoteSettings,
        open: Opener,
        clock: Box<dyn Fn() -> Instant + Send>,
    ) -> RemoteSource {
        let status = RemoteStatus { location: settings.location.to_string(), ..RemoteStatus::default() };
        let schedule = Schedule::new(settings.every, clock());
        RemoteSource {
            settings,
            open,
            clock,
            client: None,
            flight: None,
            patience: Patience { polled: Duration::from_secs(2), wanted: Duration::from_secs(30) },
            schedule,
            held: None,
            served: None,
            refused: None,
            is_awaited: false,
            is_wanted: false,
            status,
        }
    }

    /// What came of the question, if it is over: whether there is something to attempt.
    fn look(&mut self) -> Option<Result<bool, SourceError>> {
        if self.is_awaited {
            return None;
        }
        let flight = self.flight.take_if(|flight| flight.over().is_over())?;
        let Landed { client, answer } = flight.landed();
        self.client = client;
        Some(self.take_in(answer))
    }

    fn take_in(&mut self, answer: Result<Option<Fetched>, TransferError>) -> Result<bool, SourceError> {
        let had_failed = self.status.last_error.is_some();
        let (now, time, random) = ((self.clock)(), SystemTime::now(), random());
        let fetched = match answer {
            Ok(fetched) => fetched,
            Err(error) => {
                self.schedule.failed(now, error.retry_after(), random);
                self.status.failed += 1;
                self.status.failures = self.schedule.failures();
                self.status.last_error = Some((error.to_string(), time));
                return Err(error.into());
            }
        };
        self.schedule.succeeded(now, random);
        self.status.failures = 0;
        self.status.last_success = Some(time);
        self.status.last_error = None;
        // Without a version, what was refused comes again each time.
        let is_refused = |fetched: &Fetched| {
            self.refused.as_ref().is_some_and(|refused| refused.digest == digest(&fetched.bytes))
        };
        let Some(fetched) = fetched.filter(|fetched| !is_refused(fetched)) else {
            self.status.unchanged += 1;
            // The disk may have room again.
            self.keep_copy();
            return match &self.refused {
                Some(refused) => {
                    self.status.last_error = Some((refused.reason.clone(), time));
                    Err(SourceError::Refused(refused.reason.clone()))
                }
                None => Ok(had_failed),
            };
        };
        self.status.from_copy = false;
        self.refused = None;
        self.status.version = Some(fetched.version.clone());
        match &mut self.held {
            Some(held) if held.bytes == fetched.bytes => {
                held.version = Some(fetched.version);
                self.status.unchanged += 1;
                Ok(had_failed)
            }
            held => {
                tracing::info!(source = %self.status.location, version = %fetched.version, "bundle fetched");
                if fetched.version.is_unknown() {
                    tracing::warn!(
                        source = %self.status.location,
                        "the server sends neither ETag nor Last-Modified, so every poll downloads the bundle"
                    );
                }
                let version = Some(fetched.version);
                self.served = held.take().filter(|held| held.is_served).or(self.served.take());
                *held = Some(Held { bytes: fetched.bytes, version, is_served: false, is_copied: false });
                self.status.changed += 1;
                Ok(true)
            }
        }
    }

    /// What the source need not send again.
    fn known(&self) -> Option<Version> {
        match (&self.refused, &self.held) {
            (Some(refused), _) => refused.version.clone(),
            (None, held) => held.as_ref().and_then(|held| held.version.clone()),
        }
    }

    /// How long to wait for the question that is on its way. It goes on afterwards.
    fn patience(&self, is_wanted: bool) -> Option<Duration> {
        let has_copy = || self.settings.copy.as_ref().is_some_and(|copy| copy.exists());
        match (is_wanted, self.held.is_some()) {
            (true, _) => Some(self.patience.wanted),
            (false, true) => Some(self.patience.polled),
            (false, false) => has_copy().then_some(self.patience.wanted),
        }
    }

    /// Why nothing is held.
    fn nothing(&mut self) -> SourceError {
        if self.flight.is_some() {
            let seconds = self.patience.wanted.as_secs();
            let message = format!("`{}` takes longer than {seconds} s to answer", self.status.location);
            self.status.last_error = Some((message, SystemTime::now()));
        }
        let message = self.status.last_error.as_ref().map(|(message, _)| message.clone());
        SourceError::Refused(message.unwrap_or_else(|| format!("`{}` was not asked", self.status.location)))
    }

    /// At a start, the copy is better than nothing.
    fn copy_instead(&mut self, error: SourceError) -> Result<bool, SourceError> {
        match self.take_copy() {
            Ok(true) => Ok(true),
            Ok(false) => Err(error),
            Err(copy) => Err(SourceError::NoCopy { source: Box::new(error), copy }),
        }
    }

    /// Holds the copy, if there is one.
    fn take_copy(&mut self) -> Result<bool, mcp_sources::CopyError> {
        let Some(path) = &self.settings.copy else { return Ok(false) };
        let Some(bytes) = Copy::new(path).read(MAX_FILE_LENGTH)? else { return Ok(false) };
        self.held = Some(Held { bytes, version: None, is_served: false, is_copied: true });
        self.status.from_copy = true;
        Ok(true)
    }

    /// Writes what is served to disk, if it is not there.
    fn keep_copy(&mut self) {
        let (Some(path), Some(held)) = (&self.settings.copy, &mut self.held) else { return };
        if !held.is_served || held.is_copied {
            return;
        }
        let copy = Copy::new(path);
        let is_there = copy.read(MAX_FILE_LENGTH).is_ok_and(|there| there.as_ref() == Some(&held.bytes));
        let written = if is_there { Ok(()) } else { copy.write(&held.bytes) };
        held.is_copied = written.is_ok();
        let error = written.err().map(|error| error.to_string());
        if let Some(error) = error.as_ref().filter(|error| self.status.copy_error.as_ref() != Some(error)) {
            tracing::warn!(error, "a start while the source is away would not find this bundle");
        }
        self.status.copy_error = error;
    }
}

impl BundleSource for RemoteSource {
    fn name(&self) -> String {
        let location = &self.status.location;
        match (&self.settings.copy, self.status.from_copy) {
            (Some(copy), true) => format!("{} (the copy of {location})", copy.display()),
            _ => location.clone(),
        }
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        match self.look() {
            Some(Err(error)) if self.held.is_none() => self.copy_instead(error),
            Some(looked) => looked,
            None if self.is_awaited => Ok(false),
            None if self.held.is_none() && self.flight.is_some() => {
                let error = self.nothing();
                self.copy_instead(error)
            }
            None => Ok(false),
        }
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        let is_wanted = std::mem::take(&mut self.is_wanted);
        let problem = match self.look() {
            Some(looked) => looked.err(),
            None if self.held.is_none() || (is_wanted && self.flight.is_some()) => Some(self.nothing()),
            None => None,
        };
        match problem {
            Some(error) if self.held.is_none() => {
                self.copy_instead(error)?;
            }
            // What is held is good enough.
            Some(error) => {
                let source = &self.status.location;
                tracing::warn!(%source, %error, "the source gives nothing new, so what it gave before stays");
            }
            None => {}
        }
        // Something is held by now.
        Ok(self.held.as_ref().map(|held| held.bytes.clone()).unwrap_or_default())
    }

    fn begin(&mut self, is_wanted: bool) -> Option<Asking> {
        if is_wanted {
            // It left before somebody wanted to know. What it brought is held, or in the status.
            let _ = self.look();
        }
        let is_new = self.flight.is_none();
        if is_new && !is_wanted && !self.schedule.is_due((self.clock)()) {
            return None;
        }
        self.is_awaited |= is_new && is_wanted;
        if is_new {
            if is_wanted {
                // The keys may be others now.
                self.refused = None;
            }
            self.status.last_attempt = Some(SystemTime::now());
            self.flight = Some(Flight::start(Arc::clone(&self.open), self.client.take(), self.known()));
        }
        let over = Arc::clone(self.flight.as_ref()?.over());
        Some(Asking { over, patience: self.patience(is_wanted), is_new })
    }

    fn claim_answer(&mut self) {
        self.is_awaited = false;
        self.is_wanted = true;
    }

    fn wait(&self) -> Option<Duration> {
        if self.flight.is_some() {
            return Some(LOOK);
        }
        Some(self.schedule.wait((self.clock)()))
    }

    fn is_served(&mut self) {
        if let Some(held) = &mut self.held {
            held.is_served = true;
        }
        self.served = None;
        self.keep_copy();
    }

    fn refuse(&mut self, reason: &str) -> bool {
        let refused = self.held.take();
        let was_copy = std::mem::take(&mut self.status.from_copy);
        self.held = self.served.take();
        if was_copy {
            return false;
        }
        self.status.last_error = Some((reason.to_owned(), SystemTime::now()));
        self.refused = refused.map(|refused| Refused {
            version: refused.version,
            digest: digest(&refused.bytes),
            reason: reason.to_owned(),
        });
        // At a start, the last good one is better than none.
        self.held.is_none() && self.take_copy().unwrap_or_default()
    }

    fn remote(&self) -> Option<&RemoteStatus> {
        Some(&self.status)
    }
}

impl fmt::Debug for RemoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSource")
            .field("settings", &self.settings)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Any number will do if there is no other.
fn random() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}
