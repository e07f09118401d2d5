//! Bundles that come over a network, by the real commands. `tests/sources/run` has real servers.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc_tests::{Process, Upstream, binary, get, mcp_edge, post, reply};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A folder with keys and bundles, and a web server that gives one of them.
struct Stage {
    folder: tempfile::TempDir,
    server: Upstream,
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        for name in ["good", "other"] {
            let (code, _, error) = mcpc(&["keygen", "-o", folder.path().join(name).to_str().unwrap()]);
            assert_eq!(code, 0, "{error}");
        }
        Stage { folder, server: Upstream::start() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A bundle with one tool of this name, signed by this key.
    fn build(&self, name: &str, key: Option<&str>) -> Vec<u8> {
        let (spec, bundle) = (self.path("spec.toml"), self.path(&format!("{name}.mcpk")));
        let text =
            format!("[[tool]]\nname = \"{name}\"\ndescription = \"Says hello.\"\nrespond = \"hello\"\n");
        std::fs::write(&spec, text).unwrap();
        let key = key.map(|key| self.path(key).display().to_string());
        let (spec, path) = (spec.display().to_string(), bundle.display().to_string());
        let mut arguments = vec!["build", &spec, "-o", &path];
        if let Some(key) = &key {
            arguments.extend(["--sign", key]);
        }
        let (code, _, error) = mcpc(&arguments);
        assert_eq!(code, 0, "{error}");
        std::fs::read(bundle).unwrap()
    }

    fn has(&self, etag: &str, bundle: &[u8]) {
        self.server.always_answers(reply(&format!("200 OK\r\netag: \"{etag}\""), bundle));
    }

    fn url(&self) -> String {
        format!("http://{}/tools.mcpk", self.server.address)
    }

    fn configure(&self, lines: &str) -> String {
        let path = self.path("edge.toml");
        let text = format!("bundle = \"{}\"\npoll_seconds = 3600\n{lines}", self.url());
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn edge(&self, config: &str) -> Process {
        mcp_edge(["--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
    }
}

fn mcpc(arguments: &[&str]) -> (i32, String, String) {
    let run = Command::new(binary("mcpc")).args(arguments).env("HOME", "/nowhere").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (run.status.code().unwrap(), text(&run.stdout), text(&run.stderr))
}

fn status(edge: &Process) -> Value {
    edge.ask_admin(get("/status", &[])).json()
}

fn reload(edge: &Process) -> u16 {
    edge.ask_admin(post("/reload", &[], "")).status
}

#[test]
fn an_edge_follows_its_source_and_starts_without_it() {
    let stage = Stage::new();
    let (one, two) = (stage.build("one", Some("good")), stage.build("two", Some("good")));
    stage.has("1", &one);
    let config = stage.configure("keys = [\"good.pub\"]\nbundle_copy = \"copy.mcpk\"\n");
    let edge = stage.edge(&config);
    let first = status(&edge);
    assert_eq!((&first["remote"]["etag"], &first["source"]), (&"\"1\"".into(), &stage.url().into()));
    assert_eq!(std::fs::read(stage.path("copy.mcpk")).unwrap(), one);

    stage.server.always_answers(reply("304 Not Modified", ""));
    assert_eq!(reload(&edge), 200);
    assert_eq!(stage.server.request(1).header("if-none-match"), ["\"1\""]);
    stage.has("2", &two);
    assert_eq!(reload(&edge), 200);
    let second = status(&edge);
    assert_ne!(first["active"]["revision"], second["active"]["revision"]);

    // Somebody else's, then nothing at all: what is served stays.
    stage.has("3", &stage.build("three", Some("other")));
    assert_eq!(reload(&edge), 422);
    stage.server.always_answers(reply("503 Unavailable", ""));
    assert_eq!(reload(&edge), 200);
    let status_now = status(&edge);
    assert_eq!(status_now["active"]["revision"], second["active"]["revision"]);
    assert!(status_now["remote"]["last_error"]["message"].as_str().unwrap().ends_with("status 503"));
    assert_eq!(std::fs::read(stage.path("copy.mcpk")).unwrap(), two);
    drop(edge);
    let edge = stage.edge(&config);
    edge.told("the copy of the last good bundle is served");
    let restarted = status(&edge);
    assert_eq!(restarted["active"]["revision"], second["active"]["revision"]);
    assert_eq!(restarted["remote"]["from_copy"], true);
}

#[test]
fn what_keeps_a_source_from_being_used_is_said() {
    let stage = Stage::new();
    stage.has("1", &stage.build("one", None));
    let keys = ["--config".to_owned(), stage.configure("keys = [\"good.pub\"]\n")];
    for (arguments, code, part) in [
        (vec![stage.url()], 1, "there is no key that must have signed the bundle"),
        (vec![stage.url(), "--key".to_owned(), stage.path("good.pub").display().to_string()], 1, "sign"),
        (keys.to_vec(), 1, "edge.toml:1:10"),
        (vec!["https://me:hunter2@a.example/x".to_owned()], 2, "credentials"),
        (vec!["ftp://a.example/x".to_owned()], 2, "`ftp://` is not a scheme"),
    ] {
        let run = Command::new(binary("mcp-edge")).args(&arguments).output().unwrap();
        let error = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(part) && !error.contains("hunter2"), "{arguments:?}: {error}");
    }
    let config = stage.path("file.toml").display().to_string();
    std::fs::write(&config, "bundle = \"x.mcpk\"\nbundle_copy = \"y\"\n").unwrap();
    let run = Command::new(binary("mcp-edge")).args(["check", &config]).output().unwrap();
    let error = String::from_utf8(run.stderr).unwrap();
    assert!(error.contains("file.toml:2") && error.contains("needs no copy"), "{error}");
}

#[test]
fn bundles_are_looked_at_by_their_url() {
    let stage = Stage::new();
    stage.has("1", &stage.build("one", Some("good")));
    let url = stage.url() + "?token=hunter2";
    let key = stage.path("good.pub").display().to_string();
    let (code, out, error) = mcpc(&["verify", &url, "--key", &key]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("/tools.mcpk?…: 1 tool") && out.contains("(trusted)"), "{out}");
    assert!(mcpc(&["inspect", &url]).1.contains("one"));
    let run = Command::new(binary("mcp-edge")).args(["check", &url]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    stage.server.always_answers(reply("404 Not Found", ""));
    let (code, _, error) = mcpc(&["inspect", &url]);
    assert_eq!((code, error), (2, format!("error: `{}?…` is not there (status 404)\n", stage.url())));
}

#[test]
fn a_push_that_cannot_work_says_why() {
    let stage = Stage::new();
    stage.build("signed", Some("good"));
    stage.build("unsigned", None);
    let path = |name: &str| stage.path(name).display().to_string();
    let (signed, unsigned) = (path("signed.mcpk"), path("unsigned.mcpk"));
    let nobody = "oci://127.0.0.1:9/team/tools:prod";
    for (bundle, to, code, part) in [
        (&unsigned, nobody, 1, "is not signed, and edges take nothing else from a network"),
        (&path("spec.toml"), nobody, 1, "not a bundle"),
        (&path("missing"), nobody, 2, "cannot be read"),
        (&signed, nobody, 2, "`oci://127.0.0.1:9/team/tools:prod` cannot be reached: nobody listens there"),
        (&signed, "tools.mcpk", 2, "`tools.mcpk` is not a URL"),
        (&signed, "https://a.example/tools.mcpk", 2, "web servers have no common way to upload"),
        (&signed, "oci://a.example/tools", 2, "neither a tag nor a digest"),
        (&signed, "oci://me:hunter2@a.example/tools:x", 2, "put credentials into variables"),
        (&signed, "s3://bucket", 2, "not the key of an object"),
    ] {
        let (found, out, error) = mcpc(&["push", bundle, to]);
        assert_eq!((found, out.as_str()), (code, ""), "{to}: {error}");
        assert!(error.contains(part) && !error.contains("hunter2"), "{to}: {error}");
    }
}
