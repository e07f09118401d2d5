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
fn the_schema_in_the_docs_is_the_one_that_is_printed() {
    let committed = include_str!("../../../docs/edge.schema.json");
    let outcome = run(&["schema"]);
    assert_eq!(outcome.code, 0);
    assert!(committed == outcome.out, "run `just generate`");
}
