//! `mcpc dev` as people run it: a real process, real HTTP, specs that change.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use mcp_bundle::definition::{Pin, canonical};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Nothing here takes as long unless it is broken.
const PATIENCE: Duration = Duration::from_secs(60);

const SPEC: &str = r#"
[upstream.shop]
url = "https://api.example.com"
headers = { authorization = "Bearer ${MCPC_TEST_TOKEN}" }

[[tool]]
name = "get_order"
description = "Gets one order of the shop."
upstream = "shop"
method = "GET"
endpoint = "/orders/{id}"
response_template = "order {{.id}} is {{.state}}"

[[tool.parameters]]
name = "id"
description = "Id of the order"
required = true
position = "path"

[[tool.examples]]
arguments = { id = "1" }
response = { body = { id = "1", state = "paid" } }

[[tool.examples]]
arguments = { id = "2" }
response = { body = { id = "2", state = "sent" } }
"#;

/// A running `mcpc dev`; killed if the test ends before it is stopped.
struct Dev {
    child: Child,
    out: Lines<BufReader<ChildStdout>>,
    err: Lines<BufReader<ChildStderr>>,
    /// `127.0.0.1:PORT`
    address: String,
    /// What it printed on standard output up to the line that ends the greeting.
    greeting: String,
    /// Dropped with the rest, before the patience ends, unless something hangs.
    _patience: Sender<()>,
}

/// Folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// `mcpc dev`, which lies beside this test's own folder.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let target = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_path_buf();
    let path = target.join("mcpc");
    assert!(path.is_file(), "run the tests of the whole workspace: `{}` is not built", path.display());
    let mut command = Command::new(path);
    command.current_dir(folder).arg("dev").args(arguments).env_remove("MCPC_TEST_TOKEN");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A broken process ends, and with it what waits for its words.
fn kill_if_it_hangs(child: &Child) -> Sender<()> {
    let (sender, receiver) = channel();
    let id = child.id().to_string();
    std::thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    sender
}

impl Dev {
    fn start(folder: &Path, arguments: &[&str]) -> Dev {
        let arguments = [&["--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = command(folder, &arguments).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines();
        let err = BufReader::new(child.stderr.take().unwrap()).lines();
        let _patience = kill_if_it_hangs(&child);
        let mut dev = Dev { child, out, err, address: String::new(), greeting: String::new(), _patience };
        while let Some(line) = dev.out.next() {
            let line = line.unwrap();
            dev.greeting.push_str(&format!("{line}\n"));
            if let Some(url) = line.strip_prefix("serving    ") {
                dev.address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
            }
            if line.contains("Ctrl-C") {
                return dev;
            }
        }
        let mut errors = String::new();
        for line in dev.err.by_ref() {
            errors.push_str(&format!("{}\n", line.unwrap()));
        }
        panic!("it did not start:\n{}{errors}", dev.greeting);
    }

    /// The next line on standard error with this text in it.
    fn said(&mut self, text: &str) -> String {
        let mut others = String::new();
        for line in self.err.by_ref() {
            let line = line.unwrap();
            if line.contains(text) {
                return line;
            }
            others.push_str(&format!("{line}\n"));
        }
        panic!("it never said `{text}`, but:\n{others}");
    }

    /// The body of the answer to a JSON-RPC request.
    fn ask(&self, method: &str, parameters: &str) -> String {
        self.post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{parameters}}}"#), "")
    }

    fn post(&self, body: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn call(&self, tool: &str, arguments: &str) -> String {
        self.ask("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
    }

    /// Sends the signal of Ctrl-C and waits; the exit code, and what was still to be read from standard error.
    fn stop(mut self) -> (i32, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let rest: Vec<String> = self.err.by_ref().map(Result::unwrap).collect();
        (self.child.wait().unwrap().code().unwrap(), rest.join("\n"))
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_real_specs_are_served_from_their_examples() {
    let dev = Dev::start(&root(), &["tool-specs", "--mock"]);
    assert!(dev.greeting.contains("(mock)"), "{}", dev.greeting);
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let greeting = dev.greeting.replace(&dev.address, "127.0.0.1:8080");
    assert!(
        readme.contains(&format!("```text\n{greeting}```\n")),
        "the README shows another greeting than\n{greeting}"
    );
    let list = dev.ask("tools/list", "{}");
    assert!(list.contains(r#""name":"get_order""#), "{list}");
    let (code, rest) = dev.stop();
    assert_eq!((code, rest.as_str()), (0, ""));
}

#[test]
fn tools_of_mcp_servers_are_answered_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let spec = include_str!("../fixtures/mcp_servers.toml")
        .replace("\"user\": \"${principal.sub}\"", "\"user\": \"x\"");
    let spec = spec.replace("user = \"${principal.sub}\"", "user = \"x\"");
    std::fs::write(folder.path().join("spec.toml"), spec).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock", "-v"]);
    let page = dev.call("wiki_search", r#"{"query":"a \"b\""}"#);
    assert!(page.contains(r#""text":"A\nB\n""#) && !page.contains("isError"), "{page}");
    let file = dev.call("read_file", r#"{"path":"README.md"}"#);
    assert!(file.contains(r##""text":"# Wiki""##) && !file.contains("isError"), "{file}");
    let ticket = dev.call("close_ticket", r#"{"id":8}"#);
    assert!(ticket.contains(r#""text":"No ticket 7""#) && ticket.contains(r#""isError":true"#), "{ticket}");
    dev.said("note: close_ticket: no example makes this request, so example 1 answers it");
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn it_says_why_a_program_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let definition = serde_json::json!({
        "name": "greet", "description": "Greets whoever calls.", "inputSchema": { "type": "object" },
    });
    let pin = Pin::of(&canonical(&definition).unwrap());
    let spec = format!(
        "[upstream.greeter]\nkind = \"mcp\"\ntransport = \"stdio\"\n[[tool]]\nname = \"greet\"\nupstream = \"greeter\"\n\
         description = \"Greets whoever calls.\"\ninput_schema = {{ type = \"object\" }}\npin = \"{pin}\"\n"
    );
    std::fs::write(folder.path().join("spec.toml"), spec).unwrap();
    let script = "echo 'Error: no module foo' >&2; exit 3";
    let file = format!(r#"{{"mcpServers": {{"greeter": {{"command": "sh", "args": ["-c", "{script}"]}}}}}}"#);
    std::fs::write(folder.path().join("mcp.json"), file).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mcp-servers", "mcp.json", "-v"]);
    dev.said("server greeter: from the server; line: Error: no module foo");
    let line = dev.said("server greeter: an MCP server cannot be used: the program has ended");
    assert!(line.contains("(exit status: 3); it wrote `Error: no module foo` (MCP_UNREACHABLE)"), "{line}");
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn calls_get_the_answers_of_their_examples_and_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shop.toml"), SPEC).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock"]);
    assert!(dev.call("get_order", r#"{"id":"2"}"#).contains("order 2 is sent"));
    let line = dev.said("call ");
    assert!(line.starts_with("call get_order: ok, status 200, "), "{line}");
    assert!(dev.call("get_order", r#"{"id":"other"}"#).contains("order 1 is paid"));
    let note = "note: get_order: no example makes this request, so example 1 answers it";
    assert_eq!(dev.said("note: "), note);
    dev.said("call get_order: ok");
    dev.call("get_order", "{}");
    let line = dev.said("call ");
    assert!(line.starts_with("call get_order: invalid_arguments (`id` is required (string)"), "{line}");
    dev.call("get_ordr", "{}");
    assert_eq!(dev.said("call "), "call get_ordr: unknown tool");
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn verbose_lines_have_arguments_and_url_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let spec = format!(
        "{SPEC}\n[[tool.parameters]]\nname = \"t\"\nposition = \"query\"\nvalue = \"${{MCPC_TEST_TOKEN}}\"\n"
    );
    std::fs::write(folder.path().join("shop.toml"), spec).unwrap();
    std::fs::write(folder.path().join("dev.env"), "MCPC_TEST_TOKEN=t0ken\n").unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock", "-v", "--env-file", "dev.env"]);
    dev.call("get_order", r#"{"id":"a b"}"#);
    let line = dev.said("call get_order {");
    let url = "https://api.example.com/orders/a%20b?t=${MCPC_TEST_TOKEN}";
    assert_eq!(line, format!(r#"call get_order {{"id":"a b"}}: GET {url}"#));
    dev.said("call get_order: ok");
    dev.ask("no/such", "{}");
    assert!(dev.said("refused: ").contains("no/such"));
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn findings_that_stay_are_counted_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("shop.toml");
    let text = SPEC.replace("description = \"Id of the order\"\n", "");
    std::fs::write(&spec, &text).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock", "--format", "concise"]);
    assert!(dev.said("").contains("warning[MCP0801]"), "the first look prints it");
    std::fs::write(&spec, format!("# moved\n{text}")).unwrap();
    assert_eq!(dev.said(""), "1 warning unchanged");
    assert_eq!(dev.said(""), "reloaded: 1 tool (shop.toml)");
    std::fs::write(&spec, text.replace("\"GET\"", "\"get\"")).unwrap();
    assert!(dev.said("").contains("error[MCP0108]"), "only what is new");
    assert_eq!(dev.said(""), "not reloaded: the last good version keeps serving");
    assert_eq!(dev.stop().0, 0);
}

/// Runs the `curl` command of the greeting with another request.
#[test]
fn the_curl_command_of_the_greeting_gets_structured_content() {
    let folder = tempfile::tempdir().unwrap();
    let output = "output_schema = { type = \"object\" }\nresponse_template";
    std::fs::write(folder.path().join("shop.toml"), SPEC.replace("response_template", output)).unwrap();
    let dev = Dev::start(folder.path(), &["--mock"]);
    let version = dev.greeting.split("-H 'mcp-protocol-version: ").nth(1).unwrap();
    let version = version.split('\'').next().unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_order","arguments":{"id":"2"}}}"#;
    let answer = dev.post(body, &format!("mcp-protocol-version: {version}\r\n"));
    assert!(answer.contains(r#""structuredContent":{"id":"2","state":"sent"}"#), "{answer}");
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn changes_are_served_and_mistakes_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("shop.toml");
    std::fs::write(&spec, SPEC).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock"]);
    assert!(dev.ask("tools/list", "{}").contains("Gets one order of the shop."));

    std::fs::write(&spec, SPEC.replace("one order of the shop", "an order by its id")).unwrap();
    assert_eq!(dev.said("reloaded"), "reloaded: 1 tool (shop.toml)");
    assert!(dev.ask("tools/list", "{}").contains("Gets an order by its id."));

    std::fs::write(&spec, SPEC.replace("\"GET\"", "\"get\"")).unwrap();
    assert!(dev.said("error[").contains("`get` is not a method"));
    assert_eq!(dev.said("not reloaded"), "not reloaded: the last good version keeps serving");
    assert!(dev.ask("tools/list", "{}").contains("Gets an order by its id."));

    let new = folder.path().join("new");
    std::fs::write(&new, SPEC).unwrap();
    std::fs::rename(&new, &spec).unwrap();
    dev.said("reloaded");
    assert!(dev.ask("tools/list", "{}").contains("Gets one order of the shop."));
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn specs_with_errors_are_served_once_they_are_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("shop.toml");
    std::fs::write(&spec, SPEC.replace("\"GET\"", "\"get\"")).unwrap();
    let mut dev = Dev::start(folder.path(), &["--mock"]);
    assert!(dev.greeting.contains("none until the errors are fixed"), "{}", dev.greeting);
    dev.said("`get` is not a method");
    std::fs::write(&spec, SPEC).unwrap();
    dev.said("reloaded");
    assert!(dev.ask("tools/list", "{}").contains("get_order"));
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn a_variable_comes_from_a_file_and_a_call_goes_to_the_upstream() {
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://{}", upstream.local_addr().unwrap());
    let spec = SPEC.replace("https://api.example.com", &url);
    std::fs::write(folder.path().join("shop.toml"), spec).unwrap();
    std::fs::write(folder.path().join("dev.env"), "MCPC_TEST_TOKEN=t0ken\n").unwrap();
    let dev = Dev::start(folder.path(), &["--env-file", "dev.env"]);
    assert!(dev.greeting.contains("(live)"), "{}", dev.greeting);
    let served = std::thread::spawn(move || {
        let (stream, _) = upstream.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let body = r#"{"id":"7","state":"live"}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        (&stream).write_all(answer.as_bytes()).unwrap();
        head
    });
    assert!(dev.call("get_order", r#"{"id":"7"}"#).contains("order 7 is live"));
    let head = served.join().unwrap().to_ascii_lowercase();
    assert!(
        head.starts_with("get /orders/7 http/1.1\r\n") && head.contains("authorization: bearer t0ken\r\n")
    );
    assert_eq!(dev.stop().0, 0);
}

#[test]
fn an_address_in_use_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shop.toml"), SPEC).unwrap();
    let mut child = command(folder.path(), &["--mock", "--listen", &address]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    if !first.is_empty() {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!((first.as_str(), output.status.code()), ("", Some(2)));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(&format!("`{address}` is in use")) && errors.contains("`--listen`"), "{errors}");
}

#[test]
fn a_file_of_variables_means_the_same_to_dev_and_to_the_proxy() {
    use mcpc_tests::{Client, Upstream, build, call, mcp_edge};
    use std::os::unix::fs::PermissionsExt;
    const VARIABLES: &str = "# both read it\nexport A=tok # comment\nB = a#b\nC=' c # d ' # not this\n";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("variables.env"), VARIABLES).unwrap();
    std::fs::set_permissions(path("variables.env"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let upstream = Upstream::start();
    let spec = format!(
        "[upstream.api]\nurl = \"http://{}\"\nheaders = {{ x-variables = \"<${{A}}|${{B}}|${{C}}>\" }}\n\
         [[tool]]\nname = \"first\"\ndescription = \"Reads the first thing.\"\nupstream = \"api\"\n\
         method = \"GET\"\nendpoint = \"/first\"\n",
        upstream.address
    );
    build(&spec, &path("first.mcpk"));
    std::fs::write(
        path("edge.toml"),
        "bundle = \"first.mcpk\"\nsecrets = \"variables.env\"\nadmin = \"off\"\n[[listen]]\naddress = \"127.0.0.1:0\"\n",
    )
    .unwrap();
    let edge = mcp_edge(["--config".as_ref(), path("edge.toml").as_os_str()]);
    let dev = Dev::start(folder.path(), &["first.toml", "--env-file", "variables.env"]);
    for (number, address) in [edge.address(), dev.address.parse().unwrap()].into_iter().enumerate() {
        assert_eq!(Client::connect(address).ask(call("first", serde_json::json!({}))).text(), "{}");
        assert_eq!(upstream.request(number).header("x-variables"), ["<tok|a#b| c # d >"]);
    }
}
