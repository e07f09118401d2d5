//! One token that many calls share: kept, fetched anew before it ends, and fetched once for all who wait.

use super::error::CredentialError;
use super::token::Token;
use arc_swap::ArcSwapOption;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The pause after the first failure; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// An upstream that refuses every token does not make us fetch one for each call.
const BETWEEN_REJECTIONS: Duration = Duration::from_secs(5);

pub(super) type Fetched = Result<Arc<Token>, CredentialError>;
type Flight = Shared<BoxFuture<'static, Fetched>>;

/// The token, if there is one. Reading it takes no lock.
#[derive(Default)]
pub(super) struct Slot {
    token: ArcSwapOption<Token>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The fetch that is under way.
    flight: Option<Flight>,
    pause: Pause,
    /// When a token was last fetched because an upstream refused the one before.
    rejected: Option<Instant>,
}

/// The time in which nothing is asked again, after failures.
#[derive(Debug, Default)]
pub(super) struct Pause {
    failures: u32,
    last: Option<(Instant, CredentialError)>,
}

/// What there is for a call.
pub(super) enum Look {
    Ready(Arc<Token>),
    Wait(Flight),
}

impl Slot {
    /// A token that is good, or the fetch that brings one. One that will end soon is fetched anew beside the calls.
    pub(super) fn look<F>(self: &Arc<Self>, now: Instant, fetch: F) -> Result<Look, CredentialError>
    where
        F: FnOnce() -> BoxFuture<'static, Fetched>,
    {
        if let Some(token) = self.token.load_full().filter(|token| token.is_good(now)) {
            if token.is_old(now) {
                // If it fails, this one is good for a while.
                let _ = self.start(now, fetch);
            }
            return Ok(Look::Ready(token));
        }
        self.start(now, fetch).map(Look::Wait)
    }

    /// The fetch of another token than `rejected`, which an upstream refused, or the token that came since. `None` if there
    /// was such a fetch just now.
    pub(super) fn replace<F>(self: &Arc<Self>, rejected: &Token, now: Instant, fetch: F) -> Option<Look>
    where
        F: FnOnce() -> BoxFuture<'static, Fetched>,
    {
        let known = self.token.load_full().filter(|token| **token != *rejected && token.is_good(now));
        if let Some(token) = known {
            return Some(Look::Ready(token));
        }
        {
            let mut state = self.state();
            if state.flight.is_none() {
                let is_free = state.rejected.is_none_or(|last| now >= last + BETWEEN_REJECTIONS);
                if !is_free {
                    return None;
                }
                state.rejected = Some(now);
            }
        }
        self.start(now, fetch).ok().map(Look::Wait)
    }

    /// Joins the fetch that is under way, or starts one. It goes on when whoever waits gives up.
    fn start<F>(self: &Arc<Self>, now: Instant, fetch: F) -> Result<Flight, CredentialError>
    where
        F: FnOnce() -> BoxFuture<'static, Fetched>,
    {
        let mut state = self.state();
        if let Some(flight) = state.flight.as_ref().filter(|flight| flight.peek().is_none()) {
            return Ok(flight.clone());
        }
        state.pause.check(now)?;
        let (slot, fetch) = (Arc::clone(self), fetch());
        let task = tokio::spawn(async move {
            let fetched = fetch.await;
            slot.finish(&fetched);
            fetched
        });
        let flight = task.map(|done| done.unwrap_or(Err(CredentialError::GivenUp))).boxed().shared();
        state.flight = Some(flight.clone());
        Ok(flight)
    }

    fn finish(&self, fetched: &Fetched) {
        let mut state = self.state();
        state.flight = None;
        match fetched {
            Ok(token) => {
                self.token.store(Some(Arc::clone(token)));
                state.pause = Pause::default();
            }
            Err(error) => state.pause.begin(Instant::now(), error),
        }
    }

    /// When its token ends; nothing if it has none.
    pub(super) fn end(&self) -> Option<Instant> {
        self.token.load().as_ref().and_then(|token| token.end())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pause {
    /// The last failure, as long as nothing is to be asked again.
    pub(super) fn check(&self, now: Instant) -> Result<(), CredentialError> {
        match &self.last {
            Some((until, error)) if now < *until => Err(error.clone()),
            _ => Ok(()),
        }
    }

    pub(super) fn begin(&mut self, now: Instant, error: &CredentialError) {
        let pause = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16)).min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        self.last = Some((now + pause, error.clone()));
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
