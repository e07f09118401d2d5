//! Connections that wait for their next call. Each thread has its own, so nothing here is locked.

use super::link::Link;
use super::network::{Counters, Origin};
use pingora_core::connectors::http::v2::ConnectionRef;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Between two looks for connections that are over their time.
const SWEEP: Duration = Duration::from_secs(5);

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { shelves: BTreeMap::new(), sweeper: None }) };
}

/// A connection to use for one exchange.
pub(super) enum Connection {
    Single(Link),
    Shared(ConnectionRef),
}

struct Pool {
    /// By [`Origin::id`].
    shelves: BTreeMap<u64, Shelf>,
    sweeper: Option<JoinHandle<()>>,
}

struct Shelf {
    counters: Arc<Counters>,
    /// The last one was used last.
    single: Vec<Idle>,
    shared: Option<Shared>,
}

struct Idle {
    stream: Link,
    until: Instant,
}

struct Shared {
    connection: ConnectionRef,
    /// Without streams; a call moves it.
    until: Instant,
    idle: Duration,
}

/// Takes a connection that is alive, as far as can be known without asking the upstream. With `surely`, that costs a system
/// call.
pub(super) fn take(origin: &Origin, now: Instant, surely: bool) -> Option<Connection> {
    with_pool(|pool| {
        let shelf = pool.shelves.get_mut(&origin.id)?;
        if let Some(shared) = &mut shelf.shared {
            if shared.connection.can_accept_streams(1) {
                shared.until = now + shared.idle;
                return Some(Connection::Shared(shared.connection.clone()));
            }
            if !shared.is_good(now) {
                shelf.shared = None;
                shelf.counters.idle.subtract(1);
            }
        }
        while let Some(Idle { mut stream, until }) = shelf.single.pop() {
            shelf.counters.idle.subtract(1);
            let is_quiet = now < until && if surely { stream.is_quiet_now() } else { stream.is_quiet() };
            if is_quiet {
                return Some(Connection::Single(stream));
            }
        }
        None
    })?
}

/// Keeps a connection for `idle`, unless there are `limit` of them already.
pub(super) fn put(
    origin: &Origin,
    counters: &Arc<Counters>,
    stream: Link,
    now: Instant,
    idle: Duration,
    limit: usize,
) {
    with_pool(|pool| {
        let shelf = pool.shelf(origin, counters);
        if shelf.single.len() < limit {
            shelf.single.push(Idle { stream, until: now + idle });
            shelf.counters.idle.add(1);
        }
        pool.watch();
    });
}

/// Lets other calls of this thread use a connection, unless they share one with room already.
pub(super) fn share(origin: &Origin, counters: &Arc<Counters>, connection: &ConnectionRef, idle: Duration) {
    with_pool(|pool| {
        let shelf = pool.shelf(origin, counters);
        if !shelf.shared.as_ref().is_some_and(|shared| shared.connection.can_accept_streams(1)) {
            let until = Instant::now() + idle;
            let connection = connection.clone();
            let before = shelf.shared.replace(Shared { connection, until, idle });
            shelf.counters.idle.add(u64::from(before.is_none()));
        }
        pool.watch();
    });
}

/// Gives a shared connection to no other call.
pub(super) fn forget(origin: &Origin, connection: &ConnectionRef) {
    with_pool(|pool| {
        if let Some(shelf) = pool.shelves.get_mut(&origin.id) {
            let known = shelf.shared.take_if(|shared| shared.connection.id() == connection.id());
            shelf.counters.idle.subtract(u64::from(known.is_some()));
        }
    });
}

impl Pool {
    fn shelf(&mut self, origin: &Origin, counters: &Arc<Counters>) -> &mut Shelf {
        self.shelves.entry(origin.id).or_insert_with(|| Shelf {
            counters: Arc::clone(counters),
            single: Vec::new(),
            shared: None,
        })
    }

    /// Drops what is over its time, also when no call comes.
    fn sweep(&mut self) {
        let now = Instant::now();
        self.shelves.retain(|_, shelf| {
            let before = shelf.kept();
            shelf.single.retain(|idle| now < idle.until);
            shelf.shared.take_if(|shared| !shared.is_good(now));
            shelf.counters.idle.subtract(before - shelf.kept());
            !shelf.single.is_empty() || shelf.shared.is_some()
        });
    }

    /// Starts the task that sweeps. It runs on this thread where every thread has its own runtime, as ours have.
    fn watch(&mut self) {
        if self.sweeper.as_ref().is_some_and(|sweeper| !sweeper.is_finished()) {
            return;
        }
        self.sweeper = tokio::runtime::Handle::try_current().ok().map(|runtime| {
            runtime.spawn(async {
                loop {
                    pingora_timeout::sleep(SWEEP).await;
                    let rest = with_pool(|pool| {
                        pool.sweep();
                        pool.shelves.len()
                    });
                    if rest.unwrap_or_default() == 0 {
                        return;
                    }
                }
            })
        });
    }
}

impl Shared {
    fn is_good(&self, now: Instant) -> bool {
        !self.connection.is_closed()
            && !self.connection.is_shutting_down()
            && (now < self.until || !self.connection.is_idle())
    }
}

impl Shelf {
    fn kept(&self) -> u64 {
        self.single.len() as u64 + u64::from(self.shared.is_some())
    }
}

/// A thread that ends takes its connections along.
impl Drop for Shelf {
    fn drop(&mut self) {
        self.counters.idle.subtract(self.kept());
    }
}

/// `None` only while the thread ends.
fn with_pool<T>(act: impl FnOnce(&mut Pool) -> T) -> Option<T> {
    POOL.try_with(|pool| pool.try_borrow_mut().ok().map(|mut pool| act(&mut pool))).ok().flatten()
}
