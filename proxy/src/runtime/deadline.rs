//! Limits of waits that nearly always end before.
//!
//! A timer that is registered for a wait and removed after it costs more than the wait itself. Here a wait notes its limit in a
//! table of its thread, and one task of that thread sleeps until the first limit that it knows of. What has ended by then is no
//! longer in the table, so under load that task wakes up about once in the length of a limit.
//!
//! That task belongs to the runtime of the thread's first wait, which must go on being driven: Pingora's threads have one each.
//! It sleeps by tokio's timer: Pingora's can miss its end if that falls between two steps of the sleeper, and then no limit of
//! the thread would hold any more.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// The least time between two looks at the table, unless a new wait asks for one: a limit may be noticed this much late.
const RESOLUTION: Duration = Duration::from_millis(10);

/// The wait took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

/// Waits at most `limit`, which begins when the future has to wait for the first time.
pub fn within<F: Future>(
    limit: Duration,
    future: Pin<&mut F>,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    limited(move || Instant::now().checked_add(limit), future)
}

/// Waits at most `limit`, which began at `since`.
pub fn within_since<F: Future>(
    since: Instant,
    limit: Duration,
    future: Pin<&mut F>,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    limited(move || since.checked_add(limit), future)
}

/// Waits until `end` at most.
pub fn until<F: Future>(
    end: Instant,
    future: Pin<&mut F>,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    limited(move || Some(end), future)
}

fn limited<F: Future>(
    end: impl Fn() -> Option<Instant>,
    mut future: Pin<&mut F>,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    let mut place = None;
    poll_fn(move |context| {
        if let Poll::Ready(done) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        match &place {
            None => place = end().and_then(|end| TableEntry::take(end, context)),
            Some(place) => {
                if place.is_over(context) {
                    return Poll::Ready(Err(Elapsed));
                }
            }
        }
        Poll::Pending
    })
}

thread_local! {
    static HERE: Arc<Mutex<Table>> = Arc::default();
}

/// The waits of a thread.
#[derive(Default)]
struct Table {
    waits: Vec<Wait>,
    /// Places of no wait.
    free: Vec<usize>,
    watcher: Option<Watcher>,
}

enum Wait {
    Free,
    Waiting { end: Instant, waker: Waker },
    Over,
}

/// The task that looks at a table.
struct Watcher {
    task: AbortHandle,
    next_look: Instant,
    /// Tells it to look sooner.
    sooner: Arc<Notify>,
}

/// A wait's entry in a table; given back when dropped.
struct TableEntry {
    table: Arc<Mutex<Table>>,
    index: usize,
}

impl TableEntry {
    /// `None` only while the thread ends.
    fn take(end: Instant, context: &Context<'_>) -> Option<TableEntry> {
        let shared = HERE.try_with(Arc::clone).ok()?;
        let mut table = lock(&shared);
        let wait = Wait::Waiting { end, waker: context.waker().clone() };
        let index = match table.free.pop() {
            Some(index) => {
                table.set(index, wait);
                index
            }
            None => {
                table.waits.push(wait);
                table.waits.len() - 1
            }
        };
        if !table.watcher.as_ref().is_some_and(|watcher| watcher.looks_until(end)) {
            table.watch(end, &shared);
        }
        drop(table);
        Some(TableEntry { table: shared, index })
    }

    fn is_over(&self, context: &Context<'_>) -> bool {
        let mut table = lock(&self.table);
        let Some(Wait::Waiting { waker, .. }) = table.waits.get_mut(self.index) else { return true };
        if !waker.will_wake(context.waker()) {
            let before = std::mem::replace(waker, context.waker().clone());
            drop(table);
            // As below.
            drop(before);
        }
        false
    }
}

impl Drop for TableEntry {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        let wait = table.set(self.index, Wait::Free);
        table.free.push(self.index);
        drop(table);
        // A waker may be the last that holds its task, and that may wait here, too.
        drop(wait);
    }
}

impl Table {
    fn set(&mut self, index: usize, wait: Wait) -> Wait {
        self.waits.get_mut(index).map_or(Wait::Free, |place| std::mem::replace(place, wait))
    }

    /// Sees to it that somebody looks at `end`.
    #[cold]
    fn watch(&mut self, end: Instant, shared: &Arc<Mutex<Table>>) {
        if let Some(watcher) = self.watcher.as_mut().filter(|watcher| !watcher.task.is_finished()) {
            watcher.next_look = end;
            watcher.sooner.notify_one();
        } else if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let sooner = Arc::new(Notify::new());
            let task = runtime.spawn(look_again(Arc::clone(shared), Arc::clone(&sooner))).abort_handle();
            self.watcher = Some(Watcher { task, next_look: end, sooner });
        }
    }

    /// Ends what is over: whom to wake, and when to look again.
    fn look(&mut self, now: Instant) -> (Vec<Waker>, Option<Instant>) {
        let mut over = Vec::new();
        let mut first = None;
        for wait in &mut self.waits {
            let Wait::Waiting { end, .. } = wait else { continue };
            if now < *end {
                first = Some(first.map_or(*end, |first: Instant| first.min(*end)));
            } else if let Wait::Waiting { waker, .. } = std::mem::replace(wait, Wait::Over) {
                over.push(waker);
            }
        }
        let next_look = first.map(|first| first.max(now + RESOLUTION));
        match (next_look, &mut self.watcher) {
            (Some(next_look), Some(watcher)) => watcher.next_look = next_look,
            // The task ends, and the next wait starts another.
            _ => self.watcher = None,
        }
        (over, next_look)
    }
}

impl Watcher {
    fn looks_until(&self, end: Instant) -> bool {
        self.next_look <= end && !self.task.is_finished()
    }
}

async fn look_again(table: Arc<Mutex<Table>>, sooner: Arc<Notify>) {
    loop {
        let now = Instant::now();
        let (over, next_look) = lock(&table).look(now);
        over.into_iter().for_each(Waker::wake);
        let Some(next_look) = next_look else { return };
        tokio::select! {
            () = tokio::time::sleep_until(next_look.into()) => {}
            () = sooner.notified() => {}
        }
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::pin::pin;

    const SHORT: Duration = Duration::from_millis(30);
    const LONG: Duration = Duration::from_secs(60);

    fn waits() -> usize {
        HERE.with(|table| {
            lock(table).waits.iter().filter(|wait| matches!(wait, Wait::Waiting { .. })).count()
        })
    }

    #[tokio::test]
    async fn what_is_ready_is_not_limited() {
        assert_eq!(within(Duration::ZERO, pin!(async { 1 })).await, Ok(1));
        assert_eq!(HERE.with(|table| lock(table).waits.len()), 0);
    }

    #[tokio::test]
    async fn a_wait_ends_at_its_limit_and_not_before() {
        let start = Instant::now();
        assert_eq!(within(SHORT, pin!(pending::<()>())).await, Err(Elapsed));
        assert!(start.elapsed() >= SHORT);
        assert_eq!(until(start + SHORT, pin!(pending::<()>())).await, Err(Elapsed), "long over");
    }

    #[tokio::test]
    async fn a_shorter_limit_is_not_kept_waiting_by_a_longer_one() {
        let long = tokio::spawn(async { within(LONG, pin!(pending::<()>())).await });
        tokio::task::yield_now().await;
        let start = Instant::now();
        assert_eq!(within(SHORT, pin!(pending::<()>())).await, Err(Elapsed));
        assert!(start.elapsed() < LONG / 2);
        assert_eq!(waits(), 1);
        long.abort();
        assert!(long.await.is_err());
        assert_eq!(waits(), 0, "a dropped wait leaves the table");
    }

    #[tokio::test]
    async fn a_limit_that_cannot_be_reached_is_none() {
        assert_eq!(within(Duration::MAX, pin!(tokio::task::yield_now())).await, Ok(()));
    }

    #[tokio::test]
    async fn places_are_used_again() {
        for _ in 0..10 {
            assert_eq!(within(LONG, pin!(tokio::task::yield_now())).await, Ok(()));
        }
        assert_eq!(HERE.with(|table| lock(table).waits.len()), 1);
    }

    #[test]
    fn a_thread_may_have_one_runtime_after_another() {
        for _ in 0..2 {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            assert_eq!(runtime.block_on(within(SHORT, pin!(pending::<()>()))), Err(Elapsed));
            let waiting = async {
                let _ = within(LONG, pin!(pending::<()>())).await;
            };
            // The task that looks at the table goes with the runtime.
            runtime.spawn(waiting);
            runtime.block_on(tokio::task::yield_now());
        }
    }
}
