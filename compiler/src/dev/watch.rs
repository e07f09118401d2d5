//! Notices changes of the files that a check has read.
//!
//! Polling decides: it works on any file system, however a file is written. Events from the system
//! only make the next poll come sooner.

use crate::files::disk::{self, DiscoverError};
use crate::files::{Files, Input, ReadError, join};
use mcp_diagnostics::Stamp;
use notify::{EventKind, RecursiveMode, Watcher as _};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// From one look at the files to the next; longer where a look takes long.
const POLL: Duration = Duration::from_millis(500);

/// How much longer than a look the pause after it is, so that large folders cost little.
const PAUSE_PER_LOOK: u32 = 10;

/// How long files must stay unchanged before they are read.
const QUIET: Duration = Duration::from_millis(60);

/// Files that never stop changing are read anyway.
const MAX_QUIET_ROUNDS: usize = 30;

/// What wakes the watching thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Something may have changed.
    Hint,
    Stop,
}

/// Why a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wake {
    /// These files changed, came or went.
    Changed(Vec<String>),
    Stop,
}

/// The files of one check, as they were just before each was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What a search for specs gave; an error is remembered by its text.
    found: Result<BTreeSet<String>, String>,
    stamps: Stamps,
}

type Stamps = BTreeMap<String, Stamp>;

/// Reads files and remembers which, those that are not there included.
pub struct Recorded<'f> {
    files: &'f dyn Files,
    stamps: RefCell<Stamps>,
}

/// Watches the specs of the given paths.
#[derive(Debug)]
pub struct Watcher {
    paths: Vec<PathBuf>,
    config: Option<PathBuf>,
    /// `None` where the system has no events.
    hints: Option<notify::RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
}

impl<'f> Recorded<'f> {
    pub fn new(files: &'f dyn Files) -> Recorded<'f> {
        Recorded { files, stamps: RefCell::default() }
    }

    /// What a check of `found` has read through this.
    pub fn seen(self, found: &Result<Input, DiscoverError>) -> Seen {
        Seen { found: names(found), stamps: self.stamps.into_inner() }
    }

    fn record(&self, name: &str) {
        // The first look counts: a change after it is a change.
        self.stamps.borrow_mut().entry(name.to_owned()).or_insert_with(|| Stamp::of(Path::new(name)));
    }
}

impl Files for Recorded<'_> {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        self.record(name);
        self.files.read(name)
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<String, ReadError> {
        self.record(&join(folder, name));
        self.files.read_below(folder, name)
    }
}

impl Watcher {
    /// `events` is where hints go.
    pub fn new(paths: &[PathBuf], config: Option<&Path>, events: SyncSender<Event>) -> Watcher {
        let hint = move |event: notify::Result<notify::Event>| {
            // Our own polls are accesses too.
            if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
                // If there is no room, enough hints are waiting.
                let _ = events.try_send(Event::Hint);
            }
        };
        let hints = notify::recommended_watcher(hint).ok();
        let (paths, config) = (paths.to_vec(), config.map(Path::to_path_buf));
        Watcher { paths, config, hints, folders: BTreeSet::new() }
    }

    /// Searches for the specs.
    pub fn discover(&self) -> Result<Input, DiscoverError> {
        disk::discover(&self.paths, self.config.as_deref())
    }

    /// Waits until something differs from `seen` and has stopped changing.
    pub fn wait(&mut self, seen: &Seen, events: &Receiver<Event>) -> Wake {
        self.ask_for_hints(seen);
        loop {
            let begin = Instant::now();
            let now = self.look(seen);
            if now != *seen {
                return self.wait_until_quiet(seen, now, events);
            }
            let pause = POLL.max(begin.elapsed() * PAUSE_PER_LOOK);
            if stopped(events, pause) {
                return Wake::Stop;
            }
        }
    }

    /// Waits for the end of a change.
    fn wait_until_quiet(&self, seen: &Seen, mut now: Seen, events: &Receiver<Event>) -> Wake {
        for _ in 0..MAX_QUIET_ROUNDS {
            let rest = Instant::now() + QUIET;
            while let Some(left) = rest.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            {
                if stopped(events, left) {
                    return Wake::Stop;
                }
            }
            let next = self.look(seen);
            let at_rest = next == now;
            now = next;
            if at_rest {
                break;
            }
        }
        Wake::Changed(now.changes(seen))
    }

    /// The same files as they are now.
    fn look(&self, seen: &Seen) -> Seen {
        let found = self.discover();
        Seen {
            found: names(&found),
            stamps: seen.stamps.keys().map(|name| (name.clone(), Stamp::of(Path::new(name)))).collect(),
        }
    }

    /// Folders are watched, not files: editors replace files. Subfolders without a spec are left to
    /// polling.
    fn ask_for_hints(&mut self, seen: &Seen) {
        let Some(hints) = &mut self.hints else { return };
        let given = self.paths.iter().filter(|path| path.is_dir()).cloned();
        let of_files = seen.stamps.keys().map(|name| match Path::new(name).parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        });
        for folder in given.chain(of_files).collect::<BTreeSet<_>>() {
            if !self.folders.contains(&folder) && hints.watch(&folder, RecursiveMode::NonRecursive).is_ok() {
                self.folders.insert(folder);
            }
        }
    }
}

impl Seen {
    /// Names of what differs from an earlier look.
    fn changes(&self, before: &Seen) -> Vec<String> {
        let mut names: BTreeSet<String> = match (&self.found, &before.found) {
            (Ok(now), Ok(before)) => now.symmetric_difference(before).cloned().collect(),
            (Ok(now), Err(_)) => now.clone(),
            (Err(_), _) => BTreeSet::new(),
        };
        let differ = self.stamps.iter().filter(|(name, stamp)| before.stamps.get(*name) != Some(*stamp));
        names.extend(differ.map(|(name, _)| name.clone()));
        names.into_iter().collect()
    }
}

impl std::fmt::Debug for Recorded<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorded").field("stamps", &self.stamps).finish_non_exhaustive()
    }
}

fn names(found: &Result<Input, DiscoverError>) -> Result<BTreeSet<String>, String> {
    match found {
        Ok(input) => Ok(input.specs.iter().chain(&input.config).cloned().collect()),
        Err(error) => Err(error.to_string()),
    }
}

/// Waits for an event, at most `pause`; `true` if it is time to stop.
fn stopped(events: &Receiver<Event>, pause: Duration) -> bool {
    let first = match events.recv_timeout(pause) {
        Ok(event) => event,
        Err(RecvTimeoutError::Timeout) => return false,
        Err(RecvTimeoutError::Disconnected) => return true,
    };
    // One look answers all hints that wait.
    std::iter::once(first).chain(events.try_iter()).any(|event| event == Event::Stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::files::disk::Disk;
    use std::fs;
    use std::sync::mpsc::sync_channel;

    const SPEC: &str = r#"
[[tool]]
name = "get_order"
description = "Gets one order of one user."
method = "GET"
endpoint = "https://api.example.com/orders"
response_template = { file = "order.tmpl" }
"#;

    /// Specs on disk, and a watcher of them.
    struct WatchedFolder {
        folder: tempfile::TempDir,
        watcher: Watcher,
        seen: Seen,
        events: Receiver<Event>,
        sender: SyncSender<Event>,
    }

    impl WatchedFolder {
        fn new() -> WatchedFolder {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("a.toml"), SPEC).unwrap();
            fs::write(folder.path().join("order.tmpl"), "{{.id}}").unwrap();
            let (sender, events) = sync_channel(1024);
            let watcher = Watcher::new(&[folder.path().to_path_buf()], None, sender.clone());
            let seen = seen(&watcher);
            WatchedFolder { folder, watcher, seen, events, sender }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
            fs::write(self.path(name), text).unwrap();
        }

        /// Waits for a change and gives the names of what changed.
        fn changed(&mut self) -> Vec<String> {
            let Wake::Changed(names) = self.watcher.wait(&self.seen, &self.events) else { panic!("stopped") };
            self.seen = seen(&self.watcher);
            let root = self.folder.path();
            let name = |name: &String| Path::new(name).strip_prefix(root).unwrap().display().to_string();
            names.iter().map(name).collect()
        }

        /// Nothing is as it should not be: the first look finds no change, and the word that
        /// already waits ends it.
        fn is_unchanged(&mut self) -> bool {
            self.sender.send(Event::Stop).unwrap();
            self.watcher.wait(&self.seen, &self.events) == Wake::Stop
        }
    }

    fn seen(watcher: &Watcher) -> Seen {
        let files = Recorded::new(&Disk);
        let found = watcher.discover();
        if let Ok(input) = &found {
            check(input, &files);
        }
        files.seen(&found)
    }

    #[test]
    fn unchanged_files_are_not_a_change() {
        let mut place = WatchedFolder::new();
        assert!(place.is_unchanged());
        place.write("note.txt", "not a spec");
        assert!(place.is_unchanged());
    }

    #[test]
    fn a_file_that_is_written_is_noticed() {
        let mut place = WatchedFolder::new();
        place.write("a.toml", &format!("{SPEC}\n# longer"));
        assert_eq!(place.changed(), ["a.toml"]);
        assert!(place.is_unchanged());
    }

    #[test]
    fn a_file_that_is_replaced_by_another_of_the_same_size_and_time_is_noticed() {
        let mut place = WatchedFolder::new();
        let modified = fs::metadata(place.path("a.toml")).unwrap().modified().unwrap();
        place.write(".a.toml.swp", &SPEC.replace("one user", "some one"));
        let new = fs::File::options().write(true).open(place.path(".a.toml.swp")).unwrap();
        new.set_modified(modified).unwrap();
        fs::rename(place.path(".a.toml.swp"), place.path("a.toml")).unwrap();
        assert_eq!(fs::metadata(place.path("a.toml")).unwrap().len(), SPEC.len() as u64);
        assert_eq!(place.changed(), ["a.toml"]);
    }

    #[test]
    fn new_and_deleted_specs_are_noticed() {
        let mut place = WatchedFolder::new();
        place.write("deep/er/b.toml", "");
        assert_eq!(place.changed(), ["deep/er/b.toml"]);
        place.write("mcpc.toml", "");
        assert_eq!(place.changed(), ["mcpc.toml"]);
        fs::remove_file(place.path("deep/er/b.toml")).unwrap();
        assert_eq!(place.changed(), ["deep/er/b.toml"]);
        fs::remove_file(place.path("a.toml")).unwrap();
        assert_eq!(place.changed(), ["a.toml"], "now there is no spec at all");
        place.write("a.toml", SPEC);
        assert_eq!(place.changed(), ["a.toml", "mcpc.toml"], "all are new");
    }

    #[test]
    fn template_files_are_watched_even_before_they_are_there() {
        let mut place = WatchedFolder::new();
        place.write("order.tmpl", "order {{.id}}");
        assert_eq!(place.changed(), ["order.tmpl"]);
        fs::remove_file(place.path("order.tmpl")).unwrap();
        assert_eq!(place.changed(), ["order.tmpl"]);
        place.write("order.tmpl", "{{.id}}");
        assert_eq!(place.changed(), ["order.tmpl"]);
    }

    #[test]
    fn a_change_while_the_specs_are_read_is_noticed() {
        let mut place = WatchedFolder::new();
        let files = Recorded::new(&Disk);
        let found = place.watcher.discover();
        let name = disk::display(&place.path("a.toml"));
        files.read(&name).unwrap();
        place.write("a.toml", "# other");
        files.read(&name).unwrap();
        place.seen = files.seen(&found);
        assert_eq!(place.changed(), ["a.toml"]);
    }

    #[test]
    fn a_stop_ends_the_wait_also_while_files_change() {
        let mut place = WatchedFolder::new();
        place.write("a.toml", "# other");
        assert!(place.is_unchanged(), "the stop comes first");
    }
}
