//! One server: whether it can be used, and what its calls need.

use super::http::HttpTarget;
use super::pin::{Definitions, PinnedTool};
use super::{Connection, Connector, McpCode, McpFailure, Opened};
use crate::settings::McpSettings;
use arc_swap::{ArcSwapOption, Guard};
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Notify, watch};

/// A server of this process. It goes on over reloads that do not change it.
pub(crate) struct Server {
    pub name: String,
    pub way: Way,
    live: ArcSwapOption<Live>,
    status: watch::Sender<Status>,
    /// Someone wants it now.
    pub(super) wanted: Notify,
    /// Its session is gone.
    pub(super) lost: Notify,
    /// A call could not reach it.
    pub(super) doubted: Notify,
    pub(super) poll: watch::Sender<Duration>,
    pins: Mutex<Vec<Arc<PinnedTool>>>,
    /// What it listed last.
    listed: Mutex<Option<Arc<Definitions>>>,
    /// Connections that were opened.
    opened: AtomicU64,
    /// Calls by how they ended: well, and by [`McpCode`].
    calls: [AtomicU64; 1 + McpCode::ALL.len()],
}

/// How a server is reached.
#[derive(Debug)]
pub(crate) enum Way {
    /// Calls are requests like those of other HTTP upstreams.
    Http(Arc<HttpTarget>),
    /// Calls go over a connection that carries all of them.
    Channel(Arc<dyn Connector>),
}

/// A connection that can be used.
#[derive(Debug)]
pub(crate) struct Live {
    pub connection: Arc<dyn Connection>,
    pub opened: Opened,
    /// Headers of calls, for Streamable HTTP.
    pub head: Box<[u8]>,
}

/// Whether a server can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub state: State,
    pub since: SystemTime,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Disconnected,
    Connecting,
    Connected(Opened),
    Error(McpFailure),
}

impl State {
    pub const NAMES: [&'static str; 4] = ["disconnected", "connecting", "connected", "error"];

    pub const fn as_str(&self) -> &'static str {
        match self {
            State::Disconnected => "disconnected",
            State::Connecting => "connecting",
            State::Connected(_) => "connected",
            State::Error(_) => "error",
        }
    }
}

impl Server {
    pub fn new(name: &str, way: Way) -> Server {
        let status = Status { state: State::Disconnected, since: SystemTime::now() };
        Server {
            name: name.to_owned(),
            way,
            live: ArcSwapOption::empty(),
            status: watch::channel(status).0,
            wanted: Notify::new(),
            lost: Notify::new(),
            doubted: Notify::new(),
            poll: watch::channel(McpSettings::default().poll).0,
            pins: Mutex::default(),
            listed: Mutex::default(),
            opened: AtomicU64::new(0),
            calls: Default::default(),
        }
    }

    pub fn connector(&self) -> &dyn Connector {
        match &self.way {
            Way::Http(target) => target,
            Way::Channel(connector) => &**connector,
        }
    }

    /// What calls use, if it is there. Nothing is locked.
    pub fn live(&self) -> Guard<Option<Arc<Live>>> {
        self.live.load()
    }

    /// Waits for a connection; fails as soon as an attempt does.
    pub async fn wait(&self, deadline: Instant) -> Result<Arc<Live>, McpFailure> {
        let mut status = self.status.subscribe();
        self.wanted.notify_one();
        let ready = async {
            loop {
                if let Some(live) = &*self.live() {
                    return Ok(Arc::clone(live));
                }
                if let State::Error(failure) = &status.borrow_and_update().state {
                    return Err(failure.clone());
                }
                if status.changed().await.is_err() {
                    return Err(McpFailure::new(McpCode::Unreachable, "the server is not used any more"));
                }
            }
        };
        crate::runtime::deadline::until(deadline, pin!(ready)).await.unwrap_or_else(|_| {
            Err(McpFailure::new(McpCode::Timeout, "the server could not be reached in time"))
        })
    }

    /// A call found that the session of this connection is gone. Whoever comes first has it opened again.
    pub fn forget(&self, live: &Arc<Live>) {
        if self.suspend(live) {
            self.lost.notify_one();
        }
    }

    /// A call could not reach the server. It may be another one when it is back, so its tools are compared before the next call.
    pub fn doubt(&self, live: &Arc<Live>) {
        if self.suspend(live) {
            self.doubted.notify_one();
        }
    }

    pub(super) fn uses(&self, live: &Arc<Live>) -> bool {
        self.live().as_ref().is_some_and(|used| Arc::ptr_eq(used, live))
    }

    /// Calls wait from now on. False if this is not what they use.
    fn suspend(&self, live: &Arc<Live>) -> bool {
        let before = self.live.compare_and_swap(live, None);
        let is_ours = before.as_ref().is_some_and(|before| Arc::ptr_eq(before, live));
        if is_ours {
            self.set(State::Connecting);
        }
        is_ours
    }

    pub(super) fn publish(&self, live: Arc<Live>) {
        self.opened.fetch_add(1, Relaxed);
        self.resume(live);
    }

    /// Calls use this from now on.
    pub(super) fn resume(&self, live: Arc<Live>) {
        let state = State::Connected(live.opened.clone());
        self.live.store(Some(live));
        self.set(state);
    }

    pub(super) fn retract(&self, state: State) {
        self.live.store(None);
        self.set(state);
    }

    pub(super) fn set(&self, state: State) {
        self.status.send_if_modified(|status| {
            let is_new = status.state != state;
            if is_new {
                *status = Status { state, since: SystemTime::now() };
            }
            is_new
        });
    }

    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// The tools of the bundle that is served now. They are compared with what is known at once.
    pub fn pin(&self, pins: Vec<Arc<PinnedTool>>) {
        let unknown = {
            let mut known = lock(&self.pins);
            *known = pins;
            known.clone()
        };
        if let Some(listed) = lock(&self.listed).clone() {
            unknown.iter().for_each(|pin| pin.judge(&self.name, &listed));
        }
    }

    pub fn pins(&self) -> Vec<Arc<PinnedTool>> {
        lock(&self.pins).clone()
    }

    /// Compares a tool that is not served yet.
    pub fn compare(&self, pin: &PinnedTool) {
        if let Some(listed) = lock(&self.listed).clone() {
            pin.judge(&self.name, &listed);
        }
    }

    pub(super) fn listed(&self, definitions: Definitions) {
        let definitions = Arc::new(definitions);
        *lock(&self.listed) = Some(Arc::clone(&definitions));
        self.pins().iter().for_each(|pin| pin.judge(&self.name, &definitions));
    }

    pub fn set_poll(&self, poll: Duration) {
        self.poll.send_if_modified(|known| std::mem::replace(known, poll) != poll);
    }

    /// Counts the end of a call.
    pub fn count(&self, code: Option<McpCode>) {
        let place =
            code.map_or(0, |code| 1 + McpCode::ALL.iter().position(|known| *known == code).unwrap_or(0));
        if let Some(count) = self.calls.get(place) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Calls so far: `ok`, and by code.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = std::iter::once("ok").chain(McpCode::ALL.iter().map(|code| code.as_str()));
        names.zip(self.calls.iter().map(|count| count.load(Relaxed)))
    }

    /// Connections after the first.
    pub fn reconnects(&self) -> u64 {
        self.opened.load(Relaxed).saturating_sub(1)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name).field("way", &self.way).finish_non_exhaustive()
    }
}
