//! Sources that fail in every way, on a clock that the tests turn.

use super::{RemoteSettings, RemoteSource};
use crate::Edge;
use crate::activation::{Activation, ActivationError, Inputs, Reloaded};
use crate::config::SecretSource;
use crate::settings::Settings;
use crate::upstream::{Network, Upstream};
use mcp_bundle::format::{self, Revision, SigningKey};
use mcp_sources::{Fetched, Remote, TransferError, Version};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the source has: a version and bytes, or a failure.
type Has = Result<(String, Vec<u8>), TransferError>;

#[derive(Debug)]
struct World {
    has: Has,
    /// It says which version that is.
    has_versions: bool,
    /// Questions are not answered while somebody holds this.
    gate: Arc<Mutex<()>>,
    asked: usize,
    downloads: usize,
    now: Instant,
}

/// A client of that.
#[derive(Debug)]
struct Client(Arc<Mutex<World>>);

impl Remote for Client {
    fn newer(&mut self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError> {
        let gate = {
            let mut world = self.0.lock().unwrap();
            world.asked += 1;
            Arc::clone(&world.gate)
        };
        drop(gate.lock().unwrap());
        let mut world = self.0.lock().unwrap();
        let (etag, bytes) = world.has.clone()?;
        let version = Version { etag: world.has_versions.then_some(etag), ..Version::default() };
        if world.has_versions && known == Some(&version) {
            return Ok(None);
        }
        world.downloads += 1;
        Ok(Some(Fetched { bytes, version }))
    }
}

struct Stage {
    folder: tempfile::TempDir,
    world: Arc<Mutex<World>>,
    activation: Activation,
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn bundle(name: &str, variables: &[&str], signer: u8) -> Vec<u8> {
    let mut builder = mcp_bundle::strings::PoolBuilder::new();
    let mut contents = mcp_bundle::plan::Contents::default();
    contents.manifest.name = builder.intern(name);
    contents.manifest.variables = variables.iter().map(|name| builder.intern(name)).collect();
    contents.strings = builder.finish();
    format::sign(format::write(&contents).unwrap(), &key(signer)).unwrap()
}

fn good(name: &str) -> Has {
    Ok((name.to_owned(), bundle(name, &[], 1)))
}

fn away() -> Has {
    Err(TransferError::Unreachable { place: "there".to_owned(), reason: "nobody listens there".to_owned() })
}

/// Some time ago: a file that has just been written may change again unseen.
fn write_secrets(folder: &tempfile::TempDir, text: &str, seconds_ago: u64) {
    let path = folder.path().join("secrets.env");
    crate::runtime::exposed::write_private(&path, text);
    let time = std::time::SystemTime::now() - Duration::from_secs(seconds_ago);
    std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
}

const TEN: Duration = Duration::from_secs(10);

impl Stage {
    fn new(has: Has) -> Stage {
        Stage::in_folder(tempfile::tempdir().unwrap(), has)
    }

    /// Another process, perhaps, with the same disk.
    fn in_folder(folder: tempfile::TempDir, has: Has) -> Stage {
        let world = Arc::new(Mutex::new(World {
            has,
            has_versions: true,
            gate: Arc::default(),
            asked: 0,
            downloads: 0,
            now: Instant::now(),
        }));
        let settings = RemoteSettings {
            location: "https://a.example/tools.mcpk".parse().unwrap(),
            every: TEN,
            copy: Some(folder.path().join("copies/last-good.mcpk")),
        };
        std::fs::create_dir_all(folder.path().join("copies")).unwrap();
        let (opened, clock) = (Arc::clone(&world), Arc::clone(&world));
        let open = move || Ok(Box::new(Client(Arc::clone(&opened))) as Box<dyn Remote>);
        let clock = move || clock.lock().unwrap().now;
        let mut source = RemoteSource::with(settings, Arc::new(open), Box::new(clock));
        source.patience.wanted = Duration::from_secs(2);
        let secrets = SecretSource::File(folder.path().join("secrets.env"));
        write_secrets(&folder, "A=1", 120);
        let mut inputs = Inputs::new(source).with_secrets(secrets);
        inputs.keys = vec![key(1).verifying_key()];
        let edge = Arc::new(Edge::new(Settings::default(), Upstream::Network(Network::new(None).unwrap())));
        Stage { folder, world, activation: Activation::new(edge, Some(inputs)) }
    }

    /// The same after a restart.
    fn restarted(self, has: Has) -> Stage {
        Stage::in_folder(self.folder, has)
    }

    fn asked_and_downloaded(&self) -> (usize, usize) {
        let world = self.world.lock().unwrap();
        (world.asked, world.downloads)
    }

    fn has(&self, has: Has) {
        self.world.lock().unwrap().has = has;
    }

    fn poll(&self) -> Result<Option<Reloaded>, Arc<ActivationError>> {
        self.activation.poll()
    }

    /// When the next question is due.
    fn poll_later(&self) -> Result<Option<Reloaded>, Arc<ActivationError>> {
        let wait = self.wait();
        self.world.lock().unwrap().now += wait;
        self.poll()
    }

    fn wait(&self) -> Duration {
        self.activation.wanted.lock().unwrap().inputs.as_ref().unwrap().source.wait().unwrap()
    }

    fn served(&self) -> Option<Revision> {
        self.activation.edge().catalog().map(|catalog| catalog.revision)
    }

    fn remote(&self) -> super::RemoteStatus {
        self.activation.status().remote.unwrap()
    }

    fn error(&self) -> Option<String> {
        self.activation.status().last_error.map(|error| error.message)
    }

    fn copy(&self) -> PathBuf {
        self.folder.path().join("copies/last-good.mcpk")
    }

    fn metric(&self, name: &str) -> String {
        let text = self.activation.edge().metrics.encode();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
    }
}

#[test]
fn an_unchanged_source_is_asked_once_in_its_time_and_a_change_is_served() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    assert_eq!(stage.poll().unwrap(), None, "not due");
    assert_eq!(stage.asked_and_downloaded(), (1, 1));
    assert_eq!(stage.poll_later().unwrap(), None);
    assert_eq!(stage.asked_and_downloaded(), (2, 1));
    stage.has(good("two"));
    let two = stage.poll_later().unwrap().unwrap();
    assert!(two.is_new && two.revision != one);
    // A rollback is a change like any other.
    stage.has(good("one"));
    assert_eq!(stage.poll_later().unwrap().unwrap().revision, one);
    assert_eq!(stage.served(), Some(one));
    let status = stage.remote();
    assert_eq!((status.unchanged, status.changed, status.failed), (1, 3, 0));
    assert_eq!(status.version.unwrap().etag.as_deref(), Some("one"));
    assert_eq!(stage.metric("mcp_edge_source_polls_total{outcome=\"changed\"}"), "3");
    assert_eq!(
        stage.metric("mcp_edge_source_info{source=\"https://a.example/tools.mcpk\",version=\"one\"}"),
        "1"
    );
}

#[test]
fn errors_for_ten_minutes_change_nothing_and_the_first_answer_ends_them() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    stage.has(away());
    let begun = stage.world.lock().unwrap().now;
    let passed = || stage.world.lock().unwrap().now - begun;
    let mut attempts = 0;
    while passed() < Duration::from_secs(600) {
        stage.poll_later().unwrap_err();
        attempts += 1;
        assert!(stage.wait() <= Duration::from_secs(375), "{:?}", stage.wait());
        assert_eq!(stage.served(), Some(one));
    }
    assert!((4..=9).contains(&attempts), "{attempts} attempts in ten minutes");
    assert!(stage.error().unwrap().contains("nobody listens there"));
    let status = stage.remote();
    assert_eq!((status.failures, status.failed), (attempts, u64::from(attempts)));
    assert_eq!(stage.metric("mcp_edge_failed_activations_total"), "1", "the same failure again is no news");
    assert_eq!(stage.metric("mcp_edge_source_failing"), "1");

    stage.has(good("one"));
    let recovered = stage.poll_later().unwrap().unwrap();
    assert!(!recovered.is_new);
    assert_eq!((stage.error(), stage.remote().last_error, stage.remote().failures), (None, None, 0));
    assert_eq!(stage.metric("mcp_edge_source_failing"), "0");
    assert!(stage.wait() <= Duration::from_millis(12_500), "and it is asked as often as before");
    assert_eq!(stage.asked_and_downloaded().1, 1);
}

#[test]
fn a_bundle_of_another_signer_is_refused_once_and_holds_nothing_up() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    stage.has(Ok(("forged".to_owned(), bundle("forged", &[], 2))));
    let error = stage.poll_later().unwrap_err().to_string();
    assert!(error.contains("https://a.example/tools.mcpk") && error.contains("sign"), "{error}");
    assert_eq!(stage.served(), Some(one));
    let (_, downloads) = stage.asked_and_downloaded();
    assert_eq!(stage.poll_later().unwrap_err().to_string(), error, "it stays red");
    assert_eq!(stage.asked_and_downloaded().1, downloads, "but is not downloaded again");
    assert_eq!(stage.metric("mcp_edge_failed_activations_total"), "1");
    assert_eq!(std::fs::read(stage.copy()).unwrap(), bundle("one", &[], 1));

    // Other things can still change.
    write_secrets(&stage.folder, "A=2", 60);
    assert!(stage.poll().unwrap().unwrap().is_new);
    assert_eq!(stage.remote().last_error.map(|(message, _)| message), Some(error));
    stage.has(good("two"));
    assert!(stage.poll_later().unwrap().unwrap().is_new);
    assert_eq!((stage.error(), stage.remote().last_error), (None, None));
}

#[test]
fn a_bundle_that_lacks_a_variable_waits_for_it_without_the_network() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    stage.has(Ok(("needy".to_owned(), bundle("needy", &["REMOTE_TEST_B"], 1))));
    assert!(stage.poll_later().unwrap_err().to_string().contains("REMOTE_TEST_B"));
    assert_eq!(stage.served(), Some(one));
    assert_eq!(std::fs::read(stage.copy()).unwrap(), bundle("one", &[], 1), "only what is served is kept");
    stage.has(away());
    write_secrets(&stage.folder, "A=1\nREMOTE_TEST_B=2", 60);
    assert!(stage.poll().unwrap().unwrap().is_new);
    assert_ne!(stage.served(), Some(one));
}

#[test]
fn a_reload_asks_the_source_and_goes_on_without_it() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    stage.has(good("two"));
    let two = stage.activation.reload().unwrap();
    assert!(two.is_new && two.revision != one, "who asks does not wait for the next poll");
    stage.has(away());
    assert!(!stage.activation.reload().unwrap().is_new);
    assert!(stage.remote().last_error.is_some(), "but the status says it");
    assert_eq!(stage.served(), Some(two.revision));
}

#[test]
fn a_start_while_the_source_is_away_serves_the_copy() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    let stage = stage.restarted(away());
    assert_eq!(stage.poll().unwrap().unwrap().revision, one);
    assert!(stage.remote().from_copy);
    assert!(stage.remote().last_error.unwrap().0.contains("nobody listens there"));
    assert_eq!(stage.metric("mcp_edge_source_from_copy"), "1");
    stage.has(good("two"));
    assert!(stage.poll_later().unwrap().unwrap().is_new);
    assert!(!stage.remote().from_copy);
}

#[test]
fn a_copy_is_checked_like_any_other_bundle() {
    let stage = Stage::new(good("one"));
    stage.poll().unwrap();
    std::fs::write(stage.copy(), bundle("forged", &[], 2)).unwrap();
    let stage = stage.restarted(away());
    let error = stage.poll().unwrap_err().to_string();
    assert!(error.contains("last-good.mcpk (the copy of https://a.example/tools.mcpk)"), "{error}");
    assert_eq!(stage.served(), None);
    let without = Stage::new(away());
    assert!(without.poll().unwrap_err().to_string().contains("nobody listens there"));
}

#[test]
fn a_start_with_a_forged_bundle_at_the_source_serves_the_copy() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    let stage = stage.restarted(Ok(("forged".to_owned(), bundle("forged", &[], 2))));
    assert_eq!(stage.poll().unwrap().unwrap().revision, one);
    assert!(stage.remote().from_copy);
    assert!(stage.remote().last_error.unwrap().0.contains("sign"));
    assert!(stage.poll_later().unwrap_err().to_string().contains("sign"));
}

#[test]
fn a_copy_that_cannot_be_written_is_reported_and_written_later() {
    let stage = Stage::new(good("one"));
    let copies = stage.folder.path().join("copies");
    std::fs::remove_dir(&copies).unwrap();
    assert!(stage.poll().unwrap().unwrap().is_new, "it is served all the same");
    assert!(stage.remote().copy_error.unwrap().contains("last-good.mcpk` cannot be written"));
    assert_eq!(stage.metric("mcp_edge_source_copy_failing"), "1");
    std::fs::create_dir(&copies).unwrap();
    assert_eq!(stage.poll_later().unwrap(), None);
    assert_eq!(stage.remote().copy_error, None);
    assert_eq!(std::fs::read(stage.copy()).unwrap(), bundle("one", &[], 1));
}

#[test]
fn a_server_that_asks_for_patience_gets_it() {
    let stage = Stage::new(good("one"));
    stage.poll().unwrap();
    stage.has(Err(TransferError::Status {
        place: "there".to_owned(),
        status: 503,
        retry_after: Some(Duration::from_secs(1800)),
        detail: String::new(),
    }));
    stage.poll_later().unwrap_err();
    assert_eq!(stage.wait(), Duration::from_secs(1800));
}

#[test]
fn a_slow_source_holds_up_neither_reloads_nor_secrets() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    let gate = Arc::clone(&stage.world.lock().unwrap().gate);
    let closed = gate.lock().unwrap();
    stage.has(good("two"));
    assert_eq!(stage.poll_later().unwrap(), None, "the answer is on its way");
    assert!(stage.remote().last_attempt > stage.remote().last_success, "and the status says so");
    assert!(stage.wait() < Duration::from_secs(1), "and it is looked for soon");
    write_secrets(&stage.folder, "A=2", 60);
    assert!(stage.poll().unwrap().unwrap().is_new, "other changes go on");
    let reloaded = stage.activation.reload().unwrap();
    assert_eq!((reloaded.revision, reloaded.is_new), (one, false));
    assert!(stage.remote().last_error.unwrap().0.contains("takes longer than 2 s to answer"));
    assert_eq!(stage.asked_and_downloaded().0, 2, "nobody asks a second time meanwhile");
    drop(closed);
    let two = stage.poll().unwrap().unwrap();
    assert!(two.is_new && two.revision != one);
    assert_eq!(stage.remote().last_error, None);
}

#[test]
fn a_start_at_a_slow_source_serves_the_copy_until_the_answer_comes() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    let stage = stage.restarted(good("two"));
    let gate = Arc::clone(&stage.world.lock().unwrap().gate);
    let closed = gate.lock().unwrap();
    assert_eq!(stage.poll().unwrap().unwrap().revision, one);
    assert!(stage.remote().from_copy);
    drop(closed);
    let two = stage.poll().unwrap().unwrap();
    assert!(two.is_new && two.revision != one);
    assert!(!stage.remote().from_copy);
}

#[test]
fn a_reload_does_not_take_the_answer_to_an_older_question() {
    let stage = Stage::new(good("one"));
    stage.poll().unwrap();
    let gate = Arc::clone(&stage.world.lock().unwrap().gate);
    let closed = gate.lock().unwrap();
    stage.poll_later().unwrap();
    std::thread::scope(|scope| {
        let reload = scope.spawn(|| stage.activation.reload());
        while stage.activation.begun() == 0 {
            std::thread::yield_now();
        }
        drop(closed);
        reload.join().unwrap().unwrap();
    });
    assert_eq!(stage.asked_and_downloaded().0, 3);
}

#[test]
fn a_poll_does_not_take_the_answer_to_a_reload() {
    let stage = Stage::new(good("one"));
    stage.poll().unwrap();
    for round in 0..100 {
        stage.has(Ok((format!("forged {round}"), bundle("forged", &[], 2))));
        std::thread::scope(|scope| {
            let reload = scope.spawn(|| stage.activation.reload());
            while !reload.is_finished() {
                let _ = stage.activation.poll();
            }
            reload.join().unwrap().unwrap_err();
        });
        stage.has(good("one"));
        stage.activation.reload().unwrap();
    }
}

#[test]
fn a_forged_bundle_without_a_version_is_reported_once() {
    let stage = Stage::new(good("one"));
    let one = stage.poll().unwrap().unwrap().revision;
    stage.world.lock().unwrap().has_versions = false;
    stage.has(Ok((String::new(), bundle("forged", &[], 2))));
    let error = stage.poll_later().unwrap_err().to_string();
    for _ in 0..3 {
        assert_eq!(stage.poll_later().unwrap_err().to_string(), error);
    }
    assert_eq!((stage.remote().changed, stage.remote().unchanged), (2, 3));
    assert_eq!(stage.metric("mcp_edge_failed_activations_total"), "1");
    assert_eq!(stage.served(), Some(one));
    stage.has(Ok((String::new(), bundle("two", &[], 1))));
    assert!(stage.poll_later().unwrap().unwrap().is_new);
}
