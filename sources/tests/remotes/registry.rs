//! Registries, good and bad. `tests/sources/run` asks a real one.

use crate::support::{Answer, Asked, Server, options};
use mcp_sources::{Facts, Location, Pushed, Remote, TransferError, open, push};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What a registry holds: manifests by tag and digest, blobs by digest.
#[derive(Default)]
struct Held {
    manifests: BTreeMap<String, Vec<u8>>,
    blobs: BTreeMap<String, Vec<u8>>,
    uploads: usize,
    /// What it asks for, and the one `authorization` that it accepts.
    guard: Option<(String, String)>,
}

struct Registry {
    server: Server,
    held: Arc<Mutex<Held>>,
}

fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

impl Registry {
    fn start() -> Registry {
        let held = Arc::new(Mutex::new(Held::default()));
        let of_server = Arc::clone(&held);
        Registry { server: Server::start(move |asked| of_server.lock().unwrap().answer(asked)), held }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap()
    }

    fn location(&self, tag: &str) -> Location {
        format!("oci://{}/team/tools{tag}", self.server.address).parse().unwrap()
    }

    fn remote(&self) -> Box<dyn Remote> {
        open(&self.location(":prod"), &options(&[])).unwrap()
    }

    fn push(&self, bytes: &[u8]) -> Result<Pushed, TransferError> {
        push(&self.location(":prod"), bytes, &facts(), &options(&[]), &mut |_| {})
    }
}

impl Held {
    fn answer(&mut self, asked: &Asked) -> Answer {
        if let Some((challenge, accepted)) = &self.guard
            && asked.header("authorization") != Some(accepted)
        {
            return Answer::new(401).with("www-authenticate", challenge);
        }
        let rest = asked.target.strip_prefix("/v2/team/tools/").unwrap_or(&asked.target);
        let found = |bytes: Option<&Vec<u8>>| match bytes {
            Some(bytes) => Answer::new(200).with("docker-content-digest", digest(bytes)).body(bytes),
            None => Answer::new(404).body(r#"{"errors":[{"code":"MANIFEST_UNKNOWN"}]}"#),
        };
        match (asked.method.as_str(), rest.split_once('/').unwrap()) {
            ("GET" | "HEAD", ("manifests", name)) => found(self.manifests.get(name)),
            ("GET" | "HEAD", ("blobs", name)) => found(self.blobs.get(name)),
            ("POST", ("blobs", "uploads/")) => {
                Answer::new(202).with("location", "/v2/team/tools/blobs/uploads/1?state=x")
            }
            ("PUT", ("blobs", upload)) => {
                let wanted = upload.split_once("digest=").unwrap().1.replace("%3A", ":");
                assert!(upload.starts_with("uploads/1?state=x&"), "{upload}");
                assert_eq!(wanted, digest(&asked.body));
                self.uploads += 1;
                self.blobs.insert(wanted, asked.body.clone());
                Answer::new(201)
            }
            ("PUT", ("manifests", tag)) => {
                self.manifests.insert(tag.to_owned(), asked.body.clone());
                self.manifests.insert(digest(&asked.body), asked.body.clone());
                Answer::new(201)
            }
            _ => Answer::new(405),
        }
    }
}

fn facts() -> Facts {
    Facts {
        name: "shop".to_owned(),
        revision: "ab".repeat(32),
        tools: 3,
        signers: vec!["mcpc-ed25519:x".to_owned()],
    }
}

#[test]
fn what_is_pushed_can_be_fetched_and_pushing_it_again_sends_nothing() {
    let registry = Registry::start();
    let mut gone = 0;
    let pushed =
        push(&registry.location(":prod"), b"one", &facts(), &options(&[]), &mut |count| gone = count)
            .unwrap();
    assert_eq!((gone, pushed.was_there, registry.held().uploads), (3, false, 2));
    registry.server.asked();

    let again = registry.push(b"one").unwrap();
    assert_eq!(again, Pushed { was_there: true, ..pushed.clone() });
    assert_eq!(registry.server.lines(), ["HEAD /v2/team/tools/manifests/prod"]);

    let mut remote = registry.remote();
    let fetched = remote.newer(None).unwrap().unwrap();
    assert_eq!((fetched.bytes.as_slice(), &fetched.version), (&b"one"[..], &pushed.version));
    registry.server.asked();
    assert_eq!(remote.newer(Some(&fetched.version)).unwrap(), None);
    assert_eq!(registry.server.lines(), ["HEAD /v2/team/tools/manifests/prod"], "one small request");
}

#[test]
fn a_tag_that_moves_is_followed_and_a_digest_is_never_asked_again() {
    let registry = Registry::start();
    let one = registry.push(b"one").unwrap().version;
    let mut by_tag = registry.remote();
    let digest = one.digest.clone().unwrap();
    let mut by_digest = open(&registry.location(&format!("@{digest}")), &options(&[])).unwrap();
    assert_eq!(by_digest.newer(None).unwrap().unwrap().bytes, b"one");
    registry.push(b"two").unwrap();
    let two = by_tag.newer(Some(&one)).unwrap().unwrap();
    assert_eq!(two.bytes, b"two");
    registry.server.asked();
    assert_eq!(by_digest.newer(Some(&one)).unwrap(), None);
    assert!(registry.server.asked().is_empty(), "what a digest names never changes");
    assert!(
        push(&registry.location(&format!("@{digest}")), b"x", &facts(), &options(&[]), &mut |_| {}).is_err()
    );
}

#[test]
fn a_registry_that_lies_is_caught() {
    let registry = Registry::start();
    let version = registry.push(b"one").unwrap().version;
    let layer = digest(b"one");
    registry.held().blobs.insert(layer.clone(), b"two".to_vec());
    let error = registry.remote().newer(None).unwrap_err();
    assert!(matches!(&error, TransferError::WrongDigest { expected, .. } if *expected == layer), "{error}");
    // More than the manifest says is not even read.
    registry.held().blobs.insert(layer, vec![b'x'; 500]);
    assert!(matches!(
        registry.remote().newer(None),
        Err(TransferError::TooLarge { length: 500, limit: 3, .. })
    ));
    let manifest = version.digest.unwrap();
    registry.held().manifests.insert(manifest.clone(), b"{}".to_vec());
    registry.server.asked();
    let error = open(&registry.location(&format!("@{manifest}")), &options(&[])).unwrap().newer(None);
    assert!(matches!(error, Err(TransferError::WrongDigest { .. })), "{error:?}");
    assert_eq!(registry.server.asked().len(), 1, "no layer is asked for");
}

#[test]
fn an_artifact_that_is_too_large_is_not_downloaded() {
    let registry = Registry::start();
    registry.push(&[b'x'; 1001]).unwrap();
    registry.server.asked();
    let error = registry.remote().newer(None).unwrap_err();
    assert!(matches!(error, TransferError::TooLarge { length: 1001, limit: 1000, .. }), "{error}");
    assert!(registry.server.lines().iter().all(|line| !line.contains("blobs")));
}

#[test]
fn other_artifacts_and_missing_ones_are_told_apart() {
    let registry = Registry::start();
    assert!(matches!(registry.remote().newer(None), Err(TransferError::NotFound { .. })));
    let image = r#"{"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.image.config.v1+json"},"layers":[]}"#;
    registry.held().manifests.insert("prod".to_owned(), image.into());
    registry.held().manifests.insert(digest(image.as_bytes()), image.into());
    let error = registry.remote().newer(None).unwrap_err().to_string();
    assert!(error.contains("is not a bundle") && error.contains("image.config"), "{error}");
}

#[test]
fn basic_credentials_are_asked_for_once() {
    let registry = Registry::start();
    registry.push(b"one").unwrap();
    registry.held().guard = Some(("Basic realm=\"x\"".to_owned(), "Basic bWU6cHc=".to_owned()));
    let error = registry.remote().newer(None).unwrap_err();
    assert!(matches!(error, TransferError::Refused { status: 401, .. }), "{error}");
    assert!(error.to_string().contains("docker login"), "{error}");
    let login = options(&[("MCP_BUNDLE_USER", "me"), ("MCP_BUNDLE_PASSWORD", "pw")]);
    let mut remote = open(&registry.location(":prod"), &login).unwrap();
    let version = remote.newer(None).unwrap().unwrap().version;
    registry.server.asked();
    remote.newer(Some(&version)).unwrap();
    assert_eq!(registry.server.asked().len(), 1, "what was accepted is sent at once");
}

#[test]
fn a_token_is_fetched_and_fetched_again_when_it_has_expired() {
    let registry = Registry::start();
    registry.push(b"one").unwrap();
    let issued = Arc::new(Mutex::new("first".to_owned()));
    let token = Arc::clone(&issued);
    let issuer =
        Server::start(move |_| Answer::new(200).body(format!(r#"{{"token":"{}"}}"#, token.lock().unwrap())));
    let challenge =
        format!(r#"Bearer realm="http://{}/token",service="a b",scope="repository:x:pull""#, issuer.address);
    registry.held().guard = Some((challenge.clone(), "Bearer first".to_owned()));
    let login = options(&[("MCP_BUNDLE_USER", "me"), ("MCP_BUNDLE_PASSWORD", "pw")]);
    let mut remote = open(&registry.location(":prod"), &login).unwrap();
    let version = remote.newer(None).unwrap().unwrap().version;
    let asked = issuer.asked();
    assert_eq!(asked.len(), 1, "one token for all requests");
    assert_eq!(asked[0].target, "/token?service=a%20b&scope=repository%3Ax%3Apull");
    assert_eq!(asked[0].header("authorization"), Some("Basic bWU6cHc="));

    // It has expired, and the issuer has another.
    registry.held().guard = Some((challenge, "Bearer second".to_owned()));
    assert!(matches!(remote.newer(Some(&version)), Err(TransferError::Refused { .. })));
    *issued.lock().unwrap() = "second".to_owned();
    assert_eq!(remote.newer(Some(&version)).unwrap(), None);
}

#[test]
fn credentials_go_to_no_url_without_tls_on_another_machine() {
    let registry = Registry::start();
    registry.held().guard = Some(("Bearer realm=\"http://token.example/\"".to_owned(), "x".to_owned()));
    let login = options(&[("MCP_BUNDLE_USER", "me"), ("MCP_BUNDLE_PASSWORD", "pw")]);
    let error = open(&registry.location(":prod"), &login).unwrap().newer(None).unwrap_err();
    assert!(error.to_string().contains("a URL that cannot be used"), "{error}");
}

#[test]
fn an_upload_elsewhere_gets_no_credentials() {
    let elsewhere = Server::start(|_| Answer::new(201));
    let place = format!("http://{}/upload", elsewhere.address);
    let registry = Server::start(move |asked| match (asked.method.as_str(), asked.header("authorization")) {
        (_, None) => Answer::new(401).with("www-authenticate", "Basic"),
        ("POST", _) => Answer::new(202).with("location", &place),
        ("PUT", _) => Answer::new(201),
        _ => Answer::new(404),
    });
    let location = format!("oci://{}/team/tools:prod", registry.address).parse().unwrap();
    let login = options(&[("MCP_BUNDLE_USER", "me"), ("MCP_BUNDLE_PASSWORD", "pw")]);
    push(&location, b"one", &facts(), &login, &mut |_| {}).unwrap();
    let asked = elsewhere.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()), "{asked:?}");
}

#[test]
fn what_a_registry_refuses_has_its_code() {
    let server = Server::start(|_| Answer::new(400).body(r#"{"errors":[{"code":"NAME_INVALID"}]}"#));
    let location = format!("oci://{}/team/tools:prod", server.address).parse().unwrap();
    let mut remote = open(&location, &options(&[])).unwrap();
    // `HEAD` has no body, so only what was asked with another method has a code.
    assert!(remote.newer(None).unwrap_err().to_string().contains("status 400"));
    server.then(|asked| match asked.method.as_str() {
        "HEAD" => Answer::new(404),
        _ => Answer::new(400).body(r#"{"errors":[{"code":"NAME_INVALID"}]}"#),
    });
    let error = push(&location, b"one", &facts(), &options(&[]), &mut |_| {}).unwrap_err().to_string();
    assert!(error.ends_with("answers with status 400, NAME_INVALID"), "{error}");
}
