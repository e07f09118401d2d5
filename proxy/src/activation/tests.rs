use super::source::{FileSource, MemorySource, SourceError};
use super::*;
use crate::config::SecretSource;
use crate::settings::Settings;
use std::path::Path;

struct Stage {
    folder: tempfile::TempDir,
    bundle: PathBuf,
    activation: Activation,
}

impl Stage {
    fn new() -> Stage {
        Stage::with(|_, _| {})
    }

    fn with(change: impl FnOnce(&mut Inputs, &Path)) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("tools.mcpk");
        let mut inputs = Inputs::new(FileSource::new(&bundle));
        change(&mut inputs, folder.path());
        let upstream = Upstream::Network(Network::new(None).unwrap());
        let edge = Arc::new(Edge::new(Settings::default(), upstream));
        let activation = Activation::new(edge, Some(inputs));
        Stage { folder, bundle, activation }
    }

    fn put(&self, bytes: &[u8]) {
        std::fs::write(&self.bundle, bytes).unwrap();
    }

    /// As tools do it that never leave half a file behind.
    fn rename_into_place(&self, bytes: &[u8]) {
        let other = self.folder.path().join("tools.mcpk.new");
        std::fs::write(&other, bytes).unwrap();
        std::fs::rename(other, &self.bundle).unwrap();
    }

    fn poll(&self) -> Result<Option<Reloaded>, Arc<ActivationError>> {
        self.activation.poll()
    }

    /// The revision that a poll finds to be new.
    fn activates(&self) -> Revision {
        let reloaded = self.poll().unwrap().expect("there is something to look at");
        assert!(reloaded.is_new);
        reloaded.revision
    }

    fn error(&self) -> Option<String> {
        self.activation.status().last_error.map(|failure| failure.message)
    }

    fn served(&self) -> Option<Revision> {
        self.activation.edge().catalog().map(|catalog| catalog.revision)
    }

    fn failures(&self) -> String {
        let text = self.activation.edge().metrics.encode();
        let line = text.lines().find(|line| line.starts_with("mcp_edge_failed_activations_total")).unwrap();
        line.rsplit(' ').next().unwrap().to_owned()
    }
}

fn bundle(name: &str) -> Vec<u8> {
    bundle_with_variables(name, &[])
}

fn bundle_with_variables(name: &str, variables: &[&str]) -> Vec<u8> {
    let mut builder = mcp_bundle::strings::PoolBuilder::new();
    let mut contents = mcp_bundle::plan::Contents::default();
    contents.manifest.name = builder.intern(name);
    contents.manifest.variables = variables.iter().map(|name| builder.intern(name)).collect();
    contents.strings = builder.finish();
    mcp_bundle::format::write(&contents).unwrap()
}

#[test]
fn a_bad_bundle_changes_nothing_and_is_reported_once() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    let one = stage.activates();
    stage.put(b"not a bundle");
    assert!(stage.poll().is_err());
    assert_eq!(stage.served(), Some(one));
    assert!(stage.error().unwrap().contains("not a bundle"));
    let _ = stage.poll();
    assert_eq!(stage.failures(), "1", "the same failure again is no news");
    assert!(stage.activation.reload().is_err());
    assert_eq!(stage.failures(), "2", "who asks gets an answer");

    stage.put(&bundle("two"));
    let two = stage.activates();
    assert_ne!(one, two);
    assert_eq!((stage.served(), stage.error()), (Some(two), None));
}

#[test]
fn going_back_to_the_served_bundle_clears_the_error() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    let before = stage.activation.edge().catalog().unwrap();
    stage.put(b"oops");
    stage.poll().unwrap_err();
    stage.put(&bundle("one"));
    assert!(!stage.poll().unwrap().unwrap().is_new);
    assert_eq!(stage.error(), None);
    assert!(Arc::ptr_eq(&before, &stage.activation.edge().catalog().unwrap()), "nothing was swapped");
}

/// What is logged at the usual level.
fn logged(work: impl FnOnce()) -> String {
    logging::tests::written(logging::LogSettings::default(), work)
}

#[test]
fn recovery_from_a_failed_activation_is_logged_once() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    let revision = stage.activates();
    let failed = logged(|| {
        stage.put(b"not a bundle");
        stage.poll().unwrap_err();
    });
    assert!(failed.contains("ERROR") && !failed.contains("recovered"), "{failed}");
    let recovered = logged(|| {
        stage.put(&bundle("one"));
        stage.poll().unwrap();
    });
    let line = recovered.lines().find(|line| line.contains("recovered from a failed activation"));
    let line = line.unwrap_or_else(|| panic!("{recovered}"));
    assert!(line.contains("INFO") && line.contains(&revision.to_string()), "{line}");
    let later = logged(|| {
        stage.put(&bundle("two"));
        stage.poll().unwrap();
    });
    assert!(!later.contains("recovered"), "{later}");
}

#[test]
fn a_file_that_is_replaced_by_a_rename_is_noticed() {
    let stage = Stage::new();
    stage.put(&bundle("aaa"));
    stage.poll().unwrap();
    let old = SystemTime::now() - Duration::from_secs(60);
    let set_old = |path: &Path| std::fs::File::open(path).unwrap().set_modified(old).unwrap();
    set_old(&stage.bundle);
    stage.poll().unwrap();
    assert!(matches!(stage.poll(), Ok(None)), "an old file that did not change is not read");
    stage.rename_into_place(&bundle("bbb"));
    set_old(&stage.bundle);
    stage.activates();
}

#[test]
fn a_deleted_file_keeps_the_bundle_and_a_new_one_recovers() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    std::fs::remove_file(&stage.bundle).unwrap();
    let error = stage.poll().unwrap_err();
    assert!(matches!(&*error, ActivationError::Load(LoadError::Source(SourceError::Unreadable { .. }))));
    assert!(stage.served().is_some());
    assert!(matches!(stage.poll(), Ok(None)), "still gone");
    assert!(stage.error().is_some(), "an unchanged failure stays red");
    stage.rename_into_place(&bundle("one"));
    stage.poll().unwrap();
    assert_eq!(stage.error(), None);
}

#[test]
fn a_call_in_flight_keeps_its_bundle() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    let in_flight = stage.activation.edge().catalog().unwrap();
    stage.rename_into_place(&bundle("two"));
    stage.poll().unwrap();
    assert_ne!(Some(in_flight.revision), stage.served());
    assert_eq!(in_flight.contents.strings.get(in_flight.contents.manifest.name), "one");
}

#[test]
fn changed_secrets_are_a_change() {
    let stage = Stage::with(|inputs, folder| {
        inputs.secrets = SecretSource::File(folder.join("secrets.env"));
    });
    let secrets = stage.folder.path().join("secrets.env");
    let write = |text: &str| {
        std::fs::write(&secrets, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    };
    stage.put(&bundle_with_variables("one", &["EDGE_TEST_TOKEN"]));
    write("OTHER=1");
    let message = stage.poll().unwrap_err().to_string();
    assert!(message.contains("EDGE_TEST_TOKEN") && message.contains("secrets file"), "{message}");
    write("EDGE_TEST_TOKEN=hunter2");
    let revision = stage.activates();
    write("EDGE_TEST_TOKEN=hunter3");
    assert_eq!(stage.activates(), revision);
    assert!(!format!("{:?}", stage.activation).contains("hunter"));
}

#[test]
fn a_bundle_made_elsewhere_is_activated_without_files() {
    let stage = Stage::new();
    let made = |bytes| Inputs::new(MemorySource { name: "specs".to_owned(), bytes });
    let revision = stage.activation.replace(made(bundle("one"))).unwrap().revision;
    assert_eq!(stage.served(), Some(revision));
    assert_eq!(stage.activation.status().source, "specs");
    let needy = made(bundle_with_variables("two", &["EDGE_TEST_NONE"]));
    assert!(stage.activation.replace(needy).is_err());
    assert_eq!(stage.served(), Some(revision));
    assert!(stage.error().unwrap().contains("EDGE_TEST_NONE"));
    let values = [("EDGE_TEST_NONE".to_owned(), "1".to_owned())];
    let secrets = SecretSource::Given(values.into_iter().collect());
    let given = made(bundle_with_variables("two", &["EDGE_TEST_NONE"])).with_secrets(secrets);
    assert!(stage.activation.replace(given).unwrap().is_new);
}

/// Needs no clock: the test waits for the swap itself.
#[test]
fn the_watcher_follows_the_file_and_stops_when_asked() {
    use pingora_core::services::background::BackgroundService;
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    let activation = Arc::new(stage.activation);
    let watcher = Watcher::new(Arc::clone(&activation));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let watching = tokio::spawn(async move { watcher.start(stopped).await });
        let other = stage.folder.path().join("next");
        std::fs::write(&other, bundle("two")).unwrap();
        std::fs::rename(other, &stage.bundle).unwrap();
        let two = load(&stage.bundle, &[]).unwrap().revision;
        while activation.status().active.unwrap().revision != two {
            tokio::task::yield_now().await;
        }
        stop.send(true).unwrap();
        watching.await.unwrap();
    });
}

/// Says when it is asked, and answers when nobody can tell it to any more.
#[derive(Debug)]
struct Endless {
    asked: tokio::sync::mpsc::UnboundedSender<()>,
    until: std::sync::mpsc::Receiver<()>,
}

impl source::BundleSource for Endless {
    fn name(&self) -> String {
        "endless".to_owned()
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        self.asked.send(()).unwrap();
        let _ = self.until.recv();
        Ok(false)
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        Ok(bundle("one"))
    }
}

#[test]
fn a_source_that_does_not_answer_holds_no_shutdown_up() {
    use pingora_core::services::background::BackgroundService;
    let (asked, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let (answer, until) = std::sync::mpsc::channel();
    let upstream = Upstream::Network(Network::new(None).unwrap());
    let edge = Arc::new(Edge::new(Settings::default(), upstream));
    let activation = Arc::new(Activation::new(edge, Some(Inputs::new(Endless { asked, until }))));
    let watcher = Watcher::new(Arc::clone(&activation));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let watching = tokio::spawn(async move { watcher.start(stopped).await });
        hears.recv().await.unwrap();
        stop.send(true).unwrap();
        watching.await.unwrap();
    });
    drop(answer);
}

/// Counts how often it is asked, and how many ask at once.
#[derive(Debug)]
struct Counting {
    bytes: Vec<u8>,
    fetches: Arc<AtomicU64>,
    inside: Arc<AtomicU64>,
}

impl source::BundleSource for Counting {
    fn name(&self) -> String {
        "counting".to_owned()
    }

    fn probe(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    fn fetch(&mut self) -> Result<Vec<u8>, SourceError> {
        assert_eq!(self.inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
        self.fetches.fetch_add(1, Ordering::SeqCst);
        std::thread::yield_now();
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Ok(self.bytes.clone())
    }
}

#[test]
fn reloads_run_one_at_a_time_and_those_who_waited_share_the_next() {
    let stage = Stage::new();
    let fetches = Arc::new(AtomicU64::new(0));
    let source = Counting { bytes: bundle("one"), fetches: Arc::clone(&fetches), inside: Arc::default() };
    stage.activation.replace(Inputs::new(source)).unwrap();
    let count = || fetches.swap(0, Ordering::SeqCst);
    count();
    // Three who asked while none was running, and one who asked while the first of theirs was.
    let outcome = stage.activation.reload_since(0).unwrap();
    assert_eq!(stage.activation.reload_since(0).unwrap(), outcome);
    assert_eq!(stage.activation.reload_since(0).unwrap(), outcome);
    assert_eq!(count(), 1);
    stage.activation.reload_since(1).unwrap();
    assert_eq!(count(), 1, "what had begun before may have seen the old files");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| stage.activation.reload().unwrap());
        }
    });
    assert!((1..=8).contains(&count()));
}

/// A configuration in a folder, and the edge that it configures.
struct Configured {
    folder: tempfile::TempDir,
    activation: Arc<Activation>,
}

impl Configured {
    fn new(config: &str) -> Configured {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edge.toml");
        std::fs::write(folder.path().join("tools.mcpk"), bundle("one")).unwrap();
        std::fs::write(&path, format!("bundle = \"tools.mcpk\"\n{config}")).unwrap();
        let activation = Activation::start(move || Config::load(&path)).unwrap();
        Configured { folder, activation }
    }

    fn write(&self, config: &str) {
        let text = format!("bundle = \"tools.mcpk\"\n{config}");
        std::fs::write(self.folder.path().join("edge.toml"), text).unwrap();
    }

    fn batch(&self) -> usize {
        self.activation.edge().serving().settings.limits.batch
    }
}

#[test]
fn settings_and_bundle_change_in_one_swap() {
    let stage = Configured::new("[limits]\nbatch = 3\n");
    assert_eq!(stage.batch(), 3);
    let before = stage.activation.edge().catalog().unwrap();
    stage.write("[limits]\nbatch = 5\n");
    assert!(stage.activation.poll().unwrap().is_none_or(|polled| !polled.is_new), "no poll reads it");
    assert!(stage.activation.reload().unwrap().is_new);
    let serving = stage.activation.edge().serving();
    let catalog = serving.catalog.as_ref().unwrap();
    assert_eq!((serving.settings.limits.batch, catalog.settings.limits.batch), (5, 5));
    assert_eq!((before.settings.limits.batch, before.revision), (3, catalog.revision));
    assert!(!stage.activation.reload().unwrap().is_new, "nothing is swapped for nothing");
}

#[test]
fn what_a_reload_cannot_change_is_named_and_stays() {
    let stage = Configured::new("");
    stage.write("threads = 3\nauth = \"none\"\n[[listen]]\naddress = \"0.0.0.0:8080\"\n[list]\npage = 7\n");
    let reloaded = stage.activation.reload().unwrap();
    assert_eq!(reloaded.needs_upgrade, ["threads", "listen.address"]);
    assert_eq!(stage.activation.status().needs_upgrade, ["threads", "listen.address"]);
    let serving = stage.activation.edge().serving();
    assert_eq!(serving.settings.list.page, 7, "the rest has changed");
    assert!(serving.settings.access.loopback, "the listeners are still the old ones");
    stage.write("");
    assert!(stage.activation.reload().unwrap().needs_upgrade.is_empty());
}

#[test]
fn a_wrong_configuration_changes_nothing_and_says_where() {
    let stage = Configured::new("[limits]\nbatch = 3\n");
    stage.write("[limits]\nbatsch = 5\nstreams = 1\n");
    let error = stage.activation.reload().unwrap_err().to_string();
    assert!(error.contains("edge.toml:3:1") && error.contains("did you mean `batch`?"), "{error}");
    assert_eq!(stage.activation.status().last_error.unwrap().message, error);
    stage.write("bundle = 1\n");
    assert!(stage.activation.reload().is_err());
    std::fs::remove_file(stage.folder.path().join("edge.toml")).unwrap();
    assert!(stage.activation.reload().unwrap_err().to_string().contains("cannot be read"));
    assert_eq!(stage.batch(), 3);
    stage.write("[limits]\nbatch = 5\n");
    stage.activation.reload().unwrap();
    assert_eq!((stage.batch(), stage.activation.status().last_error.is_none()), (5, true));
}

#[test]
fn a_bad_bundle_keeps_the_settings_too_and_a_good_one_brings_both() {
    let stage = Configured::new("[limits]\nbatch = 3\n");
    let before = stage.activation.edge().catalog().unwrap();
    std::fs::write(stage.folder.path().join("tools.mcpk"), "not a bundle").unwrap();
    stage.write("[limits]\nbatch = 5\n");
    assert!(stage.activation.reload().is_err());
    assert_eq!(stage.batch(), 3);
    assert!(Arc::ptr_eq(&before, &stage.activation.edge().catalog().unwrap()));
    std::fs::write(stage.folder.path().join("tools.mcpk"), bundle("two")).unwrap();
    assert!(stage.activation.poll().unwrap().unwrap().is_new);
    assert_eq!(stage.batch(), 5);
}
