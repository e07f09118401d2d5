//! The built command: what it says and how it ends when something is wrong.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod audit;
mod support;
mod words;

use mcp_bundle::format::key_text;
use mcp_bundle::format::{self, SigningKey};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Edge, bundle, run, text, write};

#[test]
fn a_bundle_alone_is_checked_without_the_variables_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&["EDGE_TEST_UNSET", "PATH"]));
    let outcome = run(&["check", text(&path)]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.out.starts_with("revision   ")
            && outcome.out.ends_with("needs      EDGE_TEST_UNSET (no value here), PATH\n"),
        "{}",
        outcome.out
    );
}

#[test]
fn signers_are_shown_and_whether_they_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let secret = SigningKey::from_bytes(&[7; 32]);
    let signed = format::sign(bundle(&[]), &secret).unwrap();
    let path = write(folder.path(), "tools.mcpk", signed);
    let key = key_text::write_public(&secret.verifying_key());
    let trusted = run(&["check", text(&path), "--key", &key]);
    assert!(trusted.out.contains(&format!("signed by  {key} (trusted)\n")), "{}{}", trusted.out, trusted.err);
    let unknown = run(&["check", text(&path)]);
    assert!(unknown.out.contains(&format!("signed by  {key}\n")), "{}", unknown.out);
}

#[test]
fn a_damaged_key_is_named_and_a_secret_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let damaged = run(&["check", text(&path), "--key", "mcpc-ed25519:AAAA"]);
    assert_eq!(damaged.code, 2);
    assert!(damaged.err.contains("key `mcpc-ed25519:AAAA`: it is a damaged key"), "{}", damaged.err);
    let secret = key_text::write_secret(&SigningKey::from_bytes(&[7; 32]));
    let outcome = run(&["check", text(&path), "--key", &secret]);
    assert!(outcome.err.contains("`--key`: it is a secret key") && !outcome.err.contains(&secret));
}

#[test]
fn nothing_to_do_shows_the_help_and_is_a_usage_error() {
    let outcome = run(&[]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("Usage: mcp-edge"), "{}", outcome.err);
}

#[test]
fn a_missing_file_is_reported() {
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
fn a_port_in_use_is_reported() {
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
    assert!(foreign.err.contains("does not match"), "{}", foreign.err);
    key(issued.signing_key.serialize_pem());
    let good = check();
    assert_eq!(good.code, 0, "{}", good.err);
    assert!(good.out.contains("listen     https://127.0.0.1:0/mcp\n"), "{}", good.out);
}

#[test]
fn an_expired_certificate_is_refused_by_a_check_and_by_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters.not_after = rcgen::date_time_ymd(2020, 2, 29);
    let certificate = parameters.self_signed(&key).unwrap();
    write(folder.path(), "cert.pem", certificate.pem());
    write(folder.path(), "key.pem", key.serialize_pem());
    write(folder.path(), "tools.mcpk", bundle(&[]));
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    let config = write(folder.path(), "edge.toml", format!("bundle = \"tools.mcpk\"\n{listen}"));
    for arguments in [["check", text(&config)], ["--config", text(&config)]] {
        let outcome = run(&arguments);
        assert_eq!(outcome.code, 1, "{}", outcome.err);
        assert!(outcome.err.contains("cert.pem` expired at 2020-02-29T00:00:00Z"), "{}", outcome.err);
        assert!(outcome.err.contains("edge.toml:4"), "{}", outcome.err);
    }
}

/// Needs a variable in a header.
const UNSENDABLE: &str = r#"
        [upstream.a]
        url = "https://a.example"
        headers = { authorization = "Bearer ${EDGE_TEST_UNSENDABLE}" }
        [[tool]]
        name = "read"
        description = "Reads a thing from somewhere."
        upstream = "a"
        method = "GET"
        endpoint = "/thing"
    "#;

#[test]
fn a_secret_that_cannot_be_sent_is_refused_by_a_check_and_by_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let spec = UNSENDABLE;
    let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", spec));
    let bytes = format::write(&report.contents.unwrap()).unwrap();
    write(folder.path(), "tools.mcpk", bytes);
    let config = "bundle = \"tools.mcpk\"\nadmin = \"off\"\n[limits]\nheader_value = \"20B\"\n";
    let config = write(folder.path(), "edge.toml", config);
    for (value, reason) in [
        ("hunter2’", "only visible ASCII characters"),
        ("hunter2\nx", "only visible ASCII characters"),
        ("hunter2hunter2", "longer than 20 bytes"),
    ] {
        for arguments in [["check", text(&config)], ["--config", text(&config)]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
            let output = command.args(arguments).env("EDGE_TEST_UNSENDABLE", value).output().unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{err}");
            assert!(
                err.contains("`${EDGE_TEST_UNSENDABLE}` cannot be sent by `read` in its header"),
                "{err}"
            );
            assert!(err.contains(reason) && !err.contains("hunter2"), "{err}");
        }
    }
}

#[test]
fn a_tenants_own_secret_that_cannot_be_sent_is_refused_in_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", UNSENDABLE));
    write(folder.path(), "tools.mcpk", format::write(&report.contents.unwrap()).unwrap());
    let tenants =
        "[tenant.acme]\ntoolsets = [\"*\"]\nvariables = { EDGE_TEST_UNSENDABLE = \"${EDGE_TEST_ACME}\" }\n";
    let tenants = write(folder.path(), "tenants.toml", tenants);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&tenants, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let auth = "[auth]\nmode = \"required\"\ntenants = \"tenants.toml\"\n";
    let config = format!("bundle = \"tools.mcpk\"\nadmin = \"off\"\n{auth}");
    let config = write(folder.path(), "edge.toml", config);
    for arguments in [["check", text(&config)], ["--config", text(&config)]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
        let command = command.args(arguments).env("EDGE_TEST_UNSENDABLE", "fine");
        let output = command.env("EDGE_TEST_ACME", "hunter2’").output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("tenants.toml:3:") && err.contains("tenant `acme`: "), "{err}");
        assert!(err.contains("cannot be sent by `read`") && !err.contains("hunter2"), "{err}");
    }
}

#[test]
fn a_start_reports_every_problem_with_the_files_and_its_line_like_a_check() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "tools.mcpk", "oops");
    write(folder.path(), "ca.pem", "");
    let up = write(folder.path(), "up.sock", "precious");
    let top = "bundle = \"tools.mcpk\"\nca_file = \"ca.pem\"\nsecrets = \"none.env\"\nupgrade_socket = \"up.sock\"\n";
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    let config = write(folder.path(), "edge.toml", format!("{top}{listen}"));
    let outcomes = [
        run(&["check", text(&config)]),
        run(&["--config", text(&config)]),
        run(&["--config", text(&config), "--upgrade"]),
    ];
    for outcome in &outcomes {
        assert_eq!((outcome.code, &outcome.err), (1, &outcomes[0].err));
        for part in [
            "edge.toml:1:10",
            "not a bundle",
            "edge.toml:2:11",
            "ca.pem` has no certificate",
            "edge.toml:3:11",
            "none.env` cannot be read",
            "edge.toml:4:18",
            "up.sock` is a file, not a socket",
            "edge.toml:7:15",
            "certificate `",
            "edge.toml:8:7",
            "key `",
        ] {
            assert!(outcome.err.contains(part), "{part} in\n{}", outcome.err);
        }
        assert!(!outcome.err.contains("free the port"), "{}", outcome.err);
    }
    assert_eq!(std::fs::read_to_string(up).unwrap(), "precious");
}

#[test]
fn an_upgrade_socket_that_cannot_be_made_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "tools.mcpk", bundle(&[]));
    let start = |socket: &str| {
        let text = format!("bundle = \"tools.mcpk\"\nadmin = \"off\"\nupgrade_socket = \"{socket}\"\n");
        let config = write(folder.path(), "edge.toml", text);
        run(&["--config", config.to_str().unwrap(), "--upgrade", "--listen", "127.0.0.1:0"])
    };
    let missing = start("nowhere/up.sock");
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("there is no folder"), "{}", missing.err);
    let long = start(&"x".repeat(200));
    assert_eq!(long.code, 2);
    assert!(long.err.contains("cannot be used: ") && !long.err.contains("panicked"), "{}", long.err);
}

/// A configuration with which processes can follow each other.
fn upgradable(folder: &Path) -> PathBuf {
    write(folder, "tools.mcpk", bundle(&[]));
    write(
        folder,
        "edge.toml",
        "bundle = \"tools.mcpk\"\nadmin = \"127.0.0.1:0\"\nupgrade_socket = \"up.sock\"\n",
    )
}

#[test]
fn an_upgrade_takes_the_listeners_and_binds_the_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let config = upgradable(folder.path());
    // An address of its own for the one that is dropped: on 127.0.0.1, another test could get its port.
    let mut old =
        Edge::start(&["--config", text(&config), "--listen", "127.0.0.1:0", "--listen", "127.0.0.2:0"]);
    let kept = old.address("listening");
    let dropped = old.address("listening");
    let admin = old.address("admin");
    let mut arguments = vec!["--config", text(&config), "--upgrade", "--listen", &kept];
    arguments.extend(["--listen", "127.0.0.1:0", "--admin", &admin]);
    let mut new = Edge::start(&arguments);
    new.line("waiting for the listeners");
    old.signal("-QUIT");
    let (code, told) = old.end();
    assert_eq!(code, 0, "{told}");
    for part in ["SIGQUIT", "the listeners were handed over", "leaving"] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(new.address("listening"), kept);
    let added = new.address("listening");
    assert_eq!(new.address("admin"), admin);
    for address in [&kept, &added, &admin] {
        let mut stream = TcpStream::connect(address).unwrap();
        let host = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(host.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 "), "{address}: {answer}");
    }
    assert!(TcpStream::connect(&dropped).is_err());
    new.signal("-TERM");
    let (code, told) = new.end();
    assert_eq!(code, 0, "{told}");
    assert!(!told.contains("ERROR"), "{told}");
}

#[test]
fn an_upgrade_without_an_address_that_is_configured_fails() {
    let folder = tempfile::tempdir().unwrap();
    let config = upgradable(folder.path());
    let mut old = Edge::start(&["--config", text(&config), "--listen", "127.0.0.1:0"]);
    let kept = old.address("listening");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let foreign = taken.local_addr().unwrap().to_string();
    let mut new =
        Edge::start(&["--config", text(&config), "--upgrade", "--listen", &kept, "--listen", &foreign]);
    new.line("waiting for the listeners");
    old.signal("-QUIT");
    let (code, told) = new.end();
    assert_eq!(code, 2, "{told}");
    assert!(told.contains(&format!("cannot listen on `{foreign}`")) && !told.contains("listening"), "{told}");
}

#[test]
fn json_logs_are_json_from_the_start_to_the_end_and_hold_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let mut edge = Edge::start(&[
        text(&path),
        "--listen",
        "127.0.0.1:0",
        "--admin",
        "127.0.0.1:0",
        "--log-format",
        "json",
        "--log-level",
        "trace",
    ]);
    let public = edge.address("\"listening\"");
    let admin = edge.address("\"admin\"");
    for address in [public, admin] {
        for request in [
            "GET /?hunter2 HTTP/1.1\r\nhunter2\r\n\r\n",
            "GET /hunter2 HTTP/1.1\r\nhost: x\r\nx: hunter2\r\n\r\n",
        ] {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            // It may be reset.
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
    edge.signal("-HUP");
    edge.line("bundle unchanged");
    edge.signal("-TERM");
    let (code, told) = edge.end();
    assert_eq!(code, 0, "{told}");
    assert!(!told.contains("hunter2"), "{told}");
    let mut messages = Vec::new();
    for line in told.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{told}"));
        assert!(line.as_object().unwrap().keys().all(|name| !name.starts_with("log.")), "{line}");
        messages.push(line["message"].as_str().unwrap().to_owned());
    }
    for message in
        ["listening", "admin", "bundle activated", "bundle unchanged", "signal received", "leaving"]
    {
        assert!(messages.iter().any(|told| told == message), "{message} in {told}");
    }
}

#[test]
fn tls_probes_make_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    let issued = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    write(folder.path(), "cert.pem", issued.cert.pem());
    write(folder.path(), "key.pem", issued.signing_key.serialize_pem());
    write(folder.path(), "tools.mcpk", bundle(&[]));
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    let config =
        write(folder.path(), "edge.toml", format!("bundle = \"tools.mcpk\"\nadmin = \"off\"\n{listen}"));
    let mut edge = Edge::start(&["--config", text(&config)]);
    let address = edge.address("listening  https");
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /hunter2 HTTP/1.1\r\n\r\n").unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    edge.signal("-TERM");
    let (code, told) = edge.end();
    assert_eq!(code, 0, "{told}");
    assert!(!told.contains("ERROR") && !told.contains("hunter2"), "{told}");
}

#[test]
fn an_empty_variable_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&["EDGE_TEST_EMPTY"]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
    let output = command.arg(&path).env("EDGE_TEST_EMPTY", "").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("`${EDGE_TEST_EMPTY}` has no value"));
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
    assert!(bad.err.contains("line 1: the value has no closing quote"), "{}", bad.err);
    assert!(!good.out.contains("hunter2") && !bad.err.contains("hunter2") && !bad.out.contains("hunter2"));
}
