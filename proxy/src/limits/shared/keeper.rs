//! Asks the store, beside the calls: on a thread of its own, one question for many calls.

use super::Inner;
use super::lease::{Lease, Next};
use super::store::{Answer, Connector, Question, Store, StoreError};
use crate::limits::nanoseconds;
use crate::runtime::random;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// For an answer. A store that is slower counts as away.
const ANSWER: Duration = Duration::from_millis(500);
const CONNECT: Duration = Duration::from_secs(2);
/// Between two signs of life, and for how long one is good.
const BEAT: Duration = Duration::from_secs(2);
const ALIVE_MS: u64 = 10_000;
/// After a store came back, until all edges have told it what they hold.
const CAREFUL: Duration = Duration::from_secs(4);
/// Between attempts to connect: the first wait, which doubles, and the longest.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);
/// Until a lease is tried again whose question the store has refused.
const REFUSED: u64 = 5_000_000_000;
/// Questions on their way at once.
const MOST: usize = 1024;

/// A lease that is to be asked about, in the order of time.
struct Due {
    at: u64,
    lease: Arc<dyn Lease>,
}

/// How a question ended.
struct Done {
    /// `None`: it was a sign of life.
    lease: Option<Arc<dyn Lease>>,
    question: Question,
    asked: Instant,
    ended: Result<Answer, StoreError>,
}

/// Why questions are no longer asked on a connection.
enum End {
    Lost(StoreError),
    /// The place of the store has changed.
    Changed,
}

/// Works as long as somebody holds the limits.
pub async fn run(inner: Arc<Inner>) {
    let mut failures = 0u32;
    let mut was_connected = false;
    while !inner.is_over.load(Acquire) {
        let changed = inner.changed.notified();
        let Some(connector) = inner.connector() else {
            changed.await;
            continue;
        };
        let connected = tokio::select! {
            connected = connect(&*connector) => connected,
            () = changed => continue,
        };
        let ended = match connected {
            Err(error) => End::Lost(error),
            Ok(store) => {
                let was_new = !std::mem::replace(&mut was_connected, true);
                let mut keeper = Keeper::new(Arc::clone(&inner), Arc::from(store), was_new);
                let ended = keeper.work().await;
                failures = if keeper.has_worked { 0 } else { failures };
                keeper.give_up().await;
                ended
            }
        };
        match ended {
            End::Changed => failures = 0,
            End::Lost(error) => {
                inner.lost(&error);
                failures = failures.saturating_add(1);
                let wait = wait(failures);
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = inner.changed.notified() => failures = 0,
                }
            }
        }
    }
}

async fn connect(connector: &dyn Connector) -> Result<Box<dyn Store>, StoreError> {
    let late = |_| StoreError::Lost(format!("no connection within {} s", CONNECT.as_secs()));
    tokio::time::timeout(CONNECT, connector.connect()).await.map_err(late)?
}

/// Doubles with each failure; half of it is left to chance, so that edges do not all come at once.
fn wait(failures: u32) -> Duration {
    let bound = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST);
    let half = u64::try_from(bound.as_millis()).unwrap_or_default() / 2;
    bound / 2 + Duration::from_millis(random::next() % half.saturating_add(1))
}

struct Keeper {
    inner: Arc<Inner>,
    store: Arc<dyn Store>,
    waiting: BinaryHeap<Due>,
    asked: FuturesUnordered<BoxFuture<'static, Done>>,
    /// Questions that are on their way are given up.
    given_up: watch::Sender<bool>,
    beat: Instant,
    /// The store has been there before: it may have lost what it knew.
    is_back: bool,
    has_worked: bool,
}

impl Keeper {
    fn new(inner: Arc<Inner>, store: Arc<dyn Store>, is_new: bool) -> Keeper {
        Keeper {
            inner,
            store,
            waiting: BinaryHeap::new(),
            asked: FuturesUnordered::new(),
            given_up: watch::channel(false).0,
            beat: Instant::now(),
            is_back: !is_new,
            has_worked: false,
        }
    }

    async fn work(&mut self) -> End {
        let inner = Arc::clone(&self.inner);
        loop {
            let now = Instant::now();
            if now >= self.beat {
                self.beat = now + BEAT;
                let edge = self.inner.edge.to_string();
                self.send(None, Question::Edges { edge, ttl_ms: ALIVE_MS });
            }
            self.ask_what_is_due(nanoseconds(now));
            let next = self.next(now);
            tokio::select! {
                Some(done) = self.asked.next(), if !self.asked.is_empty() => {
                    if let Err(error) = self.ended(done) {
                        return End::Lost(error);
                    }
                }
                () = inner.wake.notified() => {
                    let now = nanoseconds(Instant::now());
                    inner.take_queue().into_iter().for_each(|lease| self.told(lease, now));
                }
                () = inner.changed.notified() => return End::Changed,
                () = tokio::time::sleep_until(next.into()) => {}
            }
        }
    }

    fn next(&self, now: Instant) -> Instant {
        let Some(due) = self.waiting.peek().filter(|_| self.asked.len() < MOST) else { return self.beat };
        let wait = due.at.saturating_sub(nanoseconds(now));
        self.beat.min(now + Duration::from_nanos(wait))
    }

    /// Calls want more of a lease.
    fn told(&mut self, lease: Arc<dyn Lease>, now: u64) {
        if !lease.slot().in_flight.load(Acquire) {
            let at = lease.slot().soonest(now);
            self.schedule(lease, at);
        }
    }

    fn schedule(&mut self, lease: Arc<dyn Lease>, at: u64) {
        lease.slot().scheduled.store(at.max(1), Release);
        self.waiting.push(Due { at: at.max(1), lease });
    }

    fn ask_what_is_due(&mut self, now: u64) {
        while self.asked.len() < MOST && self.waiting.peek().is_some_and(|due| due.at <= now) {
            let Some(Due { at, lease }) = self.waiting.pop() else { return };
            let slot = lease.slot();
            // It may have been asked about sooner.
            if slot.scheduled.load(Acquire) != at || slot.in_flight.load(Acquire) {
                continue;
            }
            slot.scheduled.store(0, Release);
            match lease.question(&self.inner.fleet, now) {
                None => slot.set_asked(false),
                Some(question) => {
                    slot.set_asked(true);
                    slot.in_flight.store(true, Release);
                    self.send(Some(lease), question);
                }
            }
        }
    }

    fn send(&mut self, lease: Option<Arc<dyn Lease>>, question: Question) {
        let store = Arc::clone(&self.store);
        let asked = Instant::now();
        let mut given_up = self.given_up.subscribe();
        self.asked.push(Box::pin(async move {
            let late = |_| StoreError::Lost(format!("no answer within {} ms", ANSWER.as_millis()));
            let ended = tokio::select! {
                ended = tokio::time::timeout(ANSWER, store.ask(&question)) => ended.map_err(late),
                _ = given_up.wait_for(|given_up| *given_up) => Err(StoreError::Lost("it was given up".to_owned())),
            };
            Done { lease, question, asked, ended: ended.and_then(|answered| answered) }
        }));
    }

    fn ended(&mut self, done: Done) -> Result<(), StoreError> {
        let Done { lease, question, asked, ended } = done;
        let fleet = &self.inner.fleet;
        let now = Instant::now();
        fleet.counts.asked(ended.is_ok(), now.saturating_duration_since(asked));
        let answer = match ended {
            Ok(answer) => answer,
            Err(error) => {
                let Some(lease) = lease else { return Err(error) };
                failed(&*lease, &question, &self.inner);
                let StoreError::Refused(_) = error else { return Err(error) };
                let slot = lease.slot();
                slot.last.store(nanoseconds(now), Relaxed);
                slot.pace.store(REFUSED, Relaxed);
                if slot.set_refused(true) {
                    tracing::warn!(%error, limit = lease.name(), "the store refuses what a shared limit needs");
                }
                return Ok(());
            }
        };
        if let Answer::Edges(edges) = answer {
            fleet.set_edges(edges);
            if !self.has_worked {
                self.has_worked = true;
                if self.is_back {
                    fleet.be_careful_until(nanoseconds(now + CAREFUL));
                }
                self.inner.found();
                // What calls wait for, and what is held and may be forgotten there.
                let now = nanoseconds(now);
                self.inner.take_queue().into_iter().for_each(|lease| self.told(lease, now));
                for lease in self.inner.all().into_iter().filter(|lease| lease.has_news(now)) {
                    self.told(lease, now);
                }
            }
        }
        let Some(lease) = lease else { return Ok(()) };
        let (asked, now) = (nanoseconds(asked), nanoseconds(now));
        let next = lease.answered(&question, &answer, &self.inner.fleet, asked, now);
        let slot = lease.slot();
        if slot.set_refused(false) {
            tracing::info!(limit = lease.name(), "the store counts a shared limit again");
        }
        slot.last.store(now, Relaxed);
        slot.in_flight.store(false, Release);
        match next {
            Next::Never => slot.set_asked(false),
            Next::Firm(at) => self.schedule(lease, at),
            Next::Sooner(at) => {
                slot.set_asked(false);
                self.schedule(lease, at);
            }
        }
        Ok(())
    }

    /// Nothing that was asked on this connection is answered any more.
    async fn give_up(&mut self) {
        self.given_up.send_replace(true);
        while let Some(Done { lease, question, .. }) = self.asked.next().await {
            if let Some(lease) = lease {
                failed(&*lease, &question, &self.inner);
            }
        }
        for lease in self.inner.all() {
            lease.slot().scheduled.store(0, Release);
            lease.slot().set_asked(false);
        }
    }
}

fn failed(lease: &dyn Lease, question: &Question, inner: &Inner) {
    lease.failed(question, &inner.fleet);
    lease.slot().in_flight.store(false, Release);
    lease.slot().set_asked(false);
}

/// The earliest first.
impl Ord for Due {
    fn cmp(&self, other: &Due) -> Order {
        other.at.cmp(&self.at)
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.at == other.at
    }
}

impl Eq for Due {}
