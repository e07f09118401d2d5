//! More connections than a process can have.
#![cfg(target_os = "linux")]

use mcpc_tests::{Client, LONG, build, get, start_with_files, write_private};
use std::io::Read;
use std::net::{SocketAddr, TcpStream};

const SPEC: &str = r#"
[toolset]
name = "fixed"
[[tool]]
name = "hello"
description = "Says hello to whoever asks for it."
respond = "hello"
"#;

/// What `ulimit -n` says there.
const FILES: u32 = 300;

#[test]
fn silent_connections_leave_room_for_those_who_look_after_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(path("cert.pem"), own.cert.pem()).unwrap();
    write_private(&path("key.pem"), &own.signing_key.serialize_pem());
    build(SPEC, &path("tools.mcpk"));
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    let config = format!("bundle = \"tools.mcpk\"\nadmin = \"127.0.0.1:0\"\n{listen}");
    std::fs::write(path("edge.toml"), config).unwrap();
    let process = start_with_files("mcp-edge", FILES, ["--config", path("edge.toml").to_str().unwrap()]);
    process.told("`limits.connections` is 10000, but this process may open only 300 files");
    let address: SocketAddr = process.told("listening  https://").trim_end_matches("/mcp").parse().unwrap();
    let admin = process.admin();
    assert_eq!(Client::connect(admin).ask(get("/healthz", &[])).status, 200);

    // None of them says anything: each waits for a handshake that never begins.
    let mut flood: Vec<TcpStream> = (0..FILES + 100).map(|_| TcpStream::connect(address).unwrap()).collect();
    // The last one is closed at once, so all of them have been looked at.
    let last = flood.last_mut().unwrap();
    last.set_read_timeout(Some(LONG)).unwrap();
    assert!(matches!(last.read(&mut [0; 1]), Ok(0) | Err(_)));
    assert_eq!(Client::connect(admin).ask(get("/healthz", &[])).status, 200);
    assert!(!process.log().contains("connections cannot be accepted"), "{}", process.log());
}
