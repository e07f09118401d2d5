use super::*;
use crate::settings::{PoolSettings, Settings};
use crate::upstream::{Network, Upstream};
use std::path::Path;

struct Stage {
    folder: tempfile::TempDir,
    source: Source,
    activation: Activation,
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let source = Source {
            bundle: folder.path().join("tools.mcpk"),
            keys: Vec::new(),
            secrets: SecretSource::default(),
        };
        let upstream = Upstream::Network(Network::new(&PoolSettings::default(), None).unwrap());
        let edge = Arc::new(Edge::new(Settings::default(), upstream));
        let activation = Activation::new(edge, source.bundle.display().to_string());
        Stage { folder, source, activation }
    }

    fn put(&self, bytes: &[u8]) {
        std::fs::write(&self.source.bundle, bytes).unwrap();
    }

    /// As tools do it that never leave half a file behind.
    fn rename_into_place(&self, bytes: &[u8]) {
        let other = self.folder.path().join("tools.mcpk.new");
        std::fs::write(&other, bytes).unwrap();
        std::fs::rename(other, &self.source.bundle).unwrap();
    }

    fn poll(&self) -> Result<Option<Refreshed>, ActivationError> {
        self.activation.refresh(&self.source, Cause::Poll)
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
fn a_bad_bundle_changes_nothing_and_is_told_once() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    let Ok(Some(Refreshed::Activated(one))) = stage.poll() else { panic!("the first bundle is activated") };
    stage.put(b"not a bundle");
    assert!(stage.poll().is_err());
    assert_eq!(stage.served(), Some(one));
    assert!(stage.error().unwrap().contains("not a bundle"));
    let _ = stage.poll();
    assert_eq!(stage.failures(), "1", "the same failure again is no news");
    assert!(stage.activation.refresh(&stage.source, Cause::Asked).is_err());
    assert_eq!(stage.failures(), "2", "who asks gets an answer");

    stage.put(&bundle("two"));
    let Ok(Some(Refreshed::Activated(two))) = stage.poll() else { panic!("a good bundle is activated") };
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
    assert!(matches!(stage.poll(), Ok(Some(Refreshed::Unchanged(_)))));
    assert_eq!(stage.error(), None);
    assert!(Arc::ptr_eq(&before, &stage.activation.edge().catalog().unwrap()), "nothing was swapped");
}

#[test]
fn a_file_that_is_replaced_by_a_rename_is_noticed() {
    let stage = Stage::new();
    stage.put(&bundle("aaa"));
    stage.poll().unwrap();
    let old = SystemTime::now() - std::time::Duration::from_secs(60);
    let set_old = |path: &Path| std::fs::File::open(path).unwrap().set_modified(old).unwrap();
    set_old(&stage.source.bundle);
    stage.poll().unwrap();
    assert!(matches!(stage.poll(), Ok(None)), "an old file that did not change is not read");
    stage.rename_into_place(&bundle("bbb"));
    set_old(&stage.source.bundle);
    assert!(matches!(stage.poll(), Ok(Some(Refreshed::Activated(_)))));
}

#[test]
fn a_deleted_file_keeps_the_bundle_and_a_new_one_recovers() {
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    std::fs::remove_file(&stage.source.bundle).unwrap();
    assert!(matches!(stage.poll(), Err(ActivationError::Load(LoadError::Unreadable { .. }))));
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
    let mut stage = Stage::new();
    let secrets = stage.folder.path().join("secrets.env");
    let write = |text: &str| {
        std::fs::write(&secrets, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    };
    stage.source.secrets.file = Some(secrets.clone());
    stage.put(&bundle_with_variables("one", &["EDGE_TEST_TOKEN"]));
    write("OTHER=1");
    let message = stage.poll().unwrap_err().to_string();
    assert!(message.contains("EDGE_TEST_TOKEN") && message.contains("secrets file"), "{message}");
    write("EDGE_TEST_TOKEN=hunter2");
    assert!(matches!(stage.poll(), Ok(Some(Refreshed::Activated(_)))));
    write("EDGE_TEST_TOKEN=hunter3");
    assert!(matches!(stage.poll(), Ok(Some(Refreshed::Activated(_)))), "the revision is the same");
    assert!(!format!("{:?}", stage.activation).contains("hunter"));
}

#[test]
fn a_bundle_made_elsewhere_is_activated_without_files() {
    let stage = Stage::new();
    let read = |bytes: &[u8]| mcp_bundle::format::read(bytes, &mcp_bundle::format::Trust::Any).unwrap();
    let revision = stage.activation.activate(read(&bundle("one")), &|_| None).unwrap();
    assert_eq!(stage.served(), Some(revision));
    let needy = read(&bundle_with_variables("two", &["EDGE_TEST_NONE"]));
    assert!(stage.activation.activate(needy, &|_| None).is_err());
    assert_eq!(stage.served(), Some(revision));
    stage.activation.report_failure(&"the specs have errors");
    assert_eq!(stage.error().as_deref(), Some("the specs have errors"));
}

/// Needs no clock: the test waits for the swap itself.
#[test]
fn the_watcher_follows_the_file_and_stops_when_asked() {
    use pingora_core::services::background::BackgroundService;
    let stage = Stage::new();
    stage.put(&bundle("one"));
    stage.poll().unwrap();
    let activation = Arc::new(stage.activation);
    let watcher = Watcher {
        activation: Arc::clone(&activation),
        source: stage.source.clone(),
        poll: std::time::Duration::from_millis(20),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let watching = tokio::spawn(async move { watcher.start(stopped).await });
        let other = stage.folder.path().join("next");
        std::fs::write(&other, bundle("two")).unwrap();
        std::fs::rename(other, &stage.source.bundle).unwrap();
        let two = load(&stage.source.bundle, &[]).unwrap().revision;
        while activation.status().active.unwrap().revision != two {
            tokio::task::yield_now().await;
        }
        stop.send(true).unwrap();
        watching.await.unwrap();
    });
}
