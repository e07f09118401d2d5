//! Limits that edges share: a rate or a number of places for all of them together.
//!
//! ```text
//! call ─take→ lease (calls or places in hand)          two words; never waits for anything
//!               │ tells, when the hand is half empty
//! keeper ─question→ store ─answer→ lease               beside the calls, on a thread of its own
//! ```
//!
//! What an edge holds was given to it, so together they let through what one edge alone would: the burst and the rate, whatever they
//! do at the same time. `numbers` has the arithmetic. The store decides by its own clock: those of the edges do not matter.

mod fleet;
mod keeper;
mod lease;
mod numbers;
mod places_lease;
mod rate_lease;
#[cfg(feature = "redis")]
mod redis;
mod store;
mod store_address;
mod table;
#[cfg(test)]
mod tests;

pub use fleet::CountStats;
pub use places_lease::{PlacesLease, SharedPlace};
pub use store_address::{NodeAddress, NodeError, StoreAddress};

use super::{Rate, mix, nanoseconds};
use crate::runtime::random;
use fleet::Fleet;
use lease::Lease;
use mcp_bundle::wire_enums::WhenAway;
use rate_lease::RateLease;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Relaxed, Release},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use store::{Connector, PlacesQuestion, Question, RateQuestion, StoreError};
use table::Table;
use tokio::sync::Notify;

/// How long an activation waits to hear from a store that is new.
const VERDICT: Duration = Duration::from_secs(1);

/// All shared limits of a process, and their keeper.
#[derive(Debug, Clone)]
pub struct SharedLimits {
    inner: Arc<Inner>,
    _held: Arc<Held>,
}

/// Ends the keeper when nobody holds the limits any more.
#[derive(Debug)]
struct Held(Arc<Inner>);

/// A call that was not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The limit is met; there is room again after this time.
    For(Duration),
    /// The store does not answer, and the limit refuses calls then.
    StoreAway,
}

/// What `/status` tells of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// Where it is, without secrets.
    pub place: String,
    pub is_up: bool,
    pub since: SystemTime,
    /// Why it does not answer.
    pub error: Option<String>,
    /// That share the limits.
    pub edges: u32,
}

/// What metrics tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedStats {
    pub is_up: bool,
    pub edges: u32,
    /// Limits that this edge holds something of.
    pub leases: u64,
    /// Calls and places in hand.
    pub in_hand: u64,
    pub counts: CountStats,
}

/// What calls and the keeper share.
#[derive(Debug)]
struct Inner {
    /// A name that no other process has.
    edge: Arc<str>,
    is_on: AtomicBool,
    fleet: Fleet,
    rates: Table<RateLease>,
    places: Table<PlacesLease>,
    /// Leases that calls want more of.
    queue: Mutex<Vec<Arc<dyn Lease>>>,
    wake: Notify,
    /// Where the store is has changed.
    changed: Notify,
    wanted: Mutex<Wanted>,
    state: Mutex<Option<State>>,
    /// Told when the state is another one.
    verdict: Condvar,
    keeper: OnceLock<()>,
    is_over: AtomicBool,
}

#[derive(Debug, Default)]
struct Wanted {
    address: Option<StoreAddress>,
    connector: Option<Arc<dyn Connector>>,
}

/// How the store is.
#[derive(Debug, Clone)]
struct State {
    error: Option<String>,
    since: SystemTime,
}

impl Default for SharedLimits {
    fn default() -> SharedLimits {
        let inner = Inner {
            edge: format!("{:016x}{:016x}", random::next(), random::next()).into(),
            is_on: AtomicBool::new(false),
            fleet: Fleet::default(),
            rates: Table::default(),
            places: Table::default(),
            queue: Mutex::default(),
            wake: Notify::new(),
            changed: Notify::new(),
            wanted: Mutex::default(),
            state: Mutex::default(),
            verdict: Condvar::new(),
            keeper: OnceLock::new(),
            is_over: AtomicBool::new(false),
        };
        let inner = Arc::new(inner);
        SharedLimits { _held: Arc::new(Held(Arc::clone(&inner))), inner }
    }
}

impl SharedLimits {
    /// Whether there is a store, so that limits can be shared.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.inner.is_on.load(Relaxed)
    }

    /// From now on the store is there, or nowhere. If it is a new one, waits a moment to hear from it.
    pub fn follow(&self, address: Option<&StoreAddress>) {
        let mut wanted = locked(&self.inner.wanted);
        let (old, new) = (wanted.address.as_ref(), address);
        self.inner.fleet.set_least(address.map_or(1, |address| address.least_edges));
        let is_same = old.map(StoreAddress::place_and_secrets) == new.map(StoreAddress::place_and_secrets);
        if is_same && wanted.connector.is_some() == new.is_some() {
            wanted.address = address.cloned();
            return;
        }
        wanted.address = address.cloned();
        wanted.connector = address.map(StoreAddress::connector);
        drop(wanted);
        self.connector_changed(address.is_some());
    }

    /// The same for a store of one's own.
    #[cfg(test)]
    fn follow_with(&self, connector: Arc<dyn Connector>, least_edges: u32) {
        self.inner.fleet.set_least(least_edges);
        locked(&self.inner.wanted).connector = Some(connector);
        self.connector_changed(true);
    }

    fn connector_changed(&self, is_on: bool) {
        *locked(&self.inner.state) = None;
        self.inner.is_on.store(is_on, Relaxed);
        self.inner.changed.notify_one();
        if !is_on {
            return;
        }
        self.inner.keeper.get_or_init(|| self.start_keeper());
        let deadline = Instant::now() + VERDICT;
        let mut state = locked(&self.inner.state);
        while state.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = match self.inner.verdict.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    fn start_keeper(&self) {
        let inner = Arc::clone(&self.inner);
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(keeper::run(inner)),
                Err(error) => inner.lost(&StoreError::Lost(error.to_string())),
            }
        };
        if let Err(error) = std::thread::Builder::new().name("shared-limits".to_owned()).spawn(work) {
            self.inner.lost(&StoreError::Lost(error.to_string()));
        }
    }

    /// Takes one call of a shared rate; `None` if there is no room for another limit.
    pub fn take(
        &self,
        (limit, who): (u64, u64),
        rate: Rate,
        when_away: WhenAway,
        now: u64,
        name: impl FnOnce() -> String,
    ) -> Option<Result<(), Refused>> {
        let inner = &*self.inner;
        inner.rates.with(
            mix(mix(limit) ^ who),
            now,
            || RateLease::new(name()),
            |lease| {
                let taken = lease.take(rate, when_away, &inner.fleet, now);
                if taken.asks {
                    inner.tell(Arc::clone(lease) as Arc<dyn Lease>);
                }
                taken.call.map_err(|wait| wait.map_or(Refused::StoreAway, Refused::For))
            },
        )
    }

    /// The part of a shared rate that is this edge's, where the rate cannot be shared.
    pub fn own_part(&self, rate: Rate) -> Rate {
        numbers::own_part(rate, self.inner.fleet.edges())
    }

    /// The same for places.
    pub fn own_places(&self, most: u32) -> u32 {
        (most / self.inner.fleet.edges()).max(1)
    }

    /// The places that a limit by this name has at this edge; `None` if there is no room for another limit.
    pub fn places(&self, key: u64, name: impl FnOnce() -> String) -> Option<Arc<PlacesLease>> {
        let make = || PlacesLease::new(name(), Arc::clone(&self.inner.edge));
        self.inner.places.with(mix(key), nanoseconds(Instant::now()), make, Arc::clone)
    }

    /// A place for a call, if there is one.
    pub fn enter(
        &self,
        places: &Arc<PlacesLease>,
        most: u32,
        when_away: WhenAway,
        now: u64,
    ) -> Option<SharedPlace> {
        let entered = places.enter(most, when_away, &self.inner.fleet, now);
        if entered.asks {
            self.inner.tell(Arc::clone(places) as Arc<dyn Lease>);
        }
        entered.place
    }

    /// Whether calls are refused because the store does not answer.
    pub fn is_away(&self) -> bool {
        self.inner.fleet.is_away()
    }

    /// `None` if there is no store.
    pub fn status(&self) -> Option<StoreStatus> {
        let place = locked(&self.inner.wanted).connector.as_ref()?.place().to_owned();
        let state = locked(&self.inner.state).clone();
        let edges = self.inner.fleet.edges();
        Some(match state {
            Some(State { error, since }) => {
                StoreStatus { place, is_up: error.is_none(), since, error, edges }
            }
            None => {
                let error = Some("it has not answered yet".to_owned());
                StoreStatus { place, is_up: false, since: SystemTime::now(), error, edges }
            }
        })
    }

    /// `None` if there is no store.
    pub fn stats(&self) -> Option<SharedStats> {
        let is_up = self.status()?.is_up;
        let held = self.inner.all().into_iter().map(|lease| lease.in_hand()).filter(|held| *held > 0);
        let (leases, in_hand) =
            held.fold((0, 0), |(leases, in_hand), held| (leases + 1, in_hand + u64::from(held)));
        let edges = self.inner.fleet.edges();
        Some(SharedStats { is_up, edges, leases, in_hand, counts: self.inner.fleet.counts.stats() })
    }
}

/// Asks a store once whether it is there and does all that limits need, for an edge that leaves at once. The time of one answer.
pub fn try_store(address: &StoreAddress) -> Result<Duration, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let connector = address.connector();
    let begun = Instant::now();
    let ask = async {
        let store = connector.connect().await?;
        let edge = "check".to_owned();
        store.ask(&Question::Edges { edge: edge.clone(), ttl_ms: 1 }).await?;
        let time = begun.elapsed();
        let rate = RateQuestion { name: "check/rate".to_owned(), interval: 1.0, ..RateQuestion::default() };
        store.ask(&Question::Rate(rate)).await?;
        // A place that is borrowed and given back.
        for want in [1, 0] {
            let (name, edge) = ("check/places".to_owned(), edge.clone());
            store.ask(&Question::Places(PlacesQuestion { name, edge, places: 1, want, ttl_ms: 1 })).await?;
        }
        Ok::<_, StoreError>(time)
    };
    let tried = async { tokio::time::timeout(Duration::from_secs(3), ask).await };
    match runtime.block_on(tried) {
        Ok(tried) => tried.map_err(|error| error.to_string()),
        Err(_) => Err("no answer within 3 s".to_owned()),
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.is_over.store(true, Release);
        self.0.changed.notify_one();
    }
}

impl Inner {
    fn connector(&self) -> Option<Arc<dyn Connector>> {
        locked(&self.wanted).connector.clone()
    }

    fn tell(&self, lease: Arc<dyn Lease>) {
        locked(&self.queue).push(lease);
        self.wake.notify_one();
    }

    fn take_queue(&self) -> Vec<Arc<dyn Lease>> {
        std::mem::take(&mut locked(&self.queue))
    }

    fn all(&self) -> Vec<Arc<dyn Lease>> {
        let rates = self.rates.all().into_iter().map(|lease| lease as Arc<dyn Lease>);
        rates.chain(self.places.all().into_iter().map(|lease| lease as Arc<dyn Lease>)).collect()
    }

    /// The store answers.
    fn found(&self) {
        let edges = self.fleet.edges();
        if self.is(None) {
            tracing::info!(edges, "the store of shared limits answers");
        }
        self.fleet.set_away(false);
    }

    /// The store does not answer.
    fn lost(&self, error: &StoreError) {
        self.fleet.set_away(true);
        if self.is(Some(error.to_string())) {
            tracing::warn!(%error, "the store of shared limits does not answer");
        }
    }

    /// Notes how the store is; says whether it was otherwise before.
    fn is(&self, error: Option<String>) -> bool {
        let mut state = locked(&self.state);
        let was_up = state.as_ref().map(|state| state.error.is_none());
        let is_new = was_up != Some(error.is_none());
        let since = match &*state {
            Some(state) if !is_new => state.since,
            _ => SystemTime::now(),
        };
        *state = Some(State { error, since });
        self.verdict.notify_all();
        is_new
    }
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
