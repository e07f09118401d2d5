//! The real proxy with MCP servers that are child processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcp_bundle::definition::{Pin, canonical};
use mcpc_tests::{Client, Process, binary, build, call, get, mcp_edge, post};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A server of revision 2025-06-18. Its tool says who greets, its process, and what it knows of a secret.
const SERVER: &str = r#"
[ -z "$ALIVE" ] || exec 9>"$ALIVE"
[ -z "$STUBBORN" ] || trap '' TERM
echo 'Greeter 1.0 is ready'
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[!0-9]*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"greet","description":"Greets whoever calls.","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"'"$GREETER $$ ${OTHER_TOKEN:-no secret}"'"}]}';;
    *'"server/discover"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}'; continue;;
    *) continue;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'"$result"'}'
done
[ -z "$STUBBORN" ] || while :; do sleep 100; done
"#;

/// A place with two such servers, `first` and `second`, and a tool of each.
fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let definition = json!({
        "name": "greet", "description": "Greets whoever calls.", "inputSchema": { "type": "object" },
    });
    let pin = Pin::of(&canonical(&definition).unwrap());
    let server = |name: &str| {
        format!(
            r#"
            [upstream.{name}]
            kind = "mcp"
            transport = "stdio"
            [[tool]]
            name = "{name}_greet"
            mcp_tool = "greet"
            description = "Greets whoever calls."
            upstream = "{name}"
            input_schema = {{ type = "object" }}
            pin = "{pin}"
            "#
        )
    };
    build(&[server("first"), server("second")].concat(), &folder.path().join("greeters.mcpk"));
    std::fs::write(folder.path().join("server.sh"), SERVER).unwrap();
    let secrets = folder.path().join("secrets.env");
    std::fs::write(&secrets, "NAME_OF_FIRST=Ada\nOTHER_TOKEN=hunter2\n").unwrap();
    std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
    folder
}

fn configure(folder: &TempDir, rest: &str) -> String {
    let config = folder.path().join("edge.toml");
    std::fs::write(&config, format!("bundle = \"greeters.mcpk\"\nsecrets = \"secrets.env\"\n{rest}"))
        .unwrap();
    config.display().to_string()
}

fn entry(name: &str, greeter: &str) -> String {
    format!(
        "[stdio.{name}]\ncommand = \"sh\"\nargs = [\"server.sh\"]\ndirectory = \".\"\nenv = {{ GREETER = \"{greeter}\" }}\n"
    )
}

fn start(config: &str) -> Process {
    mcp_edge(["--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
}

/// Who greets, and its process.
fn greet(edge: &Process, tool: &str) -> (String, String) {
    let answer = Client::connect(edge.address()).ask(call(tool, json!({})));
    let text = answer.text();
    let (greeter, rest) = text.split_once(' ').unwrap();
    let (process, secret) = rest.split_once(' ').unwrap();
    assert_eq!(secret, "no secret", "the environment of the edge is not that of its children");
    (greeter.to_owned(), process.to_owned())
}

#[test]
fn tools_of_child_processes_are_called() {
    let folder = place();
    let file = r#"{"mcpServers": {"second": {"command": "sh", "args": ["server.sh"], "cwd": ".", "env": {"GREETER": "Grace"}}}}"#;
    std::fs::write(folder.path().join("mcp.json"), file).unwrap();
    let first = entry("first", "${NAME_OF_FIRST}");
    let edge = start(&configure(&folder, &format!("mcp_servers = \"mcp.json\"\n{first}")));
    assert_eq!(greet(&edge, "first_greet").0, "Ada");
    assert_eq!(greet(&edge, "second_greet").0, "Grace");
    assert_eq!(greet(&edge, "first_greet"), greet(&edge, "first_greet"), "one process answers all calls");
}

#[test]
fn a_bundle_cannot_start_what_the_place_has_not_named() {
    let folder = place();
    let config = configure(&folder, &entry("first", "Ada"));
    let mut edge = start(&config);
    assert!(!edge.exit().success());
    let log = edge.log();
    assert!(log.contains("`second` of the bundle is a program that this place has not named"), "{log}");
    assert!(log.contains("write `[stdio.second]`"), "{log}");
    let (checked, text) = check(&config);
    assert!(!checked && text.contains("write `[stdio.second]`"), "{text}");
}

#[test]
fn programs_are_checked_before_serving() {
    let folder = place();
    let all = [entry("first", "Ada"), entry("second", "Grace"), entry("third", "Edsger")].concat();
    let (checked, text) = check(&configure(&folder, &all));
    assert!(checked, "{text}");
    assert!(text.contains("programs   first, second\n") && text.contains("not used   third\n"), "{text}");
    let missing =
        all.replacen("\"sh\"", "\"nobody-has-this\"", 1).replacen("Grace", "${NOBODY_SETS_THIS}", 1);
    let (checked, text) = check(&configure(&folder, &missing));
    assert!(!checked, "{text}");
    assert!(text.contains("there is no program `nobody-has-this` on `PATH`"), "{text}");
    assert!(text.contains("`${NOBODY_SETS_THIS}` has no value, and the program `second` needs it"), "{text}");
    let broken = format!("mcp_servers = \"mcp.json\"\n{all}");
    std::fs::write(folder.path().join("mcp.json"), "{\"mcpServers\":\n{\"a\": {}}}").unwrap();
    let (checked, text) = check(&configure(&folder, &broken));
    assert!(!checked && text.contains("mcp.json:2:7"), "{text}");
}

/// Whether `mcp-edge check` is content, and what it says.
fn check(config: &str) -> (bool, String) {
    let output = std::process::Command::new(binary("mcp-edge")).args(["check", config]).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn a_changed_entry_starts_that_server_anew_and_no_other() {
    let folder = place();
    let both = |first: &str| entry("first", first) + &entry("second", "Grace");
    let edge = start(&configure(&folder, &both("Ada")));
    let before = [greet(&edge, "first_greet"), greet(&edge, "second_greet")];
    configure(&folder, &both("Alan"));
    assert_eq!(edge.ask_admin(post("/reload", &[], "")).status, 200);
    let after = [greet(&edge, "first_greet"), greet(&edge, "second_greet")];
    assert_eq!(after[0].0, "Alan");
    assert_ne!(after[0].1, before[0].1);
    assert_eq!(after[1], before[1]);

    // A wrong entry changes nothing.
    configure(&folder, &both("Edsger").replace("\"sh\"", "\"nobody-has-this\""));
    let refused = edge.ask_admin(post("/reload", &[], ""));
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("there is no program `nobody-has-this` on `PATH`"), "{}", refused.body);
    assert_eq!(greet(&edge, "first_greet"), after[0]);
}

#[test]
fn a_child_that_is_killed_is_started_again() {
    let folder = place();
    let edge = start(&configure(&folder, &(entry("first", "Ada") + &entry("second", "Grace"))));
    let second = greet(&edge, "second_greet");
    for _ in 0..3 {
        let (_, process) = greet(&edge, "first_greet");
        let killed = std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
        assert!(killed.success());
        let mut client = Client::connect(edge.address());
        // Until its end is noticed, calls fail; then they wait for the next one.
        let again = loop {
            let answer = client.ask(call("first_greet", json!({})));
            if answer.text().starts_with("Ada ") {
                break answer.text().to_owned();
            }
        };
        assert!(!again.contains(&process));
    }
    assert_eq!(greet(&edge, "second_greet"), second, "its neighbour goes on");
}

/// D7 and D8: who runs the place reads why a program has ended, callers do not, and its neighbour goes on.
#[test]
fn a_program_that_ends_at_once_is_marked_with_its_last_words_and_its_neighbour_goes_on() {
    let folder = place();
    let broken =
        "[stdio.first]\ncommand = \"sh\"\nargs = [\"-c\", \"echo 'Error: no module foo' >&2; exit 3\"]\n";
    let mut edge = start(&configure(&folder, &(broken.to_owned() + &entry("second", "Grace"))));
    assert_eq!(greet(&edge, "second_greet").0, "Grace");
    let failed = Client::connect(edge.address()).ask(call("first_greet", json!({})));
    assert!(failed.is_error() && !failed.body.contains("no module"), "{}", failed.body);
    // It is tried again and again, so it is not marked all the time.
    let error = loop {
        let status = edge.ask_admin(get("/status", &[])).json();
        let servers = status["mcp_servers"].as_array().unwrap();
        let first = servers.iter().find(|server| server["upstream"] == "first").unwrap();
        if first["error"].is_object() {
            break first["error"].clone();
        }
    };
    assert_eq!(error["code"], "MCP_UNREACHABLE");
    assert_eq!(error["message"], "the program has ended (exit status: 3); it wrote `Error: no module foo`");
    assert_eq!(greet(&edge, "second_greet").0, "Grace");
    edge.signal("TERM");
    edge.exit();
    assert!(edge.log().contains("Error: no module foo"), "{}", edge.log());
}

/// C9: the debug log has what a server is asked and what it answers, and no secret of the place.
#[test]
fn requests_and_responses_are_in_the_debug_log() {
    let folder = place();
    let both = entry("first", "Ada") + &entry("second", "Grace");
    let mut edge = start(&configure(&folder, &format!("[log]\nlevel = \"debug\"\n{both}")));
    let (greeter, process) = greet(&edge, "first_greet");
    // The end writes what is left.
    edge.signal("TERM");
    edge.exit();
    let log = edge.log();
    let line = |message: &str| {
        let found = log.lines().find(|line| line.contains(message) && line.contains("first_greet"));
        found.unwrap_or_else(|| panic!("{message} is not in {log}"))
    };
    assert!(line("request to an MCP server").contains("{}"), "{log}");
    assert!(line("response of an MCP server").contains(&format!("{greeter} {process} no secret")), "{log}");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn children_end_with_the_edge() {
    let folder = place();
    // A named pipe that the child holds open: it ends when the child does.
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("alive")).status().unwrap();
    assert!(made.success());
    let first = entry("first", "Ada").replace("env = {", "env = { ALIVE = \"alive\", STUBBORN = \"yes\",");
    let mut edge = start(&configure(&folder, &(first + &entry("second", "Grace"))));
    let pipe = folder.path().join("alive");
    let alive = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    assert_eq!(greet(&edge, "first_greet").0, "Ada");
    edge.signal("TERM");
    assert!(edge.exit().success());
    alive.join().unwrap();
}
