//! Looks at the files now and then, when the file system says that something happened, and on SIGHUP.

use super::Activation;
use async_trait::async_trait;
use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode};
use pingora_core::server::ShutdownWatch;
use pingora_core::services::background::BackgroundService;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Keeps an edge at what its inputs hold until the server shuts down, and then ends its event streams.
#[derive(Debug)]
pub struct Watcher {
    activation: Arc<Activation>,
    /// Until the watch starts.
    hangup: Mutex<Option<Hangup>>,
}

/// Whoever writes a file often does it in steps; looking at half of it would only make noise.
const CALM: Duration = Duration::from_millis(50);

impl Watcher {
    /// Listens to SIGHUP from now on: one that comes before the server runs would end the process.
    pub(super) fn new(activation: Arc<Activation>) -> Watcher {
        Watcher { activation, hangup: Mutex::new(Some(Hangup::new())) }
    }
}

#[async_trait]
impl BackgroundService for Watcher {
    async fn start(&self, mut shutdown: ShutdownWatch) {
        let hint = Arc::new(Notify::new());
        let hangup = self.hangup.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut hangup = hangup.unwrap_or_else(Hangup::new);
        let (mut files, poll) = self.activation.watched();
        // Dropping it ends the watch.
        let mut _watch = watch(&files, poll, &hint);
        // What changed before the watch began is seen at once.
        let mut pause = Duration::ZERO;
        loop {
            let is_asked = tokio::select! {
                changed = shutdown.changed() => {
                    if changed.is_err() || *shutdown.borrow() {
                        return self.activation.edge().end_streams();
                    }
                    continue;
                }
                () = hangup.next() => {
                    tracing::info!("reload asked for by SIGHUP");
                    true
                }
                () = tokio::time::sleep(pause) => false,
                () = hint.notified() => {
                    tokio::time::sleep(CALM).await;
                    false
                }
            };
            let activation = Arc::clone(&self.activation);
            // The outcome is in the status and the log.
            let work = move || if is_asked { activation.reload().is_ok() } else { activation.poll().is_ok() };
            let mut working = tokio::task::spawn_blocking(work);
            // A source that is slow to answer holds up nothing but the next look.
            loop {
                tokio::select! {
                    _ = &mut working => break,
                    changed = shutdown.changed() => {
                        if changed.is_err() || *shutdown.borrow() {
                            return self.activation.edge().end_streams();
                        }
                    }
                }
            }
            let (wanted, poll) = self.activation.watched();
            pause = poll;
            if wanted != files {
                files = wanted;
                _watch = watch(&files, poll, &hint);
                pause = Duration::ZERO;
            }
        }
    }
}

/// Watches the folders: a file that is replaced by a rename would take a watch on itself along.
fn watch(files: &[PathBuf], poll: Duration, hint: &Arc<Notify>) -> Option<RecommendedWatcher> {
    use notify::Watcher as _;
    let hint = Arc::clone(hint);
    let names: Vec<OsString> =
        files.iter().filter_map(|file| file.file_name().map(OsStr::to_owned)).collect();
    let on_event = move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| may_matter(&event, &names)) {
            hint.notify_one();
        }
    };
    let watching = notify::recommended_watcher(on_event).and_then(|mut watcher| {
        for folder in folders(files) {
            watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        }
        Ok(watcher)
    });
    let seconds = poll.as_secs();
    watching.inspect_err(|error| tracing::warn!(%error, seconds, "files cannot be watched, only polled")).ok()
}

fn folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let folder = |file: &PathBuf| match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut folders: Vec<PathBuf> = files.iter().map(folder).collect();
    folders.dedup();
    folders
}

/// Reading the files ourselves makes access events, and what is written to a file beside them, our own log perhaps, is not
/// ours to read. Whatever comes, goes or changes its name may be a link that leads to them.
fn may_matter(event: &notify::Event, names: &[OsString]) -> bool {
    match event.kind {
        EventKind::Access(_) => false,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => {
            let is_ours =
                |path: &PathBuf| path.file_name().is_some_and(|name| names.iter().any(|own| own == name));
            event.paths.iter().any(is_ours)
        }
        _ => true,
    }
}

/// SIGHUPs, where there are any.
#[derive(Debug)]
struct Hangup {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangup {
    fn new() -> Hangup {
        #[cfg(unix)]
        {
            // To begin with, this needs a runtime, any runtime; that of the server goes on with it.
            let is_inside = tokio::runtime::Handle::try_current().is_ok();
            let new = || tokio::runtime::Builder::new_current_thread().enable_all().build().ok();
            let runtime = if is_inside { None } else { new() };
            let _entered = runtime.as_ref().map(|runtime| runtime.enter());
            let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
            let signal = signal.inspect_err(|error| tracing::warn!(%error, "SIGHUP is not listened to")).ok();
            Hangup { signal }
        }
        #[cfg(not(unix))]
        Hangup {}
    }

    /// Safe to cancel.
    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::Event;
    use notify::event::{AccessKind, CreateKind, DataChange, RenameMode};

    #[test]
    fn a_log_beside_the_bundle_wakes_nobody() {
        let names = [OsString::from("tools.mcpk"), OsString::from("secrets.env")];
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        for (kind, path, matters) in [
            (written, "/etc/edge/edge.log", false),
            (written, "/etc/edge/tools.mcpk", true),
            (written, "/etc/edge/secrets.env", true),
            (EventKind::Access(AccessKind::Any), "/etc/edge/tools.mcpk", false),
            (EventKind::Modify(ModifyKind::Name(RenameMode::To)), "/etc/edge/..data", true),
            (EventKind::Create(CreateKind::File), "/etc/edge/tools.mcpk", true),
        ] {
            let event = Event::new(kind).add_path(PathBuf::from(path));
            assert_eq!(may_matter(&event, &names), matters, "{kind:?} {path}");
        }
    }
}
