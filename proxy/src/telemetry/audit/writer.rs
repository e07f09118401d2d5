//! The thread that writes.

use super::file::AuditFile;
use super::finish::Finisher;
use super::line;
use super::queue::Queue;
use crate::telemetry::logging::timestamp::Timestamps;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long after a failure the next attempt is made.
const RETRY: Duration = Duration::from_secs(1);

/// How long the end of the process waits for the last lines.
const FAREWELL: Duration = Duration::from_secs(2);

/// Memory for lines that is kept from one batch to the next.
const KEPT: usize = 1 << 20;

/// What the threads that serve and the one that writes know of each other.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) queue: Queue,
    pub(super) counts: Counts,
    orders: Mutex<Orders>,
    /// Tells the thread that there is an order.
    given: Condvar,
    /// Tells those who wait that a round has ended.
    ended: Condvar,
}

/// What was done, in numbers.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) written: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) flushes: AtomicU64,
}

#[derive(Debug)]
struct Orders {
    flush: Duration,
    /// Much waits.
    urgent: bool,
    /// Someone does, or knows that something has changed.
    asked: bool,
    reopen: bool,
    /// Rounds that were begun and that have ended.
    begun: u64,
    done: u64,
    /// Why nothing can be written.
    problem: Option<String>,
    /// Nobody will leave lines any more.
    last: bool,
    /// The thread has ended.
    gone: bool,
}

/// What one round is to do.
struct Round {
    reopen: bool,
    last: bool,
}

struct Writer {
    shared: Arc<Shared>,
    file: AuditFile,
    finisher: Finisher,
    /// Lines that are not in the file yet, and how many they are.
    lines: Vec<u8>,
    waiting: u64,
    spare: Vec<u8>,
    /// Lines left out that the file tells of.
    told: u64,
    timestamps: Timestamps,
}

impl Shared {
    pub(super) fn new(queue: usize, flush: Duration) -> Shared {
        let orders = Orders {
            flush,
            urgent: false,
            asked: false,
            reopen: false,
            begun: 0,
            done: 0,
            problem: None,
            last: false,
            gone: false,
        };
        Shared {
            queue: Queue::new(queue),
            counts: Counts::default(),
            orders: Mutex::new(orders),
            given: Condvar::new(),
            ended: Condvar::new(),
        }
    }

    /// Lines should be written soon.
    #[cold]
    pub(super) fn hurry(&self) {
        self.locked().urgent = true;
        self.given.notify_one();
    }

    /// The file is to be opened again.
    pub(super) fn reopen(&self) {
        let mut orders = self.locked();
        orders.reopen = true;
        orders.asked = true;
        drop(orders);
        self.given.notify_one();
    }

    pub(super) fn set_flush(&self, flush: Duration) {
        self.locked().flush = flush;
        self.given.notify_one();
    }

    /// Nobody will leave lines any more: writes the last ones.
    pub(super) fn end(&self) {
        self.locked().last = true;
        self.given.notify_one();
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.locked().problem.clone()
    }

    /// Waits until what was left so far is written, but not for ever.
    pub(super) fn flush(&self) {
        let mut orders = self.locked();
        // A round that runs may have taken its lines already; the one after it has not.
        let wanted = orders.begun + 1;
        orders.asked = true;
        self.given.notify_one();
        let _ =
            self.ended.wait_timeout_while(orders, FAREWELL, |orders| orders.done < wanted && !orders.gone);
    }

    fn locked(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do.
    fn next(&self) -> Round {
        let mut orders = self.locked();
        let failing = orders.problem.is_some();
        // After a failure only time helps, or another file, not that more lines come.
        let urgent = !failing && self.queue.has_many();
        if !urgent {
            let pause = if failing { RETRY.min(orders.flush) } else { orders.flush };
            let idle = |orders: &mut Orders| !(orders.asked || orders.last || orders.urgent && !failing);
            let waited = self.given.wait_timeout_while(orders, pause, idle);
            orders = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        orders.urgent = false;
        orders.asked = false;
        orders.begun += 1;
        Round { reopen: std::mem::take(&mut orders.reopen), last: orders.last }
    }

    fn finished(&self, problem: Option<String>) {
        let mut orders = self.locked();
        orders.done = orders.begun;
        let before = std::mem::replace(&mut orders.problem, problem.clone());
        drop(orders);
        self.ended.notify_all();
        match (before, problem) {
            (None, Some(problem)) => tracing::error!(problem, "the audit log cannot be written"),
            (Some(_), None) => tracing::info!("the audit log can be written again"),
            _ => {}
        }
    }
}

/// Starts the thread.
pub(super) fn start(shared: Arc<Shared>, file: AuditFile) -> std::io::Result<()> {
    let mut writer = Writer {
        shared,
        file,
        finisher: Finisher::default(),
        lines: Vec::new(),
        waiting: 0,
        spare: Vec::new(),
        told: 0,
        timestamps: Timestamps::new(),
    };
    std::thread::Builder::new().name("audit".to_owned()).spawn(move || writer.run()).map(drop)
}

impl Writer {
    fn run(&mut self) {
        loop {
            let round = self.shared.next();
            let written = if round.reopen { self.file.reopen() } else { Ok(()) };
            let written = written.and_then(|()| self.write());
            let failed = written.is_err();
            if failed {
                self.shared.counts.failed.fetch_add(1, Relaxed);
            } else {
                self.shared.counts.flushes.fetch_add(1, Relaxed);
            }
            self.shared.finished(written.err().map(|error| error.to_string()));
            if round.last {
                self.shared.locked().gone = true;
                self.shared.ended.notify_all();
                return;
            }
        }
    }

    /// Writes what there is. What could not be written before comes first, and nothing more is taken until it is: what waits
    /// stays bounded.
    fn write(&mut self) -> std::io::Result<()> {
        if !self.lines.is_empty() {
            self.append()?;
        }
        self.collect();
        self.append()
    }

    fn append(&mut self) -> std::io::Result<()> {
        let appended = self.file.append(&mut self.lines);
        let left = self.lines.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.shared.counts.written.fetch_add(self.waiting.saturating_sub(left), Relaxed);
        self.waiting = left;
        self.lines.shrink_to(KEPT);
        appended
    }

    fn collect(&mut self) {
        let Writer { shared, finisher, lines, waiting, spare, told, timestamps, .. } = self;
        shared.queue.take(spare, |unfinished| {
            *waiting += 1;
            finisher.finish(unfinished, lines);
        });
        let dropped = shared.queue.dropped();
        if dropped > *told {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            line::dropped(dropped - *told, timestamps.text(now), lines);
            *waiting += 1;
            *told = dropped;
        }
    }
}
