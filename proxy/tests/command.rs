//! The built command: what it says and how it ends when something is wrong.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use mcp_bundle::format::{self, SigningKey};
use mcp_bundle::key_text;
use mcp_bundle::plan::Contents;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Outcome {
    code: i32,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-edge")).args(arguments).output().unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn bundle(variables: &[&str]) -> Vec<u8> {
    let mut builder = mcp_bundle::pool::PoolBuilder::new();
    let mut contents = Contents::default();
    contents.manifest.name = builder.intern("one");
    contents.manifest.variables = variables.iter().map(|name| builder.intern(name)).collect();
    contents.strings = builder.finish();
    format::write(&contents).unwrap()
}

#[test]
fn a_bundle_is_checked_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&["TOKEN"]));
    let outcome = run(&["check", text(&path)]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.out.starts_with("revision   ") && outcome.out.ends_with("needs      TOKEN\n"),
        "{}",
        outcome.out
    );
}

#[test]
fn nothing_to_do_shows_the_help_and_is_a_usage_error() {
    let outcome = run(&[]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("Usage: mcp-edge"), "{}", outcome.err);
}

#[test]
fn a_missing_file_is_told() {
    for arguments in
        [&["/nowhere/tools.mcpk"][..], &["check", "/nowhere/tools.mcpk"], &["--config", "/nowhere/edge.toml"]]
    {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 2, "{}", outcome.err);
        assert!(outcome.err.contains("cannot be read: No such file"), "{}", outcome.err);
    }
}

#[test]
fn specs_instead_of_a_bundle_lead_to_the_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let spec = write(folder.path(), "shop.toml", "[[tool]]\nname = \"a\"\n");
    for arguments in [&[text(&spec)][..], &["check", text(&spec)], &["--config", text(&spec)]] {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.contains("mcpc build"), "{}", outcome.err);
    }
}

#[test]
fn without_a_bundle_there_is_nothing_to_serve() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "edge.toml", "");
    let outcome = run(&["--config", text(&config)]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("there is no bundle to serve"), "{}", outcome.err);
}

#[test]
fn an_unsigned_bundle_is_refused_when_keys_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let key = key_text::write_public(&SigningKey::from_bytes(&[7; 32]).verifying_key());
    let outcome = run(&[text(&path), "--key", &key]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("not signed, but a signature is required"), "{}", outcome.err);
}

#[test]
fn a_missing_variable_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&["EDGE_TEST_UNSET"]));
    let config = write(folder.path(), "edge.toml", "bundle = \"tools.mcpk\"\n");
    for arguments in [&[text(&path)][..], &["check", text(&config)]] {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.contains("`${EDGE_TEST_UNSET}` has no value"), "{}", outcome.err);
    }
}

#[test]
fn a_port_in_use_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let outcome = run(&[text(&path), "--listen", "127.0.0.1:0", "--admin", &address]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains(&format!("cannot listen on `{address}`")), "{}", outcome.err);
    assert!(outcome.err.contains("help: free the port"), "{}", outcome.err);
}

#[test]
fn an_open_address_needs_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let outcome = run(&[text(&path), "--listen", "0.0.0.0:0"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("add `--auth none`"), "{}", outcome.err);
}

#[test]
fn a_broken_configuration_is_shown_with_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "edge.toml", "bundel = \"a\"\n");
    let outcome = run(&["check", text(&config)]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("edge.toml:1:1") && outcome.err.contains("did you mean `bundle`?"),
        "{}",
        outcome.err
    );
}

#[test]
fn certificates_of_a_configuration_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let issued = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    write(folder.path(), "cert.pem", issued.cert.pem());
    write(folder.path(), "tools.mcpk", bundle(&[]));
    let key = |pem: String| write(folder.path(), "key.pem", pem);
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    let config = write(folder.path(), "edge.toml", format!("bundle = \"tools.mcpk\"\n{listen}"));
    let check = || run(&["check", text(&config)]);

    let missing = check();
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("key.pem` cannot be read"), "{}", missing.err);
    key(other.signing_key.serialize_pem());
    let foreign = check();
    assert_eq!(foreign.code, 1);
    assert!(foreign.err.contains("does not go with"), "{}", foreign.err);
    key(issued.signing_key.serialize_pem());
    let good = check();
    assert_eq!(good.code, 0, "{}", good.err);
    assert!(good.out.contains("listen     127.0.0.1:0\n"), "{}", good.out);
}

#[test]
fn secrets_of_a_configuration_are_checked_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "tools.mcpk", bundle(&["EDGE_TEST_UNSET"]));
    let secrets = write(folder.path(), "secrets.env", "EDGE_TEST_UNSET=hunter2\n");
    let config = write(folder.path(), "edge.toml", "bundle = \"tools.mcpk\"\nsecrets = \"secrets.env\"\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let good = run(&["check", text(&config)]);
    assert_eq!(good.code, 0, "{}", good.err);
    std::fs::write(&secrets, "EDGE_TEST_UNSET=\"hunter2\n").unwrap();
    let bad = run(&["check", text(&config)]);
    assert_eq!(bad.code, 1);
    assert!(bad.err.contains("line 1: the quotes around the value do not match"), "{}", bad.err);
    assert!(!good.out.contains("hunter2") && !bad.err.contains("hunter2") && !bad.out.contains("hunter2"));
}
