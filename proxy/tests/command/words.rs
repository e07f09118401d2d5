//! Messages that lead to the right words, addresses and lines.

use crate::support::{Edge, bundle, run, text, write};
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn a_missing_bundle_is_reported_with_the_line_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "edge.toml", "threads = 1\nbundle = \"none.mcpk\"\n");
    for arguments in [&["check", text(&config)][..], &["--config", text(&config)]] {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 2, "{}", outcome.err);
        assert!(outcome.err.contains("edge.toml:2:10"), "{}", outcome.err);
        assert!(outcome.err.contains("none.mcpk` cannot be read"), "{}", outcome.err);
    }
}

#[test]
fn a_word_that_is_not_a_command_is_named_with_those_that_are() {
    for (arguments, parts) in [
        (&["serve", "x.mcpk"][..], ["no command `serve`", "write `mcp-edge x.mcpk`", "`check`"]),
        (&["chek", "x.mcpk"], ["no command `chek`", "did you mean `check`?", "`schema`"]),
        (&["serve"], ["no command `serve`", "write `mcp-edge BUNDLE`", "`check`"]),
    ] {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 2);
        for part in parts {
            assert!(outcome.err.contains(part), "{part} in\n{}", outcome.err);
        }
    }
}

#[test]
fn an_address_of_another_machine_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    // It is for documentation, so no machine has it.
    for arguments in
        [["--listen", "192.0.2.1:9", "--admin", "off"], ["--listen", "127.0.0.1:0", "--admin", "192.0.2.1:9"]]
    {
        let outcome = run(&[&[text(&path), "--auth", "none"][..], &arguments].concat());
        assert_eq!(outcome.code, 2);
        assert!(
            outcome.err.contains("help: this address does not belong to this machine"),
            "{}",
            outcome.err
        );
        assert!(!outcome.err.contains("free the port"), "{}", outcome.err);
    }
}

#[test]
fn no_admin_listener_is_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let outcome = run(&[text(&path), "--admin", "none"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("write `--admin off`"), "{}", outcome.err);
}

#[test]
fn a_start_says_whether_the_bundle_is_signed_and_a_404_says_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let mut edge = Edge::start(&[text(&path), "--listen", "127.0.0.1:0", "--admin", "off"]);
    let address = edge.address("listening");
    assert!(edge.line("signed by").contains("nobody"), "{}", edge.told);
    assert!(edge.line("bundle activated").contains("signed=false"), "{}", edge.told);
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!("GET /mcpp/x?token=hunter2 HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.read_to_string(&mut String::new()).unwrap();
    let line = edge.line("refused");
    assert!(line.contains("path=\"/mcpp/x\"") && !line.contains("hunter2"), "{line}");
}

#[test]
fn the_schemas_in_the_docs_are_the_ones_that_are_printed() {
    let edge = include_str!("../../../docs/edge.schema.json");
    let tenants = include_str!("../../../docs/tenants.schema.json");
    for (arguments, committed) in
        [(&["schema"][..], edge), (&["schema", "edge"], edge), (&["schema", "tenants"], tenants)]
    {
        let outcome = run(arguments);
        assert_eq!(outcome.code, 0);
        assert!(committed == outcome.out, "run `just generate`");
    }
    assert_eq!(run(&["schema", "tools"]).code, 2);
}

#[test]
fn a_place_that_init_wrote_passes_check_and_lets_its_key_in() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    let written = run(&["init", text(&place)]);
    assert_eq!(written.code, 0, "{}", written.err);
    let key = written.out.lines().find_map(|line| line.trim().strip_prefix("mek_")).unwrap();
    // Nothing is overwritten.
    let again = run(&["init", text(&place)]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("edge.toml` exists already"), "{}", again.err);
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    write(&place, "certificate.pem", certified.cert.pem());
    write(&place, "certificate.key", certified.signing_key.serialize_pem());
    write(&place, "tools.mcpk", bundle(&[]));
    let config = place.join("edge.toml");
    let checked = run(&["check", text(&config)]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    assert!(checked.out.contains("auth       required: 1 tenant, 1 API key, 0 issuers"), "{}", checked.out);
    // The same tenants, without TLS.
    let plain = "bundle = \"tools.mcpk\"\n[auth]\ntenants = \"tenants.toml\"\n";
    let config = write(&place, "plain.toml", plain);
    let mut edge =
        Edge::start(&["--config", text(&config), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let address = edge.address("listening");
    let status = |header: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request =
            format!("GET /mcp/tools HTTP/1.1\r\nhost: localhost\r\n{header}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status(""), "401");
    assert_eq!(status(&format!("x-api-key: mek_{key}\r\n")), "200");
}

#[test]
fn the_environment_says_what_was_not_typed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "tools.mcpk", bundle(&[]));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
    command.env("MCP_EDGE_BUNDLE", &path).env("MCP_EDGE_LISTEN", "127.0.0.1:x");
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("`127.0.0.1:x` is not an `IP:port` address"), "{err}");
}
