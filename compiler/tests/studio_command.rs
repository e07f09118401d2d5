//! `mcpc studio` as people run it. What its API does is tested in `compiler/src/studio/tests/`.
#![cfg(feature = "dev")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Workplace};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Arguments that fail, and what the message says.
fn refused(place: &Workplace, arguments: &[&str], expected: &[&str]) {
    let done = place.run(&[&["studio"], arguments].concat());
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{}", done.err);
    for text in expected {
        assert!(done.err.contains(text), "`{text}` is not in:\n{}", done.err);
    }
}

#[test]
fn help_names_every_option() {
    let done = Workplace::new().run(&["studio", "--help"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    for text in
        ["--mock", "127.0.0.1:8090", "--read-only", "--secrets <FILE>", "--edge <URL>", "--mcp-servers"]
    {
        assert!(done.out.contains(text), "`{text}` is not in:\n{}", done.out);
    }
}

#[test]
fn what_cannot_be_served_is_refused_before_anything_starts() {
    let place = Workplace::with_spec(CLEAN);
    refused(&place, &["--listen", "0.0.0.0:0"], &["reachable from other machines", "`127.0.0.1`"]);
    refused(&place, &["--listen", "8090"], &["such as `127.0.0.1:8080`"]);
    refused(&place, &["nowhere"], &["`nowhere` is not there"]);
    refused(&place, &["--env-file", "none.env"], &["`none.env` cannot be read"]);
    refused(&place, &["--edge", "nowhere"], &["`nowhere` is not the URL of an admin listener"]);
    refused(&place, &["--edge", "http://127.0.0.1:8081", "--mock"], &["--mock"]);
    refused(&place, &["-"], &["only `mcpc check` reads a spec from standard input"]);
}

/// A running studio; killed if the test ends before it is stopped.
struct Studio {
    child: Child,
    address: String,
    token: String,
}

impl Studio {
    /// The second value has the lines after the one with the URL.
    fn start(mut command: Command) -> (Studio, Lines<BufReader<ChildStdout>>) {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut urls = out.by_ref().map(Result::unwrap);
        let url = urls.find_map(|line| Some(line.strip_prefix("studio     http://")?.to_owned()));
        let url = url.unwrap_or_else(|| panic!("it did not start"));
        let (address, token) = url.split_once("/#token=").unwrap();
        (Studio { address: address.to_owned(), token: token.to_owned(), child }, out)
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let Studio { address, token, .. } = self;
        let headers = format!("host: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n");
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The exit code after the signal of Ctrl-C.
    fn stop(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_page_is_served_until_ctrl_c_and_hears_of_changes_on_disk() {
    let place = Workplace::with_spec(CLEAN);
    let (studio, out) = Studio::start(place.command(&["studio", "--mock", "--listen", "127.0.0.1:0"]));
    let greeting: Vec<String> = out.map(Result::unwrap).take_while(|line| !line.contains("Ctrl-C")).collect();
    assert_eq!(
        greeting,
        ["tools      1 in 1 toolset", "answers    from the examples of the specs (mock)", ""]
    );
    assert!(studio.get("/").contains("<!doctype html>"));
    assert!(studio.get("/api/studio").contains("\"generation\":1"));
    let mut events = TcpStream::connect(&studio.address).unwrap();
    let Studio { address, token, .. } = &studio;
    write!(
        events,
        "GET /api/studio/events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    let mut events = BufReader::new(events).lines().map(Result::unwrap);
    assert!(events.any(|line| line == "event: hello"));
    place.write("spec.toml", CLEAN.replace("Gets one", "Shows one"));
    assert!(events.any(|line| line == "event: specs"), "nobody asked for it");
    assert!(studio.get("/api/studio/tools").contains("Shows one order"));
    assert_eq!(studio.stop(), 0);
    assert!(events.any(|line| line == "event: goodbye"));
}

#[test]
fn dev_has_options_of_the_page_only_with_it() {
    let done = Workplace::with_spec(CLEAN).run(&["dev", "--mock", "--read-only"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("--studio"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn the_page_is_served_beside_the_tools() {
    let place = Workplace::with_spec(CLEAN);
    let arguments =
        ["dev", "--mock", "--listen", "127.0.0.1:0", "--studio", "--studio-listen", "127.0.0.1:0"];
    for (more, read_only) in [(&[][..], false), (&["--read-only"][..], true)] {
        let (studio, _out) = Studio::start(place.command(&[&arguments[..], more].concat()));
        assert!(studio.get("/api/studio/tools").contains("get_order"));
        assert!(studio.get("/api/studio").contains(&format!("\"readOnly\":{read_only}")));
        assert_eq!(studio.stop(), 0);
    }
}
