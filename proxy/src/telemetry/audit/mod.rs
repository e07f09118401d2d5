//! The audit log: one JSON line for each call and each refusal, in a file. `docs/OPERATIONS.md` has its members.
//!
//! ```text
//! a message ends ─line→ the queue, by thread ─every `flush_seconds`, or when many wait→ one write of whole lines
//! ```
//!
//! The path of a message makes the beginning of its line and copies it; it takes no lock that another message holds. Digest and
//! arguments are added by the thread that writes (`writer`), the only one that touches the file (`file`). That thread may
//! stand still for as long as the disk does. Then the queue fills, and `when_full` decides.

mod file;
mod finish;
mod line;
mod queue;
#[cfg(test)]
mod tests;
mod writer;

pub use file::{AuditError, check};

use crate::observe::Observer;
use crate::observe::record::{CallRecord, Refusal};
use crate::request::failure::Failure;
use crate::settings::{AuditSettings, WhenFull};
use crate::telemetry::logging::timestamp::Timestamps;
use file::AuditFile;
use finish::Mode;
use futures::FutureExt;
use futures::future::BoxFuture;
use pingora_timeout::timeout;
use queue::{Added, Unfinished};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use writer::Shared;

/// How long a request waits for room before it is refused. A client that leaves meanwhile is noticed at its end, so it must have
/// one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes the audit log.
#[derive(Debug)]
pub struct Audit {
    shared: Arc<Shared>,
    /// A [`Mode`]; a reload may change it.
    mode: AtomicU8,
    drops: AtomicBool,
    patience: Duration,
}

/// What has become of the lines so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditStats {
    /// Bytes that wait.
    pub queued: usize,
    /// Lines in the file.
    pub written: u64,
    /// Lines that were left out.
    pub dropped: u64,
    /// Attempts to write that failed.
    pub failed: u64,
    /// Times that all there was got written.
    pub flushes: u64,
    /// Nothing can be written at the moment.
    pub is_failing: bool,
}

/// What one line leaves to the next on the same thread.
#[derive(Debug)]
struct Scratch {
    line: Vec<u8>,
    /// Arguments of which something is hidden.
    shown: Vec<u8>,
    timestamps: Timestamps,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

impl Audit {
    /// Opens the file and starts the thread; `None` if no file is named.
    pub fn start(settings: &AuditSettings) -> Result<Option<Arc<Audit>>, AuditError> {
        let Some(path) = &settings.file else { return Ok(None) };
        survive_size_limits();
        let shared = Arc::new(Shared::new(settings.queue, settings.flush));
        let file = AuditFile::open(path)?;
        writer::start(Arc::clone(&shared), file).map_err(|error| no_thread(path, &error))?;
        let (mode, drops) = Default::default();
        let audit = Audit { shared, mode, drops, patience: PATIENCE };
        audit.configure(settings);
        Ok(Some(Arc::new(audit)))
    }

    /// Everything but the file can change while the process runs.
    pub fn configure(&self, settings: &AuditSettings) {
        self.mode.store(Mode::from(settings.arguments) as u8, Relaxed);
        self.drops.store(settings.when_full == WhenFull::Drop, Relaxed);
        self.shared.queue.set_limit(settings.queue);
        self.shared.set_flush(settings.flush);
    }

    /// The file may have been moved away: the next lines go to the one that has its name then.
    pub fn reopen(&self) {
        self.shared.reopen();
    }

    /// Waits until the lines so far are written, but not for ever.
    pub fn flush(&self) {
        self.shared.flush();
    }

    pub fn stats(&self) -> AuditStats {
        stats(&self.shared)
    }

    /// For those who ask later.
    pub fn watch(&self) -> impl Fn() -> AuditStats + Send + Sync + 'static {
        let shared = Arc::clone(&self.shared);
        move || stats(&shared)
    }

    /// Makes a line in the thread's memory and hands it over.
    fn add(&self, must: bool, make: impl Fn(&mut Scratch) -> Mode, arguments: &str) {
        let add = |scratch: &mut Scratch| {
            scratch.line.clear();
            scratch.shown.clear();
            let mode = make(scratch);
            let Scratch { line, shown, .. } = scratch;
            let arguments = if shown.is_empty() { arguments.as_bytes() } else { shown };
            let unfinished = Unfinished { line, arguments, mode };
            if self.shared.queue.add(unfinished, must) == Added::WaitsLong {
                self.shared.hurry();
            }
        };
        // A thread that is ending has nothing left to use again.
        SCRATCH
            .try_with(|scratch| add(&mut scratch.borrow_mut()))
            .unwrap_or_else(|_| add(&mut Scratch::new()));
    }

    fn drops(&self) -> bool {
        self.drops.load(Relaxed)
    }
}

impl Observer for Audit {
    fn call(&self, record: &CallRecord<'_>) {
        let mode = Mode::of(self.mode.load(Relaxed));
        let arguments = record.arguments.unwrap_or_default();
        let make = |Scratch { line, shown, timestamps }: &mut Scratch| {
            line::call(record, mode == Mode::Full, timestamps.text(now()), line);
            let told = (mode != Mode::Digest).then_some(&mut *line);
            line::hide(record.contents, record.index, arguments, told, shown);
            mode
        };
        // A request that was let in leaves its lines: it waited for room at the door.
        self.add(!self.drops(), make, arguments);
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        if matches!(refusal.failure, Failure::AuditFull) {
            self.shared.queue.drop_line();
            return;
        }
        let make = |Scratch { line, timestamps, .. }: &mut Scratch| {
            line::refused(refusal, timestamps.text(now()), line);
            Mode::Nothing
        };
        self.add(!self.drops(), make, "");
    }

    fn keeps_arguments(&self) -> bool {
        true
    }

    /// With `when_full = "wait"`, requests wait here, where nothing has been read or done for them. The wait is a future: it holds a
    /// connection, and no thread, so all others go on, the admin listener, too. Waiting where the line is made, at the end of a
    /// call, would either stop a thread that serves hundreds of connections or hold the result of work that is done.
    /// It ends: requests that got no room in time are refused. So the queue is exceeded by no more than what the requests
    /// that were let in together leave.
    fn full(&self) -> Option<BoxFuture<'_, bool>> {
        if self.drops() || !self.shared.queue.is_full() {
            return None;
        }
        self.shared.hurry();
        Some(async { timeout(self.patience, self.shared.queue.room()).await.is_ok() }.boxed())
    }

    fn problem(&self) -> Option<String> {
        let problem = self.shared.problem()?;
        Some(format!("the audit log cannot be written: {problem}"))
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Scratch {
    const fn new() -> Scratch {
        Scratch { line: Vec::new(), shown: Vec::new(), timestamps: Timestamps::new() }
    }
}

fn stats(shared: &Shared) -> AuditStats {
    AuditStats {
        queued: shared.queue.bytes(),
        written: shared.counts.written.load(Relaxed),
        dropped: shared.queue.dropped(),
        failed: shared.counts.failed.load(Relaxed),
        flushes: shared.counts.flushes.load(Relaxed),
        is_failing: shared.problem().is_some(),
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// A file that reaches the limit of its size (`ulimit -f`) sends SIGXFSZ, which ends a process that does not listen. With someone
/// who listens, the write just fails.
fn survive_size_limits() {
    const SIGXFSZ: i32 = 25;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
    let _entered = runtime.as_ref().map(|runtime| runtime.enter());
    let listening = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ));
    if let Err(error) = listening {
        tracing::warn!(%error, "SIGXFSZ is not listened to");
    }
}

fn no_thread(path: &Path, error: &std::io::Error) -> AuditError {
    AuditError::new(path, format!("has no thread to write it: {error}"))
}
